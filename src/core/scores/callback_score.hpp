#pragma once

#include <mutex>
#include <optional>
#include <span>

#include "core/graph/set_map.hpp"
#include "core/scores/score.hpp"

namespace greedag {

/// A score whose local scores are computed outside the engine, each of them once.
///
/// The engine cannot know whether such a score is score equivalent. In a search over classes, gains
/// belong to unordered pairs of nodes nevertheless, so they are computed in one fixed orientation:
/// from the smaller to the larger node. For scores that are equivalent this makes no difference.
class CallbackScore : public Score {
 public:
  CallbackScore(Node size, double min_gain) : size_(size), min_gain_(min_gain) {}

  [[nodiscard]] Node size() const override { return size_; }
  [[nodiscard]] double min_gain() const override { return min_gain_; }
  [[nodiscard]] bool is_equivalent() const override { return false; }
  [[nodiscard]] std::unique_ptr<GainEvaluator> evaluator(bool with_losses) const override;
  [[nodiscard]] std::unique_ptr<GainEvaluator> directed_evaluator() const override;

  /// s(y, E), or -∞ where E cannot be scored.
  [[nodiscard]] double local_score(Node y, std::span<const Node> E) const;
  /// The same; none if it is unknown and the search is stopping.
  [[nodiscard]] std::optional<double> local_score_unless_stopped(Node y,
                                                                 std::span<const Node> E) const;

 protected:
  /// Computes s(y, E). May be slow, and may throw.
  [[nodiscard]] virtual double compute(Node y, std::span<const Node> E) const = 0;
  /// The same; none if the search is stopping.
  [[nodiscard]] virtual std::optional<double> compute_unless_stopped(
      Node y, std::span<const Node> E) const = 0;

 private:
  static constexpr std::size_t most_known = std::size_t{1} << 20;

  [[nodiscard]] std::optional<double> known(const SetKey& key) const;
  double remember(const SetKey& key, double value) const;

  Node size_;
  double min_gain_;
  // Never held during a computation outside, which may wait for another thread.
  mutable std::mutex mutex_;
  mutable SetMap<double> known_{most_known};
};

}  // namespace greedag
