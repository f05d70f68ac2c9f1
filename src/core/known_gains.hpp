#pragma once

#include <optional>
#include <utility>

#include "core/set_map.hpp"
#include "core/sweep.hpp"
#include "core/tally.hpp"

namespace greedag {

/// Gains as PartialGain has them, each computed once. A gain belongs to the data, not to the graph,
/// and the trials of XGES ask for the same ones again and again.
class KnownGains {
 public:
  struct Gain {
    Node x;
    double value;  ///< NaN until `of` was asked for it
  };

  /// Inserts whose squared partial correlation is up to `min_r2` cannot gain.
  KnownGains(const GaussianBic& score, double min_r2);

  void condition(Node y, const NodeSet& E);
  /// s(y, E ∪ x) - s(y, E); `PartialGain::refused` where the set would fit exactly.
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
  struct Range {
    std::uint32_t begin;
    std::uint32_t size;  ///< `singular` where nothing can be scored
  };
  static constexpr std::uint32_t singular = ~std::uint32_t{0};
  static constexpr std::size_t most_entries = std::size_t{1} << 20;
  static constexpr std::size_t most_gains = std::size_t{1} << 22;

  void condition_partial();
  [[nodiscard]] double computed(Node x);
  [[nodiscard]] double removal_gain(Node x, Node y, const NodeSet& E);
  double counted(double gain);
  void make_room();

  PartialGain partial_;
  RemovalFilter removal_;
  Sweep sweep_;
  Node y_ = 0;
  NodeSet E_;
  bool conditioned_ = false;  ///< whether partial_ is, on y_ and E_
  SetMap<double> pairs_{most_entries};
  SetMap<Range> inserts_{most_entries};
  SetMap<Range> removals_{most_entries};
  std::vector<Gain> gains_;  ///< of inserts_ and removals_
  SetMap<std::size_t> members_{most_entries};
  std::vector<double> member_gains_;  ///< of removing each member of a set; NaN until asked for
  Tally tally_;
};

}  // namespace greedag
