#pragma once

#include <cstddef>

#include "core/graph/node_set.hpp"

namespace greedag {

/// What a search counts.
struct Counters {
  std::size_t evaluations = 0;      ///< gains evaluated
  std::size_t refusals = 0;         ///< evaluations refused because the set fits exactly
  std::size_t sweeps = 0;           ///< targets whose inserts were found together
  std::size_t capped_families = 0;  ///< how often not all sets were enumerated
  std::size_t cycles =
      0;  ///< runs of steps that were cut off because they did not improve the score
  NodeSet capped_targets;  ///< the y where not all sets were enumerated

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
