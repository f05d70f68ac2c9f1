#include "core/scores/gaussian/gaussian_bic.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace greedag {
namespace {

/// What `PartialGain::residual_variance` computes, in the same steps, for few members of E. It has
/// no loops: their lengths are all different, and processors guess their ends wrong.
template <std::size_t size>
double substitute(const double* const* rows, Node u, const double* factor, const double* inverse,
                  double* coordinates) {
  double variance = 1.0;
  const auto subtract = [&]<std::size_t... m>(double& value, const double* L,
                                              std::index_sequence<m...>) {
    ((value -= coordinates[m] * L[m]), ...);
  };
  const auto step = [&]<std::size_t j>(std::integral_constant<std::size_t, j>) {
    double value = rows[j][u];
    subtract(value, factor + j * (j - 1) / 2, std::make_index_sequence<j>{});
    coordinates[j] = value * inverse[j];
    variance -= coordinates[j] * coordinates[j];
  };
  [&]<std::size_t... j>(std::index_sequence<j...>) {
    (step(std::integral_constant<std::size_t, j>{}), ...);
  }(std::make_index_sequence<size>{});
  return variance;
}

template <std::size_t... size>
constexpr auto substitutions_of(std::index_sequence<size...>) {
  return std::array{&substitute<size>...};
}
/// By size.
constexpr auto substitutions = substitutions_of(std::make_index_sequence<13>{});

}  // namespace

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
  if (known == 0 && size < substitutions.size())
    return substitutions[size](rows_.data(), u, factor_.data(), inverse_.data(), coordinates);
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
    : most_(std::expm1(2.0 * score.penalty() / score.n()) * (1.0 + 1e-6)) {}

/// With M = L⁻¹ and a = M R[E, y], removing the i-th member of E increases the residual variance of
/// y by (Mᵀa)ᵢ² / (MᵀM)ᵢᵢ.
void RemovalFilter::filter(const PartialGain& partial, std::vector<bool>& may_gain) {
  const std::size_t k = partial.E().size();
  may_gain.assign(k, true);
  if (!partial.has_sound_factor()) return;
  column_.resize(k);
  for (std::size_t i = 0; i < k; ++i) {
    column_[i] = partial.inverse()[i];
    double coefficient = column_[i] * partial.along_y()[i];
    double inflation = column_[i] * column_[i];
    const double* L = partial.row(i + 1);
    for (std::size_t j = i + 1; j < k; L += j, ++j) {
      double sum = 0.0;
      for (std::size_t m = i; m < j; ++m) sum += L[m] * column_[m];
      column_[j] = -sum * partial.inverse()[j];
      coefficient += column_[j] * partial.along_y()[j];
      inflation += column_[j] * column_[j];
    }
    constexpr double slack = 1e-10;
    may_gain[i] = coefficient * coefficient <= (most_ * partial.variance_y() + slack) * inflation;
  }
}

}  // namespace greedag
