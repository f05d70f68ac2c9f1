#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/knowledge.hpp"

namespace greedag {

/// What directs tail → head, and the further nodes that it needs.
enum class Rule : std::uint8_t {
  v_structure,  ///< tail → head ← first, with tail and first not adjacent
  meek_1,       ///< first → tail, with first and head not adjacent
  meek_2,       ///< tail → first → head
  meek_3,       ///< first → head ← second, both adjacent to tail but not to each other
  meek_4,       ///< first → second → head, both adjacent to tail, and first not to head
  knowledge,
};

struct Reason {
  Node tail;
  Node head;
  Rule rule;
  Node first = -1;
  Node second = -1;
};

/// Derives the directed edges of an MPDAG: those of its class from skeleton and v-structures, then
/// `given` arcs and what follows from them. An arc that does not follow counts as given, too.
///
/// Edges are derived in rounds and come in this order, each by the first rule that directs it. So
/// none rests on a later one. Rule 4 is applied only where rules 1 to 3 are at an end.
[[nodiscard]] std::vector<Reason> derive(const Pdag& mpdag, std::span<const Arc> given);

}  // namespace greedag
