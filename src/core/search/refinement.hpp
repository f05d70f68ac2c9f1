#pragma once

#include <functional>
#include <memory>

#include "core/search/xges.hpp"

namespace greedag {

/// The state of a refinement between two rounds. Everything after depends only on this, the data
/// and the seed. It also holds what was counted until then, so that a refinement that is resumed
/// reports what an undisturbed one does.
struct Refinement {
  Pdag graph;                ///< the best class so far, or the best DAG
  double score = 0.0;        ///< its score
  double effort = 0.0;       ///< how much work may be spent, as a multiple of the search's
  double evaluations = 0.0;  ///< how many gains the search evaluated
  double work = 0.0;         ///< how many gains the refinement evaluated
  std::uint64_t round = 0;   ///< the number of the next round
  std::uint64_t kept = 0;    ///< how many rounds were kept
  std::uint64_t rounds_without_gain = 0;  ///< perturbations since the last round that was kept
  std::uint64_t climbed = 0;  ///< how many nodes rounds have climbed with; then they perturb
  bool needs_xges = false;    ///< whether XGES has yet to run from this class
  Counters counters{};        ///< of the search and the refinement
  TrialCounts trials{};       ///< likewise
  /// The trace that led to the class, unless XGES has yet to run; null if it is not known.
  std::shared_ptr<const std::vector<Operator>> trace = nullptr;
  bool has_jumped = false;  ///< if so, the trace builds the class from the empty graph
  bool is_dag = false;      ///< whether the graph is a DAG, not a class

  /// Takes the trace of the state, which is at this class.
  void take_trace(const SearchState& state) {
    trace = std::make_shared<const std::vector<Operator>>(state.trace());
    has_jumped = state.has_jumped();
  }

  [[nodiscard]] bool has_climbed() const {
    return climbed >= static_cast<std::uint64_t>(graph.size());
  }
  /// Climbs are always finished, whatever the effort.
  [[nodiscard]] bool is_done() const {
    const double most_work = is_dag ? dag_gains_per_evaluation * evaluations + further_dag_gains
                                    : gains_per_evaluation * evaluations;
    const bool is_spent = !(work < effort * most_work) ||
                          !(static_cast<double>(rounds_without_gain) < effort * patience);
    return is_spent && has_climbed();
  }

 private:
  /// The gains that a round evaluates cost less than those of a search, because more of them are
  /// cached: at effort 1, a refinement takes about as long as the search.
  static constexpr double gains_per_evaluation = 1.5;
  /// The same among DAGs, with some hundredths of a second more for graphs of few nodes.
  static constexpr double dag_gains_per_evaluation = 0.5;
  static constexpr double further_dag_gains = 3e4;
  /// After this many fruitless perturbations, at effort 1, there is little hope.
  static constexpr double patience = 100.0;
};

struct RefineOptions {
  std::uint64_t seed = 0;
  TrialOptions trials;
  std::size_t jobs = 1;
  /// Called after every round, from any thread.
  std::function<void(const Refinement&)> after_round;
};

}  // namespace greedag
