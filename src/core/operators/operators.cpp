#include "core/operators/operators.hpp"

namespace greedag {
namespace {

/// E = A ∪ B for disjoint A and B.
bool is_union(const NodeSet& E, const NodeSet& A, const NodeSet& B) {
  return E.size() == A.size() + B.size() && E.contains_all(A) && E.contains_all(B);
}

/// Conditions 2, 3 and 5, which Insert and Reverse share.
bool meets_235(const Pdag& graph, Node x, Node y, const NodeSet& S, const NodeSet& E) {
  return is_union(E, graph.parents(y), S)  // I5, R5
         && graph.neighbors(y).contains_all(S) &&
         contains_neighbors_y_adjacent_x(graph, S, y, x)  // I2, R2: T = S \ Ad(x)
         && is_clique(graph, S);                          // I3, R3
}

void change(Pdag& graph, Node a, Node b, Edge after, std::vector<EdgeChange>& changes) {
  const Edge before = graph.edge(a, b);
  if (before == after) return;
  graph.set_edge(a, b, after);
  changes.push_back({a, b, before, after});
}

}  // namespace

bool is_better(const Operator& first, const Operator& second) {
  if (first.gain != second.gain) return first.gain > second.gain;
  if (first.kind != second.kind) return first.kind < second.kind;
  if (first.y != second.y) return first.y < second.y;
  if (first.x != second.x) return first.x < second.x;
  return first.E < second.E;
}

NodeSet neighbors_y_adjacent_x(const Pdag& graph, Node y, Node x) {
  NodeSet nodes;
  for (Node z : graph.neighbors(y))
    if (z != x && graph.are_adjacent(x, z)) nodes.insert(z);
  return nodes;
}

bool contains_neighbors_y_adjacent_x(const Pdag& graph, const NodeSet& S, Node y, Node x) {
  for (Node z : graph.neighbors(y))
    if (graph.are_adjacent(x, z) && !S.contains(z)) return false;
  return true;
}

bool meets_I1235(const Pdag& graph, Node x, Node y, const NodeSet& S, const NodeSet& E) {
  return !graph.are_adjacent(x, y)  // I1
         && meets_235(graph, x, y, S, E);
}

bool meets_D1234(const Pdag& graph, Node x, Node y, const NodeSet& C, const NodeSet& E) {
  const bool parent = graph.is_parent(x, y);
  if (!parent && !graph.are_neighbors(x, y)) return false;  // D1
  for (Node c : C)                                          // D2
    if (!graph.are_neighbors(y, c) || !graph.are_adjacent(x, c)) return false;
  if (!is_clique(graph, C)) return false;                                               // D3
  if (E.size() != C.size() + graph.parents(y).size() - (parent ? 1 : 0)) return false;  // D4
  for (Node p : graph.parents(y))
    if (p != x && !E.contains(p)) return false;
  return E.contains_all(C) && !E.contains(x);
}

bool meets_R12356(const Pdag& graph, Node x, Node y, const NodeSet& S, const NodeSet& E,
                  const NodeSet& F) {
  return graph.is_parent(y, x)     // R1
         && F == graph.parents(x)  // R6
         && meets_235(graph, x, y, S, E);
}

void apply(Pdag& graph, const Operator& op, std::vector<EdgeChange>& changes) {
  const auto& [kind, x, y, T, E, F, gain] = op;
  if (kind == Kind::Delete) {
    NodeSet H = neighbors_y_adjacent_x(graph, y, x);
    for (Node c : T) H.erase(c);
    change(graph, x, y, Edge::none, changes);
    for (Node h : H) {
      change(graph, y, h, Edge::forward, changes);
      if (graph.are_neighbors(x, h)) change(graph, x, h, Edge::forward, changes);
    }
    return;
  }
  change(graph, x, y, Edge::forward, changes);
  for (Node t : T) change(graph, t, y, Edge::forward, changes);
}

}  // namespace greedag
