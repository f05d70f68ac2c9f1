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

/// The arcs that a class must direct so that no node is an ancestor of one that comes before it.
///
/// A path is possibly directed when no edge of it points backwards. The *gates* of b towards a are
/// the nodes right after b on such paths to a without chords. In a member, b is an ancestor of a
/// exactly if it directs b → g for some gate g (Fang, Liu, Geng, Zhu & He 2022). So it is none
/// exactly if the member directs all gates into b. Any shortest such path is without chords.
class Gates {
 public:
  explicit Gates(const Knowledge& knowledge)
      : knowledge_(&knowledge), seen_(static_cast<std::size_t>(knowledge.size())) {}

  /// Appends the arcs into b; false if b is an ancestor in every member. Records which nodes' edges
  /// it reads.
  bool find(const Pdag& cpdag, Node b, std::vector<KnownArc>& arcs, ReadSet& read_set);

 private:
  template <class IsTarget, class MayPass>
  bool find_towards(IsTarget is_target, MayPass may_pass, std::vector<KnownArc>& arcs,
                    ReadSet& read_set);
  template <class IsTarget, class MayPass>
  [[nodiscard]] Node find_target(Node g, IsTarget is_target, MayPass may_pass, ReadSet& read_set);

  const Knowledge* knowledge_;
  const Pdag* cpdag_ = nullptr;
  Node b_ = 0;
  std::uint32_t search_ = 0;
  std::vector<std::uint32_t> seen_;  ///< by node: the last search that reached it
  std::vector<Node> open_;
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
  void add_starts_of_paths(const Pdag& cpdag, ReadSet& read_set);
  [[nodiscard]] bool has_member(const Pdag& cpdag, Node start, ReadSet& read_set);
  [[nodiscard]] bool can_be_directed(const Pdag& cpdag);

  const Knowledge* knowledge_;
  Gates gates_;
  std::uint32_t call_ = 0;
  std::vector<std::uint32_t> seen_;     ///< by node: the last call that looked at its component
  std::vector<std::uint32_t> reached_;  ///< by node: the last call that walked back to it
  std::vector<Node> open_;
  std::vector<Node> starts_;  ///< nodes whose components a change may concern
  std::vector<Node> component_;
  std::vector<Node> place_;  ///< by node of component_: its index there
  std::vector<KnownArc> arcs_;
};

}  // namespace greedag
