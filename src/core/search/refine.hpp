#pragma once

#include <optional>

#include "core/search/refinement.hpp"

namespace greedag {

/// What was counted in a run of XGES that was stopped.
struct Unfinished {
  Counters counters;
  TrialCounts trials;
};

/// Improves a class that a search has found. Climbs through orders of its nodes, starting with some
/// of them at a time, then from random perturbations, and keeps what scores higher; then runs XGES
/// from there, on dense data without trials. Ends when the budget is spent, or when nothing has
/// helped for long. The state ends at the best class. A run of XGES that was stopped will be
/// repeated if the refinement is resumed, so what it counted is returned, not added to the
/// refinement.
std::optional<Unfinished> refine(SearchState& state, const Score& score, Refinement& at,
                                 const RefineOptions& options, Observer& observer);

}  // namespace greedag
