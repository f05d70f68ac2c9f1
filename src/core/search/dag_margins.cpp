#include "core/search/dag_margins.hpp"

#include <algorithm>

#include "core/search/order_search.hpp"

namespace greedag {
namespace {

/// After this many fruitless perturbations, the climb for one arc ends.
constexpr int most_fruitless = 6;
/// The same after so many in all: rounding may make climbs that form a cycle all seem to gain.
constexpr int most_perturbations = 1000;

class DagTurns {
 public:
  DagTurns(const Score& score, const Pdag& dag, const Knowledge* knowledge, Observer& observer)
      : min_gain_(score.min_gain()),
        dag_(&dag),
        observer_(&observer),
        gains_(GainCache::directed(score, knowledge)),
        orders_(gains_, min_gain_, dag, knowledge) {
    gains_.watch(&observer);
  }

  [[nodiscard]] std::optional<double> gain_of(const Arc& arc) {
    double best = GainEvaluator::refused;
    for (Node moved : {arc.head, arc.tail}) {
      Random random(0, 0);
      orders_.start_at(*dag_, random);
      const double gain = orders_.turn(arc.tail, arc.head, moved);
      if (gain == GainEvaluator::refused) continue;
      best = std::max(best, perturbed(arc, gain + orders_.climb(*observer_)));
    }
    const bool is_whole = best != GainEvaluator::refused && observer_->stop() == Stop::no;
    return is_whole ? std::optional(best) : std::nullopt;
  }

 private:
  [[nodiscard]] double perturbed(const Arc& arc, double best_gain) {
    Random random(static_cast<std::uint64_t>(arc.tail), static_cast<std::uint64_t>(arc.head));
    OrderSearch::Position best = orders_.position();
    int fruitless = 0;
    for (int tries = 0; tries < most_perturbations && fruitless < most_fruitless; ++tries) {
      if (observer_->should_stop()) break;
      double gain = best_gain + orders_.perturb_around_kept(random);
      gain += orders_.climb(*observer_);
      if (gain > best_gain + min_gain_) {
        fruitless = 0;
        best_gain = gain;
        best = orders_.position();
      } else {
        ++fruitless;
        orders_.start_at(best);
      }
    }
    return best_gain;
  }

  double min_gain_;
  const Pdag* dag_;
  Observer* observer_;
  GainCache gains_;
  OrderSearch orders_;
};

}  // namespace

std::vector<double> gains_of_removing(const Score& score, const Pdag& dag,
                                      std::span<const Arc> arcs, Observer& observer) {
  GainCache gains = GainCache::directed(score, nullptr);
  gains.watch(&observer);
  std::vector<double> removals;
  for (const auto& [tail, head] : arcs)
    removals.push_back(gains.of_removal(tail, head, dag.parents(head)));
  return removals;
}

std::vector<std::optional<double>> gains_of_turning(const Score& score, const Pdag& dag,
                                                    std::span<const Arc> arcs,
                                                    const Knowledge* knowledge,
                                                    Observer& observer) {
  std::vector<std::optional<double>> found(arcs.size());
  DagTurns turns(score, dag, knowledge, observer);
  for (std::size_t i = 0; i < arcs.size() && !observer.should_stop_now(); ++i)
    found[i] = turns.gain_of(arcs[i]);
  return found;
}

}  // namespace greedag
