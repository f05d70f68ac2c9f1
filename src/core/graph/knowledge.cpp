#include "core/graph/knowledge.hpp"

#include <algorithm>
#include <utility>

namespace greedag {
namespace {

/// Whether b is an ancestor of one of the nodes.
bool is_above(Node b, std::vector<Node> nodes, std::span<const NodeSet> parents) {
  std::vector<bool> seen(parents.size());
  while (!nodes.empty()) {
    const Node v = nodes.back();
    nodes.pop_back();
    for (Node u : parents[static_cast<std::size_t>(v)]) {
      if (u == b) return true;
      if (!seen[static_cast<std::size_t>(u)]) nodes.push_back(u);
      seen[static_cast<std::size_t>(u)] = true;
    }
  }
  return false;
}

}  // namespace

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
  std::vector<Node> different = tiers_;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  has_partial_tiers_ = different.size() > 2 && different.front() < 0;
}

Pdag Knowledge::required_dag() const {
  Pdag dag(size());
  for (Node y = 0; y < size(); ++y)
    for (Node x : required_[at(y)]) dag.set_edge(x, y, Edge::forward);
  return dag;
}

bool Knowledge::admits_ancestors(std::span<const NodeSet> parents) const {
  if (before_.empty()) return true;
  for (Node b = 0; b < size(); ++b)
    if (!not_below_[at(b)].empty() &&
        is_above(b, {not_below_[at(b)].begin(), not_below_[at(b)].end()}, parents))
      return false;
  return true;
}

bool Knowledge::admits(const Pdag& dag) const {
  std::vector<NodeSet> parents;
  for (Node y = 0; y < size(); ++y) {
    parents.push_back(dag.parents(y));
    if (!parents.back().contains_all(required_[at(y)])) return false;
    for (Node x : parents.back())
      if (!allows(x, y)) return false;
  }
  if (!has_partial_tiers_) return admits_ancestors(parents);
  for (Node b = 0; b < size(); ++b) {
    if (tiers_[at(b)] <= 0 || dag.children(b).empty()) continue;
    std::vector<Node> earlier;
    for (Node a = 0; a < size(); ++a)
      if (is_earlier(a, b)) earlier.push_back(a);
    if (is_above(b, earlier, parents)) return false;
  }
  return admits_ancestors(parents);
}

}  // namespace greedag
