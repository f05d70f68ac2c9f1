#pragma once

#include <vector>

#include "core/graph/node_set.hpp"

namespace greedag {

/// For each step a → b of a stored path, the targets y whose candidates that path blocks.
class PathWatches {
 public:
  explicit PathWatches(Node size) : rows_(static_cast<std::size_t>(size)) {}

  /// True if y was not yet watching the step.
  bool add(Node a, Node b, Node y) { return slot(a, b).insert(y); }
  bool remove(Node a, Node b, Node y) { return slot(a, b).erase(y); }
  [[nodiscard]] const NodeSet& watchers(Node a, Node b) { return slot(a, b); }

 private:
  struct Slot {
    Node b;
    NodeSet targets;
  };
  // At most as many slots as a had neighbors and children: few enough for a linear search.
  NodeSet& slot(Node a, Node b) {
    auto& slots = rows_[static_cast<std::size_t>(a)];
    for (Slot& s : slots)
      if (s.b == b) return s.targets;
    slots.push_back({b, {}});
    return slots.back().targets;
  }

  std::vector<std::vector<Slot>> rows_;
};

}  // namespace greedag
