#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "core/graph/knowledge.hpp"
#include "core/search/local_scores.hpp"

namespace greedag {

/// A DAG, given by the parents of each node, and its score.
struct BestDag {
  std::vector<Mask> parents;
  double score;
};

/// The memory that `best_dag` needs, including the local scores of a score-equivalent score.
[[nodiscard]] std::size_t bytes_for_best_dag(Node size);

/// The DAG that scores highest, by dynamic programming over sets of nodes (Silander & Myllymäki
/// 2006); none if the observer stops it.
///
/// Every DAG has a sink: the best DAG on a set U is, for some y, the best one on U \ y plus y with
/// its best parents in U \ y. Time O(d² 2^d). Ties: the fewest parents, then the first sink.
///
/// With `later`, by node y a set of nodes, y is no sink of a U that holds one of them: so the DAG
/// has an order in which they all come after y. If every DAG is refused, so is the score, and the
/// DAG is empty.
[[nodiscard]] std::optional<BestDag> best_dag(const LocalScores& scores, Observer& observer,
                                              std::span<const Mask> later = {});

/// The best one that agrees with knowledge, if any is given. Statements about ancestors may take
/// several such programmes; none if they take more than `most_branches`.
[[nodiscard]] std::optional<BestDag> best_dag(
    const LocalScores& scores, const Knowledge* knowledge, Observer& observer,
    std::size_t most_branches = std::numeric_limits<std::size_t>::max());

/// The same DAG as a graph.
[[nodiscard]] Pdag graph_of(const BestDag& dag);

}  // namespace greedag
