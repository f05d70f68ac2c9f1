#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "core/scores/discrete/level_table.hpp"

namespace greedag {

/// The number of cells of a set of columns, including the empty ones.
struct CellNumber {
  double q = 1.0;      ///< infinite if beyond the range of a double
  double log_q = 0.0;  ///< always finite
};

[[nodiscard]] CellNumber cells_of(const LevelTable& table, std::span<const Node> set);

/// The score of a set of columns: a sum over the cells that occur, plus an offset.
class CellTerms {
 public:
  CellTerms() = default;
  virtual ~CellTerms() = default;
  CellTerms(const CellTerms&) = delete;
  CellTerms& operator=(const CellTerms&) = delete;

  /// The contribution of a cell that occurs `count` times.
  [[nodiscard]] virtual double term(double count, const CellNumber& cells) const = 0;
  /// Whether terms depend on the number of cells.
  [[nodiscard]] virtual bool has_terms_by_cells() const = 0;
  /// The contribution of the set itself, of whose cells `occurring` are not empty, on n rows;
  /// `GainEvaluator::refused` if it is too large to be measured.
  [[nodiscard]] virtual double offset(const CellNumber& cells, double occurring,
                                      double n) const = 0;
  /// How many rows the prior adds to the arguments of the terms.
  [[nodiscard]] virtual double prior_rows() const { return 0.0; }
};

/// The discrete BIC: the log-likelihood minus alpha/2 log n for each free probability. As a set
/// function, S(W) = sum over the cells of W of c log(c / n), minus alpha/2 log n (q - 1), where c
/// is the count of the cell and q the number of cells.
class BicTerms final : public CellTerms {
 public:
  explicit BicTerms(double alpha) : alpha_(alpha) {}

  [[nodiscard]] double term(double count, const CellNumber& cells) const override;
  [[nodiscard]] bool has_terms_by_cells() const override { return false; }
  [[nodiscard]] double offset(const CellNumber& cells, double occurring, double n) const override;
  /// The penalty of a free probability.
  [[nodiscard]] double penalty(double n) const;

 private:
  double alpha_;
};

/// BDeu: the marginal likelihood under Dirichlet priors worth `ess` rows spread evenly over the
/// cells. As a set function, S(W) = sum over the cells of log Γ(c + a) - log Γ(a) with a = ess / q.
/// Because log Γ(a) = log Γ(1 + a) - log a, everything stays finite however small a is.
class BDeuTerms final : public CellTerms {
 public:
  explicit BDeuTerms(double equivalent_sample_size) : ess_(equivalent_sample_size) {}

  [[nodiscard]] double term(double count, const CellNumber& cells) const override;
  [[nodiscard]] bool has_terms_by_cells() const override { return true; }
  [[nodiscard]] double offset(const CellNumber& cells, double occurring, double n) const override;
  [[nodiscard]] double prior_rows() const override { return ess_; }

 private:
  double ess_;
};

/// Terms, each rounded to a multiple of a fixed power of two. Their sums are exact and therefore
/// independent of the order of the rows, levels and columns.
class RoundedTerms {
 public:
  RoundedTerms(std::unique_ptr<const CellTerms> terms, const LevelTable& table);

  [[nodiscard]] const CellTerms& exact() const { return *terms_; }
  /// In units of `1 / units_per_one()`.
  [[nodiscard]] std::int64_t term(double count, const CellNumber& cells) const;
  [[nodiscard]] double units_per_one() const { return units_per_one_; }
  /// Gains up to this are rounding.
  [[nodiscard]] double min_gain() const;

 private:
  std::unique_ptr<const CellTerms> terms_;
  double largest_sum_;
  double units_per_one_;
};

/// The rounded terms of sets with a given number of cells. Those of small counts are computed once.
class TermTable {
 public:
  TermTable(const RoundedTerms& terms, const CellNumber& cells) : terms_(&terms), cells_(cells) {}

  [[nodiscard]] std::int64_t of(double count) {
    if (count < most_counts && count == std::floor(count))
      return of(static_cast<std::uint32_t>(count));
    return terms_->term(count, cells_);
  }
  /// 0 for a cell that does not occur.
  [[nodiscard]] std::int64_t of(std::uint32_t count) {
    if (count < known_.size() && known_[count] != unknown) return known_[count];
    return computed(count);
  }

  static constexpr std::uint32_t most_counts = 8192;
  static constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::min();

  /// The terms of all counts up to `largest`, which is below `most_counts`; `unknown` until `of`
  /// has computed them. Valid until a larger count is asked for.
  [[nodiscard]] const std::int64_t* up_to(std::uint32_t largest);
  /// The same, all of them computed.
  [[nodiscard]] const std::int64_t* computed_up_to(std::uint32_t largest);

 private:
  [[nodiscard]] std::int64_t computed(std::uint32_t count);

  const RoundedTerms* terms_;
  CellNumber cells_;
  std::vector<std::int64_t> known_ = {0};  ///< by count; as many as were asked for
  std::uint32_t first_gap_ = 1;            ///< all counts below are computed
};

/// Tables of terms by the number of cells, for one thread.
class TermTables {
 public:
  explicit TermTables(const RoundedTerms& terms) : terms_(&terms) {}

  [[nodiscard]] const RoundedTerms& terms() const { return *terms_; }
  /// Must be called before `of`, so that all tables that a set of columns needs are valid together.
  void make_room() {
    if (tables_.size() >= most_tables) tables_.clear();
  }
  /// Valid until the next `make_room`.
  [[nodiscard]] TermTable& of(const CellNumber& cells) {
    const double key = terms_->exact().has_terms_by_cells() ? cells.log_q : 0.0;
    return tables_.try_emplace(key, *terms_, cells).first->second;
  }

 private:
  static constexpr std::size_t most_tables = 2048;

  const RoundedTerms* terms_;
  std::map<double, TermTable> tables_;
};

/// log Γ(x) for x > 0: thread-safe, and the same on every machine.
[[nodiscard]] double log_gamma(double x);

}  // namespace greedag
