#include "core/search/arc_climb.hpp"

#include <vector>

namespace greedag {
namespace {

constexpr std::size_t at(Node node) { return static_cast<std::size_t>(node); }
constexpr Node no_node = -1;

class ArcClimb {
 public:
  ArcClimb(GainCache& gains, Pdag& dag, double min_gain, const Knowledge* knowledge)
      : gains_(&gains),
        min_gain_(min_gain),
        knowledge_(knowledge),
        dag_(&dag),
        best_(at(dag.size())),
        is_below_(at(dag.size())) {}

  double run(Observer& observer) {
    double total = 0.0;
    for (Node y = 0; y < dag_->size() && !observer.should_stop(); ++y) total += refit(y);
    // Rounding may make steps that form a cycle all seem to gain.
    for (std::size_t left = 1000 + 50 * best_.size(); left > 0 && !observer.should_stop(); --left) {
      double gain = add_best();
      if (gain == 0.0) gain = turn_best();
      if (gain == 0.0) break;
      total += gain;
    }
    return total;
  }

 private:
  struct Best {
    Node tail = no_node;
    double gain = 0.0;
  };

  /// Removes parents of y while that gains, and finds the best one to add. Returns what the
  /// removals add to the score.
  double refit(Node y) {
    double total = 0.0;
    while (true) {
      Best worst{no_node, min_gain_};
      for (const auto& removal : gains_->removals(y, dag_->parents(y), min_gain_))
        if (removal.value > worst.gain && !is_required(removal.x, y))
          worst = {removal.x, removal.value};
      if (worst.tail == no_node) break;
      dag_->set_edge(worst.tail, y, Edge::none);
      total += worst.gain;
    }
    find_best(y);
    return total;
  }

  void find_best(Node y) {
    find_below(y);
    Best best{no_node, min_gain_};
    if (const auto inserts = gains_->inserts(y, dag_->parents(y)))
      for (auto& insert : *inserts) {
        if (is_below_[at(insert.x)]) continue;
        const double gain = gains_->of(insert);
        if (gain > best.gain && is_admitted(insert.x, y)) best = {insert.x, gain};
      }
    best_[at(y)] = best;
  }

  /// Adds the arc that gains most, the first if there are several. Returns what that adds to the
  /// score; 0 if none gains.
  double add_best() {
    while (true) {
      Node y = no_node;
      for (Node head = 0; head < dag_->size(); ++head)
        if (best_[at(head)].tail != no_node &&
            (y == no_node || best_[at(head)].gain > best_[at(y)].gain))
          y = head;
      if (y == no_node) return 0.0;
      const Best best = best_[at(y)];
      find_below(y);
      if (is_below_[at(best.tail)] || !is_admitted(best.tail, y)) {
        find_best(y);  // other arcs have been added since
        continue;
      }
      dag_->set_edge(best.tail, y, Edge::forward);
      return best.gain + refit(y);
    }
  }

  /// Turns the arc that gains most by it. Returns what that adds to the score; 0 if none gains.
  double turn_best() {
    Node tail = no_node;
    Best best{no_node, min_gain_};
    for (Node y = 0; y < dag_->size(); ++y) {
      const NodeSet parents = dag_->parents(y);  // which `can_turn` changes and restores
      for (Node x : parents) {
        if (is_required(x, y)) continue;
        const double gain = gain_of_turning(x, y);
        if (gain <= best.gain || !can_turn(x, y)) continue;
        best = {y, gain};
        tail = x;
      }
    }
    if (tail == no_node) return 0.0;
    dag_->set_edge(best.tail, tail, Edge::forward);
    return best.gain + refit(tail) + refit(best.tail);
  }

  [[nodiscard]] double gain_of_turning(Node x, Node y) {
    const double removal = gains_->of_removal(x, y, dag_->parents(y));
    if (removal == GainEvaluator::refused) return removal;
    gains_->condition(x, dag_->parents(x));
    return removal + gains_->of_insert(y);
  }

  [[nodiscard]] bool can_turn(Node x, Node y) {
    if (knowledge_ != nullptr && !knowledge_->allows(y, x)) return false;
    dag_->set_edge(x, y, Edge::none);
    find_below(x);
    const bool can = !is_below_[at(y)] && is_admitted(y, x);
    dag_->set_edge(x, y, Edge::forward);
    return can;
  }

  /// Finds y and its descendants.
  void find_below(Node y) {
    is_below_.assign(is_below_.size(), false);
    is_below_[at(y)] = true;
    open_.assign(1, y);
    for (std::size_t done = 0; done < open_.size(); ++done)
      for (Node child : dag_->children(open_[done])) {
        if (is_below_[at(child)]) continue;
        is_below_[at(child)] = true;
        open_.push_back(child);
      }
  }

  [[nodiscard]] bool is_required(Node x, Node y) const {
    return knowledge_ != nullptr && knowledge_->is_required(x, y);
  }
  /// Whether knowledge about ancestors, if any, allows a further arc.
  [[nodiscard]] bool is_admitted(Node x, Node y) {
    if (knowledge_ == nullptr || !knowledge_->limits_ancestors()) return true;
    dag_->set_edge(x, y, Edge::forward);
    const bool admits = knowledge_->admits(*dag_);
    dag_->set_edge(x, y, Edge::none);
    return admits;
  }

  GainCache* gains_;
  double min_gain_;
  const Knowledge* knowledge_;
  Pdag* dag_;
  std::vector<Best> best_;  ///< by head: the arc to add
  std::vector<bool> is_below_;
  std::vector<Node> open_;
};

}  // namespace

double climb_arcs(GainCache& gains, Pdag& dag, double min_gain, const Knowledge* knowledge,
                  Observer& observer) {
  return ArcClimb(gains, dag, min_gain, knowledge).run(observer);
}

}  // namespace greedag
