#include "core/graph/paths.hpp"

#include <algorithm>

namespace greedag {

void PathFinder::start_search() {
  if (++stamp_ == 0) {
    std::fill(seen_.begin(), seen_.end(), 0);
    stamp_ = 1;
  }
  done_ = 0;
  queued_ = 0;
}

bool PathFinder::visit(Node node, Node from) {
  auto& seen = seen_[static_cast<std::size_t>(node)];
  if (seen == stamp_) return false;
  seen = stamp_;
  from_[static_cast<std::size_t>(node)] = from;
  queue_[queued_++] = node;
  return true;
}

bool PathFinder::visit_all(const NodeSet& nodes, Node from, Node x) {
  for (Node node : nodes)
    if (visit(node, from) && node == x) return true;
  return false;
}

std::span<const Node> PathFinder::find(const Pdag& graph, Node y, Node x, const NodeSet& blockers,
                                       const NodeSet& more_blockers, bool skip_edge) {
  start_search();
  for (Node node : blockers) seen_[static_cast<std::size_t>(node)] = stamp_;
  for (Node node : more_blockers) seen_[static_cast<std::size_t>(node)] = stamp_;
  visit(y, y);
  path_.clear();
  bool found = false;
  if (skip_edge) {
    done_ = 1;
    for (const NodeSet* nodes : {&graph.children(y), &graph.neighbors(y)})
      for (Node node : *nodes)
        if (node != x) visit(node, y);
  }
  while (!found && done_ < queued_) {
    const Node from = queue_[done_++];
    found = visit_all(graph.children(from), from, x) || visit_all(graph.neighbors(from), from, x);
  }
  if (!found) return path_;
  for (Node node = x; node != y; node = from_[static_cast<std::size_t>(node)])
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
