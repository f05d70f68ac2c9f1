#include "core/search/refine.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "core/search/order_search.hpp"
#include "core/util/thread_team.hpp"

namespace greedag {
namespace {

/// The outcome of a round.
struct Round {
  Counters counters;
  double score = 0.0;
  std::optional<Pdag> graph;  ///< the class that it found, if it is better
};

/// How many nodes a round climbs with: enough to outweigh its start-up cost, and few enough to be
/// shared among threads.
constexpr std::uint64_t nodes_of_climb = 32;

/// What rounds start from.
struct Start {
  Pdag dag;  ///< a member of the class
  double score;
  std::uint64_t round;    ///< the first that starts from here
  std::uint64_t climbed;  ///< how many nodes earlier rounds have climbed with

  /// The first node that a round climbs with; all nodes have been used if it is past the last.
  [[nodiscard]] Node first_node(std::uint64_t number) const {
    const std::uint64_t first = climbed + nodes_of_climb * (number - round);
    return static_cast<Node>(std::min(first, static_cast<std::uint64_t>(dag.size())));
  }
};

/// Runs rounds on one thread.
class RefineWorker {
 public:
  RefineWorker(const Score& score, GainCache& gains, const Pdag& dag, const Knowledge* knowledge,
               Observer& observer)
      : score_(&score),
        knowledge_(knowledge),
        observer_(&observer),
        gains_(&gains),
        search_(gains, score.min_gain(), dag, knowledge) {}

  [[nodiscard]] Round run_round(const Start& start, std::uint64_t number, Random random) {
    static_cast<void>(gains_->take_counters());
    search_.start_at(start.dag, random);
    double gain = 0.0;
    const Node first = start.first_node(number);
    if (first < start.dag.size())
      search_.queue_from(first, static_cast<Node>(nodes_of_climb), random);
    else
      gain = search_.perturb(random);
    gain += search_.climb(*observer_);
    Round round;
    round.counters = gains_->take_counters();
    if (gain <= score_->min_gain()) return round;
    // The final comparison uses the score of the class itself, which cannot rise along a cycle.
    Pdag graph = cpdag_of_dag(search_.dag());
    const Pdag member = member_of(graph, knowledge_);
    round.score = total_score(*gains_, member);
    if (round.score > start.score + score_->min_gain() && is_measurable(*gains_, member)) {
      cache_trace(*gains_, member);
      // A search that is stopped ends with what is known.
      if (observer_->stop() == Stop::no) round.graph = std::move(graph);
    }
    // Not counted: it must not matter which thread did this.
    static_cast<void>(gains_->take_counters());
    return round;
  }

 private:
  const Score* score_;
  const Knowledge* knowledge_;
  Observer* observer_;
  GainCache* gains_;
  OrderSearch search_;
};

/// Rounds on several threads.
///
/// Each thread takes the next round that no other has taken. Outcomes count in the order of the
/// rounds. When a round is kept, those after it are run again, because they started from another
/// class. So the outcome is the same for any number of threads.
class Rounds {
 public:
  Rounds(SearchState& state, const Score& score, Refinement& at, const RefineOptions& options,
         Observer& observer)
      : at_(&at),
        options_(&options),
        knowledge_(state.knowledge()),
        observer_(&observer),
        progress_(state.progress()),
        next_(at.round) {
    GainCache& gains = state.candidates().enumerator().gain_cache();
    start_ = start_from(at.graph, at.score, at.round, at.climbed);
    workers_.emplace_back(score, gains, start_->dag, knowledge_, observer);
    while (workers_.size() < std::max<std::size_t>(options.jobs, 1)) {
      stop_observers_.push_back(std::make_unique<StopFlagObserver>(is_over_));
      copies_.push_back(std::make_unique<GainCache>(gains));
      workers_.emplace_back(score, *copies_.back(), start_->dag, knowledge_,
                            *stop_observers_.back());
    }
  }

