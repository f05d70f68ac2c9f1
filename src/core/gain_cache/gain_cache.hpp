#pragma once

#include <optional>
#include <utility>

#include "core/gain_cache/gain_table.hpp"
#include "core/graph/knowledge.hpp"
#include "core/scores/score.hpp"
#include "core/util/counters.hpp"

namespace greedag {

/// Gains of a score, each computed once: the trials of XGES ask for the same ones again and again,
/// on all threads.
class GainCache {
 public:
  using Gain = GainTable::Gain;  ///< its value is unknown until `of` computes it

  /// If `with_losses`, `inserts` includes those that would lose. It leaves out what `knowledge`, if
  /// any, forbids.
  GainCache(const Score& score, bool with_losses, const Knowledge* knowledge = nullptr);
  /// For a search among DAGs: of x → y, which may gain more or less than y → x.
  static GainCache directed(const Score& score, const Knowledge* knowledge);
  /// For another thread, sharing the same table; nobody observes it yet.
  GainCache(const GainCache& other);
  GainCache(GainCache&&) = default;

  /// Once this observer, if any, says to stop, gains that would take long to compute are `refused`,
  /// and are not cached.
  void watch(Observer* observer) { evaluator_->watch(observer); }

  void condition(Node y, const NodeSet& E);
  /// s(y, E ∪ x) - s(y, E); `GainEvaluator::refused` where the set would fit exactly.
  [[nodiscard]] double of_insert(Node x);
  /// s(y, E \ x) - s(y, E) for an x in E; also `refused` where E fits exactly, because what x is
  /// worth there cannot be measured. Resets the conditioning.
  [[nodiscard]] double of_removal(Node x, Node y, const NodeSet& E);

  /// s(y, E); `refused` if the observer says to stop. Resets the conditioning.
  [[nodiscard]] double local_score(Node y, const NodeSet& E);

  /// The x → y that are allowed and may gain given E, by x, ascending; none where a member of E is
  /// a linear combination of others. Conditions on y and E; valid until the next call.
  [[nodiscard]] std::optional<std::span<Gain>> inserts(Node y, const NodeSet& E);
  [[nodiscard]] double of(Gain& gain);
  /// The x in E whose removal gains more than `min_gain`, ascending, all with known values. Resets
  /// the conditioning.
  [[nodiscard]] std::span<const Gain> removals(Node y, const NodeSet& E, double min_gain);

  /// How many gains were evaluated, and how many refused, since the last call.
  [[nodiscard]] Counters take_counters() { return std::exchange(counters_, {}); }

 private:
  /// What a node was last looked up with: it is often the same again.
  struct Recent {
    NodeSet E;
    GainTable::Given* given = nullptr;
  };

  GainCache(std::unique_ptr<GainEvaluator> evaluator, Node size, bool is_directed,
            const Knowledge* knowledge);
  void condition_evaluator();
  void find_inserts();
  [[nodiscard]] double computed(Node x);
  [[nodiscard]] double removal_gain(Node x, Node y, const NodeSet& E, GainTable::Given& given);
  double counted(double gain);
  [[nodiscard]] GainTable& table_with_room();
  /// Valid until the next call.
  [[nodiscard]] GainTable::Given& given(Node y, const NodeSet& E);

  std::unique_ptr<GainEvaluator> evaluator_;
  bool is_directed_;
  const Knowledge* knowledge_;
  Node y_ = 0;
  NodeSet E_;
  bool conditioned_ = false;  ///< whether evaluator_ is conditioned on y_ and E_
  std::vector<bool> may_gain_;
  std::vector<Gain> found_;
  std::vector<SharedDouble> none_known_;
  std::vector<Recent> recent_;  ///< by node
  std::shared_ptr<GainTables> tables_ = std::make_shared<GainTables>();
  std::shared_ptr<GainTable> table_ = tables_->after(nullptr);
  Counters counters_;
};

}  // namespace greedag
