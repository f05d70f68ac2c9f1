#pragma once

#include <cstddef>

namespace greedag {

/// Blocks of columns in groups of four *lanes*, one for each node, so that the same is done to four
/// blocks at once. Column c of the block in lane i of a group is at [4 c + i]. Where the columns
/// a ≥ b of a block are a pair, it is at [4 (a (a + 1) / 2 + b) + i].
///
/// Each value is computed by the same operations whatever the vector unit, so that results do not
/// depend on the machine.
constexpr std::size_t lanes_in_group = 4;

/// Where the pair of columns a ≥ b starts.
[[nodiscard]] constexpr std::size_t pair_at(std::size_t a, std::size_t b) {
  return lanes_in_group * (a * (a + 1) / 2 + b);
}

/// Puts four arrays into the lanes of a group.
void interleave(const double* const* from, std::size_t length, double* to);

/// Earlier rows that are `stride` apart, each with its weight.
struct WeightedRows {
  const double* rows;
  std::size_t stride;
  std::size_t count;
  const double* weights;
};

/// row = inverse (row - Σ weights[j] earlier[j]), value by value; a multiple of four of them.
void subtract_rows(double* row, std::size_t length, const WeightedRows& earlier, double inverse);

/// left -= row² and with_y -= row along_y, value by value; a multiple of four of them.
void subtract_squares(const double* row, std::size_t length, double along_y, double* left,
                      double* with_y);

/// The columns of a group that are looked at: from `first` up to, but not including, `last`.
struct Window {
  std::size_t first;
  std::size_t last;
};

/// A group's part of rows that are `stride` apart, each with a value for y.
struct GroupRows {
  const double* rows;
  std::size_t stride;
  std::size_t count;
  const double* along_y;
};

/// pairs[a, b] -= row[a] row[b] and with_y[a] -= row[a] along_y for each row, one after the other,
/// for the columns a of a window, and b from `first` up to a.
void subtract_products(const Window& window, std::size_t first, const GroupRows& rows,
                       double* pairs, double* with_y);

/// What is left of a group's blocks, and of y, given a fit.
struct GroupLeft {
  const double* pairs;     ///< residual covariances within the blocks
  const double* with_y;    ///< residual covariances with y
  const double* least;     ///< the residual variances at which columns count as combinations
  const double* taken;     ///< by lane: how many columns of the block are in the fit
  const double* shortest;  ///< by lane: no shorter prefix is allowed
  double most_raise;       ///< nor one that is longer than `taken` by more
  double left_of_y;        ///< the residual variance of y
  double least_left_of_y;  ///< what must remain of it
};

/// What a column must divide the residual variance by to be worth it, and by how much more a longer
/// prefix must improve on a shorter one.
struct Prices {
  double break_even;
  double rounding;
};

/// By lane: the least product of the residual variance of y given a longer prefix and the price of
/// its columns, and the number of columns of that prefix.
struct BestPrefixes {
  double value[lanes_in_group];
  double columns[lanes_in_group];  ///< 0 where no prefix is allowed
};

/// Finds the best prefixes by an LDLᵀ decomposition of each block. `scratch` has room for two sets
/// of pairs and two of columns.
[[nodiscard]] BestPrefixes best_prefixes(const Window& window, const GroupLeft& left,
                                         const Prices& prices, double* scratch);

}  // namespace greedag
