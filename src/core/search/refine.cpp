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

/// How a round ended.
struct Round {
  Tally tally;
  double score = 0.0;
  std::optional<Pdag> graph;  ///< the class that it found, if that is better
};

/// How many nodes a round climbs with: enough that its start costs little, and few enough that
/// threads share them.
constexpr std::uint64_t nodes_of_climb = 32;

/// What rounds start from.
struct Start {
  Pdag dag;  ///< a member of the class
  double score;
  std::uint64_t round;    ///< the first that starts here
  std::uint64_t climbed;  ///< how many nodes the rounds before it have climbed with

  /// The first node that a round climbs with; all have had their turn if it is beyond the last.
  [[nodiscard]] Node first_node(std::uint64_t number) const {
    const std::uint64_t first = climbed + nodes_of_climb * (number - round);
    return static_cast<Node>(std::min(first, static_cast<std::uint64_t>(dag.size())));
  }
};

/// One thread's rounds.
class Player {
 public:
  Player(const Score& score, KnownGains& gains, const Pdag& dag, Observer& observer)
      : score_(&score),
        observer_(&observer),
        gains_(&gains),
        search_(gains, score.min_gain(), dag) {}

  [[nodiscard]] Round play(const Start& start, std::uint64_t number, Random random) {
    static_cast<void>(gains_->take_tally());
    search_.start_at(start.dag, random);
    double gain = 0.0;
    const Node first = start.first_node(number);
    if (first < start.dag.size())
      search_.queue_from(first, static_cast<Node>(nodes_of_climb), random);
    else
      gain = search_.kick(random);
    gain += search_.climb(*observer_);
    Round round;
    round.tally = gains_->take_tally();
    if (gain <= score_->min_gain()) return round;
    // The last look is at a number that belongs to the class, so that it cannot rise in a circle.
    Pdag graph = cpdag_of_dag(search_.dag());
    const Pdag member = *dag_of_cpdag(graph);
    round.score = score_of_dag(*score_, member);
    if (round.score > start.score + score_->min_gain() && is_measurable(*gains_, member))
      round.graph = std::move(graph);
    // Counted nowhere: it must not matter which thread has looked.
    static_cast<void>(gains_->take_tally());
    return round;
  }

 private:
  const Score* score_;
  Observer* observer_;
  KnownGains* gains_;
  OrderSearch search_;
};

/// Rounds on several threads.
///
/// Each thread takes the next round that nobody has taken. Rounds count in their order. When one is
/// kept, those after it are played again, because they started from another class. So the outcome
/// is the same on any number of threads.
class Rounds {
 public:
  Rounds(SearchState& state, const Score& score, Refinement& at, const RefineOptions& options,
         Observer& observer)
      : at_(&at),
        options_(&options),
        observer_(&observer),
        standing_(state.standing()),
        next_(at.round) {
    KnownGains& gains = state.candidates().enumerator().gains();
    start_ = start_from(at.graph, at.score, at.round, at.climbed);
    players_.emplace_back(score, gains, start_->dag, observer);
    while (players_.size() < std::max<std::size_t>(options.jobs, 1)) {
      followers_.push_back(std::make_unique<Follower>(is_over_));
      copies_.push_back(std::make_unique<KnownGains>(gains));
      players_.emplace_back(score, *copies_.back(), start_->dag, *followers_.back());
    }
  }

