#include "core/search/dag_search.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "core/search/arc_climb.hpp"
#include "core/search/exact.hpp"
#include "core/search/order_search.hpp"
#include "core/search/rounds.hpp"

namespace greedag {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// With so few nodes, proving that nothing is better costs little.
constexpr Node most_nodes_for_proof = 12;
/// With knowledge about ancestors, a proof that takes more is left to an exact search.
constexpr std::size_t most_branches_for_proof = 100;

/// The streams of random numbers that no round uses.
constexpr std::uint64_t last_stream = std::numeric_limits<std::uint64_t>::max();

class DagSearch {
 public:
  DagSearch(const Score& score, Algorithm algorithm, const SearchOptions& options,
            Observer& observer)
      : score_(&score),
        is_exact_(algorithm == Algorithm::exact_dag),
        options_(&options),
        observer_(&observer),
        gains_(GainCache::directed(score, options.knowledge)),
        best_(options.knowledge == nullptr ? Pdag(score.size())
                                           : options.knowledge->required_dag()) {
    gains_.watch(&observer);
  }

  [[nodiscard]] Outcome run(const Pdag* start) {
    if (start != nullptr) best_ = *start;
    observer_->set_progress_source([this] { return progress_; });
    Outcome outcome;
    if (score_start()) {
      if (options_->resume != nullptr)
        resume(*options_->resume);
      else
        find_first(start);
      outcome.counters = gains_.take_counters();
      if (is_exact_ || (options_->effort > 0.0 && is_small())) outcome.bound = find_optimum();
      if (!is_exact_ && options_->effort > 0.0 && std::isinf(outcome.bound)) refine(outcome);
      outcome.score = best_score_;
    } else {
      outcome.score = std::numeric_limits<double>::quiet_NaN();
    }
    observer_->set_progress_source(nullptr);
    outcome.graph = std::move(best_);
    outcome.stopped = observer_->stop();
    return outcome;
  }

 private:
  [[nodiscard]] bool is_small() const {
    return score_->size() <= most_nodes_for_proof && !score_->scans_rows();
  }

  /// The score of a DAG; `GainEvaluator::refused` if the search should stop and it would take long.
  [[nodiscard]] double score_of(const Pdag& dag) {
    // However little time there is, most DAGs are scored in an instant.
    constexpr double seconds = 0.05;
    Observer patience(seconds);
    gains_.watch(&patience);
    double score = total_score(gains_, dag);
    gains_.watch(observer_);
    if (score == GainEvaluator::refused) score = total_score(gains_, dag);
    return score;
  }

  /// False if the search should stop before the DAG that it starts from is scored.
  [[nodiscard]] bool score_start() {
    first_score_ = best_score_ = score_of(best_);
    return best_score_ != GainEvaluator::refused || observer_->stop() == Stop::no;
  }

  void resume(const Refinement& at) {
    best_ = at.graph;
    best_score_ = at.score;
    note_progress();
  }

  void find_first(const Pdag* start) {
    Pdag grown =
        options_->knowledge == nullptr ? Pdag(score_->size()) : options_->knowledge->required_dag();
    const double before = score_of(grown);
    climb_arcs(gains_, grown, score_->min_gain(), options_->knowledge, *observer_);
    climb_from(grown, last_stream);
    if (start == nullptr) return;
    // A class that other scores have found is of no use where it explains far less.
    constexpr double most_missing = 0.02;
    const double missing = best_score_ - first_score_;
    if (missing <= most_missing * (best_score_ - before)) climb_from(*start, last_stream - 1);
  }

  void climb_from(const Pdag& dag, std::uint64_t stream) {
    Random random(options_->seed, stream);
    OrderSearch orders(gains_, score_->min_gain(), dag, options_->knowledge);
    orders.start_at(dag, random);
    orders.fit_all();
    orders.queue_from(0, score_->size(), random);
    orders.climb(*observer_);
    orders.climb_deeper(Pdag(score_->size()), true, random, *observer_);
    keep_if_better(orders.dag());
  }

  void keep_if_better(Pdag dag) {
    const double score = score_of(dag);
    if (score <= best_score_ + score_->min_gain()) return;
    if (observer_->stop() == Stop::no && !is_measurable(gains_, dag)) return;
    keep(std::move(dag), score);
  }

  void keep(Pdag dag, double score) {
    best_ = std::move(dag);
    best_score_ = score;
    note_progress();
  }

  void note_progress() {
    progress_.gain = best_score_ - first_score_;
    progress_.edges = best_.edges();
    ++progress_.steps;
  }

  /// Returns an upper bound on the score of any DAG, which is infinite if none was found.
  [[nodiscard]] double find_optimum() {
    const std::size_t most_branches =
        is_exact_ ? std::numeric_limits<std::size_t>::max() : most_branches_for_proof;
    const auto scores = all_local_scores(*score_, *observer_);
    const auto found =
        scores ? best_dag(*scores, options_->knowledge, *observer_, most_branches) : std::nullopt;
    if (!found || found->score == GainEvaluator::refused) return infinity;
    Pdag dag = graph_of(*found);
    if (const double score = score_of(dag); score > best_score_) keep(std::move(dag), score);
    return std::max(found->score, best_score_);
  }

  void refine(Outcome& outcome) {
    if (observer_->stop() != Stop::no) return;
    outcome.refinement =
        options_->resume != nullptr ? *options_->resume : first_refinement(outcome.counters);
    Refinement& at = *outcome.refinement;
    if (!at.is_done())
      run_rounds(Among::dags, gains_, *score_, options_->knowledge, progress_, at,
                 options_->refinement(), *observer_);
    outcome.counters = at.counters;
    best_ = at.graph;
    best_score_ = at.score;
  }

  [[nodiscard]] Refinement first_refinement(const Counters& counters) const {
    Refinement first{best_, best_score_, options_->effort,
                     static_cast<double>(counters.evaluations)};
    first.counters = counters;
    first.is_dag = true;
    first.climbed = Refinement::rounds_of_climb(best_.size());  // which has just been done
    return first;
  }

  const Score* score_;
  bool is_exact_;
  const SearchOptions* options_;
  Observer* observer_;
  GainCache gains_;
  Pdag best_;
  double best_score_ = 0.0;
  double first_score_ = 0.0;
  ProgressSnapshot progress_;
};

}  // namespace

Outcome search_dags(const Score& score, Algorithm algorithm, const SearchOptions& options,
                    Observer& observer, const Pdag* start) {
  return DagSearch(score, algorithm, options, observer).run(start);
}

}  // namespace greedag
