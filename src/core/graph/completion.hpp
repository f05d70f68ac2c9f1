#pragma once

#include <optional>
#include <vector>

#include "core/graph/pair_set.hpp"
#include "core/graph/pdag.hpp"
#include "core/graph/read_set.hpp"

namespace greedag {

/// Turns a PDAG into the CPDAG of its class, re-checking only the edges near a change.
///
/// An edge is compelled if it is part of a v-structure or follows from Meek's rules 1 to 3. What
/// compels u → v are edges into nodes before v, or into v from nodes after u, in any order that
/// agrees with the directed edges. So edges never compel each other in a cycle, and re-checking
/// until nothing changes ends in the CPDAG, provided that the v-structures of the class are
/// directed at the start and that all directed edges belong to one DAG of the class. Every operator
/// leaves such a PDAG.
class Completion {
 public:
  explicit Completion(Node size) : queued_(static_cast<std::size_t>(size), size) {}

  /// Completes `graph` after `changes` were made to a CPDAG. Appends its own changes, and records
  /// which nodes' edges it reads.
  void complete_around(Pdag& graph, std::vector<EdgeChange>& changes, ReadSet& read_set);
  /// Completes `graph`, checking every edge.
  void complete(Pdag& graph);

 private:
  struct Pair {
    Node u;
    Node v;
    bool is_recorded;  ///< whether what its check reads has been recorded
  };
  void queue_edge(Node u, Node v, bool is_recorded);
  void queue_edges_near(const Pdag& graph, const EdgeChange& change, ReadSet& read_set);
  void process_queue(Pdag& graph, std::vector<EdgeChange>& changes, ReadSet& read_set);

  std::vector<Pair> queue_;
  PairSet queued_;  ///< row u holds v > u for every edge {u, v} in the queue
};

/// The CPDAG of the class of `dag`.
[[nodiscard]] Pdag cpdag_of_dag(const Pdag& dag);

/// A DAG of the class of `cpdag`, always the same one; none if there is no such DAG.
[[nodiscard]] std::optional<Pdag> dag_of_cpdag(const Pdag& cpdag);

/// The nodes in an order in which every directed edge points forward; none if there is a cycle.
[[nodiscard]] std::optional<std::vector<Node>> topological_order(const Pdag& graph);

}  // namespace greedag