  void run(Tally& tally) {
    observer_->set_standing([this] {
      const std::scoped_lock lock(standing_mutex_);
      return standing_;
    });
    run_team(players_.size(), [this](std::size_t member) { play_or_stop(member); });
    tally.add(tally_);
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  using Shared = std::shared_ptr<const Start>;

  [[nodiscard]] static Shared start_from(const Pdag& graph, double score, std::uint64_t round,
                                         std::uint64_t climbed) {
    return std::make_shared<const Start>(Start{*dag_of_cpdag(graph), score, round, climbed});
  }

  void play_or_stop(std::size_t member) {
    try {
      play(member);
    } catch (...) {
      observer_->give_up();
      is_over_ = true;
      throw;
    }
  }

  void play(std::size_t member) {
    Lock lock(mutex_);
    while (!is_over_) {
      const std::uint64_t number = next_++;
      const Shared start = start_;
      lock.unlock();
      Round round = players_[member].play(*start, number, Random(options_->seed, number));
      // Without the lock: whoever is asked outside may take long.
      if (member == 0 && observer_->should_stop_now()) is_over_ = true;
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
    const bool was_kick = at_->has_climbed();
    const std::uint64_t climbed = at_->climbed + (was_kick ? 0 : nodes_of_climb);
    // What may fail comes first, so that `at_` and the start always belong together.
    tally_.add(round.tally);
    const Shared start =
        round.graph ? start_from(*round.graph, round.score, at_->round + 1, climbed) : start_;
    at_->work += static_cast<double>(round.tally.evaluations);
    ++at_->round;
    at_->climbed = climbed;
    at_->idle += was_kick;
    if (round.graph) keep(round, start);
    if (options_->counted) options_->counted(*at_);
    if (at_->is_done()) is_over_ = true;
  }

  void keep(Round& round, const Shared& start) {
    {
      const std::scoped_lock lock(standing_mutex_);
      standing_.gain += round.score - at_->score;
      standing_.edges = round.graph->edges();
    }
    at_->graph = std::move(*round.graph);
    at_->score = round.score;
    ++at_->kept;
    at_->idle = 0;
    at_->is_rough = true;
    start_ = start;
    ended_.clear();
    next_ = at_->round;
  }

  Refinement* at_;
  const RefineOptions* options_;
  Observer* observer_;
  std::mutex standing_mutex_;
  Standing standing_;
  std::atomic<bool> is_over_ = false;
  std::vector<std::unique_ptr<Follower>> followers_;  ///< by thread but the calling one
  std::vector<std::unique_ptr<KnownGains>> copies_;   ///< likewise
  std::vector<Player> players_;                       ///< by thread, the calling one first

  // All that follows belongs to who holds the lock.
  std::mutex mutex_;
  Shared start_;
  std::uint64_t next_;                    ///< the next round to be played
  std::map<std::uint64_t, Round> ended_;  ///< rounds that are not counted yet
  Tally tally_;
};

/// XGES from the best class so far.
void polish(SearchState& state, Refinement& at, const RefineOptions& options, Observer& observer,
            Tally& tally, TrialCounts& trials) {
  Tally spent;
  const TrialCounts counts = run_xges(state, options.trials, options.jobs, observer, spent);
  spent.add(state.take_tally());
  tally.add(spent);
  trials.tried += counts.tried;
  trials.accepted += counts.accepted;
  trials.capped_pairs = counts.capped_pairs;
  if (observer.stop() != Stop::no) return;
  // How much this looks at depends on what the state has looked at before, which a checkpoint does
  // not hold. So it is no part of the work: that must be the same for those who resume.
  at.is_rough = false;
  const double reached = state.class_score();
  if (reached > at.score) {
    at.graph = state.graph();
    at.score = reached;
    at.idle = 0;
    at.climbed = 0;
  } else if (state.graph() != at.graph) {  // it went in a circle
    state.leap_to(*dag_of_cpdag(at.graph));
  }
  if (options.counted) options.counted(at);
}

}  // namespace

void refine(SearchState& state, const Score& score, Refinement& at, const RefineOptions& options,
            Observer& observer, Tally& tally, TrialCounts& trials) {
  do {
    if (!at.is_done()) {
      Rounds rounds(state, score, at, options, observer);
      rounds.run(tally);
      observer.set_standing([&state] { return state.standing(); });
    }
    if (!at.is_rough) return;
    state.leap_to(*dag_of_cpdag(at.graph));
    if (observer.stop() == Stop::no) polish(state, at, options, observer, tally, trials);
  } while (observer.stop() == Stop::no);
}

}  // namespace greedag
