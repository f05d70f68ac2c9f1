#include "core/search/rounds.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
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
  std::optional<Pdag> graph;  ///< the class or DAG that it found, if it is better
};

/// What rounds start from.
struct Start {
  Pdag dag;  ///< a member of the class, or the DAG itself
  double score;
  double most_loss;       ///< with which a walk goes on
  std::uint64_t round;    ///< the first that starts from here
  std::uint64_t climbed;  ///< how many rounds have climbed before

  /// The first node that a round climbs with; none if it perturbs.
  [[nodiscard]] std::optional<Node> first_node(std::uint64_t number) const {
    const std::uint64_t climb = climbed + (number - round);
    if (climb >= Refinement::rounds_of_climb(dag.size())) return std::nullopt;
    return Refinement::nodes_of_climb * static_cast<Node>(climb);
  }
};

/// The DAG whose score is that of a class, or of a DAG.
Pdag member_to_score(Among among, const Pdag& graph, const Knowledge* knowledge) {
  return among == Among::dags ? graph : member_of(graph, knowledge);
}

/// Runs rounds on one thread.
class RefineWorker {
 public:
  RefineWorker(Among among, const Score& score, GainCache& gains, const Pdag& dag,
               const Knowledge* knowledge, Observer& observer)
      : among_(among),
        score_(&score),
        knowledge_(knowledge),
        observer_(&observer),
        gains_(&gains),
        search_(gains, score.min_gain(), dag, knowledge) {}

  [[nodiscard]] Round run_round(const Start& start, std::uint64_t number, Random random) {
    static_cast<void>(gains_->take_counters());
    search_.start_at(start.dag, random);
    search_.limit_loss(start.most_loss);
    double gain = 0.0;
    if (const auto first = start.first_node(number)) {
      search_.queue_from(*first, Refinement::nodes_of_climb, random);
      gain = search_.climb(*observer_);
    } else {
      gain = search_.perturb(random, among_ == Among::classes);
      // Back at the start, another order rarely leads on: earlier rounds have climbed from there.
      gain += search_.climb(*observer_, among_ == Among::classes ? &start.dag : nullptr);
    }
    // Single arcs are left to XGES where it follows.
    gain += search_.climb_deeper(start.dag, among_ == Among::dags, random, *observer_);
    Round round;
    round.counters = gains_->take_counters();
    if (gain > score_->min_gain()) compare(start, round);
    // Not counted: it must not matter which thread did this.
    static_cast<void>(gains_->take_counters());
    return round;
  }

 private:
  /// The final comparison uses the score of the class or DAG itself, which cannot rise along a
  /// cycle.
  void compare(const Start& start, Round& round) {
    Pdag graph = search_.dag();
    if (among_ == Among::classes) graph = cpdag_of_dag(graph);
    const Pdag member = member_to_score(among_, graph, knowledge_);
    round.score = total_score(*gains_, member);
    if (round.score <= start.score + score_->min_gain() || !is_measurable(*gains_, member)) return;
    if (among_ == Among::classes) cache_trace(*gains_, member);
    // A search that is stopped ends with what is known.
    if (observer_->stop() == Stop::no) round.graph = std::move(graph);
  }

  Among among_;
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
  Rounds(Among among, GainCache& gains, const Score& score, const Knowledge* knowledge,
         ProgressSnapshot progress, Refinement& at, const RefineOptions& options,
         Observer& observer)
      : among_(among),
        at_(&at),
        options_(&options),
        knowledge_(knowledge),
        observer_(&observer),
        score_without_edges_(total_score(gains, Pdag(at.graph.size()))),
        progress_(progress),
        next_(at.round) {
    start_ = start_from(at.graph, at.score, at.round, at.climbed);
    workers_.emplace_back(among, score, gains, start_->dag, knowledge_, observer);
    while (workers_.size() < std::max<std::size_t>(options.jobs, 1)) {
      stop_observers_.push_back(std::make_unique<StopFlagObserver>(is_over_));
      copies_.push_back(std::make_unique<GainCache>(gains));
      workers_.emplace_back(among, score, *copies_.back(), start_->dag, knowledge_,
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
    return std::make_shared<const Start>(Start{member_to_score(among_, graph, knowledge_), score,
                                               most_loss(graph, score), round, climbed});
  }

  /// A fiftieth of what an edge adds to the score, on average. Better positions beyond a greater
  /// loss are rare, and walks to the ends of the order take most of the time. Among single DAGs,
  /// whose gains differ by direction, such walks are worth it.
  [[nodiscard]] double most_loss(const Pdag& graph, double score) const {
    if (among_ == Among::dags) return std::numeric_limits<double>::infinity();
    const auto edges = static_cast<double>(std::max<std::size_t>(graph.edges(), 1));
    return 0.02 * std::max(score - score_without_edges_, 0.0) / edges;
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
    const std::uint64_t climbed = at_->climbed + (was_perturbation ? 0 : 1);
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
    at_->trace = nullptr;
    at_->needs_xges = among_ == Among::classes;
    start_ = start;
    ended_.clear();
    next_ = at_->round;
  }

  Among among_;
  Refinement* at_;
  const RefineOptions* options_;
  const Knowledge* knowledge_;
  Observer* observer_;
  double score_without_edges_;
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

}  // namespace

void run_rounds(Among among, GainCache& gains, const Score& score, const Knowledge* knowledge,
                ProgressSnapshot progress, Refinement& at, const RefineOptions& options,
                Observer& observer) {
  Rounds(among, gains, score, knowledge, progress, at, options, observer).run();
}

}  // namespace greedag
