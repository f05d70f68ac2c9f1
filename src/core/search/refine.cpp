#include "core/search/refine.hpp"

#include <optional>

#include "core/search/rounds.hpp"

namespace greedag {
namespace {

/// Runs XGES from the best class so far. Returns what was counted if it is stopped.
std::optional<Unfinished> polish(SearchState& state, Refinement& at, const RefineOptions& options,
                                 Observer& observer) {
  Unfinished spent;
  if (at.is_dense)
    run_xges0(state);
  else
    spent.trials = run_xges(state, options.trials, options.jobs, observer, spent.counters);
  spent.counters.add(state.take_counters());
  if (observer.stop() != Stop::no) return spent;
  // How many gains this evaluates depends on what the state has evaluated before. So it does not
  // count as work, which must be the same with and without checkpoints.
  at.counters.add(spent.counters);
  at.trials.add(spent.trials);
  at.needs_xges = false;
  const double reached = state.class_score();
  if (reached > at.score) {
    at.graph = state.graph();
    at.score = reached;
    at.rounds_without_gain = 0;
    at.climbed = 0;
  } else if (state.graph() != at.graph) {  // it ran in a cycle
    state.jump_to(member_of(at.graph, state.knowledge()), at.score);
    static_cast<void>(state.take_counters());
  }
  at.take_trace(state);
  if (options.after_round) options.after_round(at);
  return std::nullopt;
}

}  // namespace

std::optional<Unfinished> refine(SearchState& state, const Score& score, Refinement& at,
                                 const RefineOptions& options, Observer& observer) {
  std::optional<Unfinished> unfinished;
  at.scans_rows = score.scans_rows();
  do {
    if (!at.is_done()) {
      GainCache& gains = state.candidates().enumerator().gain_cache();
      run_rounds(Among::classes, gains, score, state.knowledge(), state.progress(), at, options,
                 observer);
      observer.set_progress_source([&state] { return state.progress(); });
    }
    if (!at.needs_xges) break;
    state.jump_to(member_of(at.graph, state.knowledge()), at.score);
    // A refinement that is resumed knows nothing of what the state has evaluated before.
    if (options.after_round) state.forget_candidates();
    if (observer.stop() == Stop::no) unfinished = polish(state, at, options, observer);
  } while (observer.stop() == Stop::no);
  return unfinished;
}

}  // namespace greedag
