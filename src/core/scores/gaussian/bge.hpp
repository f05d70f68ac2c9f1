#pragma once

#include "core/scores/gaussian/sweep.hpp"

namespace greedag {

/// The BGe score (Geiger & Heckerman 2002; Kuipers, Moffa & Heckerman 2014): the log marginal
/// likelihood under a normal-Wishart prior on the parameters of the Gaussian.
///
/// With m = alpha_w - d and the prior's scale T = t I, s(y, P) is the difference of
///     S(W) = k/2 log(alpha_mu / (n + alpha_mu)) - k n/2 log π + log Γ_k((n + m + k)/2)
///            - log Γ_k((m + k)/2) + (m + k)/2 log det T - (n + m + k)/2 log det R
/// at P ∪ y and at P, where k = |W| and R = T + scatter (+ a term for the means) on W. So the gain
/// of making x and y adjacent given E is
///     -(n + m + |E| + 2)/2 log(1 - r²) - 1/2 log(v_x v_y / t²) + a constant for each |E|
/// with the partial correlation r and the residual variances v of R. A prior of the edges takes the
/// same from the score for each of them.
class Bge final : public Score {
 public:
  struct Prior {
    double alpha_mu;
    double alpha_w;  ///< above d + 1
    double t;
    double edge_penalty;  ///< minus the log prior odds of an edge
  };

  /// `correlation` is that of R, row-major, and must outlive this object; `log_variances` are the
  /// logarithms of its diagonal. No residual variance of R is below `least_residual`.
  /// If R is singular to rounding, as where the prior is next to nothing beside collinear columns,
  /// sets of nodes may be, too.
  Bge(std::span<const double> correlation, std::span<const double> log_variances, double n,
      const Prior& prior, double least_residual, bool has_singular_sets = false);

  [[nodiscard]] Node size() const override { return posterior_.size(); }
  [[nodiscard]] double min_gain() const override { return posterior_.min_gain(); }
  [[nodiscard]] bool scans_rows() const override { return false; }
  [[nodiscard]] std::unique_ptr<GainEvaluator> evaluator(bool with_losses) const override;

  /// s(y, E) from |E| = k, the residual variance of y and the determinant of R on E.
  [[nodiscard]] double local_score(std::size_t k, double log_variance_y, double log_det) const;
  /// The gain for |E| = k without the term in r.
  [[nodiscard]] double base_gain(std::size_t k, double log_variance_x,
                                 double log_variance_y) const {
    return base_gains_[k] - 0.5 * (log_variance_x + log_variance_y);
  }
  /// The factor of -log(1 - r²).
  [[nodiscard]] double weight(std::size_t k) const {
    return 0.5 * (n_ + m_ + static_cast<double>(k) + 2.0);
  }
  /// The smallest r² at which an insert may gain.
  [[nodiscard]] double min_r2(std::size_t k, double log_variance_y) const;
  [[nodiscard]] const GaussianBic& posterior() const { return posterior_; }

 private:
  GaussianBic posterior_;  ///< holds the correlations of R; its own gains are not used
  double n_;
  double m_;
  double log_t_;
  double log_least_residual_;
  std::vector<double> base_scores_;  ///< terms of s that depend on |E| alone
  std::vector<double> base_gains_;
};

/// Gains of the BGe score: those of the Gaussian BIC with other weights.
class BgeGains final : public GainEvaluator {
 public:
  BgeGains(const Bge& score, bool with_losses)
      : score_(&score),
        with_losses_(with_losses),
        partial_(score.posterior()),
        sweep_(score.posterior(), 0.0) {}

  [[nodiscard]] std::unique_ptr<GainEvaluator> copy() const override {
    return std::make_unique<BgeGains>(*this);
  }
  void condition(Node y, std::span<const Node> E) override { partial_.condition(y, E); }
  [[nodiscard]] double of_insert(Node x) override;
  [[nodiscard]] double local_score() override;
  [[nodiscard]] bool can_score() const override { return partial_.has_sound_factor(); }
  [[nodiscard]] std::span<const Node> worth_inserting() override;
  void find_worth_removing(Node /*y*/, std::span<const Node> E,
                           std::vector<bool>& may_gain) override {
    may_gain.assign(E.size(), true);
  }

 private:
  /// The log of a node's residual variance, given as a fraction of its variance.
  [[nodiscard]] double log_variance(Node node, double part) const;

  const Bge* score_;
  bool with_losses_;
  PartialGain partial_;
  Sweep sweep_;
};

}  // namespace greedag
