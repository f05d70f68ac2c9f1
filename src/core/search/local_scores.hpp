#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/scores/score.hpp"
#include "core/util/observer.hpp"

namespace greedag {

/// A set of few nodes: bit i stands for node i.
using Mask = std::uint32_t;
[[nodiscard]] constexpr Mask bit(Node node) { return Mask{1} << node; }

/// Every local score of a few nodes.
class LocalScores {
 public:
  LocalScores() = default;
  virtual ~LocalScores() = default;
  LocalScores(const LocalScores&) = delete;
  LocalScores& operator=(const LocalScores&) = delete;

  [[nodiscard]] virtual Node size() const = 0;
  /// s(y, P) for y not in P; `GainEvaluator::refused` where nothing can be measured.
  [[nodiscard]] virtual double of(Node y, Mask P) const = 0;
  /// Raises values[P], for every set P of the lowest nodes, to s(y, P ∪ high) where that is higher.
  /// There are as many values as sets of those nodes; those of sets with y are meaningless.
  virtual void raise(Node y, Mask high, std::span<double> values) const = 0;
};

/// Scores of more nodes would take too much memory: these take 0.8 GB.
constexpr Node most_nodes_for_local_scores = 25;
/// The same for local scores computed outside: 0.2 GB, and ten million calls.
constexpr Node most_nodes_for_own_local_scores = 20;

/// All local scores of a score with few nodes; null if the observer stops it.
[[nodiscard]] std::unique_ptr<LocalScores> all_local_scores(const Score& score, Observer& observer);

}  // namespace greedag
