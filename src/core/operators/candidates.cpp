#include "core/operators/candidates.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/util/thread_team.hpp"

namespace greedag {
namespace {

constexpr std::size_t at(Node node) { return static_cast<std::size_t>(node); }

bool has_step(std::span<const Node> path, Node a, Node b) {
  for (std::size_t i = 1; i < path.size(); ++i)
    if (path[i] == b && path[i - 1] == a) return true;
  return false;
}

std::uint32_t bits_of_steps(std::span<const Node> path) {
  std::uint32_t bits = 0;
  for (std::size_t i = 1; i < path.size(); ++i) bits |= step_bit(path[i - 1], path[i]);
  return bits;
}

}  // namespace

Candidates::KindCandidates::KindCandidates(Kind of, Node size)
    : kind(of),
      lists(at(size)),
      tournament(size),
      watches(size),
      stale(at(size)),
      saved(at(size)) {}

Candidates::Candidates(const Pdag& graph, const Score& score, const EnumerateOptions& options,
                       Observer& observer)
    : graph_(&graph),
      enumerator_(graph, score, options, observer),
      observer_(&observer),
      compares_all_T_(options.one_insert_per_pair),
      has_knowledge_(options.knowledge != nullptr),
      finder_(graph.size()),
      forbidden_(at(graph.size())),
      path_from_y_(at(graph.size())),
      read_set_(graph.size()) {
  for (Kind kind : all_kinds) by_kind_.emplace_back(kind, graph.size());
}

void Candidates::use(const Pdag& graph, Observer& observer) {
  graph_ = &graph;
  observer_ = &observer;
  enumerator_.use(graph, observer);
}

// ---- marking what to recheck

void Candidates::recheck_everything() {
  refusals_.clear();
  for (Kind kind : all_kinds)
    for (Node y = 0; y < graph_->size(); ++y) recheck_target(kind, y);
}

void Candidates::find_all_inserts(std::size_t jobs) {
  constexpr Node batch = 16;
  KindCandidates& group = of_kind(Kind::Insert);
  std::atomic<Node> next = 0;
  std::atomic<bool> is_stopped = false;
  const Counters before = enumerator_.take_counters();
  std::vector<Enumerator> others(jobs - 1, enumerator_);
  const auto find = [&](std::size_t thread) {
    StopFlagObserver flag_observer(is_stopped);
    Observer& observer = thread == 0 ? *observer_ : flag_observer;
    Enumerator& enumerator = thread == 0 ? enumerator_ : others[thread - 1];
    if (thread != 0) enumerator.use(*graph_, observer);
    for (Node first = 0; (first = next.fetch_add(batch)) < graph_->size();)
      for (Node y = first; y < std::min(first + batch, graph_->size()); ++y) {
        if (observer.should_stop_now()) is_stopped = true;
        if (is_stopped) return;
        CandidateList& list = group.lists[at(y)];
        list.clear();
        enumerator.find(Kind::Insert, y, list);
        list.arrange();
      }
  };
  run_team(jobs, [&](std::size_t thread) {
    try {
      find(thread);
    } catch (...) {
      is_stopped = true;
      throw;
    }
  });
  enumerator_.add_counters(before);
  for (Enumerator& other : others) enumerator_.add_counters(other.take_counters());
  for (Node y = 0; y < graph_->size(); ++y) update_best(group, y);
  forget_stale(group);
}

void Candidates::before_change(const EdgeChange& change) {
  enumerator_.forget_member();
  read_set_.record(ReadKind::edges, change.a);
  read_set_.record(ReadKind::edges, change.b);
  for (Kind kind : all_kinds) read_table(*graph_, kind, change, *this);
  if (has_knowledge_) reopen_refused(change);
  if (!compares_all_T_) return;
  recheck_target(Kind::Insert, change.a);
  recheck_target(Kind::Insert, change.b);
}

void Candidates::recheck_target(Kind kind, Node y) {
  Stale& stale = of_kind(kind).stale[at(y)];
  if (!stale.any()) of_kind(kind).stale_targets.push_back(y);
  stale.whole = true;
}

void Candidates::recheck_source(Kind kind, Node x) { of_kind(kind).stale_sources.insert(x); }

void Candidates::recheck_pair(Kind kind, Node x, Node y) {
  if (x == y) return;
  if (kind == Kind::Delete) return recheck_target(kind, y);  // all x cost no more than one
  Stale& stale = of_kind(kind).stale[at(y)];
  if (!stale.any()) of_kind(kind).stale_targets.push_back(y);
  if (!stale.whole) stale.sources.insert(x);
}

void Candidates::on_step_broken(Kind kind, Node a, Node b) {
  KindCandidates& group = of_kind(kind);
  read_set_.record(ReadKind::watchers, a);
  const NodeSet watchers = group.watches.watchers(a, b);
  for (Node y : watchers) {
    unblock(group, y, a, b);
    group.watches.remove(a, b, y);
    if (in_trial_) watch_journal_.push_back({kind, false, a, b, y});
  }
}

/// Reopens the candidates on y that are blocked by a path with the step a → b.
void Candidates::unblock(KindCandidates& group, Node y, Node a, Node b) {
  const std::uint32_t bit = step_bit(a, b);
  reopen_where(group, y, [&](const Candidate& item) {
    return (item.path_steps & bit) != 0 && item.state == Candidate::State::blocked &&
           has_step(path_of(item), a, b);
  });
}

template <class Condition>
void Candidates::reopen_where(KindCandidates& group, Node y, Condition condition) {
  read_set_.record(ReadKind::candidates, y);
  CandidateList& list = group.lists[at(y)];
  for (std::size_t i = list.open, end = list.items.size(); i < end; ++i) {
    if (!condition(list.items[i])) continue;
    save_items(group, y);
    list.reopen(i);
  }
  update_best(group, y);
}

void Candidates::reopen_refused(const EdgeChange& change) {
  read_set_.record(ReadKind::watchers, change.a);
  read_set_.record(ReadKind::watchers, change.b);
  std::erase_if(refusals_, [&](const Refusal& refusal) {
    if (!refusal.nodes.contains(change.a) && !refusal.nodes.contains(change.b)) return false;
    reopen_where(of_kind(refusal.kind), refusal.y, [&](const Candidate& item) {
      return item.state == Candidate::State::refused && item.x == refusal.x;
    });
    return true;
  });
}

// ---- rechecking

void Candidates::refresh(KindCandidates& group) {
  // Only reversals are marked by source: their y are the parents of x.
  read_set_.record_edges(group.stale_sources);
  for (Node x : group.stale_sources)
    for (Node y : graph_->parents(x)) recheck_pair(group.kind, x, y);
  group.stale_sources.clear();
  auto& targets = group.stale_targets;
  const auto first = static_cast<std::ptrdiff_t>(targets.size() * thread_ / threads_);
  std::rotate(targets.begin(), targets.begin() + first, targets.end());
  for (Node y : targets)
    if (group.stale[at(y)].whole)
      rebuild(group, y);
    else
      renew_sources(group, y);
  forget_stale(group);
}

/// Finds all candidates on y again.
void Candidates::rebuild(KindCandidates& group, Node y) {
  CandidateList& list = group.lists[at(y)];
  record_surroundings(group, y);
  fresh_.clear();
  enumerator_.find(group.kind, y, fresh_);
  if (observer_->should_stop()) return;  // what was found may be incomplete
  inherit_paths(list.items, fresh_.items);
  fresh_.arrange();
  save_list(group, y, list);
  std::swap(list, fresh_);
  update_best(group, y);
}

/// Finds the candidates of stale sources again, and keeps the others.
void Candidates::renew_sources(KindCandidates& group, Node y) {
  const NodeSet& sources = group.stale[at(y)].sources;
  CandidateList& list = group.lists[at(y)];
  record_surroundings(group, y);
  read_set_.record(ReadKind::candidates, y);
  read_set_.record_edges(sources);
  fresh_.clear();
  for (Node x : sources) enumerator_.find(group.kind, x, y, fresh_);
  const auto is_stale = [&](const Candidate& item) { return sources.contains(item.x); };
  if (fresh_.items.empty() && std::none_of(list.items.begin(), list.items.end(), is_stale)) return;
  inherit_paths(list.items, fresh_.items);
  save_items(group, y);
  std::erase_if(list.items, is_stale);
  if (!in_trial_) list.drop_unused_contexts();
  list.merge(fresh_);
  update_best(group, y);
}

/// Records what the candidates on y depend on besides their sources.
void Candidates::record_surroundings(const KindCandidates& group, Node y) {
  read_set_.record(ReadKind::edges, y);
  read_set_.record_edges(graph_->neighbors(y));
  if (group.kind == Kind::Reverse) read_set_.record_edges(graph_->children(y));
}

/// A path that blocked an operator on (x, y) probably blocks the next one on (x, y), too.
void Candidates::inherit_paths(const std::vector<Candidate>& old, std::vector<Candidate>& fresh) {
  if (fresh.empty()) return;
  bool any = false;
  for (const Candidate& item : old) {
    if (item.path_size == 0) continue;
    path_from_y_[at(item.x)] = {item.path_begin, item.path_size, item.path_steps};
    any = true;
  }
  if (!any) return;
  for (Candidate& item : fresh) {
    const PathRange& path = path_from_y_[at(item.x)];
    item.path_begin = path.begin;
    item.path_size = path.size;
    item.path_steps = path.steps;
  }
  for (const Candidate& item : old) path_from_y_[at(item.x)].size = 0;
}

void Candidates::update_best(KindCandidates& group, Node y) {
  const Candidate* top = group.lists[at(y)].top();
  group.tournament.set(y, top ? top->gain : TargetTournament::nothing);
}

// ---- the best valid operator

std::optional<Operator> Candidates::best(Kind kind) {
  KindCandidates& group = of_kind(kind);
  refresh(group);
  while (!observer_->should_stop()) {
    const Node y = group.tournament.best();
    if (y < 0) return std::nullopt;
    const Candidate judged = judged_now(group, y, *group.lists[at(y)].top());
    if (judged.state == Candidate::State::open) return operator_of(group, y, judged);
    close_top(group, y, judged);
  }
  return std::nullopt;
}

void Candidates::drop_best(Kind kind) {
  KindCandidates& group = of_kind(kind);
  const Node y = group.tournament.best();
  Candidate dropped = *group.lists[at(y)].top();
  dropped.state = Candidate::State::dropped;
  close_top(group, y, dropped);
}

void Candidates::refuse_best(Kind kind, const ReadSet& reads) {
  KindCandidates& group = of_kind(kind);
  const Node y = group.tournament.best();
  Candidate refused = *group.lists[at(y)].top();
  refused.state = Candidate::State::refused;
  Refusal refusal{kind, refused.x, y, {}, in_trial_};
  for (std::uint32_t place : reads.places()) refusal.nodes.insert(ReadSet::node_at(place));
  refusals_.push_back(std::move(refusal));
  close_top(group, y, refused);
}

void Candidates::close_top(KindCandidates& group, Node y, const Candidate& closed) {
  save_items(group, y);
  group.lists[at(y)].close_top(closed);
  update_best(group, y);
}

std::vector<Operator> Candidates::all_valid(Kind kind) {
  KindCandidates& group = of_kind(kind);
  refresh(group);
  std::vector<Operator> valid;
  for (Node y = 0; y < graph_->size(); ++y) {
    CandidateList& list = group.lists[at(y)];
    save_items(group, y);
    for (Candidate& item : list.items) {
      if (item.state != Candidate::State::open) continue;
      item = judged_now(group, y, item);
      if (item.state == Candidate::State::open) valid.push_back(operator_of(group, y, item));
    }
    list.arrange();
    update_best(group, y);
  }
  return valid;
}

/// The candidate with its current state: closed if it is not valid.
Candidate Candidates::judged_now(KindCandidates& group, Node y, Candidate candidate) {
  const Context& context = group.lists[at(y)].contexts[candidate.context];
  candidate.state = judge(group, y, context, candidate);
  return candidate;
}

Operator Candidates::operator_of(const KindCandidates& group, Node y,
                                 const Candidate& candidate) const {
  const auto& [S, E, F] = group.lists[at(y)].contexts[candidate.context];
  NodeSet T = S;
  if (group.kind != Kind::Delete)
    for (Node s : S)
      if (graph_->are_adjacent(candidate.x, s)) T.erase(s);
  return {group.kind, candidate.x, y, T, E, F, candidate.gain};
}

Candidate::State Candidates::judge(KindCandidates& group, Node y, const Context& context,
                                   Candidate& candidate) {
  using enum Candidate::State;
  const auto& [S, E, F] = context;
  const Node x = candidate.x;
  read_set_.record(ReadKind::edges, x);
  read_set_.record(ReadKind::edges, y);
  read_set_.record_edges(S);
  if (group.kind == Kind::Delete) return meets_D1234(*graph_, x, y, S, E) ? open : dropped;
  if (forbidden_[at(y)].contains(x)) return dropped;
  if (group.kind == Kind::Insert ? !meets_I1235(*graph_, x, y, S, E)
                                 : !meets_R12356(*graph_, x, y, S, E, F))
    return dropped;
  return has_unblocked_path(group, y, context, candidate) ? blocked : open;
}

/// Whether I4 or R4 fails; the offending path is stored in the candidate.
bool Candidates::has_unblocked_path(KindCandidates& group, Node y, const Context& context,
                                    Candidate& candidate) {
  static const NodeSet none{};
  const bool reverse = group.kind == Kind::Reverse;
  const NodeSet& more_blockers = reverse ? graph_->neighbors(candidate.x) : none;
  if (!is_unblocked(*graph_, path_of(candidate), context.S, more_blockers)) {
    const auto path = finder_.find(*graph_, y, candidate.x, context.S, more_blockers, reverse);
    if (path.empty()) read_set_.record_edges(finder_.looked_at());
    if (path.empty()) return false;
    candidate.path_begin = static_cast<std::uint32_t>(paths_.size());
    candidate.path_size = static_cast<std::uint32_t>(path.size());
    candidate.path_steps = bits_of_steps(path);
    paths_.insert(paths_.end(), path.begin(), path.end());
  }
  read_set_.record_edges(path_of(candidate));
  watch_path(group, y, path_of(candidate));
  return true;
}

void Candidates::watch_path(KindCandidates& group, Node y, std::span<const Node> path) {
  for (std::size_t i = 1; i < path.size(); ++i)
    if (group.watches.add(path[i - 1], path[i], y) && in_trial_)
      watch_journal_.push_back({group.kind, true, path[i - 1], path[i], y});
}

/// Drops the nodes of paths that no candidate refers to.
void Candidates::compact_paths() {
  if (paths_.size() < 2 * paths_after_compaction_ + 100'000) return;
  std::vector<Node> kept;
  for (KindCandidates& group : by_kind_)
    for (CandidateList& list : group.lists)
      for (Candidate& item : list.items) {
        const auto path = path_of(item);
        item.path_begin = static_cast<std::uint32_t>(kept.size());
        kept.insert(kept.end(), path.begin(), path.end());
      }
  paths_ = std::move(kept);
  paths_after_compaction_ = paths_.size();
}

// ---- trials

void Candidates::begin_trial() {
  compact_paths();
  in_trial_ = true;
  read_set_.start();
  paths_before_trial_ = paths_.size();
  refusals_before_trial_ = refusals_;
}

Candidates::SavedList& Candidates::save_slot(KindCandidates& group, Node y) {
  if (saved_count_ == saved_.size()) saved_.emplace_back();
  SavedList& slot = saved_[saved_count_++];
  group.saved[at(y)] = static_cast<std::uint32_t>(saved_count_);
  slot.kind = group.kind;
  slot.y = y;
  return slot;
}

/// Called before the items of a list change. Contexts are only ever added, so they need not be
/// copied.
void Candidates::save_items(KindCandidates& group, Node y) {
  if (!in_trial_ || group.saved[at(y)] != 0) return;
  SavedList& slot = save_slot(group, y);
  slot.with_contexts = false;
  slot.contexts_size = group.lists[at(y)].contexts.size();
  slot.list.items = group.lists[at(y)].items;
  slot.list.open = group.lists[at(y)].open;
  slot.list.is_heap = group.lists[at(y)].is_heap;
}

/// Called before a list is replaced: takes over its contents, and leaves its memory for reuse.
void Candidates::save_list(KindCandidates& group, Node y, CandidateList& replaced) {
  if (!in_trial_) return;
  if (group.saved[at(y)] == 0) {
    SavedList& slot = save_slot(group, y);
    slot.with_contexts = true;
    slot.contexts_size = replaced.contexts.size();
    std::swap(slot.list, replaced);
    return;
  }
  SavedList& slot = saved_[group.saved[at(y)] - 1];
  if (slot.with_contexts) return;
  slot.with_contexts = true;
  std::swap(slot.list.contexts, replaced.contexts);
}

void Candidates::end_trial() {
  for (std::size_t i = 0; i < saved_count_; ++i) of_kind(saved_[i].kind).saved[at(saved_[i].y)] = 0;
  saved_count_ = 0;
  watch_journal_.clear();
  forbidden_in_trial_.clear();
  read_set_.stop();
  in_trial_ = false;
}

void Candidates::forbid(Node x, Node y) {
  if (forbidden_[at(y)].insert(x) && in_trial_) forbidden_in_trial_.push_back({x, y});
}

void Candidates::keep_trial() {
  for (std::size_t i = 0; i < saved_count_; ++i)
    of_kind(saved_[i].kind).lists[at(saved_[i].y)].drop_unused_contexts();
  for (Refusal& refusal : refusals_) refusal.in_trial = false;
  end_trial();
}

void Candidates::undo_trial() {
  for (std::size_t i = saved_count_; i-- > 0;) {
    auto& [kind, y, with_contexts, contexts_size, saved] = saved_[i];
    CandidateList& list = of_kind(kind).lists[at(y)];
    std::swap(list.items, saved.items);
    list.open = saved.open;
    list.is_heap = saved.is_heap;
    if (with_contexts) std::swap(list.contexts, saved.contexts);
    list.contexts.resize(contexts_size);
    update_best(of_kind(kind), y);
  }
  for (std::size_t i = watch_journal_.size(); i-- > 0;) {
    const auto& [kind, added, a, b, y] = watch_journal_[i];
    if (added)
      of_kind(kind).watches.remove(a, b, y);
    else
      of_kind(kind).watches.add(a, b, y);
  }
  for (const auto& [x, y] : forbidden_in_trial_) allow(x, y);
  std::swap(refusals_, refusals_before_trial_);
  paths_.resize(paths_before_trial_);
  enumerator_.forget_member();
  for (KindCandidates& group : by_kind_) forget_stale(group);
  end_trial();
}

/// A trial starts with nothing stale, so what is stale at its end concerns the trial's graph only.
void Candidates::forget_stale(KindCandidates& group) {
  for (Node y : group.stale_targets) group.stale[at(y)].clear();
  group.stale_targets.clear();
  group.stale_sources.clear();
}

}  // namespace greedag
