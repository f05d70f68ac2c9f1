#include "core/scores/gaussian/gaussian_bic.hpp"

#include <cmath>

namespace greedag {

GaussianBic::GaussianBic(std::span<const double> correlation, std::span<const double> log_variances,
                         double n, double alpha, double extra, std::size_t rank)
    : correlation_(correlation),
      log_variances_(log_variances.begin(), log_variances.end()),
      n_(n),
      extra_(extra),
      penalty_(0.5 * alpha * std::log(n) + extra),
      break_even_(-std::expm1(-2.0 * penalty_ / n)),
      rank_(rank) {}

double GaussianBic::local_score(Node y, std::size_t k, double part) const {
  return -0.5 * n_ * (1.0 + log_variance(y) + std::log(std::max(part, 1e-300))) -
         penalty_ * static_cast<double>(k + 1) + extra_;
}

double PartialGain::residual_variance(Node u, std::size_t size, double* coordinates,
                                      std::size_t known) const {
  double variance = 1.0;
  for (std::size_t j = 0; j < known; ++j) variance -= coordinates[j] * coordinates[j];
  const double* L = factor_.data() + row_begin(known);
  for (std::size_t j = known; j < size; L += j, ++j) {
    double value = rows_[j][u];
    for (std::size_t m = 0; m < j; ++m) value -= coordinates[m] * L[m];
    coordinates[j] = value * inverse_[j];
    variance -= coordinates[j] * coordinates[j];
  }
  return variance;
}

/// What follows from the first nodes of a set is the same, to the last bit, for all sets that start
/// with these. So all is kept that comes before the first node that differs.
void PartialGain::condition(Node y, std::span<const Node> E) {
  const std::size_t k = E.size();
  if (along_x_.size() < k) {
    inverse_.resize(k);
    along_x_.resize(k);
    along_y_.resize(k);
    factor_.resize(k * k / 2);
  }
  std::size_t kept = 0;
  while (kept < k && kept < E_.size() && E[kept] == E_[kept]) ++kept;
  E_.resize(k);
  rows_.resize(k);
  sound_ = std::min(sound_, kept);
  for (std::size_t i = kept; i < k; ++i) {
    const double variance = residual_variance(E[i], i, factor_.data() + row_begin(i), 0);
    if (sound_ == i && variance > GaussianBic::zero_variance) ++sound_;
    inverse_[i] = 1.0 / std::sqrt(variance);
    E_[i] = E[i];
    rows_[i] = score_->row(E[i]);
  }
  is_sound_ = sound_ == k;
  if (singular_sets_.are_possible()) is_sound_ = is_sound_ && !singular_sets_.contain(E);
  variance_y_ = residual_variance(y, k, along_y_.data(), y == y_ ? kept : 0);
  y_ = y;
}

double PartialGain::partial_r2(Node x) {
  constexpr double zero = GaussianBic::zero_variance;
  if (!is_sound_ || variance_y_ <= zero) return 1.0;
  const double variance_x = residual_variance(x, E_.size(), along_x_.data(), 0);
  if (variance_x <= zero) return 1.0;
  variance_x_ = variance_x;
  double covariance = score_->row(y_)[x];
  for (std::size_t m = 0; m < E_.size(); ++m) covariance -= along_x_[m] * along_y_[m];
  const double r2 = (covariance * covariance) / (variance_x * variance_y_);
  const double left = 1.0 - r2;
  if (left <= zero || variance_x * left <= zero || variance_y_ * left <= zero) return 1.0;
  if (singular_sets_.are_possible() && singular_sets_.contain(E_, {x, y_})) return 1.0;
  return r2;
}

double PartialGain::of_insert(Node x) {
  const double r2 = partial_r2(x);
  if (r2 == 1.0) return GainEvaluator::refused;
  return -0.5 * score_->n() * std::log1p(-r2) - score_->penalty();
}

/// The limit is a little wider than that of inserts, so that no class that these lead to is refused
/// by the rounding of another of its members.
bool PartialGain::is_singular() {
  constexpr double most = 1.001 * SingularSets::most_inflation;
  return singular_sets_.are_possible() && singular_sets_.contain(E_, {y_}, most);
}

double PartialGain::local_score() {
  return is_singular() ? GainEvaluator::refused : score_->local_score(y_, E_.size(), variance_y_);
}

RemovalFilter::RemovalFilter(const GaussianBic& score)
    : score_(&score), most_(std::expm1(2.0 * score.penalty() / score.n()) * (1.0 + 1e-6)) {}

/// With M = L⁻¹ and a = M R[parents, y], removing the i-th parent increases the residual variance
/// of y, which is 1 - |a|², by (Mᵀa)ᵢ² / (MᵀM)ᵢᵢ.
void RemovalFilter::filter(Node y, std::span<const Node> parents, std::vector<bool>& may_gain) {
  const std::size_t k = parents.size();
  inverse_.assign(k * k, 0.0);
  along_y_.assign(k, 0.0);
  may_gain.assign(k, true);
  double variance_y = 1.0;
  for (std::size_t i = 0; i < k; ++i) {
    const double* correlation = score_->row(parents[i]);
    double variance = 1.0;
    double* M = inverse_.data() + i * k;
    M[i] = 1.0;
    double along_y = correlation[y];
    for (std::size_t j = 0; j < i; ++j) {
      const double* above = inverse_.data() + j * k;
      double weight = 0.0;
      for (std::size_t m = 0; m <= j; ++m) weight += above[m] * correlation[parents[m]];
      for (std::size_t m = 0; m <= j; ++m) M[m] -= weight * above[m];
      along_y -= weight * along_y_[j];
      variance -= weight * weight;
    }
    if (variance <= GaussianBic::zero_variance) return;  // unknown: all may gain
    const double scale = 1.0 / std::sqrt(variance);
    for (std::size_t m = 0; m <= i; ++m) M[m] *= scale;
    along_y_[i] = along_y * scale;
    variance_y -= along_y_[i] * along_y_[i];
  }
  for (std::size_t i = 0; i < k; ++i) {
    double coefficient = 0.0;
    double inflation = 0.0;
    for (std::size_t j = i; j < k; ++j) {
      const double m = inverse_[j * k + i];
      coefficient += m * along_y_[j];
      inflation += m * m;
    }
    constexpr double slack = 1e-10;
    may_gain[i] = coefficient * coefficient <= (most_ * variance_y + slack) * inflation;
  }
}

}  // namespace greedag
