#pragma once

#include <optional>
#include <vector>

#include "core/graph/pdag.hpp"
#include "core/graph/read_set.hpp"

namespace greedag {

/// Makes a PDAG the CPDAG of its class, looking only at the edges near a change.
///
/// An edge is compelled when it lies in a v-structure or follows from Meek's rules 1 to 3. What
/// compels u → v are edges into nodes before v, or into v from nodes after u, in any order that
/// agrees with the directed edges; so support never runs in a circle, and re-checking edges until
/// nothing moves ends in the CPDAG, provided the v-structures of the class are directed at the
/// start and all directed edges belong to one common DAG of the class. Every operator leaves such a
/// PDAG.
class Completion {
 public:
  explicit Completion(Node size) : queued_(static_cast<std::size_t>(size)) {}

  /// Completes `graph` after `changes` were made to a CPDAG; appends what it changes itself, and
  /// notes whose edges it looks at.
  void complete_around(Pdag& graph, std::vector<EdgeChange>& changes, ReadSet& read_set);
  /// Completes `graph` re-checking every edge.
  void complete(Pdag& graph);

 private:
  struct Pair {
    Node u;
    Node v;
  };
  void queue_edge(Node u, Node v);
  void queue_edges_near(const Pdag& graph, const EdgeChange& change, ReadSet& read_set);
  void process_queue(Pdag& graph, std::vector<EdgeChange>& changes, ReadSet& read_set);

  std::vector<Pair> queue_;
  std::vector<NodeSet> queued_;  ///< queued_[u] holds v > u for every edge {u, v} in the queue
};

/// The CPDAG of the class of `dag`.
[[nodiscard]] Pdag cpdag_of_dag(const Pdag& dag);

/// A DAG of the class of `cpdag`, always the same one; none if `cpdag` has no such DAG.
[[nodiscard]] std::optional<Pdag> dag_of_cpdag(const Pdag& cpdag);

/// Nodes so ordered that every directed edge goes forward; none if the edges run in a circle.
[[nodiscard]] std::optional<std::vector<Node>> topological_order(const Pdag& graph);

}  // namespace greedag
