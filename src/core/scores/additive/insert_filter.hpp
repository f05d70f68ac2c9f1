#pragma once

#include "core/scores/additive/additive_fit.hpp"

namespace greedag {

/// Finds the parents that may be worth adding to a fit.
///
/// Each x is added, by the best prefix of its block, to the columns of the fit, and to those that
/// were in it before each raise of a degree: with x among the parents, x may be raised instead. The
/// score chooses all degrees anew, so this is only a filter, which keeps whatever comes near.
class InsertFilter {
 public:
  explicit InsertFilter(const AdditiveBic& score) : score_(&score), lanes_(score) {}

  /// Lists, ascending, the nodes to keep.
  void find(const AdditiveFit& fit, std::vector<Node>& found);

 private:
  static constexpr std::size_t lanes_in_tile = 2 * lanes_in_group;

  void fill_tile(Node first, Node last, Node y);
  void look_at_tile(const AdditiveFit& fit);
  void note_near(const ColumnFactor& factor, double left_of_y, double limit);

  const AdditiveBic* score_;
  CurveLanes lanes_;
  std::vector<Node> tile_;
  std::vector<char> is_kept_;  ///< by lane
};

}  // namespace greedag
