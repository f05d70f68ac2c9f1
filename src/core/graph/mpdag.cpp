#include "core/graph/mpdag.hpp"

#include <algorithm>

#include "core/graph/completion.hpp"

namespace greedag {
namespace {

constexpr std::size_t at(Node node) { return static_cast<std::size_t>(node); }

/// The arcs that a class must direct so that no node is an ancestor of one that comes before it.
///
/// A path is possibly directed when no edge of it points backwards. The *gates* of b towards a are
/// the nodes right after b on such paths to a without chords. In a member, b is an ancestor of a
/// exactly if it directs b → g for some gate g (Fang, Liu, Geng, Zhu & He 2022). So it is none
/// exactly if the member directs all gates into b. Any shortest such path is without chords.
class Gates {
 public:
  explicit Gates(const Pdag& cpdag, const Knowledge& knowledge)
      : cpdag_(&cpdag), knowledge_(&knowledge), target_(at(cpdag.size()), no_node) {}

  /// Appends the arcs into b; false if b is an ancestor in every member.
  bool find(Node b, std::vector<KnownArc>& arcs) {
    if (cpdag_->neighbors(b).empty() && cpdag_->children(b).empty()) return true;
    if (!knowledge_->mark_not_below(b, marked_)) return true;
    find_targets(b);
    for (Node g : cpdag_->children(b))
      if (target_of(g) != no_node) return false;
    for (Node g : cpdag_->neighbors(b))
      if (const Node a = target_of(g); a != no_node) arcs.push_back({g, b, a, b});
    return true;
  }

 private:
  static constexpr Node no_node = -1;

  /// By node: a marked node that a possibly directed path leads to which avoids b and all nodes
  /// adjacent to it.
  void find_targets(Node b) {
    std::fill(target_.begin(), target_.end(), no_node);
    open_.clear();
    const auto reach = [&](Node v, Node a) {
      if (target_[at(v)] != no_node || v == b || cpdag_->are_adjacent(v, b)) return;
      target_[at(v)] = a;
      open_.push_back(v);
    };
    for (Node a = 0; a < cpdag_->size(); ++a)
      if (marked_[at(a)]) reach(a, a);
    for (std::size_t done = 0; done < open_.size(); ++done) {
      const Node v = open_[done];
      for (Node u : cpdag_->parents(v)) reach(u, target_[at(v)]);
      for (Node u : cpdag_->neighbors(v)) reach(u, target_[at(v)]);
    }
  }
  /// What a node next to b leads to: itself, or a target of a node after it.
  [[nodiscard]] Node target_of(Node g) const {
    if (marked_[at(g)]) return g;
    for (Node v : cpdag_->children(g))
      if (target_[at(v)] != no_node) return target_[at(v)];
    for (Node v : cpdag_->neighbors(g))
      if (target_[at(v)] != no_node) return target_[at(v)];
    return no_node;
  }

