#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "core/graph/completion.hpp"
#include "core/operators/candidates.hpp"

namespace greedag {

/// What a search does on its way: the class it is at, and how it came there.
class SearchState {
 public:
  SearchState(const Score& score, const EnumerateOptions& options, Observer& observer);
  /// The same state, for another thread.
  SearchState(const SearchState& other, Observer& observer);
  SearchState& operator=(const SearchState&) = delete;

  [[nodiscard]] const Pdag& graph() const { return graph_; }
  [[nodiscard]] const std::vector<Operator>& trace() const { return trace_; }
  [[nodiscard]] Candidates& candidates() { return candidates_; }
  [[nodiscard]] double min_gain() const { return score_->min_gain(); }
  [[nodiscard]] bool should_stop() const {
    return observer_->stop() != Stop::no || (is_cycling_ && !in_trial_);
  }
  /// Whether the steps of this trial, or of the search itself, went in a circle: no further step is
  /// made then. On nearly collinear data the rounding of gains can outgrow `min_gain`, and then
  /// operators that undo each other may all seem to gain.
  [[nodiscard]] bool is_cycling() const { return is_cycling_; }
  /// How far the search has come, without the trial that is under way.
  [[nodiscard]] ProgressSnapshot progress() const;
  /// What was counted since the last call.
  [[nodiscard]] Counters take_counters();

  /// Starts from the class `graph` instead of the empty graph.
  void start_at(const Pdag& graph);
  /// Goes to the class of a DAG, however far. The trace becomes one that builds it from the empty
  /// graph, edge by edge.
  void jump_to(const Pdag& dag);
  [[nodiscard]] bool has_jumped() const { return has_jumped_; }
  /// Ends where another state of the same search is.
  void end_at(const SearchState& other);
  void apply(const Operator& op);
  /// Whether steps still lead upwards; to be asked once a step.
  [[nodiscard]] bool is_progressing();
  /// Applies the best valid operator of a kind, if there is one.
  bool step(Kind kind);

  void begin_trial();
  void keep_trial();
  void undo_trial();
  /// The gains of the trial so far.
  [[nodiscard]] double trial_gain() const;
  /// Whether a trial has come back to the class it started from. Nothing gained there before, so
  /// nothing will.
  [[nodiscard]] bool is_back() const { return in_trial_ && trial_difference_ == 0; }
  /// Calls `changed(aspect, node)` for everything that the trial changed.
  template <class Changed>
  void for_each_changed(Changed changed) const {
    for (const EdgeChange& change : trial_changes_) {
      changed(ReadKind::edges, change.a);
      changed(ReadKind::edges, change.b);
    }
    candidates_.for_each_changed(changed);
  }
  /// Score of the class, from one fixed member: it depends on the class alone, not on the way
  /// there.
  [[nodiscard]] double class_score() const;

 private:
  /// Copies every member. Not for others: the candidates still refer to the graph of the original.
  SearchState(const SearchState&) = default;

  [[nodiscard]] Pdag build(const Pdag& dag);

  const Score* score_;
  Pdag graph_;
  Candidates candidates_;
  Completion completion_;
  Observer* observer_;
  std::size_t edges_at_start_ = 0;
  double gain_before_trace_ = 0.0;
  bool has_jumped_ = false;
  std::vector<Operator> trace_;
  std::size_t steps_since_check_ = 0;
  double checked_score_ = -std::numeric_limits<double>::infinity();
  bool is_cycling_ = false;
  std::size_t cycles_ = 0;
  std::vector<EdgeChange> changes_;
  std::vector<EdgeChange> net_changes_;
  bool in_trial_ = false;
  std::vector<EdgeChange> trial_changes_;
  std::uint64_t trial_difference_ = 0;  ///< hash of the edges that differ from the trial's start
  std::size_t trace_before_trial_ = 0;
};

/// Whether what each parent adds to its child in a DAG can be measured: only then can a trace that
/// builds its class have gains.
[[nodiscard]] bool is_measurable(GainCache& gains, const Pdag& dag);

}  // namespace greedag
