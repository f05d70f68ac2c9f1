#include "core/search/order_search.hpp"

#include <algorithm>
#include <utility>

namespace greedag {
namespace {

constexpr std::size_t at(Node node) { return static_cast<std::size_t>(node); }
constexpr Node no_node = -1;

/// Calls `lost` for the nodes that only the first of two ascending lists has, and `gained` for
/// those that only the second has.
template <class Lost, class Gained>
void for_each_difference(std::span<const Node> before, std::span<const Node> after, Lost lost,
                         Gained gained) {
  auto old = before.begin();
  auto next = after.begin();
  while (old != before.end() || next != after.end()) {
    if (next == after.end() || (old != before.end() && *old < *next))
      lost(*old++);
    else if (old == before.end() || *next < *old)
      gained(*next++);
    else
      ++old, ++next;
  }
}

/// An index at a random distance from `from`, in an order of at least two nodes. What would lead
/// out of the order on one side is taken on the other; what would do so on both, ends at its end.
Node distant_index(Node from, Node size, Random& random) {
  const Node distance = 1 + random.below(size - 1);
  const Node step = random.below(2) == 0 ? distance : -distance;
  const auto is_inside = [&](Node index) { return index >= 0 && index < size; };
  return std::clamp(is_inside(from + step) ? from + step : from - step, 0, size - 1);
}

/// Nodes that may come next in an order. Those of a tier wait until all earlier tiers are done.
class TierQueue {
 public:
  TierQueue(Node size, const Knowledge* knowledge) : knowledge_(knowledge) {
    if (knowledge == nullptr) return;
    for (Node v = 0; v < size; ++v) {
      const std::size_t tier = tier_of(v);
      if (tier > left_.size()) left_.resize(tier);
      if (tier > 0) ++left_[tier - 1];
    }
    waiting_.resize(left_.size());
    open_finished_tiers();
  }

  void add(Node v) {
    const std::size_t tier = knowledge_ == nullptr ? 0 : tier_of(v);
    (tier > current_ + 1 ? waiting_[tier - 1] : ready_).push_back(v);
  }
  [[nodiscard]] Node take(Random& random) {
    std::swap(ready_[at(random.below(static_cast<Node>(ready_.size())))], ready_.back());
    const Node v = ready_.back();
    ready_.pop_back();
    if (knowledge_ != nullptr && tier_of(v) > 0) {
      --left_[tier_of(v) - 1];
      open_finished_tiers();
    }
    return v;
  }

 private:
  /// From 1; 0 for a node in none.
  [[nodiscard]] std::size_t tier_of(Node v) const { return at(knowledge_->tier(v) + 1); }

  void open_finished_tiers() {
    while (current_ + 1 < left_.size() && left_[current_] == 0) {
      ++current_;
      ready_.insert(ready_.end(), waiting_[current_].begin(), waiting_[current_].end());
    }
  }

