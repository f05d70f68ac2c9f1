#include "core/scores/additive/step_lanes.hpp"

#include <algorithm>
#include <cmath>

#include "core/scores/additive/curve_lanes.hpp"

namespace greedag {

StepLanes::StepLanes(const AdditiveBic& score)
    : score_(&score),
      width_((score.most_steps() + lanes_in_group - 1) / lanes_in_group * lanes_in_group),
      path_left_(width_),
      path_with_y_(width_),
      parts_(most_in_path * width_) {}

void StepLanes::start(Node y, std::span<const Node> nodes) {
  projected_ = 0;
  nodes_.clear();
  if (width_ == 0) return;
  nodes_.assign(nodes.begin(), nodes.end());
  left_.assign(length(), 0.0);
  with_y_.resize(length());
  gather(score_->first(y), with_y_.data());
  double* left = left_.data();
  for (Node x : nodes_) {
    for (std::size_t i = 0; i < score_->steps(x); ++i)
      left[i] = score_->variance(score_->first_step(x) + i);
    left += width_;
  }
  least_ = left_;
  for (double& least : least_) least *= AdditiveBic::zero_curve;
}

/// The covariances of a column with all steps.
void StepLanes::gather(std::size_t column, double* row) const {
  for (Node x : nodes_) {
    const double* from = score_->row(column) + score_->first_step(x);
    std::fill(std::copy_n(from, score_->steps(x), row), row + width_, 0.0);
    row += width_;
  }
}

void StepLanes::project_out(const ColumnFactor& fit) {
  if (nodes_.empty()) return;
  const std::size_t k = projected_++;
  along_.resize(std::max(along_.size(), projected_ * length()));
  double* row = along_.data() + k * length();
  gather(fit.column(k), row);
  subtract_rows(row, length(), {along_.data(), length(), k, fit.row(k)}, fit.inverse(k));
  subtract_squares(row, length(), fit.along_y(k), left_.data(), with_y_.data());
}

void StepLanes::coordinates_of(std::size_t lane, std::size_t step,
                               std::vector<double>& coordinates) const {
  const double* from = along_.data() + lane * width_ + step;
  coordinates.resize(projected_);
  for (std::size_t k = 0; k < projected_; ++k) coordinates[k] = from[k * length()];
}

StepLanes::Path StepLanes::best_path(std::size_t lane, double left_of_y, double nothing_of_y) {
  Path path{left_of_y, 0, {}};
  if (nodes_.empty()) return path;
  const auto at = static_cast<std::ptrdiff_t>(lane * width_);
  std::copy_n(left_.begin() + at, width_, path_left_.begin());
  std::copy_n(with_y_.begin() + at, width_, path_with_y_.begin());
  double price = 1.0;
  while (path.count < most_in_path) {
    const std::size_t step = best_step(lane);
    if (step == nothing) break;
    const double remaining = left_of_y - path_with_y_[step] * path_with_y_[step] / path_left_[step];
    price *= score_->break_even_of_step();
    if (!(remaining > nothing_of_y) ||
        price * remaining >= (1.0 - CurveLanes::rounding) * path.value)
      break;
    left_of_y = remaining;
    path.value = price * remaining;
    double* part = parts_.data() + path.count * width_;
    path.steps[path.count++] = step;
    if (path.count < most_in_path) take_from_path(lane, step, part);
  }
  return path;
}

/// The one that explains most of y, given the path.
std::size_t StepLanes::best_step(std::size_t lane) const {
  std::size_t best = nothing;
  double most = 0.0;
  for (std::size_t i = 0; i < score_->steps(nodes_[lane]); ++i) {
    if (!(path_left_[i] > least_[lane * width_ + i])) continue;
    const double explained = path_with_y_[i] * path_with_y_[i] / path_left_[i];
    if (explained * (1.0 - CurveLanes::rounding) <= most) continue;
    most = explained;
    best = i;
  }
  return best;
}

/// Takes from a lane what a step that joins the path explains; `part` is where that is kept.
void StepLanes::take_from_path(std::size_t lane, std::size_t step, double* part) {
  const double inverse = 1.0 / std::sqrt(path_left_[step]);
  const Node x = nodes_[lane];
  std::fill_n(part, width_, 0.0);
  std::copy_n(score_->row(score_->first_step(x) + step) + score_->first_step(x), score_->steps(x),
              part);
  const auto subtract = [&](const double* row) {
    const double weight = row[step];
    for (std::size_t i = 0; i < width_; ++i) part[i] -= weight * row[i];
  };
  for (std::size_t k = 0; k < projected_; ++k)
    subtract(along_.data() + k * length() + lane * width_);
  for (const double* row = parts_.data(); row < part; row += width_) subtract(row);
  for (std::size_t i = 0; i < width_; ++i) part[i] *= inverse;
  subtract_squares(part, width_, path_with_y_[step] * inverse, path_left_.data(),
                   path_with_y_.data());
}

}  // namespace greedag
