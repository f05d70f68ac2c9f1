#include "core/search/direction_margins.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/operators/pair_operators.hpp"
#include "core/search/exact.hpp"
#include "core/search/order_search.hpp"
#include "core/search/xges.hpp"

namespace greedag {
namespace {

constexpr std::size_t at(Node node) { return static_cast<std::size_t>(node); }

/// After this many fruitless perturbations, the climb for one edge ends.
constexpr int most_fruitless = 6;

}  // namespace

class TurnSearch::State {
 public:
  State(const Score& score, const Pdag& graph, const Knowledge* knowledge, Observer& observer)
      : observer_(&observer),
        knowledge_(knowledge),
        min_gain_(score.min_gain()),
        from_(at(graph.size())),
        member_(member_of(graph, knowledge)),
        member_order_(*topological_order(member_)),
        pairs_(graph, score, EnumerateOptions{}.clique_cap, observer),
        state_(score, options_with(knowledge), observer),
        evaluator_(score.evaluator(true)) {
    state_.start_at(graph);
    // A trial must start with nothing stale.
    for (Kind kind : all_kinds) static_cast<void>(state_.candidates().best(kind));
    if (observer.stop() == Stop::no) orders_.emplace(gains(), min_gain_, member_, knowledge);
  }

  [[nodiscard]] TurnedClasses find(std::span<const DirectedEdge> edges) {
    edges_ = edges;
    best_.assign(edges.size(), std::nullopt);
    for (std::size_t i = 0; i < edges.size(); ++i) from_[at(edges[i].x)].push_back(i);
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (orders_ && !observer_->should_stop_now()) try_edge(edges_[i]);
      // Found for an earlier edge, it would not be the best of what a whole search finds.
      if (observer_->stop() != Stop::no) best_[i].reset();
    }
    for (const DirectedEdge& edge : edges) from_[at(edge.x)].clear();
    return std::move(best_);
  }

 private:
  [[nodiscard]] static EnumerateOptions options_with(const Knowledge* knowledge) {
    EnumerateOptions options;
    options.knowledge = knowledge;
    return options;
  }
  [[nodiscard]] GainCache& gains() { return state_.candidates().enumerator().gain_cache(); }

  void try_edge(const DirectedEdge& edge) {
    if (knowledge_ != nullptr && !knowledge_->allows(edge.y, edge.x)) return;
    try_reversal(edge);
    try_orders(edge);
  }

  void try_reversal(const DirectedEdge& edge) {
    const auto op = pairs_.best(Kind::Reverse, edge.y, edge.x);
    if (!op) return;
    state_.begin_trial();
    if (state_.apply(*op))
      finish_trial(edge, 0.0);
    else
      state_.undo_trial();
  }

  void try_orders(const DirectedEdge& edge) {
    const OrderSearch::Position start =
        knowledge_ == nullptr ? start_around(edge) : OrderSearch::Position{};
    OrderSearch::Position best;
    double best_gain = GainEvaluator::refused;
    for (Node moved : {edge.y, edge.x}) {
      start_orders_at(start);
      double gain = orders_->turn(edge.x, edge.y, moved);
      if (gain == GainEvaluator::refused) continue;
      gain += orders_->climb(*observer_);
      try_dag(edge, gain);
      if (gain <= best_gain) continue;
      best_gain = gain;
      best = orders_->position();
    }
    if (best_gain != GainEvaluator::refused) perturb(edge, best, best_gain);
  }

  /// An order around one edge need not keep to the tiers.
  void start_orders_at(const OrderSearch::Position& start) {
    if (knowledge_ == nullptr) return orders_->start_at(start);
    Random random(0, 0);
    orders_->start_at(member_, random);
  }

  void perturb(const DirectedEdge& edge, OrderSearch::Position& best, double best_gain) {
    Random random(static_cast<std::uint64_t>(edge.x), static_cast<std::uint64_t>(edge.y));
    const double gain_before = best_gain;
    orders_->start_at(best);
    for (int fruitless = 0; fruitless < most_fruitless && !observer_->should_stop();) {
      double gain = best_gain + orders_->perturb_around_kept(random);
      gain += orders_->climb(*observer_);
      if (gain > best_gain + min_gain_) {
        fruitless = 0;
        best_gain = gain;
        best = orders_->position();
      } else {
        ++fruitless;
        orders_->start_at(best);
      }
    }
    if (best_gain > gain_before) try_dag(edge, best_gain);
  }

  /// Tries the class of the DAG that the climb has reached, which adds `gain` to the score.
  void try_dag(const DirectedEdge& edge, double gain) {
    if (!is_measurable()) return;
    state_.begin_trial();
    state_.jump_within_trial(member_, orders_->parents());
    finish_trial(edge, gain);
  }

  /// Continues a trial with XGES-0, and keeps what it reaches where that is the best so far. `gain`
  /// is what the trial has added to the score besides its operators.
  void finish_trial(const DirectedEdge& edge, double gain) {
    state_.keep_edge(edge.y, edge.x);
    run_xges0(state_);
    if (observer_->stop() == Stop::no) keep_where_best(gain + state_.trial_gain());
    state_.undo_trial();
  }

