#pragma once

#include <array>

#include "core/scores/additive/column_factor.hpp"
#include "core/scores/additive/lane_kernels.hpp"

namespace greedag {

/// The blocks of some nodes, as residuals given the columns of a fit.
///
/// Each node has a lane; see `lane_kernels`. Blocks shorter than the longest end in zeros. A prefix
/// of a block is its first columns.
class CurveLanes {
 public:
  /// Differences in a residual variance up to this fraction are rounding.
  static constexpr double rounding = 1e-10;
  /// By how many columns a prefix that is looked for is longer than what is in the fit, at most.
  static constexpr std::size_t most_raise = 8;
  /// Stands for no node, where a lane is empty.
  static constexpr Node none = -1;

  /// A prefix, longer than what is in the fit, but not by more than `most_raise`.
  struct Prefix {
    double value;         ///< the residual variance of y that it leaves × the price of its columns
    std::size_t columns;  ///< 0 if no prefix is allowed
  };

  explicit CurveLanes(const AdditiveBic& score) : score_(&score), zeros_(score.block_size(), 0.0) {}

  /// Makes a lane for each node, where the first `taken` columns of all blocks are, or will be, in
  /// the fit of y. A column is a combination of others if these leave at most the fraction `zero`
  /// of its variance.
  void start(Node y, std::span<const Node> nodes, std::size_t taken, double zero);
  /// Takes from all lanes what the next column of the fit explains.
  void project_out(const ColumnFactor& fit);
  /// How many columns have been projected out.
  [[nodiscard]] std::size_t projected() const { return along_y_.size(); }
  /// L⁻¹ Σ[columns of the fit, column c of the lane's block].
  void coordinates_of(std::size_t lane, std::size_t c, std::vector<double>& coordinates) const;

  /// Finds the best prefix in each lane, the shortest if several are, where the columns of the fit
  /// that were projected out leave `left_of_y` of y.
  void find_best_prefixes(const ColumnFactor& fit, double left_of_y);
  [[nodiscard]] Prefix best_prefix(std::size_t lane) const;

  [[nodiscard]] std::size_t taken(std::size_t lane) const;
  void set_taken(std::size_t lane, std::size_t count) { taken_[lane] = static_cast<double>(count); }
  [[nodiscard]] Node node(std::size_t lane) const { return nodes_[lane]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  using Sources = std::array<const double*, lanes_in_group>;

  [[nodiscard]] std::size_t groups() const { return taken_.size() / lanes_in_group; }
  [[nodiscard]] std::size_t columns_in_group() const { return lanes_in_group * depth_; }
  [[nodiscard]] std::size_t pairs_in_group() const { return pair_at(depth_, 0); }
  [[nodiscard]] std::size_t row_length() const { return groups() * columns_in_group(); }
  [[nodiscard]] Node node_in(std::size_t lane) const { return lane < size() ? nodes_[lane] : none; }
  [[nodiscard]] Window window_of(std::size_t group) const;
  void load_blocks();
  void gather(std::size_t column, std::size_t group, const Window& window, double* to) const;
  void gather_short(const double* covariances, std::size_t group, const Window& window,
                    double* to) const;
  void project(const ColumnFactor& fit, std::size_t k, std::size_t group, const Window& window);
  void move_window(const ColumnFactor& fit, std::size_t group);
  void subtract_products_of(std::size_t group, const Window& window, std::size_t first,
                            std::size_t from);

  const AdditiveBic* score_;
  std::vector<double> zeros_;  ///< a block of an empty lane
  std::size_t depth_ = 0;      ///< the columns of a lane
  double zero_ = 0.0;
  std::vector<Node> nodes_;    ///< by lane
  std::vector<double> taken_;  ///< by lane, as `shortest_`: see GroupLeft; all, if it is empty
  std::vector<double> shortest_;
  std::vector<double> least_;  ///< by column, as `with_y_`
  std::vector<double> with_y_;
  /// By group: columns that may matter. What stands below is kept for these alone.
  std::vector<Window> windows_;
  std::vector<double> pairs_;       ///< residual covariances within each block
  std::vector<double> along_;       ///< L⁻¹ Σ[columns of the fit, blocks], a row for each column
  std::vector<double> along_y_;     ///< the same for y
  std::size_t subtracted_ = 0;      ///< columns whose part has been taken from pairs_ and with_y_
  std::vector<BestPrefixes> best_;  ///< by group
  std::vector<double> scratch_;
};

}  // namespace greedag
