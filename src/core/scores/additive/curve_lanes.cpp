#include "core/scores/additive/curve_lanes.hpp"

#include <algorithm>
#include <limits>

namespace greedag {

void CurveLanes::start(std::size_t lanes, std::size_t depth, std::size_t taken, double zero) {
  width_ = (lanes + 3) / 4 * 4;
  depth_ = depth;
  first_ = taken;
  zero_ = zero;
  nodes_.assign(lanes, none);
  by_node_.clear();
  taken_.assign(width_, taken);
  variances_.assign(depth_ * width_, 0.0);
  along_.clear();
  left_.assign(pair(depth_, 0), 0.0);
  with_y_.assign(depth_ * width_, 0.0);
}

void CurveLanes::fill(std::size_t lane, Node node, Node y) {
  nodes_[lane] = node;
  const auto place = std::find_if(by_node_.begin(), by_node_.end(),
                                  [&](std::size_t other) { return nodes_[other] > node; });
  by_node_.insert(place, lane);
  const std::size_t first = score_->first(node);
  for (std::size_t a = 0; a < score_->columns(node); ++a) {
    const double* row = score_->row(first + a);
    variances_[a * width_ + lane] = row[first + a];
    with_y_[a * width_ + lane] = row[score_->first(y)];
    for (std::size_t b = 0; b <= a; ++b) left_[pair(a, b) + lane] = row[first + b];
  }
}

void CurveLanes::fill(std::size_t lane, Node node, const ColumnFactor& fit) {
  fill(lane, node, fit.y());
  const std::size_t count = score_->columns(node);
  for (std::size_t k = 0; k < fit.size(); ++k) {
    const double* row = score_->row(fit.column(k)) + score_->first(node);
    double* along = along_.data() + k * depth_ * width_ + lane;
    for (std::size_t a = 0; a < count; ++a) along[a * width_] = row[a];
    const double* earlier = along_.data() + lane;
    for (std::size_t j = 0; j < k; ++j, earlier += depth_ * width_)
      for (std::size_t a = 0; a < count; ++a)
        along[a * width_] -= fit.row(k)[j] * earlier[a * width_];
    for (std::size_t a = 0; a < count; ++a) along[a * width_] *= fit.inverse(k);
    for (std::size_t a = first_; a < count; ++a) {
      with_y_[a * width_ + lane] -= along[a * width_] * fit.along_y(k);
      for (std::size_t b = first_; b <= a; ++b)
        left_[pair(a, b) + lane] -= along[a * width_] * along[b * width_];
    }
  }
}

/// The covariances of a column with all blocks.
void CurveLanes::gather(std::size_t column, double* to) const {
  const double* row = score_->row(column);
  for (std::size_t lane = 0; lane < nodes_.size(); ++lane) {
    if (nodes_[lane] == none) continue;
    const double* from = row + score_->first(nodes_[lane]);
    const std::size_t count = score_->columns(nodes_[lane]);
    for (std::size_t a = 0; a < count; ++a) to[a * width_ + lane] = from[a];
  }
}

void CurveLanes::project_out(const ColumnFactor& fit, std::size_t k) {
  const std::size_t length = depth_ * width_;
  along_.resize((k + 1) * length, 0.0);
  double* row = along_.data() + k * length;
  gather(fit.column(k), row);
  for (std::size_t j = 0; j < k; ++j) {
    const double weight = fit.row(k)[j];
    const double* earlier = along_.data() + j * length;
    for (std::size_t i = 0; i < length; ++i) row[i] -= weight * earlier[i];
  }
  const double inverse = fit.inverse(k);
  for (std::size_t i = 0; i < length; ++i) row[i] *= inverse;
  const double along_y = fit.along_y(k);
  for (std::size_t i = first_ * width_; i < length; ++i) with_y_[i] -= row[i] * along_y;
  for (std::size_t a = first_; a < depth_; ++a)
    for (std::size_t b = first_; b <= a; ++b) {
      double* left = left_.data() + pair(a, b);
      for (std::size_t i = 0; i < width_; ++i) left[i] -= row[a * width_ + i] * row[b * width_ + i];
    }
}

void CurveLanes::coordinates_of(std::size_t lane, std::size_t c,
                                std::vector<double>& coordinates) const {
  const std::size_t length = depth_ * width_;
  coordinates.clear();
  for (std::size_t at = c * width_ + lane; at < along_.size(); at += length)
    coordinates.push_back(along_[at]);
}

void CurveLanes::find_prefixes(const ColumnFactor& fit) {
  M_.resize(left_.size());
  L_.resize(left_.size());
  inverse_.resize(depth_ * width_);
  g_.resize(depth_ * width_);
  prefixes_.resize(depth_ * width_);
  left_of_y_.assign(width_, fit.left_of_y());
  is_open_.assign(width_, 1);
  const double zero = AdditiveBic::zero_variance * score_->variance(score_->first(fit.y()));
  for (std::size_t a = first_; a < depth_; ++a) {
    reduce(a);
    note_prefixes(a, zero);
  }
}

/// Row a of M and L, with the pivot at M[a][a], and what is left of the covariance with y.
void CurveLanes::reduce(std::size_t a) {
  for (std::size_t b = first_; b <= a; ++b) {
    double* to = M_.data() + pair(a, b);
    std::copy_n(left_.data() + pair(a, b), width_, to);
    for (std::size_t c = first_; c < b; ++c) {
      const double* m = M_.data() + pair(a, c);
      const double* l = L_.data() + pair(b, c);
      for (std::size_t i = 0; i < width_; ++i) to[i] -= m[i] * l[i];
    }
    if (b == a) break;
    double* scaled = L_.data() + pair(a, b);
    for (std::size_t i = 0; i < width_; ++i) scaled[i] = to[i] * inverse_[b * width_ + i];
  }
  double* g = g_.data() + a * width_;
  std::copy_n(with_y_.data() + a * width_, width_, g);
  for (std::size_t c = first_; c < a; ++c) {
    const double* l = L_.data() + pair(a, c);
    const double* earlier = g_.data() + c * width_;
    for (std::size_t i = 0; i < width_; ++i) g[i] -= l[i] * earlier[i];
  }
}

void CurveLanes::note_prefixes(std::size_t a, double least_left) {
  for (std::size_t lane = 0; lane < width_; ++lane) {
    const std::size_t at = a * width_ + lane;
    const double pivot = M_[pair(a, a) + lane];
    inverse_[at] = 0.0;
    prefixes_[at] = std::numeric_limits<double>::infinity();
    if (a < taken_[lane] || !is_open_[lane]) continue;
    const double left = left_of_y_[lane] - g_[at] * g_[at] / pivot;
    is_open_[lane] = pivot > zero_ * variances_[at] && left > least_left;
    if (!is_open_[lane]) continue;
    inverse_[at] = 1.0 / pivot;
    prefixes_[at] = left_of_y_[lane] = left;
  }
}

}  // namespace greedag
