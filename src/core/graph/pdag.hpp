#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/node_set.hpp"

namespace greedag {

/// The edge of an ordered pair (a, b).
enum class Edge : std::uint8_t {
  none,
  undirected,  ///< a - b
  forward,     ///< a → b
  backward,    ///< a ← b
};

/// The same edge seen from (b, a).
[[nodiscard]] constexpr Edge flipped(Edge edge) {
  if (edge == Edge::forward) return Edge::backward;
  if (edge == Edge::backward) return Edge::forward;
  return edge;
}

/// A change of one edge from one state to another.
struct EdgeChange {
  Node a;
  Node b;
  Edge before;
  Edge after;
};

class Pdag;

/// The edges of one node, for repeated lookups.
class EdgesOf {
 public:
  EdgesOf(const Pdag& graph, Node a, const Edge* row) : graph_(&graph), a_(a), row_(row) {}

  /// The edge of (a, b).
  [[nodiscard]] Edge to(Node b) const;

 private:
  const Pdag* graph_;
  Node a_;
  const Edge* row_;  ///< by b, or null if the graph has no table
};

/// A partially directed graph on nodes 0 … size-1.
class Pdag {
 public:
  explicit Pdag(Node size) : rows_(static_cast<std::size_t>(size)) {
    if (size <= most_nodes_with_table) table_.resize(rows_.size() * rows_.size(), Edge::none);
  }

  [[nodiscard]] Node size() const { return static_cast<Node>(rows_.size()); }
  [[nodiscard]] const NodeSet& parents(Node y) const { return row(y).parents; }      ///< Pa(y)
  [[nodiscard]] const NodeSet& children(Node y) const { return row(y).children; }    ///< Ch(y)
  [[nodiscard]] const NodeSet& neighbors(Node y) const { return row(y).neighbors; }  ///< Ne(y)
  [[nodiscard]] const NodeSet& adjacent(Node y) const { return row(y).adjacent; }    ///< Ad(y)

  [[nodiscard]] Edge edge(Node a, Node b) const {
    return table_.empty() ? edge_from_sets(a, b) : table_[cell(a, b)];
  }
  [[nodiscard]] bool are_adjacent(Node a, Node b) const {
    return table_.empty() ? adjacent(a).contains(b) : table_[cell(a, b)] != Edge::none;
  }
  [[nodiscard]] EdgesOf edges_of(Node a) const {
    return {*this, a, table_.empty() ? nullptr : &table_[cell(a, 0)]};
  }
  [[nodiscard]] bool is_parent(Node a, Node b) const { return edge(a, b) == Edge::forward; }
  [[nodiscard]] bool are_neighbors(Node a, Node b) const { return edge(a, b) == Edge::undirected; }
  /// Whether a semi-directed path may step from a to b: a → b or a - b.
  [[nodiscard]] bool can_step(Node a, Node b) const {
    const Edge step = edge(a, b);
    return step == Edge::forward || step == Edge::undirected;
  }
  /// The same as `edge`, found without the table of all pairs.
  [[nodiscard]] Edge edge_from_sets(Node a, Node b) const;
  void set_edge(Node a, Node b, Edge edge);
  /// The number of edges.
  [[nodiscard]] std::size_t edges() const {
    std::size_t ends = 0;
    for (const Row& row : rows_) ends += row.adjacent.size();
    return ends / 2;
  }

  friend bool operator==(const Pdag&, const Pdag&) = default;

 private:
  struct Row {
    NodeSet parents;
    NodeSet children;
    NodeSet neighbors;
    NodeSet adjacent;
    friend bool operator==(const Row&, const Row&) = default;
  };
  [[nodiscard]] const Row& row(Node y) const { return rows_[static_cast<std::size_t>(y)]; }
  [[nodiscard]] Row& row(Node y) { return rows_[static_cast<std::size_t>(y)]; }
  [[nodiscard]] std::size_t cell(Node a, Node b) const {
    return static_cast<std::size_t>(a) * rows_.size() + static_cast<std::size_t>(b);
  }
  void unlink(Node a, Node b, Edge edge);
  void link(Node a, Node b, Edge edge);

  /// A table of all pairs is faster than the sets, as long as it fits into a cache.
  static constexpr Node most_nodes_with_table = 1024;

  std::vector<Row> rows_;
  std::vector<Edge> table_;
};

inline Edge EdgesOf::to(Node b) const {
  return row_ != nullptr ? row_[static_cast<std::size_t>(b)] : graph_->edge_from_sets(a_, b);
}

/// Whether every two of `nodes` are adjacent.
[[nodiscard]] bool is_clique(const Pdag& graph, const NodeSet& nodes);

}  // namespace greedag
