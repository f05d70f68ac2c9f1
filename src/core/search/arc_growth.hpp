#pragma once

#include <vector>

#include "core/gain_cache/gain_cache.hpp"

namespace greedag {

/// Grows a DAG from the arcs that knowledge requires, if any, by the arc that gains most, until
/// none gains or the observer says to stop. The gains must be directed.
[[nodiscard]] Pdag grow_dag(GainCache& gains, Node size, double min_gain,
                            const Knowledge* knowledge, Observer& observer);

}  // namespace greedag
