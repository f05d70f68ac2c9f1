#pragma once

#include "core/scores/additive/column_factor.hpp"

namespace greedag {

/// The blocks of some nodes, as residuals given the columns of a fit.
///
/// Each node has a *lane*, and every loop runs over the lanes: column c of the block in lane i is
/// at [c * width + i]. Shorter blocks end in zeros, and so do lanes that are empty. A prefix of a
/// block is its first columns.
class CurveLanes {
 public:
  explicit CurveLanes(const AdditiveBic& score) : score_(&score) {}

  /// Makes as many empty lanes, for blocks of up to `depth` columns whose first `taken` columns
  /// are, or will be, in the fit. A column is a combination of others if these leave at most the
  /// fraction `zero` of its variance.
  void start(std::size_t lanes, std::size_t depth, std::size_t taken, double zero);
  /// Puts the block of a node into an empty lane. What the fit explains is not yet taken from it.
  void fill(std::size_t lane, Node node, Node y);
  /// The same for a fit that `project_out` has taken from all other lanes.
  void fill(std::size_t lane, Node node, const ColumnFactor& fit);
  /// Takes from all lanes what column k of the fit explains, after all columns before it.
  void project_out(const ColumnFactor& fit, std::size_t k);
  /// L⁻¹ Σ[columns of the fit, column c of the lane's block].
  void coordinates_of(std::size_t lane, std::size_t c, std::vector<double>& coordinates) const;

  /// Finds what each longer prefix, in addition to the fit, leaves of y.
  void find_prefixes(const ColumnFactor& fit);
  /// The residual variance of y given the fit and a prefix up to column c; infinite where a curve
  /// of it is a combination of others, or where it would leave nothing.
  [[nodiscard]] double left_of_y(std::size_t lane, std::size_t c) const {
    return prefixes_[c * width_ + lane];
  }

  [[nodiscard]] std::size_t depth() const { return depth_; }  ///< columns of the longest block
  [[nodiscard]] std::size_t taken(std::size_t lane) const { return taken_[lane]; }
  void set_taken(std::size_t lane, std::size_t count) { taken_[lane] = count; }
  [[nodiscard]] Node node(std::size_t lane) const { return nodes_[lane]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  /// The lanes that are not empty, by their nodes, ascending.
  [[nodiscard]] std::span<const std::size_t> by_node() const { return by_node_; }

 private:
  static constexpr Node none = -1;

  /// Where the residual covariances of columns a ≥ b of all lanes start.
  [[nodiscard]] std::size_t pair(std::size_t a, std::size_t b) const {
    return (a * (a + 1) / 2 + b) * width_;
  }
  void gather(std::size_t column, double* to) const;
  void reduce(std::size_t a);
  void note_prefixes(std::size_t a, double least_left);

  const AdditiveBic* score_;
  std::size_t width_ = 0;  ///< lanes, including empty ones: a multiple of four
  std::size_t depth_ = 0;
  std::size_t first_ = 0;  ///< columns before this one are in the fit for all lanes
  double zero_ = 0.0;
  std::vector<Node> nodes_;  ///< by lane; `none` in empty ones
  std::vector<std::size_t> by_node_;
  std::vector<std::size_t> taken_;
  std::vector<double> variances_;  ///< of the columns
  std::vector<double> along_;      ///< L⁻¹ Σ[columns of the fit, blocks], a row for each column
  std::vector<double> left_;       ///< residual covariances within each block, see `pair`
  std::vector<double> with_y_;     ///< residual covariances with y

  // The covariances of each block after those in the fit, as M = L D and L; and with y.
  std::vector<double> M_;
  std::vector<double> L_;
  std::vector<double> inverse_;  ///< 1 / D, or 0 for columns that are not used
  std::vector<double> g_;
  std::vector<double> left_of_y_;  ///< by lane, given the prefix so far
  std::vector<char> is_open_;      ///< by lane: whether longer prefixes are allowed
  std::vector<double> prefixes_;
};

}  // namespace greedag
