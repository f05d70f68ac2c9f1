#pragma once

#include "core/xges.hpp"

namespace greedag {

/// The greedy searches, and `exact`: the best class of all, of few nodes. Stopped before it has
/// proven one, that ends with the class of XGES-0.
enum class Algorithm : std::uint8_t { xges, xges0, ges, ges_r, ops, fges, exact };

struct SearchOptions {
  std::size_t clique_cap = EnumerateOptions{}.clique_cap;
  TrialOptions trials;
  /// Threads. The outcome does not depend on it, unless the search is stopped.
  std::size_t jobs = 1;
};

struct Outcome {
  Pdag graph;
  double score;
  std::vector<Operator> trace;
  Tally tally;
  TrialCounts trials;
  Stop stopped = Stop::no;
  /// No DAG scores higher: known after an exact search.
  double bound = std::numeric_limits<double>::infinity();
};

/// Starts from the class `start`, from the empty graph if it is null. The trace leads on from
/// there.
[[nodiscard]] Outcome search(const Score& score, Algorithm algorithm, const SearchOptions& options,
                             Observer& observer, const Pdag* start = nullptr);

}  // namespace greedag
