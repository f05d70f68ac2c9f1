#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/graph/knowledge.hpp"
#include "core/scores/score.hpp"
#include "core/util/observer.hpp"

namespace greedag {

/// What removing each of some arcs of a DAG adds to the score; `GainEvaluator::refused` where that
/// cannot be measured.
[[nodiscard]] std::vector<double> gains_of_removing(const Score& score, const Pdag& dag,
                                                    std::span<const Arc> arcs, Observer& observer);

/// Searches, for each of some arcs of a DAG, for the best DAG that has the arc turned: what that
/// adds to the score. None where it cannot be measured, or if the observer stopped before. There
/// may be better DAGs. With knowledge, which the DAG agrees with, so do those found.
[[nodiscard]] std::vector<std::optional<double>> gains_of_turning(const Score& score,
                                                                  const Pdag& dag,
                                                                  std::span<const Arc> arcs,
                                                                  const Knowledge* knowledge,
                                                                  Observer& observer);

}  // namespace greedag
