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

}  // namespace

Candidates::Lane::Lane(Kind of, Node size)
    : kind(of), lists(at(size)), best(size), watch(size), stale(at(size)), saved(at(size)) {}

Candidates::Candidates(const Pdag& graph, const Score& score, const EnumerateOptions& options,
                       Observer& observer)
    : graph_(&graph),
      enumerator_(graph, score, options, observer),
      observer_(&observer),
      compares_all_T_(options.one_insert_per_pair),
      finder_(graph.size()),
      forbidden_(at(graph.size())),
      path_from_y_(at(graph.size())),
      footprint_(graph.size()) {
  for (Kind kind : all_kinds) lanes_.emplace_back(kind, graph.size());
}

Candidates::Candidates(const Candidates& other, const Pdag& graph, Observer& observer)
    : Candidates(other) {
  graph_ = &graph;
  observer_ = &observer;
  enumerator_.use(graph, observer);
}

// ---- what to look at again

void Candidates::look_at_everything() {
  for (Kind kind : all_kinds)
    for (Node y = 0; y < graph_->size(); ++y) look_at_target(kind, y);
}

void Candidates::find_all_inserts(std::size_t jobs) {
  constexpr Node batch = 16;
  Lane& lane = this->lane(Kind::Insert);
  std::atomic<Node> next = 0;
  std::atomic<bool> is_stopped = false;
  const Tally before = enumerator_.take_tally();
  std::vector<Enumerator> others(jobs - 1, enumerator_);
  const auto find = [&](std::size_t member) {
    Follower follower(is_stopped);
    Observer& observer = member == 0 ? *observer_ : follower;
    Enumerator& enumerator = member == 0 ? enumerator_ : others[member - 1];
    if (member != 0) enumerator.use(*graph_, observer);
    for (Node first = 0; (first = next.fetch_add(batch)) < graph_->size();)
      for (Node y = first; y < std::min(first + batch, graph_->size()); ++y) {
        if (observer.should_stop_now()) is_stopped = true;
        if (is_stopped) return;
        CandidateList& list = lane.lists[at(y)];
        list.clear();
        enumerator.find(Kind::Insert, y, list);
        list.arrange();
      }
  };
  run_team(jobs, [&](std::size_t member) {
    try {
      find(member);
    } catch (...) {
      is_stopped = true;
      throw;
    }
  });
  enumerator_.add_tally(before);
  for (Enumerator& other : others) enumerator_.add_tally(other.take_tally());
  for (Node y = 0; y < graph_->size(); ++y) update_best(lane, y);
  forget_stale(lane);
}

void Candidates::before_change(const EdgeChange& change) {
  enumerator_.forget_member();
  footprint_.note(Aspect::edges, change.a);
  footprint_.note(Aspect::edges, change.b);
  for (Kind kind : all_kinds) read_table(*graph_, kind, change, *this);
  if (!compares_all_T_) return;
  look_at_target(Kind::Insert, change.a);
  look_at_target(Kind::Insert, change.b);
}

void Candidates::look_at_target(Kind kind, Node y) {
  Stale& stale = lane(kind).stale[at(y)];
  if (!stale.any()) lane(kind).stale_targets.push_back(y);
  stale.whole = true;
}

void Candidates::look_at_source(Kind kind, Node x) { lane(kind).stale_sources.insert(x); }

void Candidates::look_at_pair(Kind kind, Node x, Node y) {
  if (x == y) return;
  if (kind == Kind::Delete) return look_at_target(kind, y);  // all x cost what one does
  Stale& stale = lane(kind).stale[at(y)];
  if (!stale.any()) lane(kind).stale_targets.push_back(y);
  if (!stale.whole) stale.sources.insert(x);
}

void Candidates::step_is_broken(Kind kind, Node a, Node b) {
  Lane& lane = this->lane(kind);
  footprint_.note(Aspect::watchers, a);
  const NodeSet watchers = lane.watch.watchers(a, b);
  for (Node y : watchers) {
    wake(lane, y, a, b);
    lane.watch.remove(a, b, y);
    if (in_trial_) watch_journal_.push_back({kind, false, a, b, y});
  }
}

