#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/search/local_scores.hpp"

namespace greedag {

/// A DAG, by the parents of each node, and its score.
struct BestDag {
  std::vector<Mask> parents;
  double score;
};

/// How many bytes `best_dag` takes, and the local scores of a score that is score equivalent.
[[nodiscard]] std::size_t bytes_for_best_dag(Node size);

/// The DAG that scores highest, by dynamic programming over sets of nodes (Silander & Myllymäki
/// 2006); none if the observer says to stop.
///
/// Every DAG has a sink: the best on a set U is that on U \ y beside y with its best parents within
/// U \ y, for some y. Time O(d² 2^d). Of equal parents the fewest win, of equal sinks the first.
[[nodiscard]] std::optional<BestDag> best_dag(const LocalScores& scores, Observer& observer);

}  // namespace greedag
