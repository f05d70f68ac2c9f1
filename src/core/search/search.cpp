#include "core/search/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/search/dag_search.hpp"
#include "core/search/exact.hpp"

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
  for (bool is_step = true;;) {
    std::optional<Operator> best;
    for (Kind kind : all_kinds) {
      auto op = state.candidates().best(kind);
      if (op && (!best || is_better(*op, *best))) best = std::move(op);
    }
    if (!best || state.should_stop() || (is_step && !state.is_progressing())) return;
    is_step = state.apply_best(*best);
  }
}

/// With knowledge about ancestors, a proof that takes more is left to an exact search.
constexpr std::size_t most_branches_for_proof = 100;

/// Jumps to the best class of all if it scores higher; unless `is_exact`, by more than rounding.
/// Returns an upper bound on the score of any DAG, which is infinite if none was found.
double find_optimum(SearchState& state, const Score& score, bool is_exact, Observer& observer) {
  const double least = is_exact ? 0.0 : score.min_gain();
  const std::size_t most_branches =
      is_exact ? std::numeric_limits<std::size_t>::max() : most_branches_for_proof;
  const auto scores = all_local_scores(score, observer);
  const auto best =
      scores ? best_dag(*scores, state.knowledge(), observer, most_branches) : std::nullopt;
  if (!best || best->score == GainEvaluator::refused)
    return std::numeric_limits<double>::infinity();
  const Pdag dag = graph_of(*best);
  // May be lower, through rounding or because the score is not score equivalent.
  const double total = total_score(state.candidates().enumerator().gain_cache(),
                                   member_of(cpdag_of_dag(dag), state.knowledge()));
  const double before = state.class_score();
  if (observer.stop() != Stop::no) return std::numeric_limits<double>::infinity();
  if (total < before + least) return std::max(best->score, before);
  cache_trace(state.candidates().enumerator().gain_cache(), dag);
  if (observer.stop() != Stop::no) return std::numeric_limits<double>::infinity();
  state.jump_to(dag, total);
  return std::max(best->score, state.class_score());
}

/// With so few nodes, proving that nothing is better costs little. With knowledge, it is worth a
/// little more: a search among the classes that agree with it has more local optima.
constexpr Node most_nodes_for_proof = 12;
constexpr Node most_nodes_for_proof_with_knowledge = 15;

/// With fewer nodes, all inserts are found before a thread has even started.
constexpr Node least_for_threads = 256;

/// With `is_refined`, a refinement follows.
TrialCounts run(Algorithm algorithm, SearchState& state, const SearchOptions& options,
                bool is_refined, Observer& observer, Counters& counters) {
  if (options.jobs > 1 && state.graph().size() >= least_for_threads)
    state.candidates().find_all_inserts(options.jobs);
  switch (algorithm) {
    case Algorithm::xges:
      if (is_refined) {
        run_xges0(state);
        counters.add(state.take_counters());
        if (meets_cap_often(counters, state.graph())) break;
      }
      return run_xges(state, options.trials, options.jobs, observer, counters);
    case Algorithm::xges0:
    case Algorithm::exact:
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
    case Algorithm::orders:
    case Algorithm::exact_dag:
      break;  // not over classes
  }
  return {};
}

void resume(SearchState& state, const Refinement& at) {
  if (!at.trace)
    state.jump_to(member_of(at.graph, state.knowledge()), at.score);
  else
    state.resume_at(at.graph, *at.trace, at.has_jumped);
  static_cast<void>(state.take_counters());
}

Refinement first_refinement(SearchState& state, double effort, const Outcome& outcome) {
  Refinement first{state.graph(), state.class_score(), effort,
                   static_cast<double>(outcome.counters.evaluations)};
  first.counters = outcome.counters;
  first.is_dense = meets_cap_often(first.counters, first.graph);
  first.trials = outcome.trials;
  first.take_trace(state);
  return first;
}

}  // namespace

Outcome search(const Score& score, Algorithm algorithm, const SearchOptions& options,
               Observer& observer, const Pdag* start) {
  if (algorithm == Algorithm::orders || algorithm == Algorithm::exact_dag)
    return search_dags(score, algorithm, options, observer, start);
  EnumerateOptions enumerate_options;
  enumerate_options.clique_cap = options.clique_cap;
  enumerate_options.one_insert_per_pair = algorithm == Algorithm::fges;
  enumerate_options.knowledge = options.knowledge;
  SearchState state(score, enumerate_options, observer);
  if (start != nullptr) state.start_at(*start);
  observer.set_progress_source([&state] { return state.progress(); });
  Outcome outcome;
  if (!state.score_start()) {
    outcome.score = std::numeric_limits<double>::quiet_NaN();
    outcome.stopped = observer.stop();
    return outcome;
  }
  if (options.knowledge != nullptr && start == nullptr) state.insert_required();
  const bool is_exact = algorithm == Algorithm::exact;
  const Node few =
      options.knowledge == nullptr ? most_nodes_for_proof : most_nodes_for_proof_with_knowledge;
  const bool is_small = score.size() <= few && !score.scans_rows();
  if (options.resume != nullptr)
    resume(state, *options.resume);
  else
    outcome.trials = run(algorithm, state, options, options.effort > 0.0 && !is_small, observer,
                         outcome.counters);
  outcome.counters.add(state.take_counters());
  if (is_exact || (options.effort > 0.0 && is_small))
    outcome.bound = find_optimum(state, score, is_exact, observer);
  if (!is_exact && options.effort > 0.0 && std::isinf(outcome.bound) &&
      observer.stop() == Stop::no) {
    outcome.refinement = options.resume != nullptr
                             ? *options.resume
                             : first_refinement(state, options.effort, outcome);
    const auto unfinished =
        refine(state, score, *outcome.refinement, options.refinement(), observer);
    outcome.counters = outcome.refinement->counters;
    outcome.trials = outcome.refinement->trials;
    if (unfinished) {
      outcome.counters.add(unfinished->counters);
      outcome.trials.add(unfinished->trials);
    }
  }
  observer.set_progress_source(nullptr);
  outcome.graph = state.graph();
  outcome.score = observer.stop() == Stop::no ? state.class_score() : state.class_score_at_once();
  // An exact search applies no operators.
  if (!is_exact || !state.has_jumped()) outcome.trace = state.trace();
  outcome.has_jumped = !is_exact && state.has_jumped();
  outcome.stopped = observer.stop();
  return outcome;
}

}  // namespace greedag
