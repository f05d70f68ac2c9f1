#include "core/paths.hpp"

#include <algorithm>

namespace greedag {

void PathFinder::start_search() {
  if (++stamp_ == 0) {
    std::fill(seen_.begin(), seen_.end(), 0);
    stamp_ = 1;
  }
  queue_.clear();
}

bool PathFinder::visit(Node node, Node from) {
  auto& seen = seen_[static_cast<std::size_t>(node)];
  if (seen == stamp_) return false;
  seen = stamp_;
  from_[static_cast<std::size_t>(node)] = from;
  queue_.push_back(node);
  return true;
}

std::span<const Node> PathFinder::find(const Pdag& graph, Node y, Node x, const NodeSet& blockers,
                                       const NodeSet& more_blockers, bool skip_edge) {
  start_search();
  for (Node node : blockers) seen_[static_cast<std::size_t>(node)] = stamp_;
  for (Node node : more_blockers) seen_[static_cast<std::size_t>(node)] = stamp_;
  visit(y, y);
  const auto step = [&](Node from, const NodeSet& nodes) {
    for (Node node : nodes) {
      if (skip_edge && from == y && node == x) continue;
      if (visit(node, from) && node == x) return true;
    }
    return false;
  };
  path_.clear();
  for (done_ = 0; done_ < queue_.size();) {
    const Node from = queue_[done_++];
    if (!step(from, graph.children(from)) && !step(from, graph.neighbors(from))) continue;
    for (Node node = x; node != y; node = from_[static_cast<std::size_t>(node)])
      path_.push_back(node);
    path_.push_back(y);
    std::reverse(path_.begin(), path_.end());
    break;
  }
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
