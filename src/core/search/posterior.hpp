#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/search/parent_weights.hpp"

namespace greedag {

/// What a posterior over DAGs weighs, beside the score.
enum class DagPrior : std::uint8_t {
  orders,  ///< DAGs count as often as they have orders of their nodes
  uniform  ///< DAGs count once
};

/// Probabilities for each two nodes, by rows.
using NodePairs = std::vector<double>;

/// The posterior distribution over all DAGs of a few nodes: a DAG is as likely as the product of
/// its weights w(y, P), times the prior.
class DagPosterior {
 public:
  DagPosterior() = default;
  virtual ~DagPosterior() = default;
  DagPosterior(const DagPosterior&) = delete;
  DagPosterior& operator=(const DagPosterior&) = delete;

  [[nodiscard]] virtual Node size() const = 0;
  /// The logarithm of the sum of all weights; -∞ if no DAG has any.
  [[nodiscard]] virtual double log_total() const = 0;
  /// P(x → y). None if the observer says to stop, as below.
  [[nodiscard]] virtual std::optional<NodePairs> edges(std::size_t jobs, Observer& observer) = 0;
  /// P(x is an ancestor of y); 1 for x = y.
  [[nodiscard]] virtual std::optional<NodePairs> paths(std::size_t jobs, Observer& observer) = 0;
  /// The parents of each node of a DAG drawn from the distribution.
  [[nodiscard]] virtual std::vector<Mask> draw(Random& random) = 0;
};

/// Sums over sets take so much memory: 0.3 GB for these.
constexpr Node most_nodes_for_posterior = 20;
/// Time and memory of sums over pairs of disjoint sets grow with 3^d.
constexpr Node most_nodes_for_pairs_of_sets = 16;

/// Which sums are needed.
enum class Sums : std::uint8_t { total, all };

/// None if the observer says to stop. `work` counts what all functions of the posterior do, and
/// must outlive it.
[[nodiscard]] std::unique_ptr<DagPosterior> order_posterior(ParentWeights weights, Sums sums,
                                                            WorkDone& work, std::size_t jobs,
                                                            Observer& observer);
[[nodiscard]] std::unique_ptr<DagPosterior> uniform_posterior(ParentWeights weights, Sums sums,
                                                              WorkDone& work, std::size_t jobs,
                                                              Observer& observer);

/// The same from the local scores on.
[[nodiscard]] std::unique_ptr<DagPosterior> dag_posterior(const Score& score, DagPrior prior,
                                                          const ParentRules& rules, WorkDone& work,
                                                          std::size_t jobs, Observer& observer);

/// The logarithm of what the prior weighs, over all DAGs that the rules allow.
[[nodiscard]] std::optional<double> log_prior_total(Node size, DagPrior prior,
                                                    const ParentRules& rules, WorkDone& work,
                                                    std::size_t jobs, Observer& observer);

}  // namespace greedag
