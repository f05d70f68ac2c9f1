#pragma once

#include <optional>

#include "core/graph/paths.hpp"
#include "core/operators/enumerate.hpp"

namespace greedag {

/// The operators on one pair of nodes of a class, whether they gain or lose: what an edge is worth,
/// what reversing it would cost, and what inserting one would bring.
class PairOperators {
 public:
  /// The arguments must outlive this object, and the graph must be complete. What is found after
  /// the observer says to stop means nothing.
  PairOperators(const Pdag& graph, const Score& score, std::size_t clique_cap, Observer& observer)
      : graph_(&graph),
        enumerator_(graph, score, {.clique_cap = clique_cap, .keep_losses = true}, observer),
        finder_(graph.size()) {}

  /// The best valid operator of a kind on the pair, with either node as x; none if there is none or
  /// if every set would fit exactly.
  [[nodiscard]] std::optional<Operator> best(Kind kind, Node a, Node b);

 private:
  void look_at(Kind kind, Node x, Node y, std::optional<Operator>& best);
  [[nodiscard]] bool has_unblocked_path(const Operator& op, const NodeSet& S);

  const Pdag* graph_;
  Enumerator enumerator_;
  PathFinder finder_;
  CandidateList found_;
};

}  // namespace greedag
