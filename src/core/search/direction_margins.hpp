#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/graph/knowledge.hpp"
#include "core/scores/score.hpp"
#include "core/util/observer.hpp"

namespace greedag {

/// The edge x → y.
struct DirectedEdge {
  Node x;
  Node y;
};

/// A class with another score, and how it differs.
struct OtherClass {
  double gain;                      ///< its score less that of the class it differs from
  std::vector<EdgeChange> changes;  ///< every edge that differs
};

/// By edge x → y: a class of which some member has y → x.
using TurnedClasses = std::vector<std::optional<OtherClass>>;

/// Searches, for each of some directed edges x → y of a class, for the best class of which some
/// member has y → x.
///
/// Starts from the best valid reversal of the edge, and from the DAGs of orders in which y was
/// moved before x or x behind y. A climb among such orders follows, with a few perturbations around
/// the edge, and then XGES-0, which refuses every operator that leads to a class without a member
/// that has y → x. What is found for one edge is kept for all edges that it turns. There may be
/// better classes. With knowledge, which the class agrees with, so do those found.
class TurnSearch {
 public:
  /// Finds all operators of the class, which takes most of the time for one edge. The arguments
  /// must outlive this object.
  TurnSearch(const Score& score, const Pdag& graph, const Knowledge* knowledge, Observer& observer);
  ~TurnSearch();
  TurnSearch(const TurnSearch&) = delete;
  TurnSearch& operator=(const TurnSearch&) = delete;

  /// None where nothing can be measured, or if the observer stopped before. What it finds does not
  /// depend on earlier calls; once the observer has stopped, there must be none.
  [[nodiscard]] TurnedClasses find(std::span<const DirectedEdge> edges);

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// The same, by looking at all DAGs: nothing is better. For few nodes, as `best_dag` is.
[[nodiscard]] TurnedClasses best_turned_classes(const Score& score, const Pdag& graph,
                                                std::span<const DirectedEdge> edges,
                                                const Knowledge* knowledge, Observer& observer);

}  // namespace greedag
