#pragma once

#include <functional>

#include "core/search/xges.hpp"

namespace greedag {

/// Where a refinement stands between two rounds. All that follows depends on this, the data and
/// the seed alone.
struct Refinement {
  Pdag graph;                ///< the best class so far
  double score = 0.0;        ///< its score
  double effort = 0.0;       ///< how much work may be spent, as a multiple of the search's
  double evaluations = 0.0;  ///< how many gains the search looked at
  double work = 0.0;         ///< how many the refinement did
  std::uint64_t round = 0;   ///< the next
  std::uint64_t kept = 0;    ///< how many rounds were kept
  std::uint64_t rounds_without_gain = 0;  ///< kicks since the last round that was kept
  std::uint64_t climbed = 0;  ///< how many nodes rounds have climbed with; then they kick
  bool needs_xges = false;    ///< whether the class is one that XGES has not looked at

  [[nodiscard]] bool has_climbed() const {
    return climbed >= static_cast<std::uint64_t>(graph.size());
  }
  /// A climb is finished, whatever the effort.
  [[nodiscard]] bool is_done() const {
    const bool is_spent = !(work < effort * gains_per_evaluation * evaluations) ||
                          !(static_cast<double>(rounds_without_gain) < effort * patience);
    return is_spent && has_climbed();
  }

 private:
  /// Gains that a round looks at cost less than those of a search, because more of them are known:
  /// at effort 1 a refinement takes about the time of the search.
  static constexpr double gains_per_evaluation = 1.5;
  /// After so many kicks that bring nothing, at effort 1, there is little hope.
  static constexpr double patience = 100.0;
};

struct RefineOptions {
  std::uint64_t seed = 0;
  TrialOptions trials;
  std::size_t jobs = 1;
  /// Told after every round, on whatever thread counts it.
  std::function<void(const Refinement&)> after_round;
};

/// Goes on from a class that a search has found: climbs through orders of its nodes, starting with
/// some of them at a time, then from where a kick takes it, and keeps what scores higher; then XGES
/// from there. Ends after the budget, or when nothing has helped for long. The state ends at the
/// best class. Adds to `counters` and `trials` what is counted.
void refine(SearchState& state, const Score& score, Refinement& at, const RefineOptions& options,
            Observer& observer, Counters& counters, TrialCounts& trials);

}  // namespace greedag
