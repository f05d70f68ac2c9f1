#include "core/search/arc_growth.hpp"

namespace greedag {
namespace {

constexpr std::size_t at(Node node) { return static_cast<std::size_t>(node); }
constexpr Node no_node = -1;

class Growth {
 public:
  Growth(GainCache& gains, Node size, double min_gain, const Knowledge* knowledge)
      : gains_(&gains),
        min_gain_(min_gain),
        knowledge_(knowledge),
        dag_(knowledge == nullptr ? Pdag(size) : knowledge->required_dag()),
        best_(at(size)),
        is_below_(at(size)) {}

  [[nodiscard]] Pdag run(Observer& observer) {
    for (Node y = 0; y < dag_.size() && !observer.should_stop(); ++y) find_best(y);
    while (!observer.should_stop()) {
      const Node y = best_head();
      if (y == no_node) break;
      if (may_add(best_[at(y)].tail, y)) dag_.set_edge(best_[at(y)].tail, y, Edge::forward);
      find_best(y);
    }
    return std::move(dag_);
  }

 private:
  struct Best {
    Node tail = no_node;
    double gain = 0.0;
  };

  /// The head of the arc that gains most; the first if there are several.
  [[nodiscard]] Node best_head() const {
    Node head = no_node;
    for (Node y = 0; y < dag_.size(); ++y)
      if (best_[at(y)].tail != no_node &&
          (head == no_node || best_[at(y)].gain > best_[at(head)].gain))
        head = y;
    return head;
  }

  void find_best(Node y) {
    find_below(y);
    Best best{no_node, min_gain_};
    if (const auto inserts = gains_->inserts(y, dag_.parents(y)))
      for (auto& insert : *inserts) {
        if (is_below_[at(insert.x)] || !is_admitted(insert.x, y)) continue;
        const double gain = gains_->of(insert);
        if (gain > best.gain) best = {insert.x, gain};
      }
    best_[at(y)] = best;
  }

  /// Whether an arc that was the best one for y still may be added.
  [[nodiscard]] bool may_add(Node x, Node y) {
    find_below(y);
    return !is_below_[at(x)] && is_admitted(x, y);
  }

  /// Finds y and its descendants.
  void find_below(Node y) {
    is_below_.assign(is_below_.size(), false);
    is_below_[at(y)] = true;
    open_.assign(1, y);
    for (std::size_t done = 0; done < open_.size(); ++done)
      for (Node child : dag_.children(open_[done])) {
        if (is_below_[at(child)]) continue;
        is_below_[at(child)] = true;
        open_.push_back(child);
      }
  }

  [[nodiscard]] bool is_admitted(Node x, Node y) {
    if (knowledge_ == nullptr || !knowledge_->limits_ancestors()) return true;
    dag_.set_edge(x, y, Edge::forward);
    const bool admits = knowledge_->admits(dag_);
    dag_.set_edge(x, y, Edge::none);
    return admits;
  }

  GainCache* gains_;
  double min_gain_;
  const Knowledge* knowledge_;
  Pdag dag_;
  std::vector<Best> best_;  ///< by head
  std::vector<bool> is_below_;
  std::vector<Node> open_;
};

}  // namespace

Pdag grow_dag(GainCache& gains, Node size, double min_gain, const Knowledge* knowledge,
              Observer& observer) {
  return Growth(gains, size, min_gain, knowledge).run(observer);
}

}  // namespace greedag
