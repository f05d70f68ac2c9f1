#include "core/scores/gaussian/bge.hpp"

#include <cmath>
#include <numbers>

namespace greedag {

Bge::Bge(std::span<const double> correlation, std::span<const double> log_variances, double n,
         const Prior& prior, double least_residual, bool has_singular_sets)
    : posterior_(correlation, log_variances, n, 1.0, 0.0,
                 has_singular_sets ? log_variances.size() : SingularSets::full_rank),
      n_(n),
      m_(prior.alpha_w - static_cast<double>(log_variances.size())),
      log_t_(std::log(prior.t)),
      log_least_residual_(std::log(least_residual)) {
  // log Γ_k((n + m + k)/2) - log Γ_k((m + k)/2) is a sum of these over 1 … k.
  const auto log_gammas = [&](double k) {
    return std::lgamma(0.5 * (n_ + m_ + k)) - std::lgamma(0.5 * (m_ + k));
  };
  const double each = 0.5 * std::log(prior.alpha_mu / (n_ + prior.alpha_mu)) -
                      0.5 * n_ * std::log(std::numbers::pi);
  for (std::size_t i = 0; i <= log_variances.size(); ++i) {
    const auto k = static_cast<double>(i);
    const double next = log_gammas(k + 1.0);
    base_scores_.push_back(each + next + (0.5 * (m_ + 1.0) + k) * log_t_ - k * prior.edge_penalty);
    base_gains_.push_back(log_gammas(k + 2.0) - next + log_t_ - prior.edge_penalty);
  }
}

std::unique_ptr<GainEvaluator> Bge::evaluator(bool with_losses) const {
  return std::make_unique<BgeGains>(*this, with_losses);
}

double Bge::local_score(std::size_t k, double log_variance_y, double log_det) const {
  return base_scores_[k] - 0.5 * (n_ + m_ + static_cast<double>(k) + 1.0) * log_variance_y -
         0.5 * log_det;
}

double Bge::min_r2(std::size_t k, double log_variance_y) const {
  const double most = base_gain(k, log_least_residual_, log_variance_y);
  return most >= 0.0 ? 0.0 : -std::expm1(most / weight(k)) * (1.0 - 1e-9);
}

double BgeGains::log_variance(Node node, double part) const {
  return score_->posterior().log_variance(node) + std::log(part);
}

double BgeGains::of_insert(Node x) {
  const double r2 = partial_.partial_r2(x);
  if (r2 == 1.0) return refused;
  const std::size_t k = partial_.E().size();
  return score_->base_gain(k, log_variance(x, partial_.variance_x()),
                           log_variance(partial_.y(), partial_.variance_y())) -
         score_->weight(k) * std::log1p(-r2);
}

double BgeGains::local_score() {
  if (partial_.is_singular()) return refused;
  double log_det = 0.0;
  for (std::size_t i = 0; i < partial_.E().size(); ++i)
    log_det +=
        score_->posterior().log_variance(partial_.E()[i]) - 2.0 * std::log(partial_.inverse()[i]);
  const double part = std::max(partial_.variance_y(), 1e-300);
  return score_->local_score(partial_.E().size(), log_variance(partial_.y(), part), log_det);
}

std::span<const Node> BgeGains::worth_inserting() {
  if (with_losses_) return sweep_.survivors(partial_, -std::numeric_limits<double>::infinity());
  const double log_variance_y = log_variance(partial_.y(), partial_.variance_y());
  return sweep_.survivors(partial_, score_->min_r2(partial_.E().size(), log_variance_y));
}

}  // namespace greedag