  const Knowledge* knowledge_;
  std::vector<Node> ready_;
  std::vector<std::vector<Node>> waiting_;  ///< by tier
  std::vector<std::size_t> left_;           ///< by tier: how many nodes have not been taken
  std::size_t current_ = 0;                 ///< the first tier that is not done
};

}  // namespace

OrderSearch::OrderSearch(GainCache& gains, double min_gain, const Pdag& dag,
                         const Knowledge* knowledge)
    : gains_(&gains),
      min_gain_(min_gain),
      knowledge_(knowledge),
      order_(at(dag.size())),
      place_(order_.size()),
      parents_(order_.size()),
      committed_(order_.size()),
      children_(order_.size()),
      wanted_(order_.size()),
      wanted_by_(order_.size()),
      is_queued_(order_.size()) {
  for (Node y = 0; y < dag.size(); ++y) {
    parents_[at(y)] = dag.parents(y);
    commit_parents(y);
  }
}

void OrderSearch::start_at(const Position& position) {
  for (Node y = 0; y < static_cast<Node>(order_.size()); ++y)
    set_parents(y, position.parents[at(y)]);
  order_ = position.order;
  number_places();
}

void OrderSearch::start_at(const Pdag& dag, Random& random) {
  const Node size = dag.size();
  for (Node y = 0; y < size; ++y) set_parents(y, dag.parents(y));
  TierQueue ready(size, knowledge_);
  std::vector<std::uint32_t> missing(at(size));
  for (Node y = 0; y < size; ++y) {
    missing[at(y)] = dag.parents(y).size();
    if (missing[at(y)] == 0) ready.add(y);
  }
  for (Node& next : order_) {
    next = ready.take(random);
    for (Node child : dag.children(next))
      if (--missing[at(child)] == 0) ready.add(child);
  }
  number_places();
}

void OrderSearch::set_parents(Node y, const NodeSet& parents) {
  if (parents_[at(y)] == parents) return;
  parents_[at(y)] = parents;
  commit_parents(y);
}

/// The last step of every `start_at`.
void OrderSearch::number_places() {
  touched_.clear();
  for (std::size_t i = 0; i < order_.size(); ++i) place_[at(order_[i])] = 2 * static_cast<Node>(i);
}

double OrderSearch::fit_all() {
  double gain = 0.0;
  for (Node y = 0; y < static_cast<Node>(order_.size()); ++y) {
    NodeSet before = parents_[at(y)];
    const double rise = fit(y);
    if (is_admitted())
      gain += rise;
    else
      parents_[at(y)] = std::move(before);
    commit_parents(y);
  }
  return gain;
}

void OrderSearch::queue_from(Node first, Node count, Random& random) {
  const Node last = std::min(first + count, static_cast<Node>(order_.size()));
  for (Node v = first; v < last; ++v) queue(v);
  random.shuffle(queue_);
}

double OrderSearch::perturb(Random& random, bool by_distance) {
  const auto size = static_cast<Node>(order_.size());
  double gain = 0.0;
  for (Node left = 1 + random.below(2); left > 0; --left) {
    const Node v = random.below(size);
    const Node index =
        by_distance ? distant_index(place_[at(v)] / 2, size, random) : random.below(size);
    gain += go_to(v, index, legal_range(v));
  }
  random.shuffle(queue_);
  return gain;
}

double OrderSearch::perturb_around_kept(Random& random) {
  NodeSet around;
  for (Node end : {kept_tail_, kept_head_}) {
    for (Node v : parents_[at(end)]) around.insert(v);
    for (Node v : children_[at(end)]) around.insert(v);
  }
  const auto draw = [&] {
    return around[static_cast<std::uint32_t>(random.below(static_cast<Node>(around.size())))];
  };
  double gain = 0.0;
  for (Node left = 1 + random.below(2); left > 0; --left) {
    const Node v = draw();
    gain += go_to(v, place_[at(draw())] / 2, legal_range(v));
  }
  return gain;
}

double OrderSearch::turn(Node x, Node y, Node moved) {
  kept_tail_ = y;
  kept_head_ = x;
  double gain = go_to(moved, place_[at(moved == y ? x : y)] / 2, known_range(moved));
  if (place_[at(y)] > place_[at(x)]) return GainEvaluator::refused;
  if (!parents_[at(x)].contains(y)) {
    if (knowledge_ != nullptr && !knowledge_->allows(y, x)) return GainEvaluator::refused;
    gains_->condition(x, parents_[at(x)]);
    gain += gains_->of_insert(y);
    if (gain == GainEvaluator::refused) return gain;
    parents_[at(x)].insert(y);
    gain += fit(x);
    commit_parents(x);
    if (!is_admitted()) return GainEvaluator::refused;
  }
  queue(x);
  queue(y);
  return gain;
}

/// Rounding may make moves that form a cycle all seem to gain, so the number of walks is limited.
double OrderSearch::climb(Observer& observer, const Pdag* home) {
  double gain = 0.0;
  const std::size_t most_walks = 1000 + 50 * order_.size();
  std::size_t walks = 0;
  while (queue_begin_ < queue_.size()) {
    const Node v = queue_[queue_begin_++];
    is_queued_[at(v)] = false;
    if (++walks >= most_walks || observer.should_stop()) continue;
    const double rise = reinsert(v);
    gain += rise;
    if (home != nullptr && rise > 0.0 && is_at(*home)) walks = most_walks;
  }
  queue_.clear();
  queue_begin_ = 0;
  return gain;
}

bool OrderSearch::is_at(const Pdag& dag) const {
  return std::all_of(touched_.begin(), touched_.end(),
                     [&](Node y) { return parents_[at(y)] == dag.parents(y); });
}

Pdag OrderSearch::dag() const {
  Pdag dag(static_cast<Node>(order_.size()));
  for (Node y = 0; y < dag.size(); ++y)
    for (Node x : parents_[at(y)]) dag.set_edge(x, y, Edge::forward);
  return dag;
}

// ---- moving one node through the order

double OrderSearch::reinsert(Node v) {
  const Node from = place_[at(v)];
  const Range range = legal_range(v);
  Move best{min_gain_, from, {}};
  double gain = 0.0;
  const auto goes_on = [&] { return gain != GainEvaluator::refused && gain >= -most_loss_; };
  for (Node u = next_left(v); u != no_node && goes_on(); u = next_left(v)) {
    if (place_[at(u)] < 2 * range.first) break;
    note_if_best(gain += pass_left(v, u), v, best);
  }
  undo_walk(v, from);
  gain = 0.0;
  for (Node u = next_right(v); u != no_node && goes_on(); u = next_right(v)) {
    if (place_[at(u)] > 2 * range.last) break;
    note_if_best(gain += pass_right(v, u), v, best);
  }
  undo_walk(v, from);
  if (best.place == from) return 0.0;
  place_[at(v)] = best.place;
  for (Change& change : best.parents) {
    parents_[at(change.node)] = std::move(change.parents);
    walk_.push_back({change.node, {}});
  }
  finish_walk(v, from);
  return best.gain;
}

/// Between the ends of the kept edge, and what is known.
OrderSearch::Range OrderSearch::legal_range(Node v) const {
  Range range = known_range(v);
  if (v == kept_head_) range.first = std::max(range.first, place_[at(kept_tail_)] / 2 + 1);
  if (v == kept_tail_) range.last = std::min(range.last, place_[at(kept_head_)] / 2 - 1);
  return range;
}

/// Between the nodes that are known to come before v and those that are known to come after it.
OrderSearch::Range OrderSearch::known_range(Node v) const {
  Range range{0, static_cast<Node>(order_.size()) - 1};
  if (knowledge_ == nullptr) return range;
  const auto comes_after = [&](Node u) {
    range.first = std::max(range.first, place_[at(u)] / 2 + 1);
  };
  const auto comes_before = [&](Node u) {
    range.last = std::min(range.last, place_[at(u)] / 2 - 1);
  };
  for (Node u : knowledge_->required_parents(v)) comes_after(u);
  for (Node u : children_[at(v)])
    if (knowledge_->is_required(v, u)) comes_before(u);
  if (knowledge_->tier(v) < 0) return range;
  for (Node u = 0; u < static_cast<Node>(order_.size()); ++u) {
    if (knowledge_->is_earlier(u, v)) comes_after(u);
    if (knowledge_->is_earlier(v, u)) comes_before(u);
  }
  return range;
}

/// Moves v to an index, or as near to it as the range allows, whatever that costs. Returns what it
/// adds to the score.
double OrderSearch::go_to(Node v, Node index, const Range& range) {
  index = std::clamp(index, range.first, range.last);
  const Node from = place_[at(v)];
  double gain = 0.0;
  for (Node u = next_left(v); u != no_node && place_[at(u)] >= 2 * index; u = next_left(v))
    gain += pass_left(v, u);
  if (place_[at(v)] == from)
    for (Node u = next_right(v); u != no_node && place_[at(u)] <= 2 * index; u = next_right(v))
      gain += pass_right(v, u);
  if (gain == GainEvaluator::refused || !is_admitted()) {
    undo_walk(v, from);
    return 0.0;
  }
  if (2 * index != from) place_[at(v)] = 2 * index < from ? 2 * index - 1 : 2 * index + 1;
  finish_walk(v, from);
  return gain;
}

/// The last node before v that v cannot pass without changing someone's parents.
Node OrderSearch::next_left(Node v) const {
  Node next = no_node;
  const auto look_at = [&](Node u) {
    if (place_[at(u)] < place_[at(v)] && (next == no_node || place_[at(u)] > place_[at(next)]))
      next = u;
  };
  for (Node u : parents_[at(v)]) look_at(u);
  for (Node u : wanted_by_[at(v)]) look_at(u);
  return next;
}

/// The first node after v that v cannot pass without changing someone's parents.
Node OrderSearch::next_right(Node v) {
  Node next = no_node;
  const auto look_at = [&](Node u) {
    if (place_[at(u)] > place_[at(v)] && (next == no_node || place_[at(u)] < place_[at(next)]))
      next = u;
  };
  for (Node u : children_[at(v)]) look_at(u);
  if (const auto inserts = gains_->inserts(v, parents_[at(v)]))
    for (const GainCache::Gain& insert : *inserts) look_at(insert.x);
  return next;
}

double OrderSearch::pass_left(Node v, Node u) {
  place_[at(v)] = place_[at(u)] - 1;
  const double gain = lose_candidate(v, u);
  return gain + gain_candidate(u, v);
}

double OrderSearch::pass_right(Node v, Node u) {
  place_[at(v)] = place_[at(u)] + 1;
  const double gain = lose_candidate(u, v);
  return gain + gain_candidate(v, u);
}

// ---- parent sets

/// Called when x has moved before y.
double OrderSearch::gain_candidate(Node y, Node x) {
  const auto inserts = gains_->inserts(y, parents_[at(y)]);
  if (!inserts) return 0.0;
  const auto found = std::lower_bound(inserts->begin(), inserts->end(), x,
                                      [](const auto& gain, Node node) { return gain.x < node; });
  if (found == inserts->end() || found->x != x || gains_->of(*found) <= min_gain_) return 0.0;
  walk_.push_back({y, parents_[at(y)]});
  return fit(y);
}

/// Called when x is no longer before y.
double OrderSearch::lose_candidate(Node y, Node x) {
  NodeSet& parents = parents_[at(y)];
  if (!parents.contains(x)) return 0.0;
  const double gain = gains_->of_removal(x, y, parents);
  if (gain == GainEvaluator::refused) return gain;
  walk_.push_back({y, parents});
  parents.erase(x);
  return gain + fit(y);
}

/// Removes and adds parents of y, except `held`, until neither gains. Returns what that adds to the
/// score. Rounding may make steps that form a cycle all seem to gain, so their number is limited.
double OrderSearch::fit(Node y, Node held) {
  NodeSet& parents = parents_[at(y)];
  double total = 0.0;
  for (std::size_t steps = 0; steps < 100 + 2 * order_.size(); ++steps) {
    Node x = no_node;
    double gain = min_gain_;
    const auto look_at = [&](Node node, double value) {
      if (value <= gain) return;
      x = node;
      gain = value;
    };
    for (const auto& removal : gains_->removals(y, parents, min_gain_))
      if (removal.x != held && !is_fixed(removal.x, y)) look_at(removal.x, removal.value);
    if (x != no_node) {
      parents.erase(x);
    } else {
      if (const auto inserts = gains_->inserts(y, parents))
        for (auto& insert : *inserts)
          if (insert.x != held && place_[at(insert.x)] < place_[at(y)])
            look_at(insert.x, gains_->of(insert));
      if (x == no_node) return total;
      parents.insert(x);
    }
    total += gain;
  }
  return total;
}

// ---- committing a walk

void OrderSearch::note_if_best(double gain, Node v, Move& best) const {
  if (gain <= best.gain || !is_admitted()) return;
  best.gain = gain;
  best.place = place_[at(v)];
  best.parents.clear();
  for (const Change& change : walk_)
    best.parents.push_back({change.node, parents_[at(change.node)]});
}

void OrderSearch::undo_walk(Node v, Node from) {
  for (; !walk_.empty(); walk_.pop_back())
    parents_[at(walk_.back().node)] = std::move(walk_.back().parents);
  place_[at(v)] = from;
}

/// Makes the walk of v, which started at `from`, permanent.
void OrderSearch::finish_walk(Node v, Node from) {
  const Node to = place_[at(v)];
  const auto begin = order_.begin();
  const auto [first, last] = std::minmax({from / 2, to < from ? (to + 1) / 2 : to / 2});
  if (to < from)
    std::rotate(begin + first, begin + last, begin + last + 1);
  else
    std::rotate(begin + first, begin + first + 1, begin + last + 1);
  for (Node i = first; i <= last; ++i) place_[at(order_[at(i)])] = 2 * i;
  for (const Change& change : walk_) {
    touched_.insert(change.node);
    commit_parents(change.node);
    queue(change.node);
  }
  walk_.clear();
  queue(v);
}

void OrderSearch::commit_parents(Node y) {
  NodeSet& committed = committed_[at(y)];
  for_each_difference(
      committed.span(), parents_[at(y)].span(), [&](Node x) { children_[at(x)].erase(y); },
      [&](Node x) { children_[at(x)].insert(y); });
  committed = parents_[at(y)];

  wanted_now_.clear();
  if (const auto inserts = gains_->inserts(y, parents_[at(y)]))
    for (const GainCache::Gain& insert : *inserts) wanted_now_.push_back(insert.x);
  for_each_difference(
      wanted_[at(y)], wanted_now_, [&](Node x) { std::erase(wanted_by_[at(x)], y); },
      [&](Node x) { wanted_by_[at(x)].push_back(y); });
  wanted_[at(y)].swap(wanted_now_);
}

void OrderSearch::queue(Node v) {
  if (is_queued_[at(v)]) return;
  is_queued_[at(v)] = true;
  queue_.push_back(v);
}

}  // namespace greedag
