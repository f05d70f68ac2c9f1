#include "core/xges.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "core/failed_trials.hpp"
#include "core/team.hpp"

namespace greedag {

void run_xges0(SearchState& state) {
  while (state.step(Kind::Delete) || state.step(Kind::Reverse) || state.step(Kind::Insert))
    if (state.is_back()) return;
}

namespace {

/// All valid deletes, best first; of ordered pairs with many sets C only the best, and of
/// undirected edges with many only from one end: both ends lead to the same class.
class DeleteList {
 public:
  explicit DeleteList(std::size_t cap) : cap_(cap) {}

  void fill(SearchState& state) {
    items.clear();
    for (Node y = 0; y < state.graph().size(); ++y) {
      found_.clear();
      state.candidates().enumerator().find_all_deletes(y, found_);
      for (const Candidate& item : found_.items) {
        const Context& context = found_.contexts[item.context];
        items.push_back({Kind::Delete, item.x, y, context.S, context.E, {}, item.gain});
      }
    }
    std::sort(items.begin(), items.end(), is_better);
    if (cap_ != 0) drop_beyond_cap(state.graph());
  }

  std::vector<Operator> items;
  std::size_t capped_pairs = 0;

 private:
  void drop_beyond_cap(const Pdag& graph) {
    std::map<std::pair<Node, Node>, std::size_t> counts;
    for (const Operator& op : items) ++counts[{op.x, op.y}];
    std::erase_if(counts, [&](const auto& entry) { return entry.second <= cap_; });
    capped_pairs = counts.size();
    std::erase_if(items, [&](const Operator& op) {
      const auto count = counts.find({op.x, op.y});
      if (count == counts.end()) return false;
      if (op.x > op.y && graph.are_neighbors(op.x, op.y)) return true;
      return std::exchange(count->second, 0) == 0;  // the first of a pair is its best
    });
  }

  std::size_t cap_;
  CandidateList found_;
};

/// One thread's copy of the search, and trials on it.
class Trier {
 public:
  Trier(SearchState& state, bool keep_forbidden)
      : state_(&state), keep_forbidden_(keep_forbidden), score_(state.class_score()) {}
  /// The same on a copy of the state.
  Trier(const Trier& other, SearchState& state) : Trier(other) { state_ = &state; }

  [[nodiscard]] SearchState& state() const { return *state_; }
  /// How many trials were kept so far.
  [[nodiscard]] std::size_t kept() const { return kept_; }

  /// Applies the delete, forbids to insert its edge again, and lets XGES-0 go on from there. True
  /// if the outcome scores higher than the class that the trial started from.
  [[nodiscard]] bool attempt(const Operator& op) {
    state_->begin_trial();
    state_->apply(op);
    state_->candidates().forbid(op.x, op.y);
    run_xges0(*state_);
    const bool is_better = is_better_than_before();
    if (keep_forbidden_ || !is_better) return is_better;
    polish_after(op);
    return is_better_than_before();
  }
  void keep() {
    state_->keep_trial();
    score_ = score_after_;
    ++kept_;
  }
  void undo() { state_->undo_trial(); }

  /// Whether the trial, which failed, depended on nothing but its footprint.
  [[nodiscard]] bool is_local() const {
    return state_->trial_gain() <= state_->min_gain() && !state_->is_circling() &&
           state_->candidates().enumerator().capped_families() == 0;
  }

 private:
  /// The last look is at a number that belongs to the class, so that it cannot rise in a circle.
  [[nodiscard]] bool is_better_than_before() {
    if (state_->should_stop() || state_->is_circling() ||
        state_->trial_gain() <= state_->min_gain())
      return false;
    score_after_ = state_->class_score();
    return score_after_ > score_;
  }

  /// Looks for the operators that the trial refused, so that what is kept is a local optimum.
  void polish_after(const Operator& op) {
    state_->candidates().allow(op.x, op.y);
    for (Kind kind : {Kind::Insert, Kind::Reverse})
      state_->candidates().look_at_pair(kind, op.x, op.y);
    run_xges0(*state_);
  }

