#pragma once

#include "core/scores/additive/curve_lanes.hpp"

namespace greedag {

/// Finds the parents that may be worth adding to a fit.
///
/// Adds each one, by the best prefix of its block, to the columns that are in the fit. The score
/// does the same and more, because with another parent the degrees of all of them are chosen
/// anew. So this is only a filter, and it keeps whatever comes near to gaining.
class InsertFilter {
 public:
  explicit InsertFilter(const AdditiveBic& score) : score_(&score), lanes_(score) {}

  /// Lists, ascending, every node that adds to the score or takes no more than `slack` from it.
  void find(const ColumnFactor& fit, double slack, std::vector<Node>& found);

 private:
  static constexpr std::size_t lanes_in_tile = 2 * lanes_in_group;

  void find_in_tile(const ColumnFactor& fit, double limit, std::vector<Node>& found);

  const AdditiveBic* score_;
  CurveLanes lanes_;
  std::vector<Node> tile_;
};

}  // namespace greedag
