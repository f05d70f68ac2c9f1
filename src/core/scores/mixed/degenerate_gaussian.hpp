#pragma once

#include "core/scores/gaussian/singular_sets.hpp"
#include "core/scores/set_score.hpp"

namespace greedag {

/// The degenerate Gaussian score (Andrews, Ramsey & Cooper 2019): a Gaussian BIC in which a
/// continuous node has one column, and a discrete node one for each of its levels except one.
///
/// S(W) = -n/2 (k + log det Σ) - alpha/2 log n · k (k + 1) / 2 with the covariances Σ of the k
/// columns of W. With one column per node it is the Gaussian BIC.
class DegenerateGaussian final : public SetScore {
 public:
  /// `correlation` is that of all columns, row-major, and must outlive this object. The columns of
  /// node i run from `starts[i]` up to `starts[i + 1]`. If not all columns are independent, `rank`
  /// is the largest number that may be.
  DegenerateGaussian(std::span<const double> correlation, std::span<const double> log_variances,
                     std::span<const Node> starts, double n, double alpha,
                     std::size_t rank = SingularSets::full_rank);

  [[nodiscard]] Node size() const override { return static_cast<Node>(starts_.size()) - 1; }
  [[nodiscard]] double min_gain() const override { return min_gain_of(n_); }
  [[nodiscard]] bool scans_rows() const override { return false; }
  [[nodiscard]] std::unique_ptr<SetFunction> function() const override;

  /// The columns of a node run from `first` up to, but not including, `last`.
  [[nodiscard]] Node first(Node node) const { return starts_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] Node last(Node node) const { return starts_[static_cast<std::size_t>(node) + 1]; }
  [[nodiscard]] const double* row(Node column) const {
    return correlation_.data() + static_cast<std::size_t>(column) * log_variances_.size();
  }
  [[nodiscard]] double log_variance(Node column) const {
    return log_variances_[static_cast<std::size_t>(column)];
  }
  [[nodiscard]] double n() const { return n_; }
  [[nodiscard]] double penalty() const { return penalty_; }  ///< of a parameter
  /// The sets of columns that would fit exactly because not all are independent, for one thread.
  [[nodiscard]] SingularSets singular_sets() const {
    return {correlation_.data(), log_variances_.size(), rank_};
  }

 private:
  std::span<const double> correlation_;
  std::vector<double> log_variances_;
  std::vector<Node> starts_;
  double n_;
  double penalty_;
  std::size_t rank_;
};

}  // namespace greedag
