#include "core/scores/discrete/cell_terms.hpp"

#include <algorithm>
#include <bit>
#include <numbers>

#include "core/scores/score.hpp"

namespace greedag {

namespace {

// Leaves one bit for rounding and one for the sign.
constexpr int unit_bits = 61;

/// An upper bound on sums of c log c or of log Γ(c + a) over cells that hold all rows. Both
/// functions are convex, so the sums are largest if one cell holds everything; below 1, log Γ(c) is
/// at most -log c.
double largest_sum(const LevelTable& table, double prior_rows) {
  const double n = table.n() + prior_rows + 2.0;
  const double least = *std::min_element(table.counts().begin(), table.counts().end());
  return n * std::log(n) - static_cast<double>(table.rows()) * std::log(std::min(least, 1.0));
}

}  // namespace

CellNumber cells_of(const LevelTable& table, std::span<const Node> set) {
  CellNumber cells;
  for (Node v : set) cells.q *= table.levels(v);
  // The product of whole numbers is exact, or far too large to matter.
  if (std::isfinite(cells.q)) {
    cells.log_q = std::log(cells.q);
  } else {
    for (Node v : set) cells.log_q += std::log(table.levels(v));
  }
  return cells;
}

double BicTerms::penalty(double n) const { return 0.5 * alpha_ * std::log(n); }

double BicTerms::term(double count, const CellNumber& /*cells*/) const {
  return count * std::log(count);
}

double BicTerms::offset(const CellNumber& cells, double /*occurring*/, double n) const {
  const double penalties = penalty(n) * (cells.q - 1.0);
  return std::isfinite(penalties) ? -(n * std::log(n)) - penalties : GainEvaluator::refused;
}

double BDeuTerms::term(double count, const CellNumber& cells) const {
  const double a = ess_ / cells.q;
  return log_gamma(count + a) - log_gamma(1.0 + a);
}

double BDeuTerms::offset(const CellNumber& cells, double occurring, double /*n*/) const {
  return occurring * (std::log(ess_) - cells.log_q);
}

RoundedTerms::RoundedTerms(std::unique_ptr<const CellTerms> terms, const LevelTable& table)
    : terms_(std::move(terms)),
      largest_sum_(largest_sum(table, terms_->prior_rows())),
      units_per_one_(std::ldexp(1.0, unit_bits - std::ilogb(largest_sum_) - 1)) {}

std::int64_t RoundedTerms::term(double count, const CellNumber& cells) const {
  return std::llround(terms_->term(count, cells) * units_per_one_);
}

double RoundedTerms::min_gain() const { return std::max(1e-7, 1e-14 * largest_sum_); }

std::int64_t TermTable::computed(std::uint32_t count) {
  const std::int64_t term = terms_->term(count, cells_);
  if (count >= most_counts) return term;
  static_cast<void>(up_to(count));
  return known_[count] = term;
}

const std::int64_t* TermTable::up_to(std::uint32_t largest) {
  if (largest >= known_.size()) known_.resize(std::bit_ceil(largest + 1), unknown);
  return known_.data();
}

const std::int64_t* TermTable::computed_up_to(std::uint32_t largest) {
  static_cast<void>(up_to(largest));
  for (; first_gap_ <= largest; ++first_gap_)
    if (known_[first_gap_] == unknown) known_[first_gap_] = terms_->term(first_gap_, cells_);
  return known_.data();
}

double log_gamma(double x) {
  // Stirling's series needs a large x: Γ(x) = Γ(x + k) / (x (x + 1) … (x + k - 1)).
  double product = 1.0;
  while (x < 12.0) product *= x++;
  const double y = 1.0 / (x * x);
  constexpr double terms[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                              1.0 / 1188, -691.0 / 360360, 1.0 / 156};
  double series = 0.0;
  for (int i = 6; i >= 0; --i) series = series * y + terms[i];
  return (x - 0.5) * std::log(x) - x + 0.5 * std::log(2.0 * std::numbers::pi) + series / x -
         std::log(product);
}

}  // namespace greedag
