#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/scores/score.hpp"

namespace greedag {

/// A BIC of additive models: each column is a sum of curves of its parents, plus Gaussian noise.
///
/// A node has a block of columns: a continuous one itself, followed by curves of itself from smooth
/// to wiggly, and by steps (0 below a value, 1 above it); a discrete one an indicator for each
/// level but one. Everything is computed from the covariances of all columns. With k columns of the
/// parents P in the model, j of which are steps,
///     s(y, P) = -n/2 (1 + log var(y | columns)) - alpha/2 log n (k + j + 1):
/// a step has a height and a place. A discrete parent enters whole. A continuous one enters with
/// the first q columns of its block, where q, its degree, is at first 1 for all of them, and with
/// no steps. Then the raise that adds most to the score is made, as long as one adds anything: of
/// one degree, or by steps of one parent, see `StepLanes::best_path`. So where nothing bends it is
/// the Gaussian BIC.
///
/// A node without curves of its own, as a discrete one, is a child by all c columns of its block,
///     s(y, P) = -n/2 (c + log det cov(y | columns)) - alpha/2 log n (c k + c (c + 1) / 2),
/// and all of its parents stay at degree 1, as in the degenerate Gaussian score: an indicator bends
/// along a column that depends linearly on it, so a curve there would tell a wrong direction.
class AdditiveBic final : public Score {
 public:
  /// A residual variance, as a fraction of the column's variance, that counts as zero.
  static constexpr double zero_variance = 1e-10;
  /// The same for a curve: one that is so nearly a combination of what is in the model ends the
  /// curves that its parent may enter with.
  static constexpr double zero_curve = 1e-6;

  /// `gram` holds the covariances of all columns, row-major, and must outlive this object. The
  /// columns of node i run from `starts[i]` up to `starts[i + 1]`, the last `steps[i]` of which are
  /// steps; as a child it has the first `responses[i]` of them: one, or all. `log_variances[i]` is
  /// added to the logarithm of the determinant of these, for the units of the data.
  AdditiveBic(std::span<const double> gram, std::span<const Node> starts,
              std::span<const Node> steps, std::span<const Node> responses,
              std::span<const double> log_variances, double n, double alpha);

  [[nodiscard]] Node size() const override { return static_cast<Node>(responses_.size()); }
  [[nodiscard]] double min_gain() const override { return min_gain_of(n_); }
  [[nodiscard]] bool is_equivalent() const override { return false; }
  [[nodiscard]] bool scans_rows() const override { return false; }
  [[nodiscard]] std::unique_ptr<GainEvaluator> evaluator(bool with_losses) const override;

  [[nodiscard]] std::size_t first(Node node) const { return starts_[at(node)]; }
  /// Without steps.
  [[nodiscard]] std::size_t columns(Node node) const {
    return starts_[at(node) + 1] - starts_[at(node)] - steps(node);
  }
  [[nodiscard]] std::size_t steps(Node node) const { return steps_[at(node)]; }
  [[nodiscard]] std::size_t first_step(Node node) const { return first(node) + columns(node); }
  [[nodiscard]] std::size_t responses(Node node) const { return responses_[at(node)]; }
  [[nodiscard]] bool has_curves(Node node) const { return responses(node) < columns(node); }
  /// The columns that a parent enters with at degree 1.
  [[nodiscard]] std::size_t least_columns(Node node) const {
    return has_curves(node) ? 1 : columns(node);
  }
  /// Of any node that has curves; 0 if none has.
  [[nodiscard]] std::size_t most_columns() const { return most_columns_; }
  [[nodiscard]] std::size_t most_steps() const { return most_steps_; }
  /// The covariances of a node's columns a ≥ b, at a (a + 1) / 2 + b; zero for columns that it has
  /// less than `most_columns`. Null if it has more.
  [[nodiscard]] const double* block(Node node) const {
    return columns(node) > most_columns_ ? nullptr : blocks_.data() + at(node) * block_size();
  }
  [[nodiscard]] std::size_t block_size() const { return most_columns_ * (most_columns_ + 1) / 2; }
  [[nodiscard]] const double* row(std::size_t column) const {
    return gram_.data() + column * starts_.back();
  }
  [[nodiscard]] double variance(std::size_t column) const { return row(column)[column]; }

  [[nodiscard]] double n() const { return n_; }
  [[nodiscard]] double penalty() const { return penalty_; }  ///< of a column
  /// By how much a column must divide the residual variance to break even.
  [[nodiscard]] double break_even() const { return break_even_; }
  [[nodiscard]] double break_even_of_step() const { return break_even_ * break_even_; }
  /// s(y, P) from the number of columns of P, where steps count twice, and the log-determinant of
  /// what they leave of y.
  [[nodiscard]] double local_score(Node y, std::size_t k, double log_det) const;
  /// The columns of its block that each parent, ascending, enters with; none where P is refused.
  [[nodiscard]] std::vector<std::vector<std::size_t>> chosen(Node y, std::span<const Node> P) const;

 private:
  static std::size_t at(Node node) { return static_cast<std::size_t>(node); }
  void fill_blocks();

  std::span<const double> gram_;
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> steps_;
  std::vector<std::size_t> responses_;
  std::vector<double> log_variances_;
  double n_;
  double penalty_;
  double break_even_;
  std::size_t most_columns_ = 0;
  std::size_t most_steps_ = 0;
  std::vector<double> blocks_;
};

}  // namespace greedag
