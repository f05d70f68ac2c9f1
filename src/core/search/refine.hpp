#pragma once

#include <optional>

#include "core/search/refinement.hpp"

namespace greedag {

/// Whether the clique cap was met at more than a thirtieth of the nodes. Operators on classes then
/// see only some of their sets, and XGES leaves out its trials: they take by far the most time, and
/// moves in orders find more.
[[nodiscard]] inline bool is_dense(const Counters& counters, const Pdag& graph) {
  return 30 * counters.capped_targets.size() > static_cast<std::uint32_t>(graph.size());
}
/// What is saved on trials goes into more rounds.
constexpr double work_instead_of_trials = 12.0;
/// Where a pass over the rows scores all inserts on a node, gains cost little, and passes much:
/// for as many gains, rounds make some five times as many passes as a search, because trials
/// return to the same sets and rounds do not.
constexpr double work_by_passes = 0.5;

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
