#include "core/search.hpp"

#include <algorithm>
#include <utility>

namespace greedag {
namespace {

/// Inserts until none gains, then deletes until none gains.
bool run_ges(SearchState& state) {
  const std::size_t before = state.trace().size();
  while (state.step(Kind::Insert)) {
  }
  while (state.step(Kind::Delete)) {
  }
  return state.trace().size() > before;
}

/// GES with a third phase of reversals, all three repeated until nothing gains.
void run_ges_r(SearchState& state) {
  bool changed = true;
  while (changed) {
    changed = run_ges(state);
    while (state.step(Kind::Reverse)) changed = true;
  }
}

/// The best operator of any kind, until none gains.
void run_ops(SearchState& state) {
  while (true) {
    std::optional<Operator> best;
    for (Kind kind : all_kinds) {
      auto op = state.candidates().best(kind);
      if (op && (!best || is_better(*op, *best))) best = std::move(op);
    }
    if (!best || state.should_stop() || !state.is_progressing()) return;
    state.apply(*best);
  }
}

/// Below this many nodes the first look is over before a thread has started.
constexpr Node least_for_threads = 256;

}  // namespace

Outcome search(const Score& score, Algorithm algorithm, const SearchOptions& options,
               Observer& observer, const Pdag* start) {
  EnumerateOptions enumerate_options;
  enumerate_options.clique_cap = options.clique_cap;
  enumerate_options.one_insert_per_pair = algorithm == Algorithm::fges;
  SearchState state(score, enumerate_options, observer);
  if (start != nullptr) state.start_at(*start);
  observer.set_standing([&state] { return state.standing(); });
  if (options.jobs > 1 && score.size() >= least_for_threads)
    state.candidates().find_all_inserts(options.jobs);
  Tally tally;
  TrialCounts trials;
  switch (algorithm) {
    case Algorithm::xges:
      trials =
          run_xges(state, options.trials, std::max<std::size_t>(options.jobs, 1), observer, tally);
      break;
    case Algorithm::xges0:
      run_xges0(state);
      break;
    case Algorithm::ges:
    case Algorithm::fges:
      run_ges(state);
      break;
    case Algorithm::ges_r:
      run_ges_r(state);
      break;
    case Algorithm::ops:
      run_ops(state);
      break;
  }
  observer.set_standing(nullptr);
  tally.add(state.take_tally());
  return {.graph = state.graph(),
          .score = state.class_score(),
          .trace = state.trace(),
          .tally = std::move(tally),
          .trials = trials,
          .stopped = observer.stop()};
}

}  // namespace greedag
