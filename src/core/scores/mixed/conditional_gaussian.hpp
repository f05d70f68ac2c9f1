#pragma once

#include "core/scores/set_score.hpp"

namespace greedag {

/// A table whose columns hold either real numbers or levels.
struct MixedColumns {
  std::vector<const double*> values;       ///< by node: scaled to mean 0 and variance 1, or null
  std::vector<const std::int32_t*> codes;  ///< by node: codes from 0, or null
  std::vector<Node> levels;                ///< by node: the number of levels, 0 for real numbers
  std::vector<double> log_variances;       ///< before scaling; 0 for levels
  std::size_t rows = 0;
  const double* weights = nullptr;  ///< how many rows each row stands for, or null
};

/// The conditional Gaussian BIC (Andrews, Ramsey & Cooper 2018): levels are multinomial, and given
/// them, in each cell, real columns are Gaussian with a mean and covariances of their own.
///
/// For a set W with c real columns, and discrete ones that have q cells together,
///     S(W) = Σ over cells of a (log(a/n) - (c + log det Σ_cell)/2)
///            - alpha/2 log n · (q c (c + 1)/2 + q - 1)
/// where a is the number of rows in the cell, or the sum of their weights. Cells of at most c + 5
/// rows, or in which some column is a linear combination of others, use the covariances of all
/// rows. Without discrete columns this is the Gaussian BIC, without real ones the discrete BIC.
class ConditionalGaussian final : public SetScore {
 public:
  /// A cell with at least this many more rows than real columns has covariances of its own.
  static constexpr std::size_t least_rows = 6;

  /// What `columns` points to must outlive this object.
  ConditionalGaussian(MixedColumns columns, double alpha);

  [[nodiscard]] Node size() const override { return static_cast<Node>(columns_.levels.size()); }
  [[nodiscard]] double min_gain() const override { return min_gain_of(n_); }
  [[nodiscard]] std::unique_ptr<SetFunction> function() const override;

  [[nodiscard]] std::size_t rows() const { return columns_.rows; }
  [[nodiscard]] double n() const { return n_; }  ///< sum of the weights
  /// Null if every row counts once.
  [[nodiscard]] const double* weights() const { return columns_.weights; }
  /// 0 for a column of real numbers.
  [[nodiscard]] Node levels(Node node) const { return columns_.levels[index(node)]; }
  [[nodiscard]] const std::int32_t* codes(Node node) const { return columns_.codes[index(node)]; }
  [[nodiscard]] const double* values(Node node) const { return columns_.values[index(node)]; }
  [[nodiscard]] double log_variance(Node node) const { return columns_.log_variances[index(node)]; }
  [[nodiscard]] double penalty() const { return penalty_; }  ///< of a parameter

 private:
  [[nodiscard]] static std::size_t index(Node node) { return static_cast<std::size_t>(node); }

  MixedColumns columns_;
  double n_;
  double penalty_;
};

}  // namespace greedag
