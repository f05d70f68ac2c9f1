#pragma once

#include <cstddef>

#include "core/graph/node_set.hpp"

namespace greedag {

/// What a search counts on its way.
struct Counters {
  std::size_t evaluations = 0;      ///< gains looked at
  std::size_t refusals = 0;         ///< of those, refused because the set fits exactly
  std::size_t sweeps = 0;           ///< targets whose inserts were found together
  std::size_t capped_families = 0;  ///< times that not all sets were enumerated
  std::size_t cycles = 0;           ///< runs of steps that were cut because they led nowhere
  NodeSet capped_targets;           ///< where not all sets were enumerated

  void add(const Counters& other) {
    evaluations += other.evaluations;
    refusals += other.refusals;
    sweeps += other.sweeps;
    capped_families += other.capped_families;
    cycles += other.cycles;
    for (Node y : other.capped_targets) capped_targets.insert(y);
  }
};

}  // namespace greedag
