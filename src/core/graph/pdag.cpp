#include "core/graph/pdag.hpp"

namespace greedag {

Edge Pdag::edge_from_sets(Node a, Node b) const {
  if (neighbors(a).contains(b)) return Edge::undirected;
  if (children(a).contains(b)) return Edge::forward;
  if (parents(a).contains(b)) return Edge::backward;
  return Edge::none;
}

void Pdag::set_edge(Node a, Node b, Edge edge_after) {
  const Edge edge_before = edge(a, b);
  if (edge_before == edge_after) return;
  unlink(a, b, edge_before);
  unlink(b, a, flipped(edge_before));
  link(a, b, edge_after);
  link(b, a, flipped(edge_after));
  if (!table_.empty()) {
    table_[cell(a, b)] = edge_after;
    table_[cell(b, a)] = flipped(edge_after);
  }
  if (edge_before == Edge::none) {
    row(a).adjacent.insert(b);
    row(b).adjacent.insert(a);
  } else if (edge_after == Edge::none) {
    row(a).adjacent.erase(b);
    row(b).adjacent.erase(a);
  }
}

void Pdag::unlink(Node a, Node b, Edge edge) {
  if (edge == Edge::undirected) row(a).neighbors.erase(b);
  if (edge == Edge::forward) row(a).children.erase(b);
  if (edge == Edge::backward) row(a).parents.erase(b);
}

void Pdag::link(Node a, Node b, Edge edge) {
  if (edge == Edge::undirected) row(a).neighbors.insert(b);
  if (edge == Edge::forward) row(a).children.insert(b);
  if (edge == Edge::backward) row(a).parents.insert(b);
}

bool is_clique(const Pdag& graph, const NodeSet& nodes) {
  for (std::uint32_t i = 0; i + 1 < nodes.size(); ++i)
    for (std::uint32_t j = i + 1; j < nodes.size(); ++j)
      if (!graph.are_adjacent(nodes[i], nodes[j])) return false;
  return true;
}

}  // namespace greedag
