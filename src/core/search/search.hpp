#pragma once

#include "core/search/refine.hpp"

namespace greedag {

/// The greedy searches, and `exact`: the best of all classes, for few nodes. If that is stopped
/// before it ends, the result is the class that XGES-0 finds.
///
/// `orders` and `exact_dag` do the same among DAGs, for scores that tell members of a class apart.
enum class Algorithm : std::uint8_t {
  xges,
  xges0,
  ges,
  ges_r,
  ops,
  fges,
  exact,
  orders,
  exact_dag
};

struct SearchOptions {
  std::size_t clique_cap = EnumerateOptions{}.clique_cap;
  TrialOptions trials;
  /// Number of threads. The outcome does not depend on it, unless the search is stopped.
  std::size_t jobs = 1;
  /// How much work to spend on refining the class found; 0 for none.
  double effort = 0.0;
  std::uint64_t seed = 0;
  /// What every class has to agree with, as the class that the search starts from does, or null.
  const Knowledge* knowledge = nullptr;
  /// An earlier refinement to continue instead of searching, or null.
  const Refinement* resume = nullptr;
  /// Called after every round of a refinement, from any thread.
  std::function<void(const Refinement&)> after_round;

  [[nodiscard]] RefineOptions refinement() const { return {seed, trials, jobs, after_round}; }
};

struct Outcome {
  Pdag graph{0};       ///< a class, or a DAG if that was searched for
  double score = 0.0;  ///< NaN if the search was stopped before it could score its start
  std::vector<Operator> trace;
  bool has_jumped = false;  ///< if so, the trace builds the class from the empty graph
  Counters counters;
  TrialCounts trials;
  std::optional<Refinement> refinement;  ///< its final state, if there was one
  Stop stopped = Stop::no;
  /// An upper bound on the score of any DAG, known after an exact search.
  double bound = std::numeric_limits<double>::infinity();
};

/// Starts from the class `start`, or from the empty graph if it is null; then the arcs that
/// knowledge requires are inserted first. The trace leads on from there.
[[nodiscard]] Outcome search(const Score& score, Algorithm algorithm, const SearchOptions& options,
                             Observer& observer, const Pdag* start = nullptr);

}  // namespace greedag
