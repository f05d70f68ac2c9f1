#pragma once

#include "core/gain_cache/gain_cache.hpp"

namespace greedag {

/// Adds, removes and turns single arcs of a DAG, always the one that gains most of its kind, until
/// none gains or the observer says to stop; arcs are removed before others are added, and turned
/// when nothing else gains. Returns what that adds to the score. The gains must be directed. With
/// knowledge, which the DAG agrees with, it still does.
double climb_arcs(GainCache& gains, Pdag& dag, double min_gain, const Knowledge* knowledge,
                  Observer& observer);

}  // namespace greedag
