#pragma once

#include "core/search/search_state.hpp"

namespace greedag {

/// Algorithm XGES-0: deletes before reversals before inserts, until none gains.
void run_xges0(SearchState& state);

struct TrialOptions {
  /// Every set C of an ordered pair that has at most this many is tried, and of other pairs only
  /// the best; 0 for all, always.
  std::size_t cap = 4;
  /// For comparison with the paper's own program: what an accepted trial forbids stays
  /// forbidden, and its outcome is not polished.
  bool keep_forbidden = false;
};

struct TrialCounts {
  std::size_t tried = 0;
  std::size_t accepted = 0;
  std::size_t capped_pairs = 0;  ///< in the last list of deletes
};

/// Algorithm XGES: XGES-0, then, from the class it reached, every delete that might free it. Trials
/// run on `jobs` threads and count in the order of one. Adds to `counters` what they count.
TrialCounts run_xges(SearchState& state, const TrialOptions& options, std::size_t jobs,
                     Observer& observer, Counters& counters);

}  // namespace greedag
