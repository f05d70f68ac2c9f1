#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/pdag.hpp"

/// The three operators on CPDAGs, their conditions and their effects.
///
/// Insert(x, y, T; E) adds x → y, Delete(x, y, C; E) removes x → y or x - y, Reverse(x, y, T; E, F)
/// turns y → x into x → y. E holds the nodes on which y is scored besides x, and F the parents of
/// x. With them the gain is a property of the operator: a change of the graph makes an operator
/// invalid instead of changing its gain. Conditions carry the paper's labels.
namespace greedag {

/// In the order of the tie-breaking rule.
enum class Kind : std::uint8_t { Delete, Reverse, Insert };
inline constexpr Kind all_kinds[] = {Kind::Delete, Kind::Reverse, Kind::Insert};

struct Operator {
  Kind kind;
  Node x;
  Node y;
  NodeSet T;  ///< C for a Delete
  NodeSet E;
  NodeSet F;  ///< for a Reverse only
  double gain;
};

/// Whether `first` ranks before `second` by the fixed rule: gain, kind, y, x, then E.
[[nodiscard]] bool is_better(const Operator& first, const Operator& second);

/// Ne(y) ∩ Ad(x).
[[nodiscard]] NodeSet neighbors_y_adjacent_x(const Pdag& graph, Node y, Node x);

/// Whether Ne(y) ∩ Ad(x) ⊆ S.
[[nodiscard]] bool contains_neighbors_y_adjacent_x(const Pdag& graph, const NodeSet& S, Node y,
                                                   Node x);

/// I1, I2, I3 and I5, with S = (Ne(y) ∩ Ad(x)) ∪ T.
[[nodiscard]] bool meets_I1235(const Pdag& graph, Node x, Node y, const NodeSet& S,
                               const NodeSet& E);
/// D1 to D4.
[[nodiscard]] bool meets_D1234(const Pdag& graph, Node x, Node y, const NodeSet& C,
                               const NodeSet& E);
/// R1, R2, R3, R5 and R6, with S = (Ne(y) ∩ Ad(x)) ∪ T.
[[nodiscard]] bool meets_R12356(const Pdag& graph, Node x, Node y, const NodeSet& S,
                                const NodeSet& E, const NodeSet& F);

/// Applies a valid operator without completing the graph; appends the edges that change.
void apply(Pdag& graph, const Operator& op, std::vector<EdgeChange>& changes);

}  // namespace greedag
