#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/graph/completion.hpp"
#include "core/graph/mpdag.hpp"
#include "core/operators/candidates.hpp"

namespace greedag {

/// The current class of a search, and how it was reached.
class SearchState {
 public:
  SearchState(const Score& score, const EnumerateOptions& options, Observer& observer);
  /// A copy for another thread.
  SearchState(const SearchState& other, Observer& observer);
  SearchState& operator=(const SearchState&) = delete;

  [[nodiscard]] const Pdag& graph() const { return graph_; }
  [[nodiscard]] const std::vector<Operator>& trace() const { return trace_; }
  [[nodiscard]] Candidates& candidates() { return candidates_; }
  /// What every class has to agree with, or null.
  [[nodiscard]] const Knowledge* knowledge() const {
    return admission_ ? &admission_->knowledge() : nullptr;
  }
  /// A member of the class that agrees with it, always the same one.
  [[nodiscard]] Pdag member() const { return member_of(graph_, knowledge()); }
  [[nodiscard]] double min_gain() const { return score_->min_gain(); }
  [[nodiscard]] bool should_stop() const {
    return observer_->stop() != Stop::no || (is_cycling_ && !in_trial_);
  }
  /// Whether the steps of this trial, or of the search itself, ran in a cycle; no further step is
  /// made then. On nearly collinear data the rounding of gains can exceed `min_gain`, and operators
  /// that undo each other may then all seem to gain.
  [[nodiscard]] bool is_cycling() const { return is_cycling_; }
  /// The progress of the search, without the current trial.
  [[nodiscard]] ProgressSnapshot progress() const;
  /// The counters since the last call.
  [[nodiscard]] Counters take_counters();

  /// Makes the arcs that knowledge requires the first steps.
  void insert_required();
  /// Starts from the class `graph` instead of the empty graph.
  void start_at(const Pdag& graph);
  /// Jumps to the class of a DAG, however far, which scores `score`. The trace becomes one that
  /// builds it from the empty graph, edge by edge.
  void jump_to(const Pdag& dag, double score);
  [[nodiscard]] bool has_jumped() const { return has_jumped_; }
  /// Goes on from a class that an earlier search reached by this trace.
  void resume_at(const Pdag& graph, const std::vector<Operator>& trace, bool has_jumped);
  /// Forgets everything but the class and its trace, so that what follows depends on these alone.
  void forget_candidates();
  /// Takes over the class and the trace of another state of the same search.
  void end_at(const SearchState& other);
  /// Applies a valid operator; false if knowledge rules out the class that it leads to, or the edge
  /// to be kept would be lost.
  bool apply(const Operator& op);
  /// The same for the operator that the candidates have just returned as the best of its kind,
  /// which they do not return again if it is ruled out.
  bool apply_best(const Operator& op);
  /// Whether steps still improve the score; must be called once per step.
  [[nodiscard]] bool is_progressing();
  /// Applies the best valid operator of a kind, if there is one.
  bool step(Kind kind);

  void begin_trial();
  /// Until the trial is undone, steps lead only to classes of which some member has tail → head.
  void keep_edge(Node tail, Node head) {
    kept_tail_ = tail;
    kept_head_ = head;
  }
  /// Jumps, within a trial, from the class of `dag` to that of the DAG with the given parents, by
  /// node. That is no step, and has no gain.
  void jump_within_trial(const Pdag& dag, std::span<const NodeSet> parents);
  void keep_trial();
  void undo_trial();
  /// What the trial has changed so far: each edge once.
  [[nodiscard]] const std::vector<EdgeChange>& net_trial_changes();
  /// The sum of the trial's gains so far.
  [[nodiscard]] double trial_gain() const;
  /// Whether a trial is back at the class it started from. Nothing gained there before, so nothing
  /// will.
  [[nodiscard]] bool is_back() const { return in_trial_ && trial_difference_ == 0; }
  /// Calls `changed(kind, node)` for everything that the trial changed.
  template <class Changed>
  void for_each_changed(Changed changed) const {
    for (const EdgeChange& change : trial_changes_) {
      changed(ReadKind::edges, change.a);
      changed(ReadKind::edges, change.b);
    }
    candidates_.for_each_changed(changed);
  }
  /// The score of the class, computed from `member`: it depends on the class alone, not on the path
  /// to it. `GainEvaluator::refused` if the search should stop and it would take long.
  [[nodiscard]] double class_score();
  /// The same for the class of a search that was stopped, at once: where computing it would take
  /// long, the score that the search started with and its gains, which differ by rounding.
  [[nodiscard]] double class_score_at_once();
  /// Computes the score of the class that the search starts from; false if it should stop before.
  [[nodiscard]] bool score_start();

 private:
  /// Copies every member. Private, because the candidates still refer to the graph of the original.
  SearchState(const SearchState&) = default;

  [[nodiscard]] GainCache& gains() { return candidates_.enumerator().gain_cache(); }
  [[nodiscard]] Pdag build(const Pdag& dag);
  [[nodiscard]] ReadSet& reads();
  [[nodiscard]] bool is_admitted();
  void take_back_changes();
  void start_looking_for_cycles();
  void change_edge(const EdgeChange& change);
  void change_to(const Pdag& target);

  const Score* score_;
  Pdag graph_;
  Candidates candidates_;
  Completion completion_;
  std::optional<Admission> admission_;  ///< none without knowledge
  ReadSet admission_reads_;             ///< what was read to decide on the last operator
  Observer* observer_;
  std::size_t edges_at_start_ = 0;
  double gain_before_trace_ = 0.0;
  /// Of the class that the search started from, if all members of a class score the same.
  double first_score_ = GainEvaluator::refused;
  bool has_jumped_ = false;
  std::vector<Operator> trace_;
  std::size_t steps_since_check_ = 0;
  double checked_score_ = -std::numeric_limits<double>::infinity();
  bool is_cycling_ = false;
  std::size_t cycles_ = 0;
  std::vector<EdgeChange> changes_;
  std::vector<EdgeChange> net_changes_;
  bool in_trial_ = false;
  Node kept_tail_ = -1;  ///< of the edge that some member must have; -1 if there is none
  Node kept_head_ = -1;
  std::vector<EdgeChange> trial_changes_;
  std::uint64_t trial_difference_ = 0;  ///< hash of the edges that differ from the trial's start
  std::size_t trace_before_trial_ = 0;
};

/// Whether the contribution of every parent in a DAG can be measured: otherwise a trace that builds
/// its class would have no gains.
[[nodiscard]] bool is_measurable(GainCache& gains, const Pdag& dag);

/// Computes the gains of a trace that builds the class of a DAG, so that they are known when the
/// search jumps there.
void cache_trace(GainCache& gains, const Pdag& dag);

/// The total score of a DAG; `GainEvaluator::refused` if the search should stop before.
[[nodiscard]] double total_score(GainCache& gains, const Pdag& dag);

}  // namespace greedag
