#pragma once

#include <limits>
#include <vector>

#include "core/graph/node_set.hpp"

namespace greedag {

/// Tracks which target y has the largest gain, and the smallest y on a tie. It is a tournament
/// tree, so updating a gain costs log2(d) comparisons.
class TargetTournament {
 public:
  static constexpr double nothing = -std::numeric_limits<double>::infinity();

  explicit TargetTournament(Node size) {
    while (leaves_ < static_cast<std::size_t>(size)) leaves_ *= 2;
    gains_.assign(leaves_, nothing);
    winners_.resize(2 * leaves_);
    for (std::size_t i = 0; i < leaves_; ++i) winners_[leaves_ + i] = static_cast<Node>(i);
    for (std::size_t i = leaves_; i-- > 1;) winners_[i] = winners_[2 * i];
  }

  void set(Node y, double gain) {
    auto& old = gains_[static_cast<std::size_t>(y)];
    if (old == gain) return;
    old = gain;
    for (std::size_t i = (leaves_ + static_cast<std::size_t>(y)) / 2; i > 0; i /= 2) {
      const Node left = winners_[2 * i];
      const Node right = winners_[2 * i + 1];
      winners_[i] = gain_of(right) > gain_of(left) ? right : left;
    }
  }
  /// The best target, or -1 if none has a candidate.
  [[nodiscard]] Node best() const { return gain_of(winners_[1]) == nothing ? -1 : winners_[1]; }

 private:
  [[nodiscard]] double gain_of(Node y) const { return gains_[static_cast<std::size_t>(y)]; }

  std::size_t leaves_ = 1;
  std::vector<double> gains_;
  std::vector<Node> winners_;  ///< winners_[1] is the overall winner; leaf i is at leaves_ + i
};

}  // namespace greedag
