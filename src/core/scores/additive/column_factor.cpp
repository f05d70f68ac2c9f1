#include "core/scores/additive/column_factor.hpp"

#include <cmath>

#include "core/scores/gaussian/log_det.hpp"

namespace greedag {

void ColumnFactor::start(Node y) {
  y_ = y;
  columns_.clear();
  factor_.clear();
  inverse_.clear();
  along_y_.clear();
  left_of_y_.clear();
  for (std::size_t i = 0; i < responses(); ++i) {
    const double* row = score_->row(score_->first(y) + i) + score_->first(y);
    left_of_y_.insert(left_of_y_.end(), row, row + responses());
  }
}

bool ColumnFactor::add(std::size_t column) {
  const double* covariances = score_->row(column);
  scratch_.resize(size());
  for (std::size_t i = 0; i < size(); ++i) {
    double value = covariances[columns_[i]];
    for (std::size_t j = 0; j < i; ++j) value -= row(i)[j] * scratch_[j];
    scratch_[i] = value * inverse_[i];
  }
  return add(column, scratch_);
}

bool ColumnFactor::add(std::size_t column, std::span<const double> coordinates) {
  // With so many columns, adding one takes longer than a look.
  if (size() + responses() >= 128) throw_if_stopped(observer_);
  double left = score_->variance(column);
  for (double value : coordinates) left -= value * value;
  if (!(left > AdditiveBic::zero_variance * score_->variance(column))) return false;
  const double inverse = 1.0 / std::sqrt(left);
  project_y(column, coordinates, inverse);
  factor_.insert(factor_.end(), coordinates.begin(), coordinates.end());
  inverse_.push_back(inverse);
  columns_.push_back(column);
  return true;
}

void ColumnFactor::project_y(std::size_t column, std::span<const double> coordinates,
                             double inverse) {
  const std::size_t c = responses();
  const double* covariances = score_->row(column) + score_->first(y_);
  along_y_.insert(along_y_.end(), covariances, covariances + c);
  double* along = along_y_.data() + size() * c;
  for (std::size_t i = 0; i < c; ++i) {
    for (std::size_t j = 0; j < size(); ++j) along[i] -= coordinates[j] * along_y_[j * c + i];
    along[i] *= inverse;
  }
  for (std::size_t i = 0; i < c; ++i)
    for (std::size_t j = 0; j < c; ++j) left_of_y_[i * c + j] -= along[i] * along[j];
}

/// Of correlations, so that the same share of each column counts as nothing.
std::optional<double> ColumnFactor::log_det() {
  const std::size_t c = responses();
  scratch_ = left_of_y_;
  double log_variances = 0.0;
  for (std::size_t i = 0; i < c; ++i) {
    const double variance = score_->variance(score_->first(y_) + i);
    const double scale = 1.0 / std::sqrt(variance);
    log_variances += std::log(variance);
    for (std::size_t j = 0; j < c; ++j) {
      scratch_[i * c + j] *= scale;
      scratch_[j * c + i] *= scale;
    }
  }
  const double found = greedag::log_det(scratch_, c, AdditiveBic::zero_variance, observer_);
  if (found == GainEvaluator::refused) return std::nullopt;
  return log_variances + found;
}

}  // namespace greedag
