#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/graph/read_set.hpp"
#include "core/graph/set_map.hpp"
#include "core/operators/operators.hpp"

namespace greedag {

/// Failed trials, each with everything it read. As long as none of that has changed, the trial
/// would fail again.
class FailedTrials {
 public:
  explicit FailedTrials(Node size) : changed_at_(3 * static_cast<std::size_t>(size)) {}

  /// Adds a trial, unless there is no room: nothing is evicted, because what is known must not
  /// depend on the timing of threads.
  void add(const Operator& op, std::span<const std::uint32_t> places) {
    if (places_.size() + places.size() > most_places) return;
    const Trial trial{now_, static_cast<std::uint32_t>(places_.size()),
                      static_cast<std::uint32_t>(places.size())};
    const SetKey key(op.x, op.y, op.T.span());
    Trial* known = trials_.find(key);
    if (!known && trials_.is_full()) return;
    places_.insert(places_.end(), places.begin(), places.end());
    if (known)
      *known = trial;
    else
      trials_.add(key, trial);
  }
  /// Forgets all trials if there are many. Must not be called while a trial is running.
  void make_room() {
    if (2 * places_.size() < most_places && !trials_.is_full()) return;
    trials_.clear();
    places_.clear();
  }
  [[nodiscard]] bool would_fail_again(const Operator& op) {
    const Trial* trial = trials_.find(SetKey(op.x, op.y, op.T.span()));
    if (!trial) return false;
    const auto places = std::span(places_).subspan(trial->begin, trial->size);
    return std::all_of(places.begin(), places.end(),
                       [&](std::uint32_t place) { return changed_at_[place] <= trial->time; });
  }
  /// Must be called when a trial is kept, before `mark_changed` for what it changed.
  void start_changes() { ++now_; }
  void mark_changed(ReadKind kind, Node node) { changed_at_[ReadSet::place(kind, node)] = now_; }

 private:
  struct Trial {
    std::uint32_t time;  ///< number of trials that had been kept before it
    std::uint32_t begin;
    std::uint32_t size;
  };
  static constexpr std::size_t most_places = std::size_t{1} << 25;
  static constexpr std::size_t most_trials = std::size_t{1} << 20;

  std::uint32_t now_ = 0;
  std::vector<std::uint32_t> changed_at_;
  SetMap<Trial> trials_{most_trials};
  std::vector<std::uint32_t> places_;  ///< what the trials read, one after the other
};

}  // namespace greedag
