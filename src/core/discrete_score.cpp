#include "core/discrete_score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "core/cell_counter.hpp"

namespace greedag {

namespace {

// Leaves a bit for rounding and one for the sign.
constexpr int unit_bits = 61;

/// No sum of c log c or of log Γ(c + a) over cells that hold all rows exceeds this. Both are
/// convex, so that they are largest for all in one cell; below 1, log Γ(c) is at most -log c.
double largest_sum(const LevelTable& table, double prior_rows) {
  const double n = table.n() + prior_rows + 2.0;
  const double least = *std::min_element(table.counts().begin(), table.counts().end());
  return n * std::log(n) - static_cast<double>(table.rows()) * std::log(std::min(least, 1.0));
}

/// Terms of the counts that occur most, computed once for each number of cells.
class TermTables {
 public:
  explicit TermTables(const DiscreteScore& score) : score_(&score) {}

  void choose(const CellNumber& cells) {
    cells_ = cells;
    const double key = score_->has_terms_by_cells() ? cells.log_q : 0.0;
    if (tables_.size() >= most_tables && !tables_.contains(key)) tables_.clear();
    table_ = &tables_[key];
    if (table_->empty()) table_->assign(most_counts, unknown);
  }
  [[nodiscard]] std::int64_t of(double count) {
    if (count >= most_counts || count != std::floor(count))
      return score_->rounded_term(count, cells_);
    std::int64_t& term = (*table_)[static_cast<std::size_t>(count)];
    if (term == unknown) term = score_->rounded_term(count, cells_);
    return term;
  }

 private:
  static constexpr std::size_t most_counts = 2048;
  static constexpr std::size_t most_tables = 512;
  static constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::min();

  const DiscreteScore* score_;
  CellNumber cells_;
  std::map<double, std::vector<std::int64_t>> tables_;
  std::vector<std::int64_t>* table_ = nullptr;
};

class DiscreteFunction final : public SetFunction {
 public:
  explicit DiscreteFunction(const DiscreteScore& score)
      : score_(&score), counter_(score.table()), terms_(score) {}

  [[nodiscard]] double of(std::span<const Node> set) override {
    const CellNumber cells = score_->cells_of(set);
    const std::span<const double> counts = counter_.counts(set);
    terms_.choose(cells);
    std::int64_t sum = 0;
    for (double count : counts) sum += terms_.of(count);
    return static_cast<double>(sum) / score_->units_per_one() +
           score_->offset(cells, static_cast<double>(counts.size()));
  }
  void expect_supersets_of(std::span<const Node> E, Node y) override { counter_.keep(E, y); }
  void drop_losing(Node y, std::span<const Node> E, double local_score,
                   std::vector<Node>& inserts) override {
    score_->drop_losing(y, E, local_score, inserts);
  }

 private:
  const DiscreteScore* score_;
  CellCounter counter_;
  TermTables terms_;
};

}  // namespace

DiscreteScore::DiscreteScore(LevelTable table, double prior_rows)
    : table_(std::move(table)),
      largest_sum_(largest_sum(table_, prior_rows)),
      units_per_one_(std::ldexp(1.0, unit_bits - std::ilogb(largest_sum_) - 1)) {}

double DiscreteScore::min_gain() const { return std::max(1e-7, 1e-14 * largest_sum_); }

std::unique_ptr<SetFunction> DiscreteScore::function() const {
  return std::make_unique<DiscreteFunction>(*this);
}

CellNumber DiscreteScore::cells_of(std::span<const Node> set) const {
  CellNumber cells;
  for (Node v : set) cells.q *= table_.levels(v);
  // The product of whole numbers is exact or far too large to matter.
  if (std::isfinite(cells.q)) {
    cells.log_q = std::log(cells.q);
  } else {
    for (Node v : set) cells.log_q += std::log(table_.levels(v));
  }
  return cells;
}

std::int64_t DiscreteScore::rounded_term(double count, const CellNumber& cells) const {
  return std::llround(term(count, cells) * units_per_one_);
}

DiscreteBic::DiscreteBic(LevelTable levels, double alpha)
    : DiscreteScore(std::move(levels), 0.0),
      n_log_n_(table().n() * std::log(table().n())),
      penalty_(0.5 * alpha * std::log(table().n())) {
  CellCounter counter(table());
  for (Node v = 0; v < size(); ++v) {
    double entropy = n_log_n_;
    for (double count : counter.counts(std::array{v})) entropy -= count * std::log(count);
    entropies_.push_back(entropy);
  }
}

double DiscreteBic::term(double count, const CellNumber& /*cells*/) const {
  return count * std::log(count);
}

double DiscreteBic::offset(const CellNumber& cells, double /*occurring*/) const {
  const double penalty = penalty_ * (cells.q - 1.0);
  return std::isfinite(penalty) ? -n_log_n_ - penalty : Gains::refused;
}

/// Joining x and y given E gains n I(x; y | E) less the penalty of (r_x - 1)(r_y - 1) q_E, and the
/// mutual information is at most the entropy of y given E and that of x.
void DiscreteBic::drop_losing(Node y, std::span<const Node> E, double local_score,
                              std::vector<Node>& inserts) const {
  const double added = penalty_ * cells_of(E).q * (table().levels(y) - 1.0);
  const double of_y = -(local_score + added);
  std::erase_if(inserts, [&](Node x) {
    const double most = std::min(of_y, entropies_[static_cast<std::size_t>(x)]);
    // Far above the rounding of an entropy.
    return most * (1.0 + 1e-9) + min_gain() < added * (table().levels(x) - 1.0);
  });
}

BDeu::BDeu(LevelTable levels, double equivalent_sample_size)
    : DiscreteScore(std::move(levels), equivalent_sample_size), ess_(equivalent_sample_size) {}

double BDeu::term(double count, const CellNumber& cells) const {
  const double a = ess_ / cells.q;
  return log_gamma(count + a) - log_gamma(1.0 + a);
}

double BDeu::offset(const CellNumber& cells, double occurring) const {
  return occurring * (std::log(ess_) - cells.log_q);
}

double log_gamma(double x) {
  // Stirling's series needs an x of some size: Γ(x) = Γ(x + k) / (x (x + 1) … (x + k - 1)).
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
