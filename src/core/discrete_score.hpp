#pragma once

#include "core/level_table.hpp"
#include "core/set_score.hpp"

namespace greedag {

/// How many cells a set of columns has, the empty ones included.
struct CellNumber {
  double q = 1.0;      ///< infinite if beyond the range of a double
  double log_q = 0.0;  ///< finite
};

/// A score of discrete data: a sum over the cells that occur, and an offset.
///
/// Each term is rounded to a multiple of a fixed power of two. Such sums are exact, so that they do
/// not depend on the order of the rows, of the levels or of the columns.
class DiscreteScore : public SetScore {
 public:
  [[nodiscard]] Node size() const final { return table_.size(); }
  [[nodiscard]] double min_gain() const final;
  [[nodiscard]] std::unique_ptr<SetFunction> function() const final;

  [[nodiscard]] const LevelTable& table() const { return table_; }
  [[nodiscard]] CellNumber cells_of(std::span<const Node> set) const;
  /// In units of `1 / units_per_one()`.
  [[nodiscard]] std::int64_t rounded_term(double count, const CellNumber& cells) const;
  [[nodiscard]] double units_per_one() const { return units_per_one_; }

  /// What a cell adds that occurs `count` times.
  [[nodiscard]] virtual double term(double count, const CellNumber& cells) const = 0;
  /// Whether terms depend on the number of cells.
  [[nodiscard]] virtual bool has_terms_by_cells() const = 0;
  /// What a set adds beside its cells, of which so many occur; `Gains::refused` if it is too large
  /// to be measured.
  [[nodiscard]] virtual double offset(const CellNumber& cells, double occurring) const = 0;
  /// As in SetFunction.
  virtual void drop_losing(Node /*y*/, std::span<const Node> /*E*/, double /*local_score*/,
                           std::vector<Node>& /*inserts*/) const {}

 protected:
  /// Terms may be those of so many rows more than the table has.
  DiscreteScore(LevelTable table, double prior_rows);

 private:
  LevelTable table_;
  double largest_sum_;
  double units_per_one_;
};

/// The discrete BIC: the log-likelihood less alpha/2 log n for each free probability. As a set
/// function, S(W) = sum over the cells of W of c log(c / n), less alpha/2 log n (q - 1), where c is
/// how often the cell occurs and q the number of cells.
class DiscreteBic final : public DiscreteScore {
 public:
  DiscreteBic(LevelTable levels, double alpha);

  [[nodiscard]] double term(double count, const CellNumber& cells) const override;
  [[nodiscard]] bool has_terms_by_cells() const override { return false; }
  [[nodiscard]] double offset(const CellNumber& cells, double occurring) const override;
  void drop_losing(Node y, std::span<const Node> E, double local_score,
                   std::vector<Node>& inserts) const override;

 private:
  double n_log_n_;
  double penalty_;
  std::vector<double> entropies_;  ///< n times the entropy of each column
};

/// BDeu: the marginal likelihood under Dirichlet priors worth `ess` rows spread evenly over the
/// cells. As a set function, S(W) = sum over the cells of log Γ(c + a) - log Γ(a) with a = ess / q.
/// Since log Γ(a) = log Γ(1 + a) - log a, all is finite however small a is.
class BDeu final : public DiscreteScore {
 public:
  BDeu(LevelTable levels, double equivalent_sample_size);

  [[nodiscard]] double term(double count, const CellNumber& cells) const override;
  [[nodiscard]] bool has_terms_by_cells() const override { return true; }
  [[nodiscard]] double offset(const CellNumber& cells, double occurring) const override;

 private:
  double ess_;
};

/// log Γ(x) for x > 0, for all threads and the same everywhere.
[[nodiscard]] double log_gamma(double x);

}  // namespace greedag
