#include "core/graph/paths.hpp"

#include <algorithm>

namespace greedag {

void PathFinder::start_search() {
  stamp_ += 2;
  if (stamp_ < 2) {
    std::fill(seen_.begin(), seen_.end(), 0);
    stamp_ = 2;
  }
  done_ = 0;
  queued_ = 0;
}

/// Marks the nodes from which one step leads to x, unless x is itself blocked.
void PathFinder::mark_before(const Pdag& graph, Node x) {
  if (seen_[static_cast<std::size_t>(x)] == stamp_) return;
  for (const NodeSet* nodes : {&graph.parents(x), &graph.neighbors(x)})
    for (Node node : *nodes) {
      auto& seen = seen_[static_cast<std::size_t>(node)];
      if (seen != stamp_) seen = before_x();
    }
}

/// True if one step leads on to x. A breadth-first search expands the nodes in the order in which
/// it met them, so the first such node is the last but one of the path.
bool PathFinder::visit(Node node, Node from) {
  auto& seen = seen_[static_cast<std::size_t>(node)];
  if (seen == stamp_) return false;
  const bool is_before_x = seen == before_x();
  seen = stamp_;
  from_[static_cast<std::size_t>(node)] = from;
  queue_[queued_++] = node;
  return is_before_x;
}

bool PathFinder::visit_all(const NodeSet& nodes, Node from) {
  return std::any_of(nodes.begin(), nodes.end(), [&](Node node) { return visit(node, from); });
}

/// The same for the first steps, without the edge y → x.
bool PathFinder::visit_others(const NodeSet& nodes, Node from, Node x) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](Node node) { return node != x && visit(node, from); });
}

std::span<const Node> PathFinder::find(const Pdag& graph, Node y, Node x, const NodeSet& blockers,
                                       const NodeSet& more_blockers, bool skip_edge) {
  start_search();
  for (Node node : blockers) seen_[static_cast<std::size_t>(node)] = stamp_;
  for (Node node : more_blockers) seen_[static_cast<std::size_t>(node)] = stamp_;
  mark_before(graph, x);
  path_.clear();
  bool found = visit(y, y);
  if (skip_edge) {
    done_ = 1;
    found = visit_others(graph.children(y), y, x) || visit_others(graph.neighbors(y), y, x);
  }
  while (!found && done_ < queued_) {
    const Node from = queue_[done_++];
    found = visit_all(graph.children(from), from) || visit_all(graph.neighbors(from), from);
  }
  if (!found) return path_;
  path_.push_back(x);
  for (Node node = queue_[queued_ - 1]; node != y; node = from_[static_cast<std::size_t>(node)])
    path_.push_back(node);
  path_.push_back(y);
  std::reverse(path_.begin(), path_.end());
  return path_;
}

bool is_unblocked(const Pdag& graph, std::span<const Node> path, const NodeSet& blockers,
                  const NodeSet& more_blockers) {
  for (std::size_t i = 1; i < path.size(); ++i) {
    const Node node = path[i];
    if (!graph.can_step(path[i - 1], node)) return false;
    if (blockers.contains(node) || more_blockers.contains(node)) return false;
  }
  return !path.empty();
}

}  // namespace greedag