  SearchState* state_;
  bool keep_forbidden_;
  double score_;  ///< of the class that trials start from
  double score_after_ = 0.0;
  std::size_t kept_ = 0;
};

/// Trials in the order of the list of deletes, on several threads.
///
/// Each thread has the whole state of the search and takes the next delete that nobody has tried.
/// Outcomes count in the order of the list. When a trial is kept, those after it that have already
/// ended are forgotten, because they started from another class, and every other thread repeats the
/// one that is kept. So the search takes the same way on any number of threads.
class ExtendedSearch {
 public:
  ExtendedSearch(SearchState& state, const TrialOptions& options, std::size_t jobs,
                 Observer& observer)
      : observer_(&observer),
        first_(state, options.keep_forbidden),
        deletes_(options.cap),
        failed_(state.graph().size()) {
    deletes_.fill(state);
    outcomes_.resize(deletes_.items.size());
    tally_ = state.take_tally();
    helpers_.resize(std::min(jobs, deletes_.items.size() + 1) - 1);
  }

  void run() {
    run_team(1 + helpers_.size(), [this](std::size_t member) { work_or_stop(member); });
    // Where the search was stopped, the first thread may not yet have repeated what was kept last.
    const Trier* last = &first_;
    for (const Helper& helper : helpers_)
      if (helper.trier && helper.trier->kept() > last->kept()) last = &*helper.trier;
    if (last != &first_) first_.state().end_at(last->state());
  }

  [[nodiscard]] TrialCounts counts() const { return {tried_, kept_.size(), deletes_.capped_pairs}; }
  [[nodiscard]] const Tally& tally() const { return tally_; }

 private:
  /// How a trial ended, if it did.
  struct Outcome {
    bool ended = false;
    bool tried = false;
    bool is_local = false;
    Tally tally;
    std::vector<std::uint32_t> footprint;
  };
  /// What a thread needs beside the first one. It makes its own copy, so that its memory is its
  /// own.
  struct Helper {
    std::unique_ptr<Follower> follower;
    std::unique_ptr<SearchState> state;
    std::optional<Trier> trier;
  };
  using Lock = std::unique_lock<std::mutex>;

  void work_or_stop(std::size_t member) {
    try {
      if (member == 0) return work(member, first_);
      Helper& helper = helpers_[member - 1];
      join(helper);
      if (helper.trier) work(member, *helper.trier);
    } catch (...) {
      const Lock lock(mutex_);
      stop();
      throw;
    }
  }

  /// Copies the first thread's state while that rests.
  void join(Helper& helper) {
    Lock lock(mutex_);
    ++joining_;
    changed_.wait(lock, [this] { return is_resting_ || is_stopped_; });
    if (is_stopped_) return;
    lock.unlock();
    helper.follower = std::make_unique<Follower>(is_stopped_);
    helper.state = std::make_unique<SearchState>(first_.state(), *helper.follower);
    helper.trier.emplace(first_, *helper.state);
    lock.lock();
    --joining_;
    changed_.notify_all();
  }

  void let_others_join(Lock& lock) {
    is_resting_ = true;
    changed_.notify_all();
    while (joining_ > 0 && !is_stopped_) wait(0, lock);
    is_resting_ = false;
  }

  void work(std::size_t member, Trier& trier) {
    Lock lock(mutex_);
    while (!is_stopped_) {
      if (member == 0 && trier.state().should_stop())
        stop();
      else if (member == 0 && joining_ > 0)
        let_others_join(lock);
      else if (trier.kept() < kept_.size())
        repeat_kept(trier, lock);
      else if (next_ < deletes_.items.size() && !is_one_better_)
        try_next(member, trier, lock);
      else if (member == 0 && counted_ == deletes_.items.size())
        start_again(trier);
      else
        wait(member, lock);
    }
  }

  void stop() {
    is_stopped_ = true;
    changed_.notify_all();
  }

  /// The first thread looks at the clock and for Ctrl-C while it waits.
  void wait(std::size_t member, Lock& lock) {
    if (member != 0) return changed_.wait(lock);
    changed_.wait_for(lock, std::chrono::milliseconds(20));
    if (observer_->should_stop_now()) stop();
  }

  /// Takes the deletes of the class that was reached, unless the list has brought nothing.
  void start_again(Trier& trier) {
    if (kept_.size() == kept_before_list_) return stop();
    kept_before_list_ = kept_.size();
    failed_.make_room();
    deletes_.fill(trier.state());
    tally_.add(trier.state().take_tally());
    outcomes_.assign(deletes_.items.size(), {});
    next_ = 0;
    counted_ = 0;
    changed_.notify_all();
  }

