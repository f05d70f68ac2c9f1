#pragma once

#include "core/search/refine.hpp"

namespace greedag {

/// The greedy searches, and `exact`: the best class of all, of few nodes. Stopped before it has
/// proven one, that ends with the class of XGES-0.
enum class Algorithm : std::uint8_t { xges, xges0, ges, ges_r, ops, fges, exact };

struct SearchOptions {
  std::size_t clique_cap = EnumerateOptions{}.clique_cap;
  TrialOptions trials;
  /// Threads. The outcome does not depend on it, unless the search is stopped.
  std::size_t jobs = 1;
  /// How much work is spent on refining the class that the search finds, as a multiple of the
  /// search's own; 0 for none.
  double effort = 0.0;
  std::uint64_t seed = 0;
  /// Where an earlier refinement stood, to go on from instead of searching.
  const Refinement* resume = nullptr;
  /// Told after each of its rounds where it stands, on whatever thread.
  std::function<void(const Refinement&)> after_round;

  [[nodiscard]] RefineOptions refinement() const { return {seed, trials, jobs, after_round}; }
};

struct Outcome {
  Pdag graph{0};
  double score = 0.0;
  std::vector<Operator> trace;
  bool has_jumped = false;  ///< then the trace builds the class from the empty graph
  Counters counters;
  TrialCounts trials;
  std::optional<Refinement> refinement;  ///< where it ended, if there was one
  Stop stopped = Stop::no;
  /// No DAG scores higher: known after an exact search.
  double bound = std::numeric_limits<double>::infinity();
};

/// Starts from the class `start`, from the empty graph if it is null. The trace leads on from
/// there.
[[nodiscard]] Outcome search(const Score& score, Algorithm algorithm, const SearchOptions& options,
                             Observer& observer, const Pdag* start = nullptr);

}  // namespace greedag
