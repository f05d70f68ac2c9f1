#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/scores/gaussian/singular_sets.hpp"
#include "core/scores/score.hpp"

namespace greedag {

/// The Gaussian BIC, s(y, P) = -n/2 (1 + log var(y|P)) - alpha/2 log n (|P| + 1) - extra |P|, from
/// correlations. The extended BIC has an extra penalty on each parent, the plain one has none.
///
/// Adding x to the parents E of y changes it by -n/2 log(1 - r²) - alpha/2 log n - extra, where r
/// is the partial correlation of x and y given E. So a search needs no local scores, only
/// correlations.
class GaussianBic final : public Score {
 public:
  /// A residual variance, as a fraction of the variable's variance, that counts as zero.
  static constexpr double zero_variance = 1e-12;

  /// `correlation` is row-major, size × size, and must outlive this object. If not all
  /// columns are independent, `rank` is the largest number that may be.
  GaussianBic(std::span<const double> correlation, std::span<const double> log_variances, double n,
              double alpha, double extra = 0.0, std::size_t rank = SingularSets::full_rank);

  [[nodiscard]] Node size() const override { return static_cast<Node>(log_variances_.size()); }
  [[nodiscard]] const double* row(Node x) const {
    return correlation_.data() + static_cast<std::size_t>(x) * log_variances_.size();
  }
  [[nodiscard]] double log_variance(Node y) const {
    return log_variances_[static_cast<std::size_t>(y)];
  }
  [[nodiscard]] double n() const { return n_; }
  [[nodiscard]] double penalty() const { return penalty_; }  ///< of a parent
  [[nodiscard]] double extra() const { return extra_; }  ///< of a parent, beyond that of a variance
  [[nodiscard]] double min_gain() const override { return min_gain_of(n_); }
  [[nodiscard]] bool scans_rows() const override { return false; }
  [[nodiscard]] std::unique_ptr<GainEvaluator> evaluator(bool with_losses) const override;
  /// s(y, P) for |P| = k, where `part` is the fraction of the variance of y that P leaves.
  [[nodiscard]] double local_score(Node y, std::size_t k, double part) const;
  /// The r² at which an insert neither gains nor loses.
  [[nodiscard]] double break_even() const { return break_even_; }
  /// The sets that would fit exactly because not all columns are independent, for one thread.
  [[nodiscard]] SingularSets singular_sets() const {
    return {correlation_.data(), log_variances_.size(), rank_};
  }

 private:
  std::span<const double> correlation_;
  std::vector<double> log_variances_;
  double n_;
  double extra_;
  double penalty_;
  double break_even_;
  std::size_t rank_;
};

/// Gains of making one y adjacent to any x given one set E, by a Cholesky factor of E's
/// correlations.
///
/// Everything is computed in ascending order of E and symmetrically in x and y, so that equal
/// operators have gains equal to the last bit and ties are broken by rule, not by rounding.
class PartialGain {
 public:
  explicit PartialGain(const GaussianBic& score)
      : score_(&score), singular_sets_(score.singular_sets()) {}

  /// E in ascending order.
  void condition(Node y, std::span<const Node> E);
  /// s(y, E ∪ x) - s(y, E); `GainEvaluator::refused` where the set would fit exactly.
  [[nodiscard]] double of_insert(Node x);
  /// -n/2 (1 + log var(y|E)) - alpha/2 log n (|E| + 1) - extra |E|, or `GainEvaluator::refused`.
  [[nodiscard]] double local_score();
  /// Whether E and y cannot be scored.
  [[nodiscard]] bool is_singular();

  /// The squared partial correlation of x and y given E; 1 where a set would fit exactly.
  [[nodiscard]] double partial_r2(Node x);
  /// The residual variance, as a fraction, of the last x given E; not where a set would fit
  /// exactly.
  [[nodiscard]] double variance_x() const { return variance_x_; }
  /// Whether no member of E is a linear combination of others.
  [[nodiscard]] bool has_sound_factor() const { return is_sound_; }
  [[nodiscard]] Node y() const { return y_; }
  [[nodiscard]] std::span<const Node> E() const { return E_; }
  [[nodiscard]] double variance_y() const { return variance_y_; }
  [[nodiscard]] const double* factor() const { return factor_.data(); }
  /// Of the factor, without its diagonal.
  [[nodiscard]] const double* row(std::size_t i) const { return factor_.data() + row_begin(i); }
  [[nodiscard]] const double* inverse() const { return inverse_.data(); }
  [[nodiscard]] const double* along_y() const { return along_y_.data(); }

 private:
  /// Of u given the first `size` members of E, with its coordinates, of which the first `known` are
  /// already there.
  double residual_variance(Node u, std::size_t size, double* coordinates, std::size_t known) const;
  [[nodiscard]] static std::size_t row_begin(std::size_t i) { return i * (i - 1) / 2; }

  const GaussianBic* score_;
  SingularSets singular_sets_;
  Node y_ = 0;
  bool is_sound_ = true;
  std::size_t sound_ = 0;  ///< how many members, from the first, are no combination of earlier ones
  double variance_y_ = 1.0;
  double variance_x_ = 1.0;
  std::vector<Node> E_;
  /// The correlations of each member of E. The sweep has just read these rows, whereas that of x
  /// would have to be fetched.
  std::vector<const double*> rows_;
  std::vector<double> factor_;   ///< rows of L, packed, as `row_begin` says
  std::vector<double> inverse_;  ///< 1 / L[i][i]
  std::vector<double> along_y_;  ///< L⁻¹ R[E, y]
  std::vector<double> along_x_;
};

/// Filters the parents of y that may be worth removing, all of them from one factor of their
/// correlations. As the Sweep does for inserts, it leaves the decision to PartialGain.
class RemovalFilter {
 public:
  explicit RemovalFilter(const GaussianBic& score);

  /// Determines for each node of E, ascending, whether removing it from the parents of y may gain,
  /// where `partial` is conditioned on y and E.
  void filter(const PartialGain& partial, std::vector<bool>& may_gain);

 private:
  double most_;                 ///< growth of the residual variance at which a removal breaks even
  std::vector<double> column_;  ///< of L⁻¹
};

}  // namespace greedag
