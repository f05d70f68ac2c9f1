#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <vector>

#include "core/search/local_scores.hpp"
#include "core/search/parent_limits.hpp"
#include "core/util/random.hpp"
#include "core/util/scaled.hpp"

namespace greedag {

/// The place of a set that lacks y among all that do: its mask without the bit of y.
[[nodiscard]] constexpr Mask without(Mask set, Node y) {
  const Mask low = bit(y) - 1;
  return (set & low) | (set >> 1 & ~low);
}
/// The set at that place.
[[nodiscard]] constexpr Mask with_gap(Mask place, Node y) {
  const Mask low = bit(y) - 1;
  return (place & low) | (place & ~low) << 1;
}

/// Which parents a node may have.
struct ParentRules {
  const Knowledge* knowledge = nullptr;  ///< only what it says of arcs
  Node most = most_nodes_for_local_scores;
};

/// What has been done of all there is to do, for those who wait.
struct WorkDone {
  double total = 1.0;
  std::atomic<double> done = 0.0;

  void add(double amount) {
    // Not every standard library has fetch_add for doubles.
    double before = done.load(std::memory_order_relaxed);
    while (!done.compare_exchange_weak(before, before + amount, std::memory_order_relaxed)) {
    }
  }
  [[nodiscard]] double share() const {
    return std::min(1.0, done.load(std::memory_order_relaxed) / total);
  }
};

/// The weight e^s(y, P) of every node with every set of parents that it may have, and 0 of others.
///
/// Weights of a node are relative to its largest one.
class ParentWeights {
 public:
  ParentWeights(const LocalScores& scores, const ParentRules& rules);
  /// All weights 1: what a prior alone makes of the same rules.
  ParentWeights(Node size, const ParentRules& rules);

  [[nodiscard]] Node size() const { return static_cast<Node>(logs_.size()); }
  [[nodiscard]] Scaled<double> of(Node y, Mask place) const {
    return Scaled<double>::exp(logs_[at(y)][place]);
  }
  /// The sum of the logarithms that were taken off.
  [[nodiscard]] double log_scale() const { return log_scale_; }
  /// α_y(S) = Σ w(y, P) over P ⊆ S, for all S; by the zeta transform. Nothing cancels.
  template <class Real>
  [[nodiscard]] std::vector<Scaled<Real>> sums(Node y) const {
    std::vector<Scaled<Real>> values(logs_[at(y)].size());
    for (Mask place = 0; place < values.size(); ++place) values[place] = Scaled<Real>(of(y, place));
    for (std::size_t step = 1; step < values.size(); step *= 2)
      for (std::size_t start = 0; start < values.size(); start += 2 * step)
        for (std::size_t i = start; i < start + step; ++i) values[i + step] += values[i];
    return values;
  }
  /// P(x → y) for all x, given `others` by place: for P, the weight of all DAGs in which y has the
  /// parents P, without that of y itself and relative to the weight of all DAGs.
  template <class Real>
  [[nodiscard]] std::vector<double> parents(Node y, const std::vector<Scaled<Real>>& others) const {
    std::vector<double> shares(logs_.size());
    for (Mask place = 0; place < others.size(); ++place) {
      const auto share = static_cast<double>(others[place] * Scaled<Real>(of(y, place)));
      for (Mask rest = with_gap(place, y); rest != 0; rest &= rest - 1)
        shares[at(std::countr_zero(rest))] += share;
    }
    return shares;
  }

  /// Draws P with a probability in proportion to its weight, among all P ⊆ S that share a node with
  /// `needed`, if that is not empty; `total` is the weight of these.
  [[nodiscard]] Mask draw(Node y, Mask S, Mask needed, Scaled<double> total, Random& random);

 private:
  static std::size_t at(Node node) { return static_cast<std::size_t>(node); }
  void sort_sets(Node y);

  std::vector<std::vector<double>> logs_;   ///< by node and place
  std::vector<std::vector<Mask>> ordered_;  ///< places by falling weight, once they are needed
  double log_scale_ = 0.0;
};

/// Adds to the number of every set those of its supersets.
template <class Number>
void add_supersets(std::vector<Number>& values) {
  for (std::size_t step = 1; step < values.size(); step *= 2)
    for (std::size_t start = 0; start < values.size(); start += 2 * step)
      for (std::size_t i = start; i < start + step; ++i) values[i] += values[i + step];
}

}  // namespace greedag
