#pragma once

#include <concepts>

#include "core/graph/pdag.hpp"
#include "core/operators/operators.hpp"

/// The paper's table of updates: which operators may become valid when one edge changes.
///
/// The rules are the rows I-any, D-any and R-any (with the errata that concern them), evaluated on
/// the graph just before the change. `a` and `b` are the ends of the edge. If the edge is directed
/// before the change, it is a → b; otherwise, if it is directed after the change, it becomes a → b.
namespace greedag {

/// One rule of the table: the operators (x, y) to recheck.
enum class UpdateRule : std::uint8_t {
  end,
  y_a,           ///< y = a
  y_b,           ///< y = b
  y_common,      ///< y ∈ Ne(a) ∩ Ne(b)
  x_a_y_b,       ///< x = a, y = b
  x_b_y_a,       ///< x = b, y = a
  x_a_y_near_b,  ///< x = a, y ∈ Ne(b)
  x_b_y_near_a,  ///< x = b, y ∈ Ne(a)
  y_a_x_adj_b,   ///< y = a, x ∈ Ad(b)
  y_b_x_adj_a,   ///< y = b, x ∈ Ad(a)
  both_common,   ///< x ∈ Ad(a) ∩ Ad(b), y ∈ Ne(a) ∩ Ne(b)
  x_a,           ///< x = a
  x_b,           ///< x = b
  path_a_b,      ///< SD(x, y; a, b): the stored path of (x, y) steps from a to b
  path_b_a,      ///< SD(x, y; b, a)
};

/// The seven changes of an edge, in the order of the table's columns.
enum class ChangeType : std::uint8_t {
  u1,  ///< a   b  becomes a - b
  u2,  ///< a   b  becomes a → b
  u3,  ///< a - b  becomes a   b
  u4,  ///< a - b  becomes a → b
  u5,  ///< a → b  becomes a   b
  u6,  ///< a → b  becomes a - b
  u7,  ///< a → b  becomes a ← b
};

struct TypedChange {
  ChangeType type;
  Node a;
  Node b;
};

/// The type of a change, with the ends swapped if needed so that its directed edge is a → b.
[[nodiscard]] TypedChange type_of(const EdgeChange& change);

/// The rules for one kind of operator and one type of change, terminated by `UpdateRule::end`.
[[nodiscard]] const UpdateRule* update_rules(Kind kind, ChangeType type);

/// What receives the operators that the rules list.
template <class Reader>
concept TableReader = requires(Reader reader, Kind kind, Node x, Node y) {
  reader.recheck_target(kind, y);  ///< all x of this y
  reader.recheck_source(kind, x);  ///< all y of this x
  reader.recheck_pair(kind, x, y);
  reader.on_step_broken(kind, x, y);  ///< no path can step from x to y any longer
};

template <TableReader Reader>
void apply_rule(const Pdag& graph, Kind kind, UpdateRule rule, Node a, Node b, Reader& reader) {
  switch (rule) {
    case UpdateRule::end:
      break;
    case UpdateRule::y_a:
      reader.recheck_target(kind, a);
      break;
    case UpdateRule::y_b:
      reader.recheck_target(kind, b);
      break;
    case UpdateRule::y_common:
      for (Node y : graph.neighbors(a))
        if (graph.are_neighbors(b, y)) reader.recheck_target(kind, y);
      break;
    case UpdateRule::x_a_y_b:
      reader.recheck_pair(kind, a, b);
      break;
    case UpdateRule::x_b_y_a:
      reader.recheck_pair(kind, b, a);
      break;
    case UpdateRule::x_a_y_near_b:
      for (Node y : graph.neighbors(b)) reader.recheck_pair(kind, a, y);
      break;
    case UpdateRule::x_b_y_near_a:
      for (Node y : graph.neighbors(a)) reader.recheck_pair(kind, b, y);
      break;
    case UpdateRule::y_a_x_adj_b:
      for (Node x : graph.adjacent(b)) reader.recheck_pair(kind, x, a);
      break;
    case UpdateRule::y_b_x_adj_a:
      for (Node x : graph.adjacent(a)) reader.recheck_pair(kind, x, b);
      break;
    case UpdateRule::both_common:
      for (Node y : graph.neighbors(a)) {
        if (!graph.are_neighbors(b, y)) continue;
        for (Node x : graph.adjacent(a))
          if (graph.are_adjacent(b, x)) reader.recheck_pair(kind, x, y);
      }
      break;
    case UpdateRule::x_a:
      reader.recheck_source(kind, a);
      break;
    case UpdateRule::x_b:
      reader.recheck_source(kind, b);
      break;
    case UpdateRule::path_a_b:
      reader.on_step_broken(kind, a, b);
      break;
    case UpdateRule::path_b_a:
      reader.on_step_broken(kind, b, a);
      break;
  }
}

/// Applies the rules for a change that is about to be made to `graph`.
template <TableReader Reader>
void read_table(const Pdag& graph, Kind kind, const EdgeChange& change, Reader& reader) {
  const auto [type, a, b] = type_of(change);
  for (const UpdateRule* rule = update_rules(kind, type); *rule != UpdateRule::end; ++rule)
    apply_rule(graph, kind, *rule, a, b, reader);
}

}  // namespace greedag
