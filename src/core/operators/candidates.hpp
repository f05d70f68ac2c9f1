#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/graph/paths.hpp"
#include "core/graph/read_set.hpp"
#include "core/operators/enumerate.hpp"
#include "core/operators/path_watches.hpp"
#include "core/operators/target_tournament.hpp"
#include "core/operators/updates.hpp"

namespace greedag {

/// Keeps every operator that may be valid, and hands out the best that is.
///
/// After a change of the graph only the (x, y) of the update table are looked at again, and only
/// when an operator of their kind is asked for. Candidates are checked when their turn comes. One
/// that fails its path condition keeps the path found, and waits until a step of it is broken.
///
/// Between `begin_trial` and `undo_trial` every change is journalled, so that undoing costs what
/// the trial touched.
class Candidates {
 public:
  Candidates(const Pdag& graph, const Score& score, const EnumerateOptions& options,
             Observer& observer);
  /// The same candidates, on a copy of their graph.
  Candidates(const Candidates& other, const Pdag& graph, Observer& observer);

  /// Forgets what is known: every (x, y) will be looked at again.
  void look_at_everything();
  /// Finds all inserts at once, on several threads.
  void find_all_inserts(std::size_t jobs);
  /// For one of several threads that take the same way: each looks first at what the others look at
  /// last, so that they find each other's gains.
  void take_turns(std::size_t member, std::size_t team) {
    member_ = member;
    team_ = team;
  }
  /// To be called before each change of an edge.
  void before_change(const EdgeChange& change);
  /// The best valid operator of a kind; none if there is none or the search should stop.
  [[nodiscard]] std::optional<Operator> best(Kind kind);
  /// All valid operators of a kind, in no order.
  [[nodiscard]] std::vector<Operator> all_valid(Kind kind);

  /// Refuses every Insert and Reverse that would make x → y, in a trial until it is undone.
  void forbid(Node x, Node y);
  /// Allows them again. Those that were refused are not looked for.
  void allow(Node x, Node y) { forbidden_[static_cast<std::size_t>(y)].erase(x); }

  void begin_trial();
  void keep_trial();
  void undo_trial();

  /// What the current trial has read: as long as nothing of it changes, the same trial would end
  /// the same way.
  [[nodiscard]] Footprint& footprint() { return footprint_; }
  /// Calls `changed(aspect, node)` for everything kept here that the current trial changed.
  template <class Changed>
  void for_each_changed(Changed changed) const {
    for (std::size_t i = 0; i < saved_count_; ++i) changed(Aspect::candidates, saved_[i].y);
    for (const WatchEvent& event : watch_journal_) changed(Aspect::watchers, event.a);
  }

  [[nodiscard]] Enumerator& enumerator() { return enumerator_; }

  // What the update table asks for.
  void look_at_target(Kind kind, Node y);
  void look_at_source(Kind kind, Node x);
  void look_at_pair(Kind kind, Node x, Node y);
  void step_is_broken(Kind kind, Node a, Node b);

 private:
  /// What is to be looked at again on one y.
  struct Stale {
    bool whole = false;
    NodeSet sources;
    [[nodiscard]] bool any() const { return whole || !sources.empty(); }
  };
  /// The candidates of one kind.
  struct Lane {
    Lane(Kind of, Node size);
    Kind kind;
    std::vector<CandidateList> lists;  ///< by y
    BestTarget best;
    WatchTable watch;
    std::vector<Stale> stale;  ///< by y
    std::vector<Node> stale_targets;
    NodeSet stale_sources;
    std::vector<std::uint32_t> saved;  ///< by y: 1 + place in saved_ during a trial, else 0
  };
  struct SavedList {
    Kind kind;
    Node y;
    bool with_contexts;         ///< whether the list's contexts are here, or where they were
    std::size_t contexts_size;  ///< how many there were
    CandidateList list;
  };
  struct WatchEvent {
    Kind kind;
    bool added;
    Node a;
    Node b;
    Node y;
  };
  struct ForbiddenPair {
    Node x;
    Node y;
  };
  struct PathRange {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };

  [[nodiscard]] Lane& lane(Kind kind) { return lanes_[static_cast<std::size_t>(kind)]; }

  void refresh(Lane& lane);
  void rebuild(Lane& lane, Node y);
  void forget_stale(Lane& lane);
  void renew_sources(Lane& lane, Node y);
  void note_surroundings(const Lane& lane, Node y);
  void inherit_paths(const std::vector<Candidate>& old, std::vector<Candidate>& fresh);
  void update_best(Lane& lane, Node y);

  [[nodiscard]] Candidate judged_now(Lane& lane, Node y, Candidate candidate);
  [[nodiscard]] Operator operator_of(const Lane& lane, Node y, const Candidate& candidate) const;
  [[nodiscard]] Candidate::State judge(Lane& lane, Node y, const Context& context,
                                       Candidate& candidate);
  [[nodiscard]] bool has_unblocked_path(Lane& lane, Node y, const Context& context,
                                        Candidate& candidate);
  void watch_path(Lane& lane, Node y, std::span<const Node> path);
  void wake(Lane& lane, Node y, Node a, Node b);
  [[nodiscard]] std::span<const Node> path_of(const Candidate& candidate) const {
    return {paths_.data() + candidate.path_begin, candidate.path_size};
  }
  void compact_paths();

  void save_items(Lane& lane, Node y);
  void save_list(Lane& lane, Node y, CandidateList& replaced);
  SavedList& save_slot(Lane& lane, Node y);
  void end_trial();

  const Pdag* graph_;
  Enumerator enumerator_;
  Observer* observer_;
  /// fGES weighs all T of a pair against each other, so every change of Ne(y) may turn its choice.
  bool compares_all_T_;
  PathFinder finder_;
  std::vector<Lane> lanes_;
  std::vector<NodeSet> forbidden_;  ///< by y: the x for which x → y is refused

  std::vector<Node> paths_;  ///< the nodes of all kept paths
  std::size_t paths_after_compaction_ = 0;
  std::vector<PathRange> path_from_y_;  ///< by x, while a list is rebuilt
  CandidateList fresh_;
  std::size_t member_ = 0;
  std::size_t team_ = 1;

  bool in_trial_ = false;
  Footprint footprint_;
  std::vector<SavedList> saved_;
  std::size_t saved_count_ = 0;
  std::vector<WatchEvent> watch_journal_;
  std::vector<ForbiddenPair> forbidden_in_trial_;
  std::size_t paths_before_trial_ = 0;
};

}  // namespace greedag
