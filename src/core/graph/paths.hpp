#pragma once

#include <span>
#include <vector>

#include "core/graph/pdag.hpp"

namespace greedag {

/// Finds semi-directed paths. Owns its scratch space, so that a search allocates nothing.
class PathFinder {
 public:
  explicit PathFinder(Node size)
      : seen_(static_cast<std::size_t>(size)), from_(seen_.size()), queue_(seen_.size()) {}

  /// A shortest semi-directed path y … x with no node in `blockers` or `more_blockers`; empty if
  /// there is none. With `skip_edge` the path may not be the edge y → x itself (condition R4).
  /// O(edges reachable from y). Valid until the next call.
  std::span<const Node> find(const Pdag& graph, Node y, Node x, const NodeSet& blockers,
                             const NodeSet& more_blockers, bool skip_edge);
  /// The nodes that the last search expanded: all that can be reached, if it found no path.
  [[nodiscard]] std::span<const Node> looked_at() const { return {queue_.data(), done_}; }

 private:
  void start_search();
  void mark_before(const Pdag& graph, Node x);
  bool visit(Node node, Node from);
  bool visit_all(const NodeSet& nodes, Node from);
  bool visit_others(const NodeSet& nodes, Node from, Node x);
  [[nodiscard]] std::uint32_t before_x() const { return stamp_ + 1; }

  std::uint32_t stamp_ = 0;  ///< even; it and the odd number after it belong to one search
  /// The stamp of the last search that reached the node, or `before_x` of the last in which one
  /// step led from it to x.
  std::vector<std::uint32_t> seen_;
  std::vector<Node> from_;
  std::vector<Node> queue_;
  std::size_t queued_ = 0;  ///< how many nodes the queue holds
  std::size_t done_ = 0;    ///< how many of them have been expanded
  std::vector<Node> path_;
};

/// Whether `path` is still semi-directed and free of `blockers` and `more_blockers`.
[[nodiscard]] bool is_unblocked(const Pdag& graph, std::span<const Node> path,
                                const NodeSet& blockers, const NodeSet& more_blockers);

}  // namespace greedag