  void run() {
    observer_->set_progress_source([this] {
      const std::scoped_lock lock(progress_mutex_);
      return progress_;
    });
    run_team(workers_.size(), [this](std::size_t thread) { work_or_stop(thread); });
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  using Shared = std::shared_ptr<const Start>;

  [[nodiscard]] Shared start_from(const Pdag& graph, double score, std::uint64_t round,
                                  std::uint64_t climbed) const {
    return std::make_shared<const Start>(
        Start{member_of(graph, knowledge_), score, round, climbed});
  }

  void work_or_stop(std::size_t thread) {
    try {
      work(thread);
    } catch (...) {
      observer_->fail();
      is_over_ = true;
      throw;
    }
  }

  void work(std::size_t thread) {
    Lock lock(mutex_);
    while (!is_over_) {
      const std::uint64_t number = next_++;
      const Shared start = start_;
      lock.unlock();
      Round round = workers_[thread].run_round(*start, number, Random(options_->seed, number));
      // Without the lock: the callbacks may take long.
      if (thread == 0 && observer_->should_stop_now()) is_over_ = true;
      lock.lock();
      if (is_over_ || start != start_) continue;
      ended_.emplace(number, std::move(round));
      count_in_order();
    }
  }

  void count_in_order() {
    for (auto first = ended_.begin(); first != ended_.end() && first->first == at_->round;
         first = ended_.begin()) {
      Round round = std::move(first->second);
      ended_.erase(first);
      count(round);
      if (is_over_) return;
    }
  }

  void count(Round& round) {
    const bool was_perturbation = at_->has_climbed();
    const std::uint64_t climbed = at_->climbed + (was_perturbation ? 0 : nodes_of_climb);
    // What may throw comes first, so that `at_` and the start always agree.
    at_->counters.add(round.counters);
    const Shared start =
        round.graph ? start_from(*round.graph, round.score, at_->round + 1, climbed) : start_;
    at_->work += static_cast<double>(round.counters.evaluations);
    ++at_->round;
    at_->climbed = climbed;
    at_->rounds_without_gain += was_perturbation;
    if (round.graph) keep(round, start);
    if (options_->after_round) options_->after_round(*at_);
    if (at_->is_done()) is_over_ = true;
  }

  void keep(Round& round, const Shared& start) {
    {
      const std::scoped_lock lock(progress_mutex_);
      progress_.gain += round.score - at_->score;
      progress_.edges = round.graph->edges();
    }
    at_->graph = std::move(*round.graph);
    at_->score = round.score;
    ++at_->kept;
    at_->rounds_without_gain = 0;
    at_->needs_xges = true;
    start_ = start;
    ended_.clear();
    next_ = at_->round;
  }

  Refinement* at_;
  const RefineOptions* options_;
  const Knowledge* knowledge_;
  Observer* observer_;
  std::mutex progress_mutex_;
  ProgressSnapshot progress_;
  std::atomic<bool> is_over_ = false;
  std::vector<std::unique_ptr<StopFlagObserver>>
      stop_observers_;                              ///< by thread, without the calling one
  std::vector<std::unique_ptr<GainCache>> copies_;  ///< likewise
  std::vector<RefineWorker> workers_;               ///< by thread, the calling one first

  // Everything below is guarded by the mutex.
  std::mutex mutex_;
  Shared start_;
  std::uint64_t next_;                    ///< the next round to be run
  std::map<std::uint64_t, Round> ended_;  ///< rounds that have not been counted yet
};

/// Runs XGES from the best class so far. Returns what was counted if it is stopped.
std::optional<Unfinished> polish(SearchState& state, Refinement& at, const RefineOptions& options,
                                 Observer& observer) {
  Unfinished spent;
  spent.trials = run_xges(state, options.trials, options.jobs, observer, spent.counters);
  spent.counters.add(state.take_counters());
  if (observer.stop() != Stop::no) return spent;
  // How many gains this evaluates depends on what the state has evaluated before. So it does not
  // count as work, which must be the same with and without checkpoints.
  at.counters.add(spent.counters);
  at.trials.add(spent.trials);
  at.needs_xges = false;
  const double reached = state.class_score();
  if (reached > at.score) {
    at.graph = state.graph();
    at.score = reached;
    at.rounds_without_gain = 0;
    at.climbed = 0;
  } else if (state.graph() != at.graph) {  // it ran in a cycle
    state.jump_to(member_of(at.graph, state.knowledge()), at.score);
    static_cast<void>(state.take_counters());
  }
  at.take_trace(state);
  if (options.after_round) options.after_round(at);
  return std::nullopt;
}

}  // namespace

std::optional<Unfinished> refine(SearchState& state, const Score& score, Refinement& at,
                                 const RefineOptions& options, Observer& observer) {
  std::optional<Unfinished> unfinished;
  do {
    if (!at.is_done()) {
      Rounds rounds(state, score, at, options, observer);
      rounds.run();
      observer.set_progress_source([&state] { return state.progress(); });
    }
    if (!at.needs_xges) break;
    state.jump_to(member_of(at.graph, state.knowledge()), at.score);
    // A refinement that is resumed knows nothing of what the state has evaluated before.
    if (options.after_round) state.forget_candidates();
    if (observer.stop() == Stop::no) unfinished = polish(state, at, options, observer);
  } while (observer.stop() == Stop::no);
  return unfinished;
}

}  // namespace greedag
