#include "core/graph/knowledge.hpp"

#include <algorithm>
#include <utility>

namespace greedag {

Knowledge::Knowledge(Node size, std::span<const Arc> required, std::span<const Arc> forbidden,
                     std::vector<Node> tiers, std::span<const Arc> before)
    : required_(at(size)),
      forbidden_(at(size)),
      tiers_(std::move(tiers)),
      before_(before.begin(), before.end()),
      not_below_(at(size)) {
  for (const auto& [x, y] : forbidden) forbidden_[at(y)].insert(x);
  for (const auto& [a, b] : before) {
    forbidden_[at(a)].insert(b);
    not_below_[at(b)].insert(a);
  }
  for (const auto& [x, y] : required) {
    required_[at(y)].insert(x);
    forbidden_[at(x)].insert(y);
  }
  const auto in_tier = std::count_if(tiers_.begin(), tiers_.end(), [](Node t) { return t >= 0; });
  has_partial_tiers_ = in_tier > 0 && at(static_cast<Node>(in_tier)) < tiers_.size();
}

bool Knowledge::mark_not_below(Node b, std::vector<bool>& marked) const {
  bool any = false;
  marked.assign(at(size()), false);
  for (Node a : not_below_[at(b)]) any = marked[at(a)] = true;
  if (has_partial_tiers_ && tiers_[at(b)] > 0)
    for (Node a = 0; a < size(); ++a)
      if (is_earlier(a, b)) any = marked[at(a)] = true;
  return any;
}

Pdag Knowledge::required_dag() const {
  Pdag dag(size());
  for (Node y = 0; y < size(); ++y)
    for (Node x : required_[at(y)]) dag.set_edge(x, y, Edge::forward);
  return dag;
}

bool Knowledge::keeps_order(std::span<const NodeSet> parents) const {
  std::vector<bool> seen;
  std::vector<Node> open;
  for (Node b = 0; b < size(); ++b) {
    if (not_below_[at(b)].empty()) continue;
    for (Node a : not_below_[at(b)]) {
      seen.assign(parents.size(), false);
      open.assign(1, a);
      while (!open.empty()) {
        const Node v = open.back();
        open.pop_back();
        for (Node u : parents[at(v)]) {
          if (u == b) return false;
          if (!seen[at(u)]) open.push_back(u);
          seen[at(u)] = true;
        }
      }
    }
  }
  return true;
}

bool Knowledge::admits(const Pdag& dag) const {
  for (Node y = 0; y < size(); ++y) {
    if (!dag.parents(y).contains_all(required_[at(y)])) return false;
    for (Node x : dag.parents(y))
      if (!allows(x, y)) return false;
  }
  if (!limits_ancestors()) return true;
  std::vector<bool> marked;
  std::vector<bool> seen;
  std::vector<Node> open;
  for (Node b = 0; b < size(); ++b) {
    if (!mark_not_below(b, marked)) continue;
    seen.assign(marked.size(), false);
    open.assign(1, b);
    while (!open.empty()) {
      const Node v = open.back();
      open.pop_back();
      for (Node w : dag.children(v)) {
        if (marked[at(w)]) return false;
        if (!seen[at(w)]) open.push_back(w);
        seen[at(w)] = true;
      }
    }
  }
  return true;
}

}  // namespace greedag
