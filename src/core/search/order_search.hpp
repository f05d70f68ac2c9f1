#pragma once

#include <limits>
#include <span>
#include <vector>

#include "core/gain_cache/gain_cache.hpp"
#include "core/util/observer.hpp"
#include "core/util/random.hpp"

namespace greedag {

/// Hill climbing among DAGs by moving nodes within an order.
///
/// The parents of a node are a set of nodes before it that neither adding nor removing one
/// improves. When a node passes another, one of the two may lose a parent and the other may gain
/// one; both sets are then repaired, starting from what they were. Passes that change nothing,
/// which are nearly all, are skipped.
///
/// One such move turns many edges at once, each of which alone may lose. That is how it leaves
/// classes that no single operator improves.
class OrderSearch {
 public:
  /// An order of the nodes, and the parents of each, by node.
  struct Position {
    std::vector<Node> order;
    std::vector<NodeSet> parents;
  };

  /// With knowledge, the DAG has to agree with it, as all that it is led to do.
  OrderSearch(GainCache& gains, double min_gain, const Pdag& dag, const Knowledge* knowledge);

  /// Starts from a DAG, with its nodes in a random order that agrees with it and with the tiers.
  void start_at(const Pdag& dag, Random& random);
  void start_at(const Position& position);
  /// Removes and adds parents of every node until neither gains. Returns what that adds to the
  /// score.
  double fit_all();
  /// Queues up to `count` nodes from `first` on, in a random order.
  void queue_from(Node first, Node count, Random& random);
  /// Moves one or two random nodes, of at least two, to random positions, or if `by_distance` by
  /// random distances, which leads to the ends of the order more often. Queues all nodes whose
  /// parents change. Returns what that adds to the score, which is usually negative.
  double perturb(Random& random, bool by_distance);
  /// Turns x → y by moving `moved`, one of the two, just past the other, and queues all nodes whose
  /// parents change. From then on y → x is the kept edge, which no move removes or turns. Returns
  /// what that adds to the score, or `GainEvaluator::refused` where that cannot be measured.
  double turn(Node x, Node y, Node moved);
  /// Perturbs as `perturb` does, with nodes and positions of the nodes adjacent to the kept edge.
  double perturb_around_kept(Random& random);
  /// From then on, a node that moves to its best position looks no further once it has lost more.
  void limit_loss(double most_loss) { most_loss_ = most_loss; }
  /// Moves each queued node to its best position, and queues the nodes whose parents change, until
  /// the queue is empty or the search should stop. Also ends once the search is back at `home`, if
  /// any, the DAG that it started at. Returns what that adds to the score.
  double climb(Observer& observer, const Pdag* home = nullptr);
  /// Climbs on by what single moves and fits do not find: improves the parents of all nodes to
  /// which `dag` gives others by dropping one, or adding one that loses, and fitting the others to
  /// that; and, if `by_arcs`, the DAG by single arcs, whatever the order. Returns what that adds to
  /// the score.
  double climb_deeper(const Pdag& dag, bool by_arcs, Random& random, Observer& observer);

  [[nodiscard]] Pdag dag() const;
  [[nodiscard]] std::span<const NodeSet> parents() const { return parents_; }
  [[nodiscard]] Position position() const { return {order_, parents_}; }

 private:
  /// A node and the parents it has before or after a move.
  struct Change {
    Node node;
    NodeSet parents;
  };
  /// A position for a node, and the parents that change with it.
  struct Move {
    double gain = 0.0;
    Node place = 0;
    std::vector<Change> parents;
  };

  /// The indices that a node may have.
  struct Range {
    Node first;
    Node last;
  };

  double reinsert(Node v);
  [[nodiscard]] bool is_at(const Pdag& dag) const;
  double go_to(Node v, Node index, const Range& range);
  void set_parents(Node y, const NodeSet& parents);
  void number_places();
  [[nodiscard]] Range known_range(Node v) const;
  [[nodiscard]] Range legal_range(Node v) const;
  /// Whether no move may remove x → y.
  [[nodiscard]] bool is_fixed(Node x, Node y) const {
    return (x == kept_tail_ && y == kept_head_) ||
           (knowledge_ != nullptr && knowledge_->is_required(x, y));
  }
  /// Whether the walk keeps to what is known about ancestors besides tiers.
  [[nodiscard]] bool is_admitted() const {
    return knowledge_ == nullptr || knowledge_->admits_ancestors(parents_);
  }
  [[nodiscard]] Node next_left(Node v) const;
  [[nodiscard]] Node next_right(Node v);
  double pass_left(Node v, Node u);
  double pass_right(Node v, Node u);
  double gain_candidate(Node y, Node x);
  double lose_candidate(Node y, Node x);
  double fit(Node y, Node held = -1);
  double climb_by_arcs(Random& random, Observer& observer);
  double deepen_all(const Pdag& dag, Observer& observer);
  double deepen(Node y);
  double step_and_fit(Node y, Node x, double gain);

  void note_if_best(double gain, Node v, Move& best) const;
  void undo_walk(Node v, Node from);
  void finish_walk(Node v, Node from);
  void commit_parents(Node y);
  void queue(Node v);

  GainCache* gains_;
  double min_gain_;
  const Knowledge* knowledge_;
  std::vector<Node> order_;
  /// By node: twice its index in the order. Only the node that is walking has an odd number, which
  /// puts it between two others, so that a walk moves no other node.
  std::vector<Node> place_;
  std::vector<NodeSet> parents_;

  // The following are not updated during a walk.
  std::vector<NodeSet> committed_;            ///< by node: its parents before the walk
  std::vector<NodeSet> children_;             ///< by node
  std::vector<std::vector<Node>> wanted_;     ///< by y: the x that may gain as parents, ascending
  std::vector<std::vector<Node>> wanted_by_;  ///< by x: the y that want it, in no particular order

  std::vector<Node> wanted_now_;  ///< scratch space

  double most_loss_ = std::numeric_limits<double>::infinity();
  Node kept_tail_ = -1;  ///< of the kept edge; -1 if there is none
  Node kept_head_ = -1;

  std::vector<Change> walk_;  ///< the parents that the walk has changed, as they were before
  NodeSet touched_;           ///< the nodes whose parents have changed since `start_at`
  std::vector<Node> queue_;
  std::size_t queue_begin_ = 0;
  std::vector<bool> is_queued_;
};

}  // namespace greedag
