#include "core/search/xges.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/search/failed_trials.hpp"
#include "core/util/thread_team.hpp"

namespace greedag {

void run_xges0(SearchState& state) {
  while (state.step(Kind::Delete) || state.step(Kind::Reverse) || state.step(Kind::Insert))
    if (state.is_back()) return;
}

namespace {

/// All valid deletes, best first. Of ordered pairs with many sets C only the best is kept, and of
/// undirected edges with many sets only one direction, because both lead to the same class.
class DeleteList {
 public:
  DeleteList(std::size_t cap, Node nodes) : cap_(cap), counts_(static_cast<std::size_t>(nodes)) {}

  void fill(SearchState& state) {
    items_.clear();
    capped_pairs_ = 0;
    for (Node y = 0; y < state.graph().size(); ++y) {
      found_.clear();
      state.candidates().enumerator().find_all_deletes(y, found_);
      if (cap_ != 0) drop_beyond_cap(state.graph(), y);
      for (const Candidate& item : found_.items) {
        const Context& context = found_.contexts[item.context];
        items_.push_back({Kind::Delete, item.x, y, context.S, context.E, {}, item.gain});
      }
    }
    order_.resize(items_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [this](std::uint32_t first, std::uint32_t second) {
      return is_better(items_[first], items_[second]);
    });
  }

  [[nodiscard]] std::size_t size() const { return order_.size(); }
  [[nodiscard]] const Operator& operator[](std::size_t place) const {
    return items_[order_[place]];
  }
  [[nodiscard]] std::size_t capped_pairs() const { return capped_pairs_; }

 private:
  void drop_beyond_cap(const Pdag& graph, Node y) {
    for (const Candidate& item : found_.items) ++counts_[static_cast<std::size_t>(item.x)];
    for (Node x : graph.adjacent(y)) {
      if (std::exchange(counts_[static_cast<std::size_t>(x)], 0) <= cap_) continue;
      ++capped_pairs_;
      keep_best_of(x, x > y && graph.are_neighbors(x, y) ? 0 : 1);
    }
  }
  void keep_best_of(Node x, std::size_t most) {
    const auto others = std::partition(found_.items.begin(), found_.items.end(),
                                       [x](const Candidate& item) { return item.x == x; });
    std::iter_swap(found_.items.begin(),
                   std::max_element(found_.items.begin(), others, RanksBelow{found_.contexts}));
    found_.items.erase(found_.items.begin() + static_cast<std::ptrdiff_t>(most), others);
  }

  std::size_t cap_;
  CandidateList found_;
  std::vector<std::size_t> counts_;  ///< by x, for one y at a time
  std::vector<Operator> items_;
  std::vector<std::uint32_t> order_;  ///< indices into items_, best first
  std::size_t capped_pairs_ = 0;
};

/// Runs trials on one thread's copy of the search.
class TrialWorker {
 public:
  TrialWorker(SearchState& state, bool keep_forbidden)
      : state_(&state), keep_forbidden_(keep_forbidden) {}

  [[nodiscard]] SearchState& state() const { return *state_; }
  /// The score of the class that trials start from.
  [[nodiscard]] double score() const { return score_; }
  /// How many trials have been kept so far.
  [[nodiscard]] std::size_t kept() const { return kept_; }