/// Opens the candidates on y that a path over the step a → b blocks.
void Candidates::wake(Lane& lane, Node y, Node a, Node b) {
  footprint_.note(Aspect::candidates, y);
  CandidateList& list = lane.lists[at(y)];
  for (std::size_t i = list.open; i < list.items.size(); ++i) {
    const Candidate& item = list.items[i];
    if (item.state != Candidate::State::blocked || !has_step(path_of(item), a, b)) continue;
    save_items(lane, y);
    list.reopen(i);
  }
  update_best(lane, y);
}

// ---- looking again

void Candidates::refresh(Lane& lane) {
  // Only a Reverse is looked for by its source: its y are the parents of x.
  footprint_.note_edges(lane.stale_sources);
  for (Node x : lane.stale_sources)
    for (Node y : graph_->parents(x)) look_at_pair(lane.kind, x, y);
  lane.stale_sources.clear();
  auto& targets = lane.stale_targets;
  const auto first = static_cast<std::ptrdiff_t>(targets.size() * member_ / team_);
  std::rotate(targets.begin(), targets.begin() + first, targets.end());
  for (Node y : targets)
    if (lane.stale[at(y)].whole)
      rebuild(lane, y);
    else
      renew_sources(lane, y);
  forget_stale(lane);
}

/// Finds all candidates on y again.
void Candidates::rebuild(Lane& lane, Node y) {
  CandidateList& list = lane.lists[at(y)];
  note_surroundings(lane, y);
  fresh_.clear();
  enumerator_.find(lane.kind, y, fresh_);
  if (observer_->should_stop_now()) return;
  inherit_paths(list.items, fresh_.items);
  fresh_.arrange();
  save_list(lane, y, list);
  std::swap(list, fresh_);
  update_best(lane, y);
}

/// Finds those again that come from stale sources, and keeps the rest.
void Candidates::renew_sources(Lane& lane, Node y) {
  const NodeSet& sources = lane.stale[at(y)].sources;
  CandidateList& list = lane.lists[at(y)];
  note_surroundings(lane, y);
  footprint_.note(Aspect::candidates, y);
  footprint_.note_edges(sources);
  fresh_.clear();
  for (Node x : sources) enumerator_.find(lane.kind, x, y, fresh_);
  const auto is_stale = [&](const Candidate& item) { return sources.contains(item.x); };
  if (fresh_.items.empty() && std::none_of(list.items.begin(), list.items.end(), is_stale)) return;
  inherit_paths(list.items, fresh_.items);
  save_items(lane, y);
  std::erase_if(list.items, is_stale);
  if (!in_trial_) list.drop_unused_contexts();
  list.merge(fresh_);
  update_best(lane, y);
}

/// What finding candidates on y depends on, beside their sources.
void Candidates::note_surroundings(const Lane& lane, Node y) {
  footprint_.note(Aspect::edges, y);
  footprint_.note_edges(graph_->neighbors(y));
  if (lane.kind == Kind::Reverse) footprint_.note_edges(graph_->children(y));
}

/// A path that blocked an operator on (x, y) probably blocks the next one on (x, y) too.
void Candidates::inherit_paths(const std::vector<Candidate>& old, std::vector<Candidate>& fresh) {
  bool any = false;
  for (const Candidate& item : old) {
    if (item.path_size == 0) continue;
    path_from_y_[at(item.x)] = {item.path_begin, item.path_size};
    any = true;
  }
  if (!any) return;
  for (Candidate& item : fresh) {
    item.path_begin = path_from_y_[at(item.x)].begin;
    item.path_size = path_from_y_[at(item.x)].size;
  }
  for (const Candidate& item : old) path_from_y_[at(item.x)].size = 0;
}

void Candidates::update_best(Lane& lane, Node y) {
  const Candidate* top = lane.lists[at(y)].top();
  lane.best.set(y, top ? top->gain : BestTarget::nothing);
}

// ---- the best valid operator

