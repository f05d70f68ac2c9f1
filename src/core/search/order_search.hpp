#pragma once

#include <span>
#include <vector>

#include "core/gain_cache/gain_cache.hpp"
#include "core/util/observer.hpp"
#include "core/util/random.hpp"

namespace greedag {

/// Climbs among DAGs by taking nodes to other places of an order.
///
/// The parents of a node come from those before it: a set that neither adding nor removing one of
/// them improves. When a node passes another on its way through the order, one of the two may lose
/// a parent and the other may find one; both sets are then repaired from what they were. Nearly all
/// passes change nothing and are leapt over.
///
/// One such move turns many edges at once, of which each alone may lose; that is how it leaves
/// classes that no single operator improves.
class OrderSearch {
 public:
  OrderSearch(GainCache& gains, double min_gain, const Pdag& dag);

  /// Goes to a DAG, its nodes in a random order that agrees with it.
  void start_at(const Pdag& dag, Random& random);
  /// Queues so many nodes from the first on, or as many as there are, in a random order.
  void queue_from(Node first, Node count, Random& random);
  /// Takes one or two random nodes to random places, and queues all whose parents change. Returns
  /// what that adds to the score, which is mostly less than nothing.
  double perturb(Random& random);
  /// Takes each queued node to its best place, and queues those whose parents change, until the
  /// queue is empty or the search should stop. Returns what that adds to the score.
  double climb(Observer& observer);

  [[nodiscard]] Pdag dag() const;

 private:
  /// A node whose parents differ, and what they are there.
  struct Change {
    Node node;
    NodeSet parents;
  };
  /// A place for a node, and the parents that would change with it.
  struct Move {
    double gain = 0.0;
    Node place = 0;
    std::vector<Change> parents;
  };

  double reinsert(Node v);
  double go_to(Node v, Node index);
  [[nodiscard]] Node next_left(Node v) const;
  [[nodiscard]] Node next_right(Node v);
  double pass_left(Node v, Node u);
  double pass_right(Node v, Node u);
  double gain_candidate(Node y, Node x);
  double lose_candidate(Node y, Node x);
  double fit(Node y);

  void note_if_best(double gain, Node v, Move& best) const;
  void undo_walk(Node v, Node from);
  void finish_walk(Node v, Node from);
  void commit_parents(Node y);
  void queue(Node v);

  GainCache* gains_;
  double min_gain_;
  std::vector<Node> order_;
  /// By node: twice its index in the order. Only the node that walks stands between others, at odd
  /// numbers; so a walk moves nobody else.
  std::vector<Node> place_;
  std::vector<NodeSet> parents_;

  // What follows lags behind during a walk.
  std::vector<NodeSet> committed_;            ///< by node: its parents
  std::vector<NodeSet> children_;             ///< by node
  std::vector<std::vector<Node>> wanted_;     ///< by y: the x worth looking at beside its parents
  std::vector<std::vector<Node>> wanted_by_;  ///< by x: those y, in no order

  std::vector<Change> walk_;  ///< the parents that the walk has changed, as they were
  std::vector<Node> queue_;
  std::size_t queue_begin_ = 0;
  std::vector<bool> is_queued_;
};

}  // namespace greedag