  /// Reaches the class that trials start from.
  void run_until_trials() {
    run_xges0(*state_);
    score_ = state_->class_score();
  }
  /// Applies the delete, forbids inserting its edge again, and continues with XGES-0. True if the
  /// outcome scores higher than the class that the trial started from.
  [[nodiscard]] bool attempt(const Operator& op) {
    run_trial(op);
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
  /// Repeats a trial that another thread has kept and that scores `score`.
  void repeat(const Operator& op, double score) {
    run_trial(op);
    if (!keep_forbidden_) polish_after(op);
    if (state_->should_stop()) return undo();
    score_after_ = score;
    keep();
  }
  void undo() { state_->undo_trial(); }

  /// Whether a failed trial depended only on what it read.
  [[nodiscard]] bool is_local() const {
    return state_->trial_gain() <= state_->min_gain() && !state_->is_cycling() &&
           state_->candidates().enumerator().capped_families() == 0;
  }

 private:
  void run_trial(const Operator& op) {
    state_->begin_trial();
    if (!state_->apply(op)) return;
    state_->candidates().forbid(op.x, op.y);
    run_xges0(*state_);
  }

  /// The final comparison uses the score of the class itself, which cannot rise along a cycle.
  [[nodiscard]] bool is_better_than_before() {
    if (state_->should_stop() || state_->is_cycling() || state_->trial_gain() <= state_->min_gain())
      return false;
    score_after_ = state_->class_score();
    return score_after_ > score_;
  }

  /// Searches for the operators that the trial refused, so that what is kept is a local optimum.
  void polish_after(const Operator& op) {
    state_->candidates().allow(op.x, op.y);
    for (Kind kind : {Kind::Insert, Kind::Reverse})
      state_->candidates().recheck_pair(kind, op.x, op.y);
    run_xges0(*state_);
  }

  SearchState* state_;
  bool keep_forbidden_;
  double score_ = 0.0;  ///< of the class that trials start from
  double score_after_ = 0.0;
  std::size_t kept_ = 0;
};

/// XGES on several threads.
///
/// Each thread holds the whole state of the search, and reaches the class that XGES-0 finds by
/// itself: with a core per thread, this is faster than waiting for a copy, because they share the
/// gains that they compute. Then each takes the next delete that no other has tried. Outcomes count
/// in the order of the list. When a trial is kept, those after it that have already ended are
/// discarded, because they started from another class, and every other thread repeats the kept
/// trial. So the search takes the same course on any number of threads.
class ExtendedSearch {
 public:
  ExtendedSearch(SearchState& state, const TrialOptions& options, std::size_t jobs,
                 Observer& observer)
      : observer_(&observer),
        deletes_(options.cap, state.graph().size()),
        failed_(state.graph().size()) {
    workers_.emplace_back(state, options.keep_forbidden);
    while (workers_.size() < jobs) {
      stop_observers_.push_back(std::make_unique<StopFlagObserver>(is_stopped_));
      copies_.push_back(std::make_unique<SearchState>(state, *stop_observers_.back()));
      workers_.emplace_back(*copies_.back(), options.keep_forbidden);
    }
    for (std::size_t thread = 0; thread < jobs; ++thread)
      workers_[thread].state().candidates().stagger_order(thread, jobs);
  }

  void run() {
    run_team(workers_.size(), [this](std::size_t thread) { work_or_stop(thread); });
    // If the search was stopped, the first thread may not have repeated the last kept trial yet.
    const auto last = std::max_element(
        workers_.begin(), workers_.end(),
        [](const TrialWorker& one, const TrialWorker& other) { return one.kept() < other.kept(); });
    if (last != workers_.begin()) workers_.front().state().end_at(last->state());
  }

  [[nodiscard]] TrialCounts counts() const {
    return {tried_, kept_.size(), deletes_.capped_pairs()};
  }
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  /// The outcome of a trial, once it has ended.
  struct Outcome {
    bool ended = false;
    bool tried = false;
    bool is_local = false;
    Counters counters;
    std::vector<std::uint32_t> places_read;
  };
  struct Kept {
    Operator op;
    double score;  ///< of the class that the trial reached
  };
  using Lock = std::unique_lock<std::mutex>;

  void work_or_stop(std::size_t thread) {
    try {
      workers_[thread].run_until_trials();
      work(thread, workers_[thread]);
    } catch (...) {
      observer_->fail();
      const Lock lock(mutex_);
      stop();
      throw;
    }
  }

  void work(std::size_t thread, TrialWorker& worker) {
    Lock lock(mutex_);
    if (thread == 0)
      take_deletes(worker);
    else
      static_cast<void>(worker.state().take_counters());
    while (!is_stopped_) {
      if (thread == 0 && worker.state().should_stop())
        stop();
      else if (worker.kept() < kept_.size())
        repeat_kept(worker, lock);
      else if (next_ < deletes_.size() && !is_one_better_)
        try_next(thread, worker, lock);
      else if (thread == 0 && counted_ == deletes_.size())
        start_again(worker);
      else
        wait(thread, lock);
    }
  }

  void stop() {
    is_stopped_ = true;
    changed_.notify_all();
  }

  /// While it waits, the first thread checks the clock and for Ctrl-C.
  void wait(std::size_t thread, Lock& lock) {
    if (thread != 0) return changed_.wait(lock);
    changed_.wait_for(lock, std::chrono::milliseconds(20));
    lock.unlock();  // the callbacks may take long
    const bool should_stop = observer_->should_stop_now();
    lock.lock();
    if (should_stop) stop();
  }

  /// Collects the deletes of the current class.
  void take_deletes(TrialWorker& worker) {
    deletes_.fill(worker.state());
    counters_.add(worker.state().take_counters());
    outcomes_.assign(deletes_.size(), {});
    next_ = 0;
    counted_ = 0;
    changed_.notify_all();
  }

