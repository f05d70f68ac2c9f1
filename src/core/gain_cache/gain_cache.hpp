#pragma once

#include <optional>
#include <utility>

#include "core/gain_cache/gain_table.hpp"
#include "core/scores/score.hpp"
#include "core/util/counters.hpp"

namespace greedag {

/// Gains of a score, kept once they are computed: the trials of XGES ask for the same ones again
/// and again, on all threads.
class GainCache {
 public:
  using Gain = GainTable::Gain;  ///< its value is unknown until `of` was asked for it

  /// If `with_losses`, `inserts` has those that would lose too.
  GainCache(const Score& score, bool with_losses);
  /// For another thread, with the same book.
  GainCache(const GainCache& other);
  GainCache(GainCache&&) = default;

  void condition(Node y, const NodeSet& E);
  /// s(y, E ∪ x) - s(y, E); `GainEvaluator::refused` where the set would fit exactly.
  [[nodiscard]] double of_insert(Node x);
  /// s(y, E \ x) - s(y, E) for an x in E; `refused` too where E fits exactly, since what x is worth
  /// there cannot be measured. Forgets what was conditioned on.
  [[nodiscard]] double of_removal(Node x, Node y, const NodeSet& E);

  /// The x that may gain by joining y given E, ascending; none where a member of E is a combination
  /// of others. Conditions on y and E; lives until the next call.
  [[nodiscard]] std::optional<std::span<Gain>> inserts(Node y, const NodeSet& E);
  [[nodiscard]] double of(Gain& gain);
  /// The x in E whose removal gains more than `min_gain`, ascending; all of their values are known.
  /// Forgets what was conditioned on.
  [[nodiscard]] std::span<const Gain> removals(Node y, const NodeSet& E, double min_gain);

  /// How many gains were looked at, and how many refused, since the last call.
  [[nodiscard]] Counters take_counters() { return std::exchange(counters_, {}); }

 private:
  void condition_evaluator();
  [[nodiscard]] double computed(Node x);
  [[nodiscard]] double removal_gain(Node x, Node y, const NodeSet& E);
  double counted(double gain);
  [[nodiscard]] GainTable& table_with_room();

  std::unique_ptr<GainEvaluator> evaluator_;
  Node y_ = 0;
  NodeSet E_;
  bool conditioned_ = false;  ///< whether evaluator_ is, on y_ and E_
  std::vector<bool> may_gain_;
  std::vector<Gain> found_;
  std::vector<SharedDouble> none_known_;
  std::shared_ptr<GainTables> tables_ = std::make_shared<GainTables>();
  std::shared_ptr<GainTable> table_ = tables_->after(nullptr);
  Counters counters_;
};

}  // namespace greedag
