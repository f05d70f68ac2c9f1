#include "core/search.hpp"

#include <algorithm>
#include <utility>

#include "core/exact.hpp"

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

Pdag graph_of(const BestDag& dag) {
  const auto d = static_cast<Node>(dag.parents.size());
  Pdag graph(d);
  for (Node y = 0; y < d; ++y)
    for (Node x = 0; x < d; ++x)
      if ((dag.parents[static_cast<std::size_t>(y)] >> x & 1) != 0)
        graph.set_edge(x, y, Edge::forward);
  return graph;
}

/// Its class has no trace: no operator leads there.
Outcome exact_search(const Score& score, const SearchOptions& options, Observer& observer) {
  Outcome outcome = search(score, Algorithm::xges0, options, observer);
  Standing standing;
  standing.steps = outcome.trace.size();
  for (const Operator& op : outcome.trace) standing.gain += op.gain;
  for (Node y = 0; y < score.size(); ++y) standing.edges += outcome.graph.adjacent(y).size();
  standing.edges /= 2;
  observer.set_standing([standing] { return standing; });
  const auto scores = all_local_scores(score, observer);
  const auto dag = scores ? best_dag(*scores, observer) : std::nullopt;
  observer.set_standing(nullptr);
  outcome.stopped = observer.stop();
  if (!dag) return outcome;
  Pdag graph = cpdag_of_dag(graph_of(*dag));
  const double total = score_of_dag(score, *dag_of_cpdag(graph));
  // Not so where rounding or a score that is not score equivalent has a hand in it.
  if (total >= outcome.score)
    outcome = {.graph = std::move(graph), .score = total, .trace = {}, .tally = {}, .trials = {}};
  outcome.bound = std::max(dag->score, outcome.score);
  return outcome;
}

/// Below this many nodes the first look is over before a thread has started.
constexpr Node least_for_threads = 256;

}  // namespace

Outcome search(const Score& score, Algorithm algorithm, const SearchOptions& options,
               Observer& observer, const Pdag* start) {
  if (algorithm == Algorithm::exact) return exact_search(score, options, observer);
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
    case Algorithm::exact:
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
