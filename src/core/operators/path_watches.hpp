#pragma once

#include <vector>

#include "core/graph/pair_set.hpp"

namespace greedag {

/// For each step a → b of a stored path, the targets y whose candidates that path blocks.
class PathWatches {
 public:
  explicit PathWatches(Node size) : steps_(static_cast<std::size_t>(size)), targets_(0, size) {}

  /// True if y was not yet watching the step.
  bool add(Node a, Node b, Node y) { return targets_.insert(row_of(a, b), y); }
  void remove(Node a, Node b, Node y) { targets_.erase(row_of(a, b), y); }
  [[nodiscard]] NodeSet watchers(Node a, Node b) { return targets_.nodes_of(row_of(a, b)); }

 private:
  struct Step {
    Node b;
    std::uint32_t row;
  };
  // At most as many steps as a had neighbors and children: few enough for a linear search.
  std::size_t row_of(Node a, Node b) {
    auto& steps = steps_[static_cast<std::size_t>(a)];
    for (const Step& step : steps)
      if (step.b == b) return step.row;
    targets_.add_row();
    steps.push_back({b, rows_});
    return rows_++;
  }

  std::vector<std::vector<Step>> steps_;  ///< by a
  std::uint32_t rows_ = 0;
  PairSet targets_;  ///< a row for each step
};

}  // namespace greedag
