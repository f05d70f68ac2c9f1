#include "core/search.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/failed_trials.hpp"

namespace greedag {

SearchState::SearchState(const GaussianBic& score, const EnumerateOptions& options,
                         Observer& observer)
    : score_(&score),
      graph_(score.size()),
      candidates_(graph_, score, options, observer),
      completion_(score.size()),
      observer_(&observer) {
  candidates_.look_at_everything();
}

void SearchState::start_at(const Pdag& graph) {
  graph_ = graph;
  candidates_.look_at_everything();
}

namespace {

/// What remains of `changes` when each edge goes straight from its first state to its last.
void take_net(std::vector<EdgeChange>& changes, std::vector<EdgeChange>& net) {
  for (EdgeChange& c : changes)
    if (c.a > c.b) c = {c.b, c.a, flipped(c.before), flipped(c.after)};
  net = changes;
  std::stable_sort(net.begin(), net.end(), [](const EdgeChange& first, const EdgeChange& second) {
    return std::tie(first.a, first.b) < std::tie(second.a, second.b);
  });
  std::size_t kept = 0;
  for (const EdgeChange& c : net) {
    if (kept > 0 && net[kept - 1].a == c.a && net[kept - 1].b == c.b)
      net[kept - 1].after = c.after;
    else
      net[kept++] = c;
  }
  net.resize(kept);
  std::erase_if(net, [](const EdgeChange& c) { return c.before == c.after; });
}

/// Hash of an edge in one state; 0 for no edge. The mixing step of splitmix64.
std::uint64_t hash_of(Node a, Node b, Edge edge) {
  if (edge == Edge::none) return 0;
  auto z = (static_cast<std::uint64_t>(a) << 34 | static_cast<std::uint64_t>(b) << 2 |
            static_cast<std::uint64_t>(edge)) +
           0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

/// The update table wants the graph before each single change, and completion may turn an edge
/// more than once on its way. So the changes are taken back and their net effect made step by step.
void SearchState::apply(const Operator& op) {
  trace_.push_back(op);
  changes_.clear();
  greedag::apply(graph_, op, changes_);
  completion_.complete_around(graph_, changes_);
  candidates_.footprint().note_edges(completion_.looked_at());
  take_net(changes_, net_changes_);
  for (std::size_t i = changes_.size(); i-- > 0;)
    graph_.set_edge(changes_[i].a, changes_[i].b, changes_[i].before);
  for (const EdgeChange& c : net_changes_) {
    candidates_.before_change(c);
    graph_.set_edge(c.a, c.b, c.after);
  }
  if (!in_trial_) return;
  trial_changes_.insert(trial_changes_.end(), net_changes_.begin(), net_changes_.end());
  for (const auto& [a, b, before, after] : net_changes_)
    trial_difference_ ^= hash_of(a, b, before) ^ hash_of(a, b, after);
}

bool SearchState::step(Kind kind) {
  if (is_circling_) return false;
  const auto op = candidates_.best(kind);
  if (!op || !is_progressing()) return false;
  apply(*op);
  return true;
}

/// Every so many steps, more than a search without circles needs, the class must score higher
/// than at the last look.
bool SearchState::is_progressing() {
  if (++steps_since_check_ < 1000 + 10 * static_cast<std::size_t>(graph_.size())) return true;
  steps_since_check_ = 0;
  const double before = std::exchange(checked_score_, class_score());
  if (checked_score_ > before) return true;
  ++circles_;
  is_circling_ = true;
  return false;
}

double SearchState::class_score() const { return score_of_dag(*score_, *dag_of_cpdag(graph_)); }

void SearchState::begin_trial() {
  in_trial_ = true;
  trial_changes_.clear();
  trial_difference_ = 0;
  steps_since_check_ = 0;
  checked_score_ = -std::numeric_limits<double>::infinity();
  trace_before_trial_ = trace_.size();
  candidates_.begin_trial();
}

void SearchState::keep_trial() {
  in_trial_ = false;
  candidates_.keep_trial();
}

void SearchState::undo_trial() {
  in_trial_ = false;
  is_circling_ = false;
  for (std::size_t i = trial_changes_.size(); i-- > 0;)
    graph_.set_edge(trial_changes_[i].a, trial_changes_[i].b, trial_changes_[i].before);
  trace_.erase(trace_.begin() + static_cast<std::ptrdiff_t>(trace_before_trial_), trace_.end());
  candidates_.undo_trial();
}

double SearchState::trial_gain() const {
  double total = 0.0;
  for (std::size_t i = trace_before_trial_; i < trace_.size(); ++i) total += trace_[i].gain;
  return total;
}

namespace {

// ---- the algorithms

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

/// Algorithm XGES-0: deletes before reversals before inserts.
void run_xges0(SearchState& state) {
  while (state.step(Kind::Delete) || state.step(Kind::Reverse) || state.step(Kind::Insert))
    if (state.is_back()) return;
}

/// Algorithm XGES: XGES-0, then, from the class it reached, every delete that might free it.
class ExtendedSearch {
 public:
  ExtendedSearch(SearchState& state, const SearchOptions& options)
      : state_(state), options_(options), failed_(state.graph().size()) {}

  void run() {
    run_xges0(state_);
    score_ = state_.class_score();
    bool improved = true;
    while (improved && !state_.should_stop()) {
      improved = false;
      list_deletes();
      for (const Operator& op : deletes_) {
        if (state_.should_stop()) return;
        if (meets_D1234(state_.graph(), op.x, op.y, op.T, op.E) && !failed_.would_fail_again(op) &&
            try_delete(op))
          improved = true;
      }
    }
  }

  std::size_t trials = 0;
  std::size_t accepted = 0;
  std::size_t capped_pairs = 0;  ///< in the last list of deletes

 private:
  /// All valid deletes, best first; of ordered pairs with many sets C only the best, and of
  /// undirected edges with many only from one end: both ends lead to the same class.
  void list_deletes() {
    deletes_.clear();
    for (Node y = 0; y < state_.graph().size(); ++y) {
      found_.clear();
      state_.candidates().enumerator().find_all_deletes(y, found_);
      for (const Candidate& item : found_.items) {
        const Context& context = found_.contexts[item.context];
        deletes_.push_back({Kind::Delete, item.x, y, context.S, context.E, {}, item.gain});
      }
    }
    std::sort(deletes_.begin(), deletes_.end(), is_better);
    if (options_.trial_cap != 0) cap_deletes();
  }

  void cap_deletes() {
    std::map<std::pair<Node, Node>, std::size_t> counts;
    for (const Operator& op : deletes_) ++counts[{op.x, op.y}];
    std::erase_if(counts, [&](const auto& entry) { return entry.second <= options_.trial_cap; });
    capped_pairs = counts.size();
    std::erase_if(deletes_, [&](const Operator& op) {
      const auto count = counts.find({op.x, op.y});
      if (count == counts.end()) return false;
      if (op.x > op.y && state_.graph().are_neighbors(op.x, op.y)) return true;
      return std::exchange(count->second, 0) == 0;  // the first of a pair is its best
    });
  }

  /// Applies the delete, forbids to insert its edge again, and lets XGES-0 go on from there; keeps
  /// what comes out if it scores higher, and leaves no trace of it otherwise.
  bool try_delete(const Operator& op) {
    ++trials;
    const std::size_t capped_before = state_.candidates().enumerator().capped_families();
    state_.begin_trial();
    state_.apply(op);
    const bool forbidden = state_.candidates().forbid(op.x, op.y);
    run_xges0(state_);
    if (!options_.keep_forbidden && is_better_than_before()) polish_after(op);
    if (!is_better_than_before()) {
      const bool is_local = state_.trial_gain() <= state_.min_gain() && !state_.is_circling() &&
                            state_.candidates().enumerator().capped_families() == capped_before;
      if (is_local) failed_.add(op, state_.candidates().footprint().places());
      state_.undo_trial();
      if (forbidden) state_.candidates().allow(op.x, op.y);
      return false;
    }
    failed_.start_changes();
    state_.for_each_changed([this](Aspect aspect, Node node) { failed_.changed(aspect, node); });
    state_.keep_trial();
    ++accepted;
    score_ = state_.class_score();
    return true;
  }

  /// The last look is at a number that belongs to the class, so that it cannot rise in a circle.
  [[nodiscard]] bool is_better_than_before() const {
    return !state_.should_stop() && !state_.is_circling() &&
           state_.trial_gain() > state_.min_gain() && state_.class_score() > score_;
  }

  /// Looks for the operators that the trial refused, so that what is kept is a local optimum.
  void polish_after(const Operator& op) {
    state_.candidates().allow(op.x, op.y);
    for (Kind kind : {Kind::Insert, Kind::Reverse})
      state_.candidates().look_at_pair(kind, op.x, op.y);
    run_xges0(state_);
  }

  SearchState& state_;
  const SearchOptions& options_;
  double score_ = 0.0;  ///< of the class that trials start from
  FailedTrials failed_;
  std::vector<Operator> deletes_;
  CandidateList found_;
};

}  // namespace

Outcome search(const GaussianBic& score, Algorithm algorithm, const SearchOptions& options,
               Observer& observer) {
  EnumerateOptions enumerate_options;
  enumerate_options.clique_cap = options.clique_cap;
  enumerate_options.one_insert_per_pair = algorithm == Algorithm::fges;
  SearchState state(score, enumerate_options, observer);
  ExtendedSearch extended(state, options);
  switch (algorithm) {
    case Algorithm::xges:
      extended.run();
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
  const Enumerator& enumerator = state.candidates().enumerator();
  return {.graph = state.graph(),
          .score = state.class_score(),
          .trace = state.trace(),
          .score_evaluations = enumerator.evaluations(),
          .sweeps = enumerator.sweeps(),
          .trials = extended.trials,
          .accepted_trials = extended.accepted,
          .stopped = observer.stop(),
          .capped_targets = enumerator.capped(),
          .capped_trials = extended.capped_pairs,
          .refused_singular = enumerator.refusals(),
          .circles = state.circles()};
}

}  // namespace greedag
