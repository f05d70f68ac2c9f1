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

/// Keeps every operator that may be valid, and returns the best one that is.
///
/// After a change of the graph, only the pairs (x, y) that the update table lists are rechecked,
/// and only when an operator of their kind is requested. A candidate is checked once it is the
/// best. One that fails its path condition stores the path, and stays blocked until a step of that
/// path is broken.
///
/// Between `begin_trial` and `undo_trial` every change is journalled, so that undoing costs no more
/// than what the trial touched.
class Candidates {
 public:
  Candidates(const Pdag& graph, const Score& score, const EnumerateOptions& options,
             Observer& observer);
  /// Rebinds to another graph with the same edges.
  void use(const Pdag& graph, Observer& observer);

  /// Marks every (x, y) to be rechecked.
  void recheck_everything();
  /// Finds all inserts at once, on several threads.
  void find_all_inserts(std::size_t jobs);
  /// For one of several threads that run the same search: each starts rechecking where the others
  /// end, so that they find each other's gains in the shared cache.
  void stagger_order(std::size_t thread, std::size_t threads) {
    thread_ = thread;
    threads_ = threads;
  }
  /// Must be called before every change of an edge.
  void before_change(const EdgeChange& change);
  /// The best valid operator of a kind; none if there is none or the search should stop.
  [[nodiscard]] std::optional<Operator> best(Kind kind);
  /// Drops what `best` has just returned, until the update table finds it again.
  void drop_best(Kind kind);
  /// Refuses what `best` has just returned, until an edge changes that was read for the verdict.
  void refuse_best(Kind kind, const ReadSet& reads);
  /// All valid operators of a kind, in no particular order.
  [[nodiscard]] std::vector<Operator> all_valid(Kind kind);

  /// Refuses every Insert and Reverse that would create x → y; inside a trial, until it is undone.
  void forbid(Node x, Node y);
  /// Allows them again, but does not search for those that were refused.
  void allow(Node x, Node y) { forbidden_[static_cast<std::size_t>(y)].erase(x); }

  void begin_trial();
  void keep_trial();
  void undo_trial();

  /// What the current trial has read: as long as none of it changes, the same trial would end the
  /// same way.
  [[nodiscard]] ReadSet& read_set() { return read_set_; }
  /// Calls `changed(kind, node)` for everything in here that the current trial changed.
  template <class Changed>
  void for_each_changed(Changed changed) const {
    for (std::size_t i = 0; i < saved_count_; ++i) changed(ReadKind::candidates, saved_[i].y);
    for (const WatchEvent& event : watch_journal_) changed(ReadKind::watchers, event.a);
    for (const Refusal& refusal : refusals_)
      if (refusal.in_trial)
        for (Node node : refusal.nodes) changed(ReadKind::watchers, node);
  }

  [[nodiscard]] Enumerator& enumerator() { return enumerator_; }

  // Called by the reader of the update table.
  void recheck_target(Kind kind, Node y);
  void recheck_source(Kind kind, Node x);
  void recheck_pair(Kind kind, Node x, Node y);
  void on_step_broken(Kind kind, Node a, Node b);

 private:
  /// What to recheck on one y.
  struct Stale {
    bool whole = false;
    NodeSet sources;
    [[nodiscard]] bool any() const { return whole || !sources.empty(); }
    void clear() {
      whole = false;
      sources.clear();
    }
  };
  /// The candidates of one kind.
  struct KindCandidates {
    KindCandidates(Kind of, Node size);
    Kind kind;
    std::vector<CandidateList> lists;  ///< by y
    TargetTournament tournament;
    PathWatches watches;
    std::vector<Stale> stale;  ///< by y
    std::vector<Node> stale_targets;
    NodeSet stale_sources;
    std::vector<std::uint32_t> saved;  ///< by y: 1 + index into saved_ during a trial, else 0
  };
  struct SavedList {
    Kind kind;
    Node y;
    bool with_contexts;         ///< whether the list's contexts were moved here
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
  /// Candidates that knowledge refused, and the nodes whose edges were read for that.
  struct Refusal {
    Kind kind;
    Node x;
    Node y;
    NodeSet nodes;
    bool in_trial;
  };
  struct ForbiddenPair {
    Node x;
    Node y;
  };
  struct PathRange {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    std::uint32_t steps = 0;
  };

  [[nodiscard]] KindCandidates& of_kind(Kind kind) {
    return by_kind_[static_cast<std::size_t>(kind)];
  }

  void refresh(KindCandidates& group);
  void rebuild(KindCandidates& group, Node y);
  void forget_stale(KindCandidates& group);
  void renew_sources(KindCandidates& group, Node y);
  void record_surroundings(const KindCandidates& group, Node y);
  void inherit_paths(const std::vector<Candidate>& old, std::vector<Candidate>& fresh);
  void update_best(KindCandidates& group, Node y);
  void close_top(KindCandidates& group, Node y, const Candidate& closed);

  [[nodiscard]] Candidate judged_now(KindCandidates& group, Node y, Candidate candidate);
  [[nodiscard]] Operator operator_of(const KindCandidates& group, Node y,
                                     const Candidate& candidate) const;
  [[nodiscard]] Candidate::State judge(KindCandidates& group, Node y, const Context& context,
                                       Candidate& candidate);
  [[nodiscard]] bool has_unblocked_path(KindCandidates& group, Node y, const Context& context,
                                        Candidate& candidate);
  void watch_path(KindCandidates& group, Node y, std::span<const Node> path);
  void unblock(KindCandidates& group, Node y, Node a, Node b);
  void reopen_refused(const EdgeChange& change);
  template <class Condition>
  void reopen_where(KindCandidates& group, Node y, Condition condition);
  [[nodiscard]] std::span<const Node> path_of(const Candidate& candidate) const {
    return {paths_.data() + candidate.path_begin, candidate.path_size};
  }
  void compact_paths();

  void save_items(KindCandidates& group, Node y);
  void save_list(KindCandidates& group, Node y, CandidateList& replaced);
  SavedList& save_slot(KindCandidates& group, Node y);
  void end_trial();

  const Pdag* graph_;
  Enumerator enumerator_;
  Observer* observer_;
  /// fGES compares all T of a pair, so any change of Ne(y) may alter its choice.
  bool compares_all_T_;
  bool has_knowledge_;  ///< whether candidates may be refused
  PathFinder finder_;
  std::vector<KindCandidates> by_kind_;
  std::vector<NodeSet> forbidden_;  ///< by y: the x for which x → y is refused
  std::vector<Refusal> refusals_;

  std::vector<Node> paths_;  ///< the nodes of all stored paths
  std::size_t paths_after_compaction_ = 0;
  std::vector<PathRange> path_from_y_;  ///< by x, while a list is rebuilt
  CandidateList fresh_;
  std::size_t thread_ = 0;
  std::size_t threads_ = 1;

  bool in_trial_ = false;
  ReadSet read_set_;
  std::vector<SavedList> saved_;
  std::size_t saved_count_ = 0;
  std::vector<WatchEvent> watch_journal_;
  std::vector<ForbiddenPair> forbidden_in_trial_;
  std::vector<Refusal> refusals_before_trial_;
  std::size_t paths_before_trial_ = 0;
};

}  // namespace greedag
