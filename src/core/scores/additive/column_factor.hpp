#pragma once

#include <optional>

#include "core/scores/additive/additive_bic.hpp"

namespace greedag {

/// The least squares fit of one y on columns, by a Cholesky factor L of their covariances Σ that
/// grows column by column.
class ColumnFactor {
 public:
  explicit ColumnFactor(const AdditiveBic& score) : score_(&score) {}

  /// As for GainEvaluator.
  void watch(Observer* observer) { observer_ = observer; }
  /// Fits y on nothing.
  void start(Node y);
  /// Adds a column, given L⁻¹ Σ[columns, column]. False, without adding it, if it is a combination
  /// of the others.
  [[nodiscard]] bool add(std::size_t column, std::span<const double> coordinates);
  /// The same, where L⁻¹ Σ[columns, column] is still to be computed.
  [[nodiscard]] bool add(std::size_t column);

  [[nodiscard]] Node y() const { return y_; }
  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  [[nodiscard]] std::size_t column(std::size_t i) const { return columns_[i]; }
  /// A row of L, without its diagonal.
  [[nodiscard]] const double* row(std::size_t i) const { return factor_.data() + i * (i - 1) / 2; }
  [[nodiscard]] double inverse(std::size_t i) const { return inverse_[i]; }  ///< 1 / L[i][i]
  /// L⁻¹ Σ[columns, y] for the first column of y.
  [[nodiscard]] double along_y(std::size_t i) const { return along_y_[i * responses()]; }
  /// The residual variance of the first column of y.
  [[nodiscard]] double left_of_y() const { return left_of_y_[0]; }
  /// The variance that counts as nothing left of it.
  [[nodiscard]] double nothing_of_y() const {
    return AdditiveBic::zero_variance * score_->variance(score_->first(y_));
  }
  /// The log-determinant of the residual covariances of y; none where nothing is left of y.
  [[nodiscard]] std::optional<double> log_det();

 private:
  [[nodiscard]] std::size_t responses() const { return score_->responses(y_); }
  void project_y(std::size_t column, std::span<const double> coordinates, double inverse);

  const AdditiveBic* score_;
  Observer* observer_ = nullptr;
  Node y_ = 0;
  std::vector<std::size_t> columns_;
  std::vector<double> factor_;     ///< rows of L, packed: row i starts at i (i - 1) / 2
  std::vector<double> inverse_;    ///< 1 / L[i][i]
  std::vector<double> along_y_;    ///< L⁻¹ Σ[columns, y], a row for each column
  std::vector<double> left_of_y_;  ///< the residual covariances of y, row-major
  std::vector<double> scratch_;
};

}  // namespace greedag
