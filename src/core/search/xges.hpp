#pragma once

#include "core/search/search_state.hpp"

namespace greedag {

/// Algorithm XGES-0: deletes before reversals before inserts, until none gains.
void run_xges0(SearchState& state);

struct TrialOptions {
  /// For an ordered pair with at most this many sets C, every C is tried, and for other pairs only
  /// the best; 0 for no limit.
  std::size_t cap = 4;
  /// For comparison with the program of the paper's authors: what a kept trial forbids stays
  /// forbidden, and its outcome is not polished.
  bool keep_forbidden = false;
};

struct TrialCounts {
  std::size_t tried = 0;
  std::size_t accepted = 0;
  std::size_t capped_pairs = 0;  ///< pairs with too many sets C in the last list of deletes

  /// Adds those of a later run.
  void add(const TrialCounts& later) {
    tried += later.tried;
    accepted += later.accepted;
    capped_pairs = later.capped_pairs;
  }
};

/// Algorithm XGES: XGES-0, then trials of every delete from the class that it reached. Trials run
/// on `jobs` threads, with the outcome of a single one. Adds to `counters`.
TrialCounts run_xges(SearchState& state, const TrialOptions& options, std::size_t jobs,
                     Observer& observer, Counters& counters);

}  // namespace greedag
