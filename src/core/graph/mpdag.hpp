#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/graph/knowledge.hpp"
#include "core/graph/read_set.hpp"

namespace greedag {

/// Directs one undirected edge of an MPDAG after the other, and with each the edges that follow by
/// Meek's four rules (Meek 1995). As long as `direct` succeeds, the graph is the MPDAG of those
/// members that have all arcs directed so far: none is lost, and there is at least one.
class MeekClosure {
 public:
  /// False if no member has tail → head; the graph is then unchanged.
  bool direct(Pdag& graph, Node tail, Node head);

 private:
  void queue(Pdag& graph, Node tail, Node head);
  void apply_rules(Pdag& graph, Node x, Node y);

  std::vector<Arc> queue_;
};

/// An arc that knowledge itself directs.
struct KnownArc {
  Node tail;
  Node head;
  /// Set if it follows because `later` must not be an ancestor of `earlier`; else -1.
  Node earlier = -1;
  Node later = -1;
};

struct Oriented {
  Pdag graph;
  std::vector<KnownArc> arcs;
};

/// The MPDAG of the members of a class that agree with knowledge; none if there is no such member.
[[nodiscard]] std::optional<Oriented> orient(const Pdag& cpdag, const Knowledge& knowledge);

/// A DAG that an MPDAG represents, always the same one.
[[nodiscard]] Pdag dag_of_mpdag(const Pdag& mpdag);

/// A member of a class that agrees with knowledge, if any is given; always the same one. There must
/// be one.
[[nodiscard]] Pdag member_of(const Pdag& cpdag, const Knowledge* knowledge);

/// Decides whether a class has members that agree with knowledge, by what has changed since another
/// class that has.
class Admission {
 public:
  explicit Admission(const Knowledge& knowledge);

  [[nodiscard]] const Knowledge& knowledge() const { return *knowledge_; }
  /// `changes` lead from a class with such members to `cpdag`. Records which nodes' edges it reads.
  [[nodiscard]] bool admits(const Pdag& cpdag, std::span<const EdgeChange> changes,
                            ReadSet& read_set);

 private:
  [[nodiscard]] bool allows(const EdgeChange& change) const;
  [[nodiscard]] bool has_member(const Pdag& cpdag, Node start, ReadSet& read_set);

  const Knowledge* knowledge_;
  std::vector<Node> place_;  ///< by node: its index in component_, or -1
  std::vector<Node> component_;
  std::vector<std::uint32_t> seen_;  ///< by node: the last call that has looked at its component
  std::uint32_t call_ = 0;
};

}  // namespace greedag
