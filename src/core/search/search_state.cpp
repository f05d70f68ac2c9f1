#include "core/search/search_state.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/util/random.hpp"

namespace greedag {
namespace {

/// Keeps the order of changes of the same edge.
void sort_by_edge(std::vector<EdgeChange>& changes) {
  const auto comes_before = [](const EdgeChange& first, const EdgeChange& second) {
    return std::tie(first.a, first.b) < std::tie(second.a, second.b);
  };
  // Nearly always there are so few that inserting each costs less than the library's scratch space.
  constexpr std::size_t few = 32;
  if (changes.size() > few) return std::stable_sort(changes.begin(), changes.end(), comes_before);
  for (auto next = changes.begin(); next != changes.end(); ++next)
    std::rotate(std::upper_bound(changes.begin(), next, *next, comes_before), next, next + 1);
}

/// Reduces `changes` to the net change of each edge, from its first state to its last.
void take_net(std::vector<EdgeChange>& changes, std::vector<EdgeChange>& net) {
  for (EdgeChange& c : changes)
    if (c.a > c.b) c = {c.b, c.a, flipped(c.before), flipped(c.after)};
  net = changes;
  sort_by_edge(net);
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

/// The hash of an edge in one state; 0 for no edge.
std::uint64_t hash_of(Node a, Node b, Edge edge) {
  if (edge == Edge::none) return 0;
  return mixed(static_cast<std::uint64_t>(a) << 34 | static_cast<std::uint64_t>(b) << 2 |
               static_cast<std::uint64_t>(edge));
}

}  // namespace

SearchState::SearchState(const Score& score, const EnumerateOptions& options, Observer& observer)
    : score_(&score),
      graph_(score.size()),
      candidates_(graph_, score, options, observer),
      completion_(score.size()),
      admission_reads_(score.size()),
      observer_(&observer) {
  if (options.knowledge != nullptr) admission_.emplace(*options.knowledge);
  candidates_.recheck_everything();
}

SearchState::SearchState(const SearchState& other, Observer& observer) : SearchState(other) {
  candidates_.use(graph_, observer);
  observer_ = &observer;
}

void SearchState::insert_required() { change_to(build(admission_->knowledge().required_dag())); }

void SearchState::start_at(const Pdag& graph) {
  graph_ = graph;
  edges_at_start_ = graph.edges();
  candidates_.recheck_everything();
}

void SearchState::jump_to(const Pdag& dag, double score) {
  const double gain =
      score_->is_equivalent() ? score - first_score_ : progress().gain + score - class_score();
  has_jumped_ = true;
  edges_at_start_ = 0;
  gain_before_trace_ = 0.0;
  const Pdag target = build(dag);
  gain_before_trace_ = gain - progress().gain;
  start_looking_for_cycles();
  change_to(target);
}

void SearchState::change_to(const Pdag& target) {
  for (Node a = 0; a < target.size(); ++a) {
    NodeSet adjacent = graph_.adjacent(a);
    for (Node b : target.adjacent(a)) adjacent.insert(b);
    for (Node b : adjacent) {
      const EdgeChange change{a, b, graph_.edge(a, b), target.edge(a, b)};
      if (a < b && change.before != change.after) change_edge(change);
    }
  }
}

void SearchState::resume_at(const Pdag& graph, const std::vector<Operator>& trace,
                            bool has_jumped) {
  const double before = score_->is_equivalent() ? first_score_ : class_score();
  graph_ = graph;
  trace_ = trace;
  has_jumped_ = has_jumped;
  gain_before_trace_ = 0.0;
  edges_at_start_ = 0;
  const ProgressSnapshot of_trace = progress();
  gain_before_trace_ = class_score() - before - of_trace.gain;
  edges_at_start_ = graph.edges() - of_trace.edges;
  forget_candidates();
}

void SearchState::forget_candidates() {
  candidates_.recheck_everything();
  start_looking_for_cycles();
}

void SearchState::start_looking_for_cycles() {
  is_cycling_ = false;
  steps_since_check_ = 0;
  checked_score_ = -std::numeric_limits<double>::infinity();
}

/// Expects a < b, as the hash does.
void SearchState::change_edge(const EdgeChange& change) {
  const auto& [a, b, before, after] = change;
  candidates_.before_change(change);
  graph_.set_edge(a, b, after);
  if (!in_trial_) return;
  trial_changes_.push_back(change);
  trial_difference_ ^= hash_of(a, b, before) ^ hash_of(a, b, after);
}

/// Replaces the trace by one that leads to the class of `dag`, which it returns. When the parents
/// of y are inserted, nothing comes after y yet. So every neighbor of y is one of its parents, they
/// form a clique, and each insert is valid.
Pdag SearchState::build(const Pdag& dag) {
  trace_.clear();
  Pdag built(dag.size());
  GainCache& gains = this->gains();
  gains.watch(nullptr);  // a trace has all of its gains
  const auto order = topological_order(dag);
  for (Node y : *order)
    for (Node x : dag.parents(y)) {
      Operator op{Kind::Insert, x, y, {}, built.adjacent(y), {}, 0.0};
      for (Node t : built.neighbors(y))
        if (!built.are_adjacent(t, x)) op.T.insert(t);
      gains.condition(y, op.E);
      op.gain = gains.of_insert(x);
      changes_.clear();
      greedag::apply(built, op, changes_);
      completion_.complete_around(built, changes_, candidates_.read_set());
      trace_.push_back(std::move(op));
    }
  gains.watch(observer_);
  return built;
}

void SearchState::end_at(const SearchState& other) {
  graph_ = other.graph_;
  trace_ = other.trace_;
}

ProgressSnapshot SearchState::progress() const {
  ProgressSnapshot progress;
  progress.gain = gain_before_trace_;
  progress.edges = edges_at_start_;
  progress.steps = in_trial_ ? trace_before_trial_ : trace_.size();
  for (std::size_t i = 0; i < progress.steps; ++i) {
    progress.gain += trace_[i].gain;
    progress.edges += trace_[i].kind == Kind::Insert;
    progress.edges -= trace_[i].kind == Kind::Delete;
  }
  return progress;
}

Counters SearchState::take_counters() {
  Counters counters = candidates_.enumerator().take_counters();
  counters.cycles = std::exchange(cycles_, 0);
  return counters;
}

/// The update table needs the graph before every single change, and completion may change an edge
/// more than once. So the changes are reverted, and their net effect is made edge by edge.
bool SearchState::apply(const Operator& op) {
  changes_.clear();
  greedag::apply(graph_, op, changes_);
  completion_.complete_around(graph_, changes_, reads());
  const bool is_allowed =
      (kept_tail_ < 0 || graph_.can_step(kept_tail_, kept_head_)) && (!admission_ || is_admitted());
  take_back_changes();
  if (!is_allowed) return false;
  trace_.push_back(op);
  for (const EdgeChange& change : net_changes_) change_edge(change);
  return true;
}

bool SearchState::apply_best(const Operator& op) {
  if (apply(op)) return true;
  if (admission_)
    candidates_.refuse_best(op.kind, admission_reads_);
  else
    candidates_.drop_best(op.kind);
  return false;
}

/// Where to record what completing the graph reads.
ReadSet& SearchState::reads() {
  if (!admission_) return candidates_.read_set();
  admission_reads_.start();
  for (const EdgeChange& change : changes_) {
    admission_reads_.record(ReadKind::edges, change.a);
    admission_reads_.record(ReadKind::edges, change.b);
  }
  return admission_reads_;
}

/// Whether knowledge admits the class of the graph, which changes_ have led to.
bool SearchState::is_admitted() {
  const bool is_admitted = admission_->admits(graph_, changes_, admission_reads_);
  candidates_.read_set().record_all(admission_reads_);
  return is_admitted;
}

/// Takes back changes_, and leaves their net effect in net_changes_.
void SearchState::take_back_changes() {
  take_net(changes_, net_changes_);
  for (std::size_t i = changes_.size(); i-- > 0;)
    graph_.set_edge(changes_[i].a, changes_[i].b, changes_[i].before);
}

/// Nodes that lose or gain an edge are surrounded by directed edges, those of the new DAG. This
/// directs all its v-structures: any that the class before lacks is at or next to such a node.
void SearchState::jump_within_trial(const Pdag& dag, std::span<const NodeSet> parents) {
  NodeSet touched;
  for (Node y = 0; y < dag.size(); ++y) {
    const NodeSet& after = parents[static_cast<std::size_t>(y)];
    if (after == dag.parents(y)) continue;
    touched.insert(y);
    for (Node x : after) touched.insert(x);
    for (Node x : dag.parents(y)) touched.insert(x);
  }
  const auto edge_after = [&](Node a, Node b) {
    if (parents[static_cast<std::size_t>(b)].contains(a)) return Edge::forward;
    return parents[static_cast<std::size_t>(a)].contains(b) ? Edge::backward : Edge::none;
  };
  changes_.clear();
  for (Node a : touched) {
    NodeSet others = graph_.adjacent(a);
    for (Node b : parents[static_cast<std::size_t>(a)]) others.insert(b);
    for (Node b : others) {
      const EdgeChange change{a, b, graph_.edge(a, b), edge_after(a, b)};
      if (change.before == change.after) continue;
      graph_.set_edge(a, b, change.after);
      changes_.push_back(change);
    }
  }
  completion_.complete_around(graph_, changes_, candidates_.read_set());
  take_back_changes();
  for (const EdgeChange& change : net_changes_) change_edge(change);
}

bool SearchState::step(Kind kind) {
  if (is_cycling_) return false;
  auto op = candidates_.best(kind);
  if (!op || !is_progressing()) return false;
  while (op && !apply_best(*op)) op = candidates_.best(kind);
  return op.has_value();
}

/// Every so many steps, more than a search without cycles needs, the class must score higher than
/// at the last check.
bool SearchState::is_progressing() {
  if (++steps_since_check_ < 1000 + 10 * static_cast<std::size_t>(graph_.size())) return true;
  steps_since_check_ = 0;
  const double score = class_score();
  if (should_stop()) return false;
  const double before = std::exchange(checked_score_, score);
  if (checked_score_ > before) return true;
  ++cycles_;
  is_cycling_ = true;
  return false;
}

double SearchState::class_score() { return total_score(gains(), member()); }

double SearchState::class_score_at_once() {
  constexpr double seconds = 0.03;
  Observer patience(seconds);
  gains().watch(score_->is_equivalent() ? &patience : nullptr);
  const double score = class_score();
  gains().watch(observer_);
  return score != GainEvaluator::refused ? score : first_score_ + progress().gain;
}

bool SearchState::score_start() {
  if (!score_->is_equivalent()) return true;
  // However little time there is, the start of most searches is scored in an instant.
  constexpr double seconds = 0.05;
  Observer patience(seconds);
  gains().watch(&patience);
  const Pdag first = *dag_of_cpdag(graph_);
  first_score_ = total_score(gains(), first);
  gains().watch(observer_);
  if (first_score_ == GainEvaluator::refused) first_score_ = total_score(gains(), first);
  return first_score_ != GainEvaluator::refused;
}

void SearchState::begin_trial() {
  in_trial_ = true;
  trial_changes_.clear();
  trial_difference_ = 0;
  steps_since_check_ = 0;
  checked_score_ = -std::numeric_limits<double>::infinity();
  trace_before_trial_ = trace_.size();
  candidates_.begin_trial();
}

const std::vector<EdgeChange>& SearchState::net_trial_changes() {
  changes_ = trial_changes_;
  take_net(changes_, net_changes_);
  return net_changes_;
}

void SearchState::keep_trial() {
  in_trial_ = false;
  candidates_.keep_trial();
}

void SearchState::undo_trial() {
  in_trial_ = false;
  is_cycling_ = false;
  kept_tail_ = kept_head_ = -1;
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

double total_score(GainCache& gains, const Pdag& dag) {
  double total = 0.0;
  for (Node y = 0; y < dag.size(); ++y) {
    total += gains.local_score(y, dag.parents(y));
    if (total == GainEvaluator::refused) break;
  }
  return total;
}

void cache_trace(GainCache& gains, const Pdag& dag) {
  for (Node y = 0; y < dag.size(); ++y) {
    NodeSet before;
    for (Node x : dag.parents(y)) {
      gains.condition(y, before);
      static_cast<void>(gains.of_insert(x));
      before.insert(x);
    }
  }
}

bool is_measurable(GainCache& gains, const Pdag& dag) {
  for (Node y = 0; y < dag.size(); ++y) {
    const NodeSet parents = dag.parents(y);
    for (Node x : parents)
      if (gains.of_removal(x, y, parents) == GainEvaluator::refused) return false;
  }
  return true;
}

}  // namespace greedag
