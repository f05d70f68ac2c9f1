#pragma once

#include <optional>
#include <utility>

#include "core/gain_cache/gain_table.hpp"
#include "core/scores/score.hpp"
#include "core/util/counters.hpp"

namespace greedag {

/// Gains of a score, kept once they are computed: the trials of XGES ask for the same ones again
/// and again, on all threads.
class KnownGains {
 public:
  using Gain = GainBook::Gain;  ///< its value is unknown until `of` was asked for it

  /// If `with_losses`, `inserts` has those that would lose too.
  KnownGains(const Score& score, bool with_losses);
  /// For another thread, with the same book.
  KnownGains(const KnownGains& other);
  KnownGains(KnownGains&&) = default;

  void condition(Node y, const NodeSet& E);
  /// s(y, E ∪ x) - s(y, E); `Gains::refused` where the set would fit exactly.
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
  [[nodiscard]] Tally take_tally() { return std::exchange(tally_, {}); }

 private:
  void condition_gains();
  [[nodiscard]] double computed(Node x);
  [[nodiscard]] double removal_gain(Node x, Node y, const NodeSet& E);
  double counted(double gain);
  [[nodiscard]] GainBook& book_with_room();

  std::unique_ptr<Gains> gains_;
  Node y_ = 0;
  NodeSet E_;
  bool conditioned_ = false;  ///< whether gains_ is, on y_ and E_
  std::vector<bool> may_gain_;
  std::vector<Gain> found_;
  std::vector<SharedNumber> none_known_;
  std::shared_ptr<GainBooks> books_ = std::make_shared<GainBooks>();
  std::shared_ptr<GainBook> book_ = books_->after(nullptr);
  Tally tally_;
};

}  // namespace greedag
