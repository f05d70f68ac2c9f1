#include "core/sweep.hpp"

#include <cmath>
#include <cstring>

// One binary for old and current processors: the loader picks the widest version.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define GREEDAG_VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define GREEDAG_VECTORISED
#endif

namespace greedag {
namespace {

/// Rounding of residuals near zero must not hide a gain from the exact judge.
constexpr double slack = 1e-12;

GREEDAG_VECTORISED void subtract_scaled(double* out, const double* row, double weight,
                                        std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out[i] -= weight * row[i];
}

GREEDAG_VECTORISED void finish_row(double* row, double scale, double row_y, const double* v,
                                   const double* c, double* next_v, double* next_c,
                                   std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    const double value = row[i] * scale;
    row[i] = value;
    next_v[i] = v[i] - value * value;
    next_c[i] = c[i] - value * row_y;
  }
}

GREEDAG_VECTORISED void mark_survivors(std::uint8_t* kept, const double* v, const double* c,
                                       double threshold, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) kept[i] = c[i] * c[i] > threshold * v[i] - slack;
}

}  // namespace

Sweep::Sweep(const GaussianBic& score, double min_r2)
    : score_(&score),
      min_r2_(min_r2),
      kept_((static_cast<std::size_t>(score.size()) + 7) / 8 * 8) {}

void Sweep::start(Node y) {
  y_ = y;
  started_ = false;
  ready_ = 0;
  E_.clear();
}

void Sweep::start_rows() {
  const auto size = static_cast<std::size_t>(score_->size());
  if (levels_.empty()) levels_.emplace_back();
  levels_[0].variance.assign(size, 1.0);
  levels_[0].covariance.assign(score_->row(y_), score_->row(y_) + size);
  started_ = true;
}

/// Computes the level of the next member of E; false where it is a combination of those before.
bool Sweep::add_row() {
  const auto size = static_cast<std::size_t>(score_->size());
  const auto e = static_cast<std::size_t>(E_[ready_]);
  const double variance_e = levels_[ready_].variance[e];
  if (variance_e <= GaussianBic::zero_variance) return false;
  if (levels_.size() == ready_ + 1) {
    levels_.emplace_back();
    levels_.back().row.resize(size);
    levels_.back().variance.resize(size);
    levels_.back().covariance.resize(size);
  }
  const Level& last = levels_[ready_];
  Level& next = levels_[++ready_];
  std::copy(score_->row(E_[ready_ - 1]), score_->row(E_[ready_ - 1]) + size, next.row.begin());
  for (std::size_t j = 1; j < ready_; ++j)
    subtract_scaled(next.row.data(), levels_[j].row.data(), levels_[j].row[e], size);
  const double scale = 1.0 / std::sqrt(variance_e);
  finish_row(next.row.data(), scale, next.row[static_cast<std::size_t>(y_)] * scale,
             last.variance.data(), last.covariance.data(), next.variance.data(),
             next.covariance.data(), size);
  return true;
}

bool Sweep::survivors(std::vector<Node>& out) {
  if (!started_) start_rows();
  while (ready_ < E_.size())
    if (!add_row()) return false;
  const auto size = static_cast<std::size_t>(score_->size());
  const Level& level = levels_[ready_];
  const double variance_y = level.variance[static_cast<std::size_t>(y_)];
  mark_survivors(kept_.data(), level.variance.data(), level.covariance.data(), min_r2_ * variance_y,
                 size);
  out.clear();
  for (std::size_t block = 0; block < kept_.size(); block += 8) {
    std::uint64_t any = 0;
    std::memcpy(&any, kept_.data() + block, 8);
    if (any == 0) continue;
    for (std::size_t i = block; i < block + 8; ++i)
      if (kept_[i]) out.push_back(static_cast<Node>(i));
  }
  return true;
}

}  // namespace greedag
