#pragma once

#include <span>
#include <vector>

#include "core/graph/pdag.hpp"

namespace greedag {

struct Arc {
  Node tail;
  Node head;
};

/// What is known beforehand about the arcs and the ancestors in a DAG.
///
/// A DAG *agrees* if it has every required arc and no forbidden one, and if no node is an ancestor
/// of a node that must come before it. It still agrees when an arc is removed that is not required.
class Knowledge {
 public:
  /// `tiers` by node, -1 for nodes in none; empty if there are none. A node of a later tier must
  /// not be an ancestor of one of an earlier tier. `before` holds pairs (a, b) such that b must not
  /// be an ancestor of a.
  Knowledge(Node size, std::span<const Arc> required, std::span<const Arc> forbidden,
            std::vector<Node> tiers, std::span<const Arc> before);

  [[nodiscard]] Node size() const { return static_cast<Node>(required_.size()); }
  /// Whether a DAG may have x → y.
  [[nodiscard]] bool allows(Node x, Node y) const {
    return !is_earlier(y, x) && !forbidden_[at(y)].contains(x);
  }
  /// The nodes that every DAG has as parents of y.
  [[nodiscard]] const NodeSet& required_parents(Node y) const { return required_[at(y)]; }
  [[nodiscard]] bool is_required(Node x, Node y) const { return required_[at(y)].contains(x); }

  /// -1 if the node is in none.
  [[nodiscard]] Node tier(Node node) const { return tiers_.empty() ? -1 : tiers_[at(node)]; }
  /// Whether a is in an earlier tier than b.
  [[nodiscard]] bool is_earlier(Node a, Node b) const {
    return !tiers_.empty() && tiers_[at(a)] >= 0 && tiers_[at(a)] < tiers_[at(b)];
  }
  /// The pairs besides those of the tiers: the head must not be an ancestor of the tail.
  [[nodiscard]] std::span<const Arc> before() const { return before_; }
  /// Whether a statement about ancestors says more than which arcs are forbidden. Tiers of all
  /// nodes do not: a path from a later tier to an earlier one has an arc that goes back.
  [[nodiscard]] bool limits_ancestors() const { return !before_.empty() || has_partial_tiers_; }
  /// Whether tiers limit ancestors: only if there are several, and some node is in none.
  [[nodiscard]] bool has_partial_tiers() const { return has_partial_tiers_; }
  /// Whether what is known about ancestors says of which nodes b must not be one.
  [[nodiscard]] bool limits_descendants(Node b) const {
    return !not_below_[at(b)].empty() || (has_partial_tiers_ && tiers_[at(b)] > 0);
  }
  /// The a of the pairs (a, b) in `before`.
  [[nodiscard]] const NodeSet& not_below(Node b) const { return not_below_[at(b)]; }

  /// The DAG of the required arcs.
  [[nodiscard]] Pdag required_dag() const;
  /// Whether a DAG agrees.
  [[nodiscard]] bool admits(const Pdag& dag) const;
  /// Whether it agrees with the pairs of `before`, given the parents of each node.
  [[nodiscard]] bool admits_ancestors(std::span<const NodeSet> parents) const;

 private:
  static std::size_t at(Node node) { return static_cast<std::size_t>(node); }

  std::vector<NodeSet> required_;   ///< by y: the x with x → y required
  std::vector<NodeSet> forbidden_;  ///< by y: the x with x → y forbidden, besides tiers
  std::vector<Node> tiers_;
  std::vector<Arc> before_;
  std::vector<NodeSet> not_below_;  ///< by b: the a of which it must not be an ancestor
  bool has_partial_tiers_ = false;
};

}  // namespace greedag
