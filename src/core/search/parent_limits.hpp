#pragma once

#include <cstddef>
#include <vector>

#include "core/graph/knowledge.hpp"
#include "core/search/local_scores.hpp"

namespace greedag {

/// By node: which parents it must have, and which it must not.
struct Limits {
  std::vector<Mask> required;
  std::vector<Mask> forbidden;

  [[nodiscard]] bool allow(Node y, Mask P) const {
    const auto at = static_cast<std::size_t>(y);
    return (P & forbidden[at]) == 0 && (required[at] & ~P) == 0;
  }
};

/// What is known about arcs, and about ancestors where that comes down to arcs.
[[nodiscard]] inline Limits limits_of(const Knowledge& knowledge) {
  const Node d = knowledge.size();
  const auto size = static_cast<std::size_t>(d);
  Limits limits{std::vector<Mask>(size), std::vector<Mask>(size)};
  for (Node y = 0; y < d; ++y)
    for (Node x = 0; x < d; ++x) {
      if (x == y) continue;
      const auto at = static_cast<std::size_t>(y);
      if (knowledge.is_required(x, y)) limits.required[at] |= bit(x);
      if (!knowledge.allows(x, y)) limits.forbidden[at] |= bit(x);
    }
  return limits;
}

}  // namespace greedag
