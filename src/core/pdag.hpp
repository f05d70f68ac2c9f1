#pragma once

#include <cstdint>
#include <vector>

#include "core/node_set.hpp"

namespace greedag {

/// How an ordered pair (a, b) is joined.
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

/// One edge of a graph going from one state to another.
struct EdgeChange {
  Node a;
  Node b;
  Edge before;
  Edge after;
};

/// A partially directed graph on nodes 0 … size-1.
class Pdag {
 public:
  explicit Pdag(Node size) : rows_(static_cast<std::size_t>(size)) {}

  [[nodiscard]] Node size() const { return static_cast<Node>(rows_.size()); }
  [[nodiscard]] const NodeSet& parents(Node y) const { return row(y).parents; }      ///< Pa(y)
  [[nodiscard]] const NodeSet& children(Node y) const { return row(y).children; }    ///< Ch(y)
  [[nodiscard]] const NodeSet& neighbors(Node y) const { return row(y).neighbors; }  ///< Ne(y)
  [[nodiscard]] const NodeSet& adjacent(Node y) const { return row(y).adjacent; }    ///< Ad(y)

  [[nodiscard]] bool are_adjacent(Node a, Node b) const { return adjacent(a).contains(b); }
  /// Whether a semi-directed path may step from a to b: a → b or a - b.
  [[nodiscard]] bool can_step(Node a, Node b) const {
    return children(a).contains(b) || neighbors(a).contains(b);
  }
  [[nodiscard]] Edge edge(Node a, Node b) const;
  void set_edge(Node a, Node b, Edge edge);

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
  void unlink(Node a, Node b, Edge edge);
  void link(Node a, Node b, Edge edge);

  std::vector<Row> rows_;
};

/// Whether every two of `nodes` are adjacent.
[[nodiscard]] bool is_clique(const Pdag& graph, const NodeSet& nodes);

}  // namespace greedag