std::optional<Operator> Candidates::best(Kind kind) {
  Lane& lane = this->lane(kind);
  refresh(lane);
  while (!observer_->should_stop()) {
    const Node y = lane.best.best();
    if (y < 0) return std::nullopt;
    CandidateList& list = lane.lists[at(y)];
    const Candidate judged = judged_now(lane, y, *list.top());
    if (judged.state == Candidate::State::open) return operator_of(lane, y, judged);
    save_items(lane, y);
    list.close_top(judged);
    update_best(lane, y);
  }
  return std::nullopt;
}

std::vector<Operator> Candidates::all_valid(Kind kind) {
  Lane& lane = this->lane(kind);
  refresh(lane);
  std::vector<Operator> valid;
  for (Node y = 0; y < graph_->size(); ++y) {
    CandidateList& list = lane.lists[at(y)];
    save_items(lane, y);
    for (Candidate& item : list.items) {
      if (item.state != Candidate::State::open) continue;
      item = judged_now(lane, y, item);
      if (item.state == Candidate::State::open) valid.push_back(operator_of(lane, y, item));
    }
    list.arrange();
    update_best(lane, y);
  }
  return valid;
}

/// An open candidate as it is now: closed if it is not valid.
Candidate Candidates::judged_now(Lane& lane, Node y, Candidate candidate) {
  const Context& context = lane.lists[at(y)].contexts[candidate.context];
  candidate.state = judge(lane, y, context, candidate);
  return candidate;
}

Operator Candidates::operator_of(const Lane& lane, Node y, const Candidate& candidate) const {
  const auto& [S, E, F] = lane.lists[at(y)].contexts[candidate.context];
  NodeSet T = S;
  if (lane.kind != Kind::Delete)
    for (Node s : S)
      if (graph_->are_adjacent(candidate.x, s)) T.erase(s);
  return {lane.kind, candidate.x, y, T, E, F, candidate.gain};
}

Candidate::State Candidates::judge(Lane& lane, Node y, const Context& context,
                                   Candidate& candidate) {
  using enum Candidate::State;
  const auto& [S, E, F] = context;
  const Node x = candidate.x;
  footprint_.note(Aspect::edges, x);
  footprint_.note(Aspect::edges, y);
  footprint_.note_edges(S);
  if (lane.kind == Kind::Delete) return meets_D1234(*graph_, x, y, S, E) ? open : dropped;
  if (forbidden_[at(y)].contains(x)) return dropped;
  if (lane.kind == Kind::Insert ? !meets_I1235(*graph_, x, y, S, E)
                                : !meets_R12356(*graph_, x, y, S, E, F))
    return dropped;
  return has_unblocked_path(lane, y, context, candidate) ? blocked : open;
}

/// Whether I4 or R4 fails; the path that makes it fail is kept in the candidate.
bool Candidates::has_unblocked_path(Lane& lane, Node y, const Context& context,
                                    Candidate& candidate) {
  static const NodeSet none{};
  const bool reverse = lane.kind == Kind::Reverse;
  const NodeSet& more_blockers = reverse ? graph_->neighbors(candidate.x) : none;
  if (!is_unblocked(*graph_, path_of(candidate), context.S, more_blockers)) {
    const auto path = finder_.find(*graph_, y, candidate.x, context.S, more_blockers, reverse);
    if (path.empty()) footprint_.note_edges(finder_.looked_at());
    if (path.empty()) return false;
    candidate.path_begin = static_cast<std::uint32_t>(paths_.size());
    candidate.path_size = static_cast<std::uint32_t>(path.size());
    paths_.insert(paths_.end(), path.begin(), path.end());
  }
  footprint_.note_edges(path_of(candidate));
  watch_path(lane, y, path_of(candidate));
  return true;
}

void Candidates::watch_path(Lane& lane, Node y, std::span<const Node> path) {
  for (std::size_t i = 1; i < path.size(); ++i)
    if (lane.watch.add(path[i - 1], path[i], y) && in_trial_)
      watch_journal_.push_back({lane.kind, true, path[i - 1], path[i], y});
}

