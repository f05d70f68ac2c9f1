// What `OrderSearch` does beyond single moves and fits.

#include <utility>

#include "core/search/arc_climb.hpp"
#include "core/search/order_search.hpp"

namespace greedag {
namespace {

constexpr std::size_t at(Node node) { return static_cast<std::size_t>(node); }

}  // namespace

/// Rounding may make all of this form a cycle that seems to gain, so it is limited, too.
double OrderSearch::climb_deeper(const Pdag& dag, bool by_arcs, Random& random,
                                 Observer& observer) {
  constexpr std::size_t most_repeats = 100;
  double gain = 0.0;
  for (std::size_t repeats = 0; repeats < most_repeats; ++repeats) {
    double more = deepen_all(dag, observer);
    if (by_arcs) more += climb_by_arcs(random, observer);
    if (more == 0.0) break;
    gain += more + climb(observer);
  }
  return gain;
}

double OrderSearch::deepen_all(const Pdag& dag, Observer& observer) {
  double gain = 0.0;
  for (Node y = 0; y < dag.size(); ++y) {
    if (parents_[at(y)] == dag.parents(y)) continue;
    if (observer.should_stop()) break;
    NodeSet before = parents_[at(y)];
    const double rise = deepen(y);
    if (rise == 0.0) continue;
    if (is_admitted()) {
      gain += rise;
      commit_parents(y);
      queue(y);
    } else {
      parents_[at(y)] = std::move(before);
    }
  }
  return gain;
}

/// Changes the order to one of the new DAG, and queues all nodes whose parents change.
double OrderSearch::climb_by_arcs(Random& random, Observer& observer) {
  Pdag improved = dag();
  const double gain = climb_arcs(*gains_, improved, min_gain_, knowledge_, observer);
  if (gain == 0.0) return 0.0;
  for (Node y = 0; y < improved.size(); ++y)
    if (parents_[at(y)] != improved.parents(y)) queue(y);
  start_at(improved, random);
  return gain;
}

/// Nothing gains by one step alone, so this looks at what follows after each.
double OrderSearch::deepen(Node y) {
  constexpr std::size_t most_steps = 32;  // rounding may make them form a cycle
  double total = 0.0;
  for (std::size_t steps = 0; steps < most_steps; ++steps) {
    std::vector<GainCache::Gain> tries;
    const NodeSet parents = parents_[at(y)];
    for (Node x : parents)
      if (!is_fixed(x, y)) tries.push_back({x, gains_->of_removal(x, y, parents)});
    if (const auto inserts = gains_->inserts(y, parents))
      for (auto& insert : *inserts)
        if (place_[at(insert.x)] < place_[at(y)]) tries.push_back({insert.x, gains_->of(insert)});
    double gain = 0.0;
    for (const GainCache::Gain& one : tries)
      if (gain == 0.0) gain = step_and_fit(y, one.x, one.value);
    if (gain == 0.0) return total;
    total += gain;
  }
  return total;
}

/// Removes x from the parents of y, or adds it, which adds `gain` to the score, and fits the others
/// to that. Returns what all of it adds to the score; 0 if it does not gain and is undone. Back at
/// the parents it had, a gain would be rounding.
double OrderSearch::step_and_fit(Node y, Node x, double gain) {
  NodeSet& parents = parents_[at(y)];
  if (gain == GainEvaluator::refused) return 0.0;
  NodeSet before = parents;
  if (!parents.erase(x)) parents.insert(x);
  gain += fit(y, x);
  gain += fit(y);
  if (gain > min_gain_ && parents != before) return gain;
  parents = std::move(before);
  return 0.0;
}

}  // namespace greedag
