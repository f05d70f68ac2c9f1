#pragma once

#include "core/search/refinement.hpp"

namespace greedag {

/// What is compared: classes, all of whose members score the same, or single DAGs.
enum class Among : bool { classes, dags };

/// Improves a class or a DAG. Climbs through orders of its nodes, starting with some of them at a
/// time, then from random perturbations, and keeps what scores higher. Ends when the budget is
/// spent, or when nothing has helped for long.
void run_rounds(Among among, GainCache& gains, const Score& score, const Knowledge* knowledge,
                ProgressSnapshot progress, Refinement& at, const RefineOptions& options,
                Observer& observer);

}  // namespace greedag
