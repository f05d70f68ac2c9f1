#pragma once

#include <algorithm>
#include <functional>
#include <memory>

#include "core/search/xges.hpp"

namespace greedag {

/// Whether the clique cap was met at more than a thirtieth of the nodes. Operators on classes then
/// see only some of their sets, and XGES leaves out its trials: they take by far the most time, and
/// moves in orders find more.
[[nodiscard]] inline bool meets_cap_often(const Counters& counters, const Pdag& graph) {
  return 30 * counters.capped_targets.size() > static_cast<std::uint32_t>(graph.size());
}

/// The state of a refinement between two rounds. Everything after depends only on this, the data
/// and the seed. It also holds what was counted until then, so that a refinement that is resumed
/// reports what an undisturbed one does.
struct Refinement {
  Pdag graph;                             ///< the best class so far, or the best DAG
  double score = 0.0;                     ///< its score
  double effort = 0.0;                    ///< how much work may be spent
  double evaluations = 0.0;               ///< how many gains the search before it evaluated
  double work = 0.0;                      ///< how many gains the refinement evaluated
  std::uint64_t round = 0;                ///< the number of the next round
  std::uint64_t kept = 0;                 ///< how many rounds were kept
  std::uint64_t rounds_without_gain = 0;  ///< perturbations since the last round that was kept
  std::uint64_t climbed = 0;              ///< how many rounds have climbed with nodes in turn
  bool needs_xges = false;                ///< whether XGES has yet to run from this class
  Counters counters{};                    ///< of the search and the refinement
  TrialCounts trials{};                   ///< likewise
  /// The trace that led to the class; null if there is none, as where a round has found it.
  std::shared_ptr<const std::vector<Operator>> trace = nullptr;
  bool has_jumped = false;  ///< if so, the trace builds the class from the empty graph
  bool is_dag = false;      ///< whether the graph is a DAG, not a class
  bool scans_rows = false;  ///< whether the score looks at rows
  bool is_dense = false;    ///< whether the search before it met the clique cap often

  /// Takes the trace of the state, which is at this class.
  void take_trace(const SearchState& state) {
    trace = std::make_shared<const std::vector<Operator>>(state.trace());
    has_jumped = state.has_jumped();
  }

  /// How many nodes a round climbs with: enough to outweigh its start-up cost, and few enough to
  /// be shared among threads.
  static constexpr Node nodes_of_climb = 32;
  /// How many rounds climb with nodes in turn, until each node has had its turn.
  [[nodiscard]] static std::uint64_t rounds_of_climb(Node size) {
    return static_cast<std::uint64_t>((size + nodes_of_climb - 1) / nodes_of_climb);
  }
  [[nodiscard]] bool has_climbed() const { return climbed >= rounds_of_climb(graph.size()); }
  /// Climbs are always finished, whatever the effort.
  [[nodiscard]] bool is_done() const { return has_climbed() && is_spent(); }

 private:
  [[nodiscard]] bool is_spent() const {
    return !(work < effort * most_work()) ||
           !(static_cast<double>(rounds_without_gain) < effort * patience());
  }
  /// Of classes, most refinements run out of patience first.
  [[nodiscard]] double most_work() const {
    if (is_dag) return dag_gains_per_evaluation * evaluations + further_dag_gains;
    return (is_dense ? dense_gains_per_evaluation : gains_per_evaluation) * evaluations;
  }
  /// After this many fruitless perturbations, at effort 1, there is little hope. The more parents
  /// nodes have, and the larger a part of the nodes that is, the more local optima there are. Where
  /// a score looks at rows, a perturbation costs little beside the search, and more of them help.
  [[nodiscard]] double patience() const {
    if (is_dag) return 100.0;
    const auto nodes = static_cast<double>(graph.size());
    const double parents = static_cast<double>(graph.edges()) / nodes;
    const double squared = parents * parents;
    if (scans_rows) return std::min(0.8 * nodes, 200.0) + 12.0 * squared;
    const double density = is_dense ? 0.0 : squared / nodes;  // it would outweigh all else
    return 15.0 + 3.0 * squared + 200.0 * density * density;
  }

  static constexpr double gains_per_evaluation = 90.0;
  static constexpr double dense_gains_per_evaluation = 18.0;
  /// Some hundredths of a second more for graphs of few nodes.
  static constexpr double dag_gains_per_evaluation = 0.5;
  static constexpr double further_dag_gains = 3e4;
};

struct RefineOptions {
  std::uint64_t seed = 0;
  TrialOptions trials;
  std::size_t jobs = 1;
  /// Called after every round, from any thread.
  std::function<void(const Refinement&)> after_round;
};

}  // namespace greedag
