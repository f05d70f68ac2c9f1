#include "core/graph/orientation.hpp"

#include <optional>
#include <utility>

namespace greedag {
namespace {

using Reasons = std::vector<Reason>;

Pdag skeleton(const Pdag& graph) {
  Pdag undirected(graph.size());
  for (Node u = 0; u < graph.size(); ++u)
    for (Node v : graph.adjacent(u))
      if (u < v) undirected.set_edge(u, v, Edge::undirected);
  return undirected;
}

/// u → v for which some w → v has w not adjacent to u.
std::optional<Reason> v_structure(const Pdag& graph, Node u, Node v) {
  for (Node w : graph.parents(v))
    if (w != u && !graph.are_adjacent(u, w)) return Reason{u, v, Rule::v_structure, w};
  return std::nullopt;
}

std::optional<Reason> meek_rules_1_to_3(const Pdag& graph, Node a, Node b) {
  for (Node c : graph.parents(a))
    if (!graph.are_adjacent(c, b)) return Reason{a, b, Rule::meek_1, c};
  for (Node c : graph.children(a))
    if (graph.is_parent(c, b)) return Reason{a, b, Rule::meek_2, c};
  for (Node c : graph.parents(b)) {
    if (!graph.are_neighbors(a, c)) continue;
    for (Node d : graph.parents(b))
      if (d > c && graph.are_neighbors(a, d) && !graph.are_adjacent(c, d))
        return Reason{a, b, Rule::meek_3, c, d};
  }
  return std::nullopt;
}

std::optional<Reason> meek_rule_4(const Pdag& graph, Node a, Node b) {
  for (Node c : graph.parents(b)) {
    if (!graph.are_adjacent(a, c)) continue;
    for (Node d : graph.parents(c))
      if (graph.are_neighbors(a, d) && !graph.are_adjacent(d, b))
        return Reason{a, b, Rule::meek_4, d, c};
  }
  return std::nullopt;
}

class Derivation {
 public:
  explicit Derivation(const Pdag& mpdag) : graph_(skeleton(mpdag)) {}

  [[nodiscard]] bool is_directed(Node tail, Node head) const {
    return graph_.is_parent(tail, head);
  }
  [[nodiscard]] Reasons take() { return std::move(found_); }

  /// Directs some edges and all that follow from them.
  void direct(Reasons fresh, bool with_rule_4) {
    while (!fresh.empty()) {
      for (const Reason& reason : fresh) {
        if (!graph_.are_neighbors(reason.tail, reason.head)) continue;
        graph_.set_edge(reason.tail, reason.head, Edge::forward);
        found_.push_back(reason);
      }
      fresh = consequences(fresh);
      if (fresh.empty() && with_rule_4) fresh = consequences_by_rule_4();
    }
  }

 private:
  /// What follows by rules 1 to 3. They direct edges that touch a fresh one.
  [[nodiscard]] Reasons consequences(const Reasons& fresh) const {
    NodeSet touched;
    for (const Reason& reason : fresh) {
      touched.insert(reason.tail);
      touched.insert(reason.head);
    }
    Reasons following;
    for (Node a : touched) collect(a, meek_rules_1_to_3, following);
    return following;
  }
  [[nodiscard]] Reasons consequences_by_rule_4() const {
    Reasons following;
    for (Node a = 0; a < graph_.size(); ++a) collect(a, meek_rule_4, following);
    return following;
  }
  template <typename Find>
  void collect(Node a, const Find& find, Reasons& following) const {
    for (Node b : graph_.neighbors(a))
      for (const auto& [tail, head] : {std::pair(a, b), std::pair(b, a)})
        if (const auto reason = find(graph_, tail, head)) following.push_back(*reason);
  }

  Pdag graph_;
  Reasons found_;
};

}  // namespace

std::vector<Reason> derive(const Pdag& mpdag, std::span<const Arc> given) {
  Reasons fresh;
  for (Node v = 0; v < mpdag.size(); ++v)
    for (Node u : mpdag.parents(v))
      if (const auto reason = v_structure(mpdag, u, v)) fresh.push_back(*reason);
  Derivation derivation(mpdag);
  derivation.direct(std::move(fresh), false);
  fresh.clear();
  for (const auto& [tail, head] : given)
    if (mpdag.is_parent(tail, head)) fresh.push_back({tail, head, Rule::knowledge});
  derivation.direct(std::move(fresh), true);
  for (Node u = 0; u < mpdag.size(); ++u)
    for (Node v : mpdag.children(u))
      if (!derivation.is_directed(u, v)) derivation.direct({{u, v, Rule::knowledge}}, true);
  return derivation.take();
}

}  // namespace greedag
