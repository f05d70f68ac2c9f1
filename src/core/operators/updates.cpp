#include "core/operators/updates.hpp"

#include <array>
#include <utility>

namespace greedag {
namespace {

using enum UpdateRule;
using Row =
    std::array<std::array<UpdateRule, 9>, 7>;  // one list per type of change, terminated by `end`

constexpr Row insert_row{{
    /* U1: a   b to a - b */ {y_a, y_b, y_common, x_a_y_near_b, x_b_y_near_a},
    /* U2: a   b to a → b */ {y_b, y_common, x_a_y_near_b, x_b_y_near_a},
    /* U3: a - b to a   b */
    {x_a_y_b, x_b_y_a, x_a_y_near_b, x_b_y_near_a, y_a_x_adj_b, y_b_x_adj_a, path_a_b, path_b_a},
    /* U4: a - b to a → b */ {y_b, y_a_x_adj_b, path_b_a},
    /* U5: a → b to a   b */ {y_b, x_b_y_a, x_a_y_near_b, x_b_y_near_a, path_a_b},
    /* U6: a → b to a - b */ {y_a, y_b},
    /* U7: a → b to a ← b */ {y_a, y_b, path_a_b},
}};

constexpr Row delete_row{{
    /* U1: a   b to a - b */ {y_a, y_b, x_a_y_near_b, x_b_y_near_a, both_common},
    /* U2: a   b to a → b */ {y_b, x_a_y_near_b, x_b_y_near_a, both_common},
    /* U3: a - b to a   b */ {},
    /* U4: a - b to a → b */ {y_b},
    /* U5: a → b to a   b */ {y_b},
    /* U6: a → b to a - b */ {y_a, y_b},
    /* U7: a → b to a ← b */ {y_a, y_b},
}};

constexpr Row reverse_row{{
    /* U1: a   b to a - b */ {y_a, y_b, y_common, x_a, x_b},
    /* U2: a   b to a → b */ {y_b, y_common, x_a_y_near_b, x_b},
    /* U3: a - b to a   b */
    {x_a_y_b, x_b_y_a, x_a_y_near_b, x_b_y_near_a, y_a_x_adj_b, y_b_x_adj_a, path_a_b, path_b_a},
    /* U4: a - b to a → b */ {y_a_x_adj_b, y_b, x_b, path_b_a},
    /* U5: a → b to a   b */ {y_b, x_a_y_near_b, x_b, path_a_b},
    /* U6: a → b to a - b */ {y_a, y_b, x_a, x_b},
    /* U7: a → b to a ← b */ {y_a, y_b, x_a, x_b, path_a_b},
}};

}  // namespace

TypedChange type_of(const EdgeChange& change) {
  auto [a, b, before, after] = change;
  if (before == Edge::backward || (before != Edge::forward && after == Edge::backward)) {
    std::swap(a, b);
    before = flipped(before);
    after = flipped(after);
  }
  if (before == Edge::none)
    return {after == Edge::undirected ? ChangeType::u1 : ChangeType::u2, a, b};
  if (before == Edge::undirected)
    return {after == Edge::none ? ChangeType::u3 : ChangeType::u4, a, b};
  if (after == Edge::none) return {ChangeType::u5, a, b};
  return {after == Edge::undirected ? ChangeType::u6 : ChangeType::u7, a, b};
}

const UpdateRule* update_rules(Kind kind, ChangeType type) {
  const Row& row = kind == Kind::Insert   ? insert_row
                   : kind == Kind::Delete ? delete_row
                                          : reverse_row;
  return row[static_cast<std::size_t>(type)].data();
}

}  // namespace greedag
