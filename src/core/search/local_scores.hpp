#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/scores/score.hpp"
#include "core/util/observer.hpp"

namespace greedag {

/// A set of few nodes: bit i stands for node i.
using Mask = std::uint32_t;

/// Every local score of a few nodes.
class LocalScores {
 public:
  LocalScores() = default;
  virtual ~LocalScores() = default;
  LocalScores(const LocalScores&) = delete;
  LocalScores& operator=(const LocalScores&) = delete;

  [[nodiscard]] virtual Node size() const = 0;
  /// s(y, P), y not in P; `GainEvaluator::refused` where nothing can be measured.
  [[nodiscard]] virtual double of(Node y, Mask P) const = 0;
  /// Raises each value, of a P among the lowest nodes, to s(y, P ∪ high) where that is more. As
  /// many values as those nodes have sets; those of sets with y mean nothing.
  virtual void raise(Node y, Mask high, std::span<double> values) const = 0;
};

/// Scores of more nodes do not fit the memory: these take 0.8 GB.
constexpr Node most_nodes_for_local_scores = 25;
/// The same where somebody outside computes them: 0.2 GB, and ten million questions.
constexpr Node most_nodes_for_own_local_scores = 20;

/// All of them for a score with few nodes; null if the observer says to stop.
[[nodiscard]] std::unique_ptr<LocalScores> all_local_scores(const Score& score, Observer& observer);

}  // namespace greedag
