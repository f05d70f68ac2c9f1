#include "core/graph/completion.hpp"

#include <utility>

namespace greedag {
namespace {

/// u → v ← w with u and w not adjacent.
bool in_v_structure(const Pdag& g, Node u, Node v) {
  const EdgesOf of_u = g.edges_of(u);
  for (Node w : g.parents(v))
    if (w != u && of_u.to(w) == Edge::none) return true;
  return false;
}

/// Meek's rule 1: w → u with w and v not adjacent.
bool meek_rule_1(const Pdag& g, Node u, Node v) {
  const EdgesOf of_v = g.edges_of(v);
  for (Node w : g.parents(u))
    if (w != v && of_v.to(w) == Edge::none) return true;
  return false;
}

/// Meek's rule 3: u - w → v and u - z → v with w and z not adjacent, for a given z.
bool meek_rule_3(const Pdag& g, const EdgesOf& of_u, Node v, Node z) {
  for (Node w : g.parents(v)) {
    if (w == z) return false;
    if (of_u.to(w) == Edge::undirected && !g.are_adjacent(w, z)) return true;
  }
  return false;
}

/// Meek's rules 2, u → w → v, and 3.
bool meek_rules_2_and_3(const Pdag& g, Node u, Node v) {
  const EdgesOf of_u = g.edges_of(u);
  for (Node w : g.parents(v)) {
    const Edge edge = of_u.to(w);
    if (edge == Edge::forward) return true;
    if (edge == Edge::undirected && meek_rule_3(g, of_u, v, w)) return true;
  }
  return false;
}

bool follows_by_meek(const Pdag& g, Node u, Node v) {
  return meek_rule_1(g, u, v) || meek_rules_2_and_3(g, u, v);
}

/// Records what `completed_edge` reads: the edges at u and at v, and for rule 3 the edges between
/// nodes adjacent to both.
void record_reads(const Pdag& g, Node u, Node v, ReadSet& read_set) {
  if (!read_set.is_recording()) return;
  read_set.record(ReadKind::edges, u);
  read_set.record(ReadKind::edges, v);
  for (Node w : g.neighbors(u))
    if (g.is_parent(w, v)) read_set.record(ReadKind::edges, w);
  for (Node w : g.neighbors(v))
    if (g.is_parent(w, u)) read_set.record(ReadKind::edges, w);
}

/// Records what `completed_edge` reads for all edges at u together.
void record_reads_around(const Pdag& g, Node u, ReadSet& read_set) {
  read_set.record(ReadKind::edges, u);
  read_set.record_edges(g.adjacent(u));
}

/// The state that edge {u, v} should have, given the edges around it.
Edge completed_edge(const Pdag& g, Node u, Node v) {
  const Edge edge = g.edge(u, v);
  if (edge == Edge::forward)
    return in_v_structure(g, u, v) || follows_by_meek(g, u, v) ? edge : Edge::undirected;
  if (edge == Edge::backward)
    return in_v_structure(g, v, u) || follows_by_meek(g, v, u) ? edge : Edge::undirected;
  if (edge == Edge::undirected) {
    if (follows_by_meek(g, u, v)) return Edge::forward;
    if (follows_by_meek(g, v, u)) return Edge::backward;
  }
  return edge;
}

}  // namespace

void Completion::queue_edge(Node u, Node v, bool is_recorded) {
  if (u > v) std::swap(u, v);
  if (queued_.insert(static_cast<std::size_t>(u), v)) queue_.push_back({u, v, is_recorded});
}

/// Queues the edges whose orientation may depend on {a, b}: those that share an end with it and,
/// when a and b became or ceased to be adjacent, those opposite to it in Meek's rule 3.
void Completion::queue_edges_near(const Pdag& graph, const EdgeChange& change, ReadSet& read_set) {
  const auto [a, b, before, after] = change;
  record_reads_around(graph, a, read_set);
  record_reads_around(graph, b, read_set);
  for (Node c : graph.adjacent(a)) queue_edge(a, c, true);
  for (Node c : graph.adjacent(b)) queue_edge(b, c, true);
  if (before != Edge::none && after != Edge::none) return;
  for (Node u : graph.neighbors(a)) {
    if (!graph.are_neighbors(b, u)) continue;
    read_set.record(ReadKind::edges, u);
    for (Node v : graph.children(a))
      if (graph.is_parent(b, v) && graph.are_adjacent(u, v)) queue_edge(u, v, false);
  }
}

void Completion::process_queue(Pdag& graph, std::vector<EdgeChange>& changes, ReadSet& read_set) {
  while (!queue_.empty()) {
    const auto [u, v, is_recorded] = queue_.back();
    queue_.pop_back();
    queued_.erase(static_cast<std::size_t>(u), v);
    if (!is_recorded) record_reads(graph, u, v, read_set);
    const Edge before = graph.edge(u, v);
    const Edge after = completed_edge(graph, u, v);
    if (before == after) continue;
    graph.set_edge(u, v, after);
    changes.push_back({u, v, before, after});
    queue_edges_near(graph, changes.back(), read_set);
  }
}

void Completion::complete_around(Pdag& graph, std::vector<EdgeChange>& changes, ReadSet& read_set) {
  for (std::size_t i = changes.size(); i-- > 0;) queue_edges_near(graph, changes[i], read_set);
  process_queue(graph, changes, read_set);
}

void Completion::complete(Pdag& graph) {
  for (Node u = 0; u < graph.size(); ++u)
    for (Node v : graph.adjacent(u)) queue_edge(u, v, true);
  std::vector<EdgeChange> changes;
  ReadSet read_set(graph.size());
  process_queue(graph, changes, read_set);
}

Pdag cpdag_of_dag(const Pdag& dag) {
  Pdag graph = dag;
  Completion(dag.size()).complete(graph);
  return graph;
}

std::optional<std::vector<Node>> topological_order(const Pdag& graph) {
  std::vector<std::uint32_t> waiting(static_cast<std::size_t>(graph.size()));
  std::vector<Node> order;
  order.reserve(waiting.size());
  for (Node y = 0; y < graph.size(); ++y) {
    waiting[static_cast<std::size_t>(y)] = graph.parents(y).size();
    if (graph.parents(y).empty()) order.push_back(y);
  }
  for (std::size_t done = 0; done < order.size(); ++done)
    for (Node child : graph.children(order[done]))
      if (--waiting[static_cast<std::size_t>(child)] == 0) order.push_back(child);
  if (order.size() != waiting.size()) return std::nullopt;
  return order;
}

namespace {

/// Orients the undirected edges around `start` away from visited nodes, continuing with the node
/// that most oriented edges point to (maximum cardinality search). On a chordal component this
/// creates no v-structure.
void orient_component(Pdag& dag, Node start, std::vector<std::uint32_t>& met,
                      std::vector<bool>& done) {
  std::vector<Node> open{start};
  const auto at = [](Node node) { return static_cast<std::size_t>(node); };
  while (!open.empty()) {
    auto best = open.begin();
    for (auto it = open.begin(); it != open.end(); ++it)
      if (met[at(*it)] > met[at(*best)] || (met[at(*it)] == met[at(*best)] && *it < *best))
        best = it;
    const Node u = *best;
    open.erase(best);
    done[at(u)] = true;
    const NodeSet around = dag.neighbors(u);
    for (Node v : around) {
      dag.set_edge(u, v, Edge::forward);
      if (met[at(v)]++ == 0) open.push_back(v);
    }
  }
}

bool same_v_structures(const Pdag& first, const Pdag& second) {
  const auto covered = [](const Pdag& from, const Pdag& in) {
    for (Node v = 0; v < from.size(); ++v)
      for (Node u : from.parents(v))
        if (in_v_structure(from, u, v) && !(in.is_parent(u, v) && in_v_structure(in, u, v)))
          return false;
    return true;
  };
  return covered(first, second) && covered(second, first);
}

}  // namespace

std::optional<Pdag> dag_of_cpdag(const Pdag& cpdag) {
  Pdag dag = cpdag;
  std::vector<std::uint32_t> met(static_cast<std::size_t>(cpdag.size()));
  std::vector<bool> done(met.size());
  for (Node y = 0; y < cpdag.size(); ++y)
    if (!done[static_cast<std::size_t>(y)]) orient_component(dag, y, met, done);
  if (!topological_order(dag) || !same_v_structures(cpdag, dag)) return std::nullopt;
  return dag;
}

}  // namespace greedag
