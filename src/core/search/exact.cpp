#include "core/search/exact.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

namespace greedag {
namespace {

/// Whether so many sets have been visited since the last time that it took about a millisecond.
constexpr bool is_time_to_look(std::size_t sets) { return sets % 65536 == 65535; }

/// The best total score of every set, and a sink of its best DAG.
///
/// The best local scores of each node by set of candidates would fill d tables of 2^d values. So
/// sets are processed in blocks that agree on all but the lowest nodes, and for each block these
/// scores are recomputed from all local scores: a little more work for a fraction of the memory.
class Totals {
 public:
  Totals(const LocalScores& scores, std::span<const Mask> later)
      : scores_(&scores),
        later_(later),
        d_(scores.size()),
        low_(low_nodes(d_)),
        size_(std::size_t{1} << d_),
        // Not initialised: touching so much memory at once would take long. libc++ 14 does not
        // know make_unique_for_overwrite.
        totals_(new double[size_]),
        sinks_(new std::uint8_t[size_]),
        best_(static_cast<std::size_t>(d_)) {}

  /// False if the observer says to stop.
  bool find(Observer& observer) {
    for (std::size_t high = 0; high < size_; high += std::size_t{1} << low_) {
      for (Node y = 0; y < d_; ++y) {
        if (observer.should_stop_now()) return false;
        find_best_scores(y, static_cast<Mask>(high) & ~bit(y));
      }
      if (!find_totals(static_cast<Mask>(high), observer)) return false;
    }
    return true;
  }
  /// The number of nodes on which the sets of a block differ.
  [[nodiscard]] static Node low_nodes(Node d) {
    return std::min(d, std::max(most_low, d - most_high));
  }
  [[nodiscard]] double total() const { return totals_[size_ - 1]; }
  [[nodiscard]] Node sink(Mask U) const { return sinks_[U]; }

 private:
  // Tables of 2^16 values fit into a cache; each block visits up to 2^5 others.
  static constexpr Node most_low = 16;
  static constexpr Node most_high = 5;

  /// best_[y], for every set L of low nodes: the highest s(y, P) over P ⊆ high ∪ L.
  void find_best_scores(Node y, Mask high) {
    auto& best = best_[static_cast<std::size_t>(y)];
    best.assign(std::size_t{1} << low_, GainEvaluator::refused);
    scores_->raise(y, 0, best);
    for (Mask part = high; part != 0; part = (part - 1) & high) scores_->raise(y, part, best);
    for (Node v = 0; v < low_; ++v)
      if (v != y) raise_from_subsets(best, bit(v));
  }
  static void raise_from_subsets(std::vector<double>& best, std::size_t step) {
    for (std::size_t at = 0; at < best.size(); at += 2 * step)
      for (std::size_t i = at; i < at + step; ++i)
        best[i + step] = std::max(best[i + step], best[i]);
  }

  [[nodiscard]] Mask possible_sinks(Mask U) const {
    if (later_.empty()) return U;
    Mask sinks = U;
    for (Mask rest = U; rest != 0; rest &= rest - 1)
      if (const Node y = std::countr_zero(rest); (later_[static_cast<std::size_t>(y)] & U) != 0)
        sinks &= ~bit(y);
    return sinks;
  }

  bool find_totals(Mask high, Observer& observer) {
    const Mask lowest = bit(low_) - 1;
    for (Mask low = 0; low <= lowest; ++low) {
      if (is_time_to_look(low) && observer.should_stop_now()) return false;
      const Mask U = high | low;
      double most = U == 0 ? 0.0 : GainEvaluator::refused;
      Node sink = 0;
      for (Mask rest = possible_sinks(U); rest != 0; rest &= rest - 1) {
        const Node y = std::countr_zero(rest);
        const double total =
            totals_[U & ~bit(y)] + best_[static_cast<std::size_t>(y)][low & ~bit(y)];
        if (total > most) {
          most = total;
          sink = y;
        }
      }
      totals_[U] = most;
      sinks_[U] = static_cast<std::uint8_t>(sink);
    }
    return true;
  }

  const LocalScores* scores_;
  std::span<const Mask> later_;
  Node d_;
  Node low_;
  std::size_t size_;
  std::unique_ptr<double[]> totals_;
  std::unique_ptr<std::uint8_t[]> sinks_;
  std::vector<std::vector<double>> best_;
};

/// The P ⊆ U with the highest s(y, P), then the fewest nodes, then the smallest mask. None if the
/// observer says to stop.
std::optional<Mask> best_parents(const LocalScores& scores, Node y, Mask U, Observer& observer) {
  Mask best = 0;
  double most = scores.of(y, 0);
  std::size_t tried = 0;
  for (Mask P = U; P != 0; P = (P - 1) & U) {
    if (is_time_to_look(++tried) && observer.should_stop_now()) return std::nullopt;
    const double score = scores.of(y, P);
    const bool is_smaller = std::pair(std::popcount(P), P) < std::pair(std::popcount(best), best);
    if (score > most || (score == most && is_smaller)) {
      best = P;
      most = score;
    }
  }
  return best;
}

}  // namespace

std::size_t bytes_for_best_dag(Node size) {
  const std::size_t sets = std::size_t{1} << size;
  const std::size_t block = std::size_t{1} << Totals::low_nodes(size);
  return sets * (2 * sizeof(double) + 1) + static_cast<std::size_t>(size) * block * sizeof(double);
}

std::optional<BestDag> best_dag(const LocalScores& scores, Observer& observer,
                                std::span<const Mask> later) {
  Totals totals(scores, later);
  if (!totals.find(observer)) return std::nullopt;
  const Node d = scores.size();
  BestDag dag{std::vector<Mask>(static_cast<std::size_t>(d)), totals.total()};
  if (dag.score == GainEvaluator::refused) return dag;  // there is none
  for (Mask U = bit(d) - 1; U != 0;) {
    const Node y = totals.sink(U);
    U &= ~bit(y);
    const auto parents = best_parents(scores, y, U, observer);
    if (!parents) return std::nullopt;
    dag.parents[static_cast<std::size_t>(y)] = *parents;
  }
  return dag;
}

Pdag graph_of(const BestDag& dag) {
  const auto d = static_cast<Node>(dag.parents.size());
  Pdag graph(d);
  for (Node y = 0; y < d; ++y)
    for (Node x = 0; x < d; ++x)
      if ((dag.parents[static_cast<std::size_t>(y)] >> x & 1) != 0)
        graph.set_edge(x, y, Edge::forward);
  return graph;
}

}  // namespace greedag
