#pragma once

#include "core/search/search.hpp"

namespace greedag {

/// Searches among DAGs, for any score: its local scores need not be score equivalent.
///
/// Climbs through orders, once from a DAG that grows arc by arc, and once from `start` if it is not
/// null; then improves the better one in rounds. Few nodes are searched exhaustively instead, as
/// with `Algorithm::exact_dag` always. The outcome has a DAG, and no trace.
[[nodiscard]] Outcome search_dags(const Score& score, Algorithm algorithm,
                                  const SearchOptions& options, Observer& observer,
                                  const Pdag* start);

}  // namespace greedag