/// Throws away the nodes of paths that no candidate holds any more.
void Candidates::compact_paths() {
  if (paths_.size() < 2 * paths_after_compaction_ + 100'000) return;
  std::vector<Node> kept;
  for (Lane& lane : lanes_)
    for (CandidateList& list : lane.lists)
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
  footprint_.start();
  paths_before_trial_ = paths_.size();
}

Candidates::SavedList& Candidates::save_slot(Lane& lane, Node y) {
  if (saved_count_ == saved_.size()) saved_.emplace_back();
  SavedList& slot = saved_[saved_count_++];
  lane.saved[at(y)] = static_cast<std::uint32_t>(saved_count_);
  slot.kind = lane.kind;
  slot.y = y;
  return slot;
}

/// Before the items of a list change. Of contexts there may only be more, so they stay where they
/// are.
void Candidates::save_items(Lane& lane, Node y) {
  if (!in_trial_ || lane.saved[at(y)] != 0) return;
  SavedList& slot = save_slot(lane, y);
  slot.with_contexts = false;
  slot.contexts_size = lane.lists[at(y)].contexts.size();
  slot.list.items = lane.lists[at(y)].items;
  slot.list.open = lane.lists[at(y)].open;
  slot.list.is_heap = lane.lists[at(y)].is_heap;
}

/// Before a list is replaced: takes what it held, and leaves room to be reused.
void Candidates::save_list(Lane& lane, Node y, CandidateList& replaced) {
  if (!in_trial_) return;
  if (lane.saved[at(y)] == 0) {
    SavedList& slot = save_slot(lane, y);
    slot.with_contexts = true;
    slot.contexts_size = replaced.contexts.size();
    std::swap(slot.list, replaced);
    return;
  }
  SavedList& slot = saved_[lane.saved[at(y)] - 1];
  if (slot.with_contexts) return;
  slot.with_contexts = true;
  std::swap(slot.list.contexts, replaced.contexts);
}

void Candidates::end_trial() {
  for (std::size_t i = 0; i < saved_count_; ++i) lane(saved_[i].kind).saved[at(saved_[i].y)] = 0;
  saved_count_ = 0;
  watch_journal_.clear();
  forbidden_in_trial_.clear();
  footprint_.stop();
  in_trial_ = false;
}

void Candidates::forbid(Node x, Node y) {
  if (forbidden_[at(y)].insert(x) && in_trial_) forbidden_in_trial_.push_back({x, y});
}

void Candidates::keep_trial() {
  for (std::size_t i = 0; i < saved_count_; ++i)
    lane(saved_[i].kind).lists[at(saved_[i].y)].drop_unused_contexts();
  end_trial();
}

void Candidates::undo_trial() {
  for (std::size_t i = saved_count_; i-- > 0;) {
    auto& [kind, y, with_contexts, contexts_size, saved] = saved_[i];
    CandidateList& list = lane(kind).lists[at(y)];
    std::swap(list.items, saved.items);
    list.open = saved.open;
    list.is_heap = saved.is_heap;
    if (with_contexts) std::swap(list.contexts, saved.contexts);
    list.contexts.resize(contexts_size);
    update_best(lane(kind), y);
  }
  for (std::size_t i = watch_journal_.size(); i-- > 0;) {
    const auto& [kind, added, a, b, y] = watch_journal_[i];
    if (added)
      lane(kind).watch.remove(a, b, y);
    else
      lane(kind).watch.add(a, b, y);
  }
  for (const auto& [x, y] : forbidden_in_trial_) allow(x, y);
  paths_.resize(paths_before_trial_);
  enumerator_.forget_member();
  for (Lane& lane : lanes_) forget_stale(lane);
  end_trial();
}

/// A trial starts with nothing stale, so what is stale at its end concerns its own graph only.
void Candidates::forget_stale(Lane& lane) {
  for (Node y : lane.stale_targets) lane.stale[at(y)] = {};
  lane.stale_targets.clear();
  lane.stale_sources.clear();
}

}  // namespace greedag
