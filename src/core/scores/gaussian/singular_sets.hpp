#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/graph/node_set.hpp"

namespace greedag {

/// Refuses sets of columns that are singular to rounding, where not all columns are independent, as
/// where there are no more rows than columns. There, a search meets such sets and prefers them.
///
/// A set is refused if it has more columns than the rank of the data, or if the inverse of its
/// correlations has a trace above a limit. The trace is the sum, over the columns of the set, of 1
/// over the fraction of the column's variance that the others leave. So every superset of a refused
/// set is refused, and the order of rows and of columns does not matter. A residual variance is
/// known to about 1e-16 times the trace, relative to itself: the limit leaves it eight digits.
class SingularSets {
 public:
  static constexpr double most_inflation = 1e8;  ///< the limit on the trace

  /// The rank of columns that are independent, so that nothing is refused.
  static constexpr std::size_t full_rank = static_cast<std::size_t>(-1);

  /// `correlation` is row-major, size × size, and must outlive this object.
  SingularSets(const double* correlation, std::size_t size, std::size_t rank)
      : correlation_(correlation), size_(size), rank_(rank) {}

  [[nodiscard]] bool are_possible() const { return rank_ != full_rank; }
  /// Whether a set, in ascending order, is refused.
  [[nodiscard]] bool contain(std::span<const Node> set, double most = most_inflation);
  /// The same for E and some nodes that are not in it.
  [[nodiscard]] bool contain(std::span<const Node> E, std::initializer_list<Node> others,
                             double most = most_inflation);

 private:
  const double* correlation_;
  std::size_t size_;
  std::size_t rank_;
  std::vector<Node> set_;
  std::vector<double> inverse_;  ///< rows of L⁻¹, where the correlations are L Lᵀ
};

}  // namespace greedag
