#include "core/graph/mpdag.hpp"

#include <algorithm>

#include "core/graph/completion.hpp"

namespace greedag {
namespace {

constexpr std::size_t at(Node node) { return static_cast<std::size_t>(node); }
constexpr Node no_node = -1;

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
  Gates gates(knowledge);
  ReadSet nothing(cpdag.size());
  for (Node b = 0; b < cpdag.size(); ++b)
    if (!gates.find(cpdag, b, arcs, nothing)) return std::nullopt;
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

// ---- gates

bool Gates::find(const Pdag& cpdag, Node b, std::vector<KnownArc>& arcs, ReadSet& read_set) {
  cpdag_ = &cpdag;
  b_ = b;
  const auto& pairs = knowledge_->not_below(b);
  if (!pairs.empty() && !find_towards([&](Node v) { return pairs.contains(v); },
                                      [](Node) { return true; }, arcs, read_set))
    return false;
  // A path that passes a node of a tier is left to that node, or ends there.
  const auto is_earlier = [&](Node v) { return knowledge_->is_earlier(v, b); };
  const auto is_in_no_tier = [&](Node v) { return knowledge_->tier(v) < 0; };
  return !knowledge_->has_partial_tiers() || knowledge_->tier(b) <= 0 ||
         find_towards(is_earlier, is_in_no_tier, arcs, read_set);
}

/// Edges between b and a target are left out: the arc from b to it is forbidden anyway.
template <class IsTarget, class MayPass>
bool Gates::find_towards(IsTarget is_target, MayPass may_pass, std::vector<KnownArc>& arcs,
                         ReadSet& read_set) {
  const auto target_of = [&](Node g) {
    return is_target(g) || !may_pass(g) ? no_node : find_target(g, is_target, may_pass, read_set);
  };
  read_set.record(ReadKind::edges, b_);
  for (Node g : cpdag_->children(b_))
    if (target_of(g) != no_node) return false;
  for (Node g : cpdag_->neighbors(b_))
    if (const Node a = target_of(g); a != no_node) arcs.push_back({g, b_, a, b_});
  return true;
}

/// A target that a possibly directed path from g leads to, past nodes that are not adjacent to b.
template <class IsTarget, class MayPass>
Node Gates::find_target(Node g, IsTarget is_target, MayPass may_pass, ReadSet& read_set) {
  ++search_;
  open_.assign(1, g);
  seen_[at(g)] = search_;
  while (!open_.empty()) {
    const Node v = open_.back();
    open_.pop_back();
    read_set.record(ReadKind::edges, v);
    for (const NodeSet* next : {&cpdag_->children(v), &cpdag_->neighbors(v)})
      for (Node w : *next) {
        if (seen_[at(w)] == search_ || w == b_ || cpdag_->are_adjacent(w, b_)) continue;
        seen_[at(w)] = search_;
        if (is_target(w)) return w;
        if (may_pass(w)) open_.push_back(w);
      }
  }
  return no_node;
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
    : knowledge_(&knowledge),
      gates_(knowledge),
      seen_(at(knowledge.size())),
      reached_(seen_.size()),
      place_(seen_.size()) {}

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
  ++call_;
  starts_.clear();
  for (const EdgeChange& change : changes) starts_.insert(starts_.end(), {change.a, change.b});
  if (knowledge_->limits_ancestors()) add_starts_of_paths(cpdag, read_set);
  return std::all_of(starts_.begin(), starts_.end(), [&](Node start) {
    return seen_[at(start)] == call_ || has_member(cpdag, start, read_set);
  });
}

/// Adds the nodes from which a path that must not be may lead through a change.
void Admission::add_starts_of_paths(const Pdag& cpdag, ReadSet& read_set) {
  const bool pass_tiers = !knowledge_->before().empty();
  open_ = starts_;
  for (Node start : starts_) reached_[at(start)] = call_;
  for (std::size_t done = 0; done < open_.size(); ++done) {
    const Node v = open_[done];
    if (!pass_tiers && knowledge_->tier(v) >= 0) continue;
    read_set.record(ReadKind::edges, v);
    for (const NodeSet* before : {&cpdag.parents(v), &cpdag.neighbors(v)})
      for (Node u : *before) {
        if (reached_[at(u)] == call_) continue;
        reached_[at(u)] = call_;
        open_.push_back(u);
        if (knowledge_->limits_descendants(u)) starts_.push_back(u);
      }
  }
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
  arcs_.clear();
  for (Node v : component_) {
    for (Node u : cpdag.neighbors(v))
      if (u < v && !find_arc(*knowledge_, u, v, arcs_)) return false;
    if (knowledge_->limits_ancestors() && !gates_.find(cpdag, v, arcs_, read_set)) return false;
  }
  return arcs_.empty() || can_be_directed(cpdag);
}

/// Whether the component has members with all of arcs_.
bool Admission::can_be_directed(const Pdag& cpdag) {
  for (std::size_t i = 0; i < component_.size(); ++i)
    place_[at(component_[i])] = static_cast<Node>(i);
  Pdag part(static_cast<Node>(component_.size()));
  for (Node v : component_)
    for (Node u : cpdag.neighbors(v))
      if (u < v) part.set_edge(place_[at(u)], place_[at(v)], Edge::undirected);
  MeekClosure closure;
  return std::all_of(arcs_.begin(), arcs_.end(), [&](const KnownArc& arc) {
    return closure.direct(part, place_[at(arc.tail)], place_[at(arc.head)]);
  });
}

}  // namespace greedag