  void repeat_kept(Trier& trier, Lock& lock) {
    const Operator op = kept_[trier.kept()];
    lock.unlock();
    if (trier.attempt(op))
      trier.keep();
    else if (trier.state().should_stop())
      trier.undo();
    else
      throw std::logic_error("a trial took another course on another thread");
    static_cast<void>(trier.state().take_tally());
    lock.lock();
  }

  void try_next(std::size_t member, Trier& trier, Lock& lock) {
    const std::size_t place = next_++;
    const Operator op = deletes_.items[place];
    if (!meets_D1234(trier.state().graph(), op.x, op.y, op.T, op.E) ||
        failed_.would_fail_again(op)) {
      outcomes_[place].ended = true;
      return count_in_order();
    }
    const std::size_t kept_before = kept_.size();
    lock.unlock();
    const bool is_better = trier.attempt(op);
    const bool is_local = !is_better && trier.is_local();
    Tally tally = trier.state().take_tally();
    lock.lock();
    if (member == 0 && trier.state().should_stop()) stop();  // the trial was cut short
    const auto is_outdated = [&] { return is_stopped_ || kept_.size() != kept_before; };
    if (is_better && !is_outdated()) is_one_better_ = true;
    while (is_better && !is_outdated() && counted_ != place) wait(member, lock);
    if (!is_outdated()) {
      Outcome& outcome = outcomes_[place];
      outcome = {true, true, is_local, std::move(tally), {}};
      if (is_better) return keep(trier, op, place);
      const auto footprint = trier.state().candidates().footprint().places();
      if (is_local) outcome.footprint.assign(footprint.begin(), footprint.end());
      count_in_order();
    }
    lock.unlock();
    trier.undo();
    lock.lock();
  }

  /// Counts the outcomes that nothing before them can change any more.
  void count_in_order() {
    while (counted_ < next_ && outcomes_[counted_].ended) {
      Outcome& outcome = outcomes_[counted_];
      tried_ += outcome.tried;
      tally_.add(outcome.tally);
      if (outcome.is_local) failed_.add(deletes_.items[counted_], outcome.footprint);
      outcome.footprint = {};
      ++counted_;
    }
    changed_.notify_all();
  }

  /// Keeps the trial at `place`, the next to be counted, and forgets the outcomes after it.
  void keep(Trier& trier, const Operator& op, std::size_t place) {
    failed_.start_changes();
    trier.state().for_each_changed(
        [this](Aspect aspect, Node node) { failed_.changed(aspect, node); });
    trier.keep();
    kept_.push_back(op);
    is_one_better_ = false;
    std::fill(outcomes_.begin() + static_cast<std::ptrdiff_t>(place + 1),
              outcomes_.begin() + static_cast<std::ptrdiff_t>(next_), Outcome{});
    next_ = place + 1;
    count_in_order();
  }

  Observer* observer_;
  std::atomic<bool> is_stopped_ = false;
  Trier first_;  ///< on the calling thread
  std::vector<Helper> helpers_;

  // All that follows belongs to who holds the lock.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t joining_ = 0;  ///< how many threads wait for their copy, or make it
  bool is_resting_ = false;  ///< whether the first thread's state may be copied
  DeleteList deletes_;
  std::vector<Outcome> outcomes_;     ///< of deletes_, by place
  std::size_t next_ = 0;              ///< the next delete to be tried
  std::size_t counted_ = 0;           ///< how many outcomes were counted
  bool is_one_better_ = false;        ///< whether a trial that ended is likely to be kept
  std::vector<Operator> kept_;        ///< the deletes whose trials were kept
  std::size_t kept_before_list_ = 0;  ///< how many of them before this list
  FailedTrials failed_;
  std::size_t tried_ = 0;
  Tally tally_;
};

}  // namespace

TrialCounts run_xges(SearchState& state, const TrialOptions& options, std::size_t jobs,
                     Observer& observer, Tally& tally) {
  run_xges0(state);
  ExtendedSearch extended(state, options, jobs, observer);
  extended.run();
  tally.add(extended.tally());
  return extended.counts();
}

}  // namespace greedag