  /// Continues from the class that was reached, unless no trial of the list was kept.
  void start_again(TrialWorker& worker) {
    if (kept_.size() == kept_before_list_) return stop();
    kept_before_list_ = kept_.size();
    failed_.make_room();
    take_deletes(worker);
  }

  void repeat_kept(TrialWorker& worker, Lock& lock) {
    const Kept kept = kept_[worker.kept()];
    lock.unlock();
    worker.repeat(kept.op, kept.score);
    static_cast<void>(worker.state().take_counters());
    lock.lock();
  }

  void try_next(std::size_t thread, TrialWorker& worker, Lock& lock) {
    const std::size_t place = next_++;
    const Operator op = deletes_[place];
    if (!meets_D1234(worker.state().graph(), op.x, op.y, op.T, op.E) ||
        failed_.would_fail_again(op)) {
      outcomes_[place].ended = true;
      return count_in_order();
    }
    const std::size_t kept_before = kept_.size();
    lock.unlock();
    const bool is_better = worker.attempt(op);
    const bool is_local = !is_better && worker.is_local();
    Counters counters = worker.state().take_counters();
    lock.lock();
    if (thread == 0 && worker.state().should_stop()) stop();  // the trial was cut short
    const auto is_outdated = [&] { return is_stopped_ || kept_.size() != kept_before; };
    if (is_better && !is_outdated()) is_one_better_ = true;
    while (is_better && !is_outdated() && counted_ != place) wait(thread, lock);
    if (!is_outdated()) {
      Outcome& outcome = outcomes_[place];
      outcome = {true, true, is_local, std::move(counters), {}};
      if (is_better) return keep(worker, op, place);
      const auto places = worker.state().candidates().read_set().places();
      if (is_local) outcome.places_read.assign(places.begin(), places.end());
      count_in_order();
    }
    lock.unlock();
    worker.undo();
    lock.lock();
  }

  /// Counts the outcomes that no earlier one can change any longer.
  void count_in_order() {
    while (counted_ < next_ && outcomes_[counted_].ended) {
      Outcome& outcome = outcomes_[counted_];
      tried_ += outcome.tried;
      observer_->add_trials(outcome.tried);
      counters_.add(outcome.counters);
      if (outcome.is_local) failed_.add(deletes_[counted_], outcome.places_read);
      outcome.places_read = {};
      ++counted_;
    }
    changed_.notify_all();
  }

  /// Keeps the trial at `place`, the next to be counted, and discards the outcomes after it.
  void keep(TrialWorker& worker, const Operator& op, std::size_t place) {
    failed_.start_changes();
    worker.state().for_each_changed(
        [this](ReadKind kind, Node node) { failed_.mark_changed(kind, node); });
    worker.keep();
    kept_.push_back({op, worker.score()});
    is_one_better_ = false;
    std::fill(outcomes_.begin() + static_cast<std::ptrdiff_t>(place + 1),
              outcomes_.begin() + static_cast<std::ptrdiff_t>(next_), Outcome{});
    next_ = place + 1;
    count_in_order();
  }

  Observer* observer_;
  std::atomic<bool> is_stopped_ = false;
  std::vector<std::unique_ptr<StopFlagObserver>>
      stop_observers_;                                ///< by thread, without the calling one
  std::vector<std::unique_ptr<SearchState>> copies_;  ///< likewise
  std::vector<TrialWorker> workers_;                  ///< by thread, the calling one first

  // Everything below is guarded by the mutex.
  std::mutex mutex_;
  std::condition_variable changed_;
  DeleteList deletes_;
  std::vector<Outcome> outcomes_;     ///< by index into deletes_
  std::size_t next_ = 0;              ///< the next delete to be tried
  std::size_t counted_ = 0;           ///< how many outcomes have been counted
  bool is_one_better_ = false;        ///< whether an ended trial will probably be kept
  std::vector<Kept> kept_;            ///< the trials that were kept
  std::size_t kept_before_list_ = 0;  ///< how many of them came before this list
  FailedTrials failed_;
  std::size_t tried_ = 0;
  Counters counters_;
};

}  // namespace

TrialCounts run_xges(SearchState& state, const TrialOptions& options, std::size_t jobs,
                     Observer& observer, Counters& counters) {
  ExtendedSearch extended(state, options, jobs, observer);
  extended.run();
  counters.add(extended.counters());
  return extended.counts();
}

}  // namespace greedag
