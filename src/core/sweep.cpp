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

/// out = from - weight * row.
GREEDAG_VECTORISED void subtract_scaled(double* out, const double* from, const double* row,
                                        double weight, std::size_t size) {
#pragma GCC ivdep  // `out` and `from` are the same or apart
  for (std::size_t i = 0; i < size; ++i) out[i] = from[i] - weight * row[i];
}

/// Scales `from` into `row`, and takes what it explains from the variances and covariances.
GREEDAG_VECTORISED void finish_row(double* row, const double* from, double scale, double row_y,
                                   const double* v, const double* c, double* next_v, double* next_c,
                                   std::size_t size) {
#pragma GCC ivdep  // `row` and `from` are the same or apart
  for (std::size_t i = 0; i < size; ++i) {
    const double value = from[i] * scale;
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
      ones_(static_cast<std::size_t>(score.size()), 1.0),
      kept_((ones_.size() + 7) / 8 * 8) {}

void Sweep::start(Node y) {
  y_ = y;
  ready_ = 0;
  E_.clear();
}

/// Computes the level of the next member of E; false where it is a combination of those before.
bool Sweep::add_row() {
  const std::size_t size = ones_.size();
  const auto e = static_cast<std::size_t>(E_[ready_]);
  const double variance_e = variance(ready_)[e];
  if (variance_e <= GaussianBic::zero_variance) return false;
  if (levels_.size() == ready_) {
    levels_.emplace_back();
    levels_.back().row.resize(size);
    levels_.back().variance.resize(size);
    levels_.back().covariance.resize(size);
  }
  auto& [row, next_variance, next_covariance] = levels_[ready_];
  const double* from = score_->row(E_[ready_]);
  for (std::size_t j = 0; j < ready_; ++j) {
    subtract_scaled(row.data(), from, levels_[j].row.data(), levels_[j].row[e], size);
    from = row.data();
  }
  const double scale = 1.0 / std::sqrt(variance_e);
  finish_row(row.data(), from, scale, from[y_] * scale, variance(ready_), covariance(ready_),
             next_variance.data(), next_covariance.data(), size);
  ++ready_;
  return true;
}

bool Sweep::survivors(std::vector<Node>& out) {
  while (ready_ < E_.size())
    if (!add_row()) return false;
  const double* v = variance(ready_);
  mark_survivors(kept_.data(), v, covariance(ready_), min_r2_ * v[y_], ones_.size());
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