  const Pdag* cpdag_;
  const Knowledge* knowledge_;
  std::vector<bool> marked_;
  std::vector<Node> target_;
  std::vector<Node> open_;
};

/// Appends the arc that the edge u - v must be, if only one direction is allowed; false if none is.
bool find_arc(const Knowledge& knowledge, Node u, Node v, std::vector<KnownArc>& arcs) {
  const bool forward = knowledge.allows(u, v);
  const bool backward = knowledge.allows(v, u);
  if (forward != backward) arcs.push_back(forward ? KnownArc{u, v} : KnownArc{v, u});
  return forward || backward;
}

/// All arcs that knowledge itself directs; none if no member can agree with it.
std::optional<std::vector<KnownArc>> known_arcs(const Pdag& cpdag, const Knowledge& knowledge) {
  std::vector<KnownArc> arcs;
  for (Node v = 0; v < cpdag.size(); ++v) {
    if (!cpdag.adjacent(v).contains_all(knowledge.required_parents(v))) return std::nullopt;
    for (Node u : cpdag.parents(v))
      if (!knowledge.allows(u, v)) return std::nullopt;
    for (Node u : cpdag.neighbors(v))
      if (u < v && !find_arc(knowledge, u, v, arcs)) return std::nullopt;
  }
  if (!knowledge.limits_ancestors()) return arcs;
  Gates gates(cpdag, knowledge);
  for (Node b = 0; b < cpdag.size(); ++b)
    if (!gates.find(b, arcs)) return std::nullopt;
  return arcs;
}

}  // namespace

// ---- Meek's rules

bool MeekClosure::direct(Pdag& graph, Node tail, Node head) {
  if (graph.is_parent(tail, head)) return true;
  if (!graph.are_neighbors(tail, head)) return false;
  queue_.clear();
  queue(graph, tail, head);
  for (std::size_t done = 0; done < queue_.size(); ++done)
    apply_rules(graph, queue_[done].tail, queue_[done].head);
  return true;
}

void MeekClosure::queue(Pdag& graph, Node tail, Node head) {
  if (!graph.are_neighbors(tail, head)) return;
  graph.set_edge(tail, head, Edge::forward);
  queue_.push_back({tail, head});
}

/// Every instance of a rule that has x → y among its arcs.
void MeekClosure::apply_rules(Pdag& graph, Node x, Node y) {
  const NodeSet near_x = graph.neighbors(x);
  const NodeSet near_y = graph.neighbors(y);
  // Rule 1: x → y - c with x and c not adjacent gives y → c.
  for (Node c : near_y)
    if (!graph.are_adjacent(x, c)) queue(graph, y, c);
  // Rule 2: x → y → c with x - c gives x → c, and a → x → y with a - y gives a → y.
  for (Node c : near_x)
    if (graph.is_parent(y, c)) queue(graph, x, c);
  for (Node a : near_y)
    if (graph.is_parent(a, x)) queue(graph, a, y);
  // Rule 3: x → y ← d with x and d not adjacent, and a - x, a - d, a - y, gives a → y.
  const NodeSet above_y = graph.parents(y);
  for (Node d : above_y) {
    if (d == x || graph.are_adjacent(d, x)) continue;
    for (Node a : near_y)
      if (graph.are_neighbors(a, x) && graph.are_neighbors(a, d)) queue(graph, a, y);
  }
  // Rule 4: d → c → b with b and d not adjacent, a - d, a - b, a adjacent to c, gives a → b. Here
  // x → y is d → c, then c → b.
  const NodeSet below_y = graph.children(y);
  for (Node b : below_y) {
    if (b == x || graph.are_adjacent(b, x)) continue;
    for (Node a : near_x)
      if (graph.are_neighbors(a, b) && graph.are_adjacent(a, y)) queue(graph, a, b);
  }
  const NodeSet above_x = graph.parents(x);
  for (Node d : above_x) {
    if (d == y || graph.are_adjacent(d, y)) continue;
    for (Node a : near_y)
      if (graph.are_neighbors(a, d) && graph.are_adjacent(a, x)) queue(graph, a, y);
  }
}

// ---- knowledge

std::optional<Oriented> orient(const Pdag& cpdag, const Knowledge& knowledge) {
  auto arcs = known_arcs(cpdag, knowledge);
  if (!arcs) return std::nullopt;
  Oriented oriented{cpdag, std::move(*arcs)};
  MeekClosure closure;
  for (const KnownArc& arc : oriented.arcs)
    if (!closure.direct(oriented.graph, arc.tail, arc.head)) return std::nullopt;
  return oriented;
}

/// Any undirected edge of an MPDAG has both directions among its members.
Pdag dag_of_mpdag(const Pdag& mpdag) {
  Pdag dag = mpdag;
  MeekClosure closure;
  for (Node u = 0; u < dag.size(); ++u)
    while (!dag.neighbors(u).empty()) closure.direct(dag, u, dag.neighbors(u)[0]);
  return dag;
}

Pdag member_of(const Pdag& cpdag, const Knowledge* knowledge) {
  return knowledge == nullptr ? *dag_of_cpdag(cpdag)
                              : dag_of_mpdag(orient(cpdag, *knowledge)->graph);
}

// ---- admission

Admission::Admission(const Knowledge& knowledge)
    : knowledge_(&knowledge), place_(at(knowledge.size()), -1), seen_(at(knowledge.size())) {}

bool Admission::allows(const EdgeChange& change) const {
  const auto& [a, b, before, after] = change;
  switch (after) {
    case Edge::forward:
      return knowledge_->allows(a, b);
    case Edge::backward:
      return knowledge_->allows(b, a);
    case Edge::undirected:
      return knowledge_->allows(a, b) || knowledge_->allows(b, a);
    case Edge::none:
      break;
  }
  return !knowledge_->is_required(a, b) && !knowledge_->is_required(b, a);
}

bool Admission::admits(const Pdag& cpdag, std::span<const EdgeChange> changes, ReadSet& read_set) {
  for (const auto& [a, b, before, after] : changes)
    if (!allows({a, b, before, cpdag.edge(a, b)})) return false;
  if (knowledge_->limits_ancestors()) {
    for (Node v = 0; v < cpdag.size(); ++v) read_set.record(ReadKind::edges, v);
    return orient(cpdag, *knowledge_).has_value();
  }
  ++call_;
  for (const EdgeChange& change : changes)
    for (Node end : {change.a, change.b})
      if (seen_[at(end)] != call_ && !has_member(cpdag, end, read_set)) return false;
  return true;
}

/// Whether the undirected edges connected with `start` can be directed. Those of other components
/// have no part in it, because all nodes of a component have the same parents outside.
bool Admission::has_member(const Pdag& cpdag, Node start, ReadSet& read_set) {
  component_.assign(1, start);
  seen_[at(start)] = call_;
  for (std::size_t done = 0; done < component_.size(); ++done)
    for (Node v : cpdag.neighbors(component_[done])) {
      if (seen_[at(v)] == call_) continue;
      seen_[at(v)] = call_;
      component_.push_back(v);
    }
  read_set.record_edges(component_);
  std::vector<KnownArc> arcs;
  for (Node v : component_)
    for (Node u : cpdag.neighbors(v))
      if (u < v && !find_arc(*knowledge_, u, v, arcs)) return false;
  if (arcs.empty()) return true;
  for (std::size_t i = 0; i < component_.size(); ++i)
    place_[at(component_[i])] = static_cast<Node>(i);
  Pdag part(static_cast<Node>(component_.size()));
  for (Node v : component_)
    for (Node u : cpdag.neighbors(v))
      if (u < v) part.set_edge(place_[at(u)], place_[at(v)], Edge::undirected);
  MeekClosure closure;
  return std::all_of(arcs.begin(), arcs.end(), [&](const KnownArc& arc) {
    return closure.direct(part, place_[at(arc.tail)], place_[at(arc.head)]);
  });
}

}  // namespace greedag