  /// The final comparison uses the score of the class itself: gains need not add up where a score
  /// is not score equivalent, or where steps ran in a cycle.
  void keep_where_best(double gain) {
    const std::vector<EdgeChange>& changes = state_.net_trial_changes();
    std::vector<std::size_t> better;
    for (const auto& [a, b, before, after] : changes) {
      if (after == Edge::none || before == Edge::none || before == Edge::undirected) continue;
      const auto [x, y] = before == Edge::forward ? DirectedEdge{a, b} : DirectedEdge{b, a};
      for (std::size_t i : from_[at(x)])
        if (edges_[i].y == y && (!best_[i] || gain > best_[i]->gain)) better.push_back(i);
    }
    if (better.empty()) return;
    const double of_class = class_gain();
    if (of_class == GainEvaluator::refused) return;
    for (std::size_t i : better)
      if (!best_[i] || of_class > best_[i]->gain) best_[i] = {of_class, changes};
  }

  /// The score of the trial's class less that of the class it started from.
  [[nodiscard]] double class_gain() {
    const Pdag member = state_.member();
    double gain = 0.0;
    for (Node y = 0; y < member.size(); ++y)
      if (member.parents(y) != member_.parents(y))
        gain += local_score(y, member.parents(y)) - local_score(y, member_.parents(y));
    return std::isnan(gain) ? GainEvaluator::refused : gain;
  }
  [[nodiscard]] double local_score(Node y, const NodeSet& parents) {
    evaluator_->condition(y, parents.span());
    return evaluator_->local_score();
  }

  /// The member, in an order in which only nodes on directed paths from x to y are between the two.
  [[nodiscard]] OrderSearch::Position start_around(const DirectedEdge& edge) const {
    std::vector<bool> after_x(member_order_.size());
    std::vector<bool> before_y(member_order_.size());
    after_x[at(edge.x)] = before_y[at(edge.y)] = true;
    for (Node v : member_order_)
      for (Node parent : member_.parents(v))
        if (after_x[at(parent)]) after_x[at(v)] = true;
    for (std::size_t i = member_order_.size(); i-- > 0;)
      for (Node child : member_.children(member_order_[i]))
        if (before_y[at(child)]) before_y[at(member_order_[i])] = true;
    OrderSearch::Position start{member_order_, {}};
    std::stable_sort(start.order.begin(), start.order.end(), [&](Node u, Node v) {
      const auto part = [&](Node node) {
        return !after_x[at(node)] ? 0 : before_y[at(node)] ? 1 : 2;
      };
      return part(u) < part(v);
    });
    start.parents.reserve(member_order_.size());
    for (Node v = 0; v < member_.size(); ++v) start.parents.push_back(member_.parents(v));
    return start;
  }

  /// Whether the contribution of every parent that the climb chose can be measured.
  [[nodiscard]] bool is_measurable() {
    for (Node y = 0; y < member_.size(); ++y) {
      const NodeSet& parents = orders_->parents()[at(y)];
      if (parents == member_.parents(y)) continue;
      for (Node x : parents)
        if (gains().of_removal(x, y, parents) == GainEvaluator::refused) return false;
    }
    return true;
  }

  Observer* observer_;
  const Knowledge* knowledge_;
  double min_gain_;
  std::span<const DirectedEdge> edges_;
  TurnedClasses best_;
  std::vector<std::vector<std::size_t>> from_;  ///< by x: the indices of the edges x → y
  Pdag member_;
  std::vector<Node> member_order_;
  PairOperators pairs_;
  SearchState state_;
  std::unique_ptr<GainEvaluator> evaluator_;
  std::optional<OrderSearch> orders_;  ///< none if the observer stopped before it was built
};

TurnSearch::TurnSearch(const Score& score, const Pdag& graph, const Knowledge* knowledge,
                       Observer& observer)
    : state_(std::make_unique<State>(score, graph, knowledge, observer)) {}
TurnSearch::~TurnSearch() = default;

TurnedClasses TurnSearch::find(std::span<const DirectedEdge> edges) { return state_->find(edges); }

namespace {

/// Local scores under which every DAG has the edge tail → head.
class ScoresWithEdge final : public LocalScores {
 public:
  ScoresWithEdge(const LocalScores& scores, Node tail, Node head)
      : scores_(&scores), tail_(bit(tail)), head_(head) {}

  [[nodiscard]] Node size() const override { return scores_->size(); }
  [[nodiscard]] double of(Node y, Mask P) const override {
    return y == head_ && (P & tail_) == 0 ? GainEvaluator::refused : scores_->of(y, P);
  }
  void raise(Node y, Mask high, std::span<double> values) const override {
    if (y != head_) return scores_->raise(y, high, values);
    for (Mask P = 0; P < values.size(); ++P)
      if ((P >> y & 1) == 0) values[P] = std::max(values[P], of(y, P | high));
  }

 private:
  const LocalScores* scores_;
  Mask tail_;
  Node head_;
};

std::vector<EdgeChange> difference(const Pdag& before, const Pdag& after) {
  std::vector<EdgeChange> changes;
  for (Node b = 0; b < before.size(); ++b)
    for (Node a = 0; a < b; ++a)
      if (before.edge(a, b) != after.edge(a, b))
        changes.push_back({a, b, before.edge(a, b), after.edge(a, b)});
  return changes;
}

}  // namespace

TurnedClasses best_turned_classes(const Score& score, const Pdag& graph,
                                  std::span<const DirectedEdge> edges, const Knowledge* knowledge,
                                  Observer& observer) {
  TurnedClasses best(edges.size());
  const auto scores = all_local_scores(score, observer);
  if (!scores) return best;
  const double total = score_of_dag(score, member_of(graph, knowledge));
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto dag = best_dag(ScoresWithEdge(*scores, edges[i].y, edges[i].x), knowledge, observer);
    if (!dag) break;
    if (dag->score == GainEvaluator::refused) continue;
    best[i] = {dag->score - total, difference(graph, cpdag_of_dag(graph_of(*dag)))};
  }
  return best;
}

}  // namespace greedag
