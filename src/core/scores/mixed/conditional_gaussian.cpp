#include "core/scores/mixed/conditional_gaussian.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/scores/discrete/row_partition.hpp"
#include "core/scores/gaussian/gaussian_bic.hpp"
#include "core/scores/gaussian/log_det.hpp"

namespace greedag {
namespace {

class CellLikelihoods final : public SetFunction {
 public:
  explicit CellLikelihoods(const ConditionalGaussian& score)
      : score_(&score), bases_{Base(score), Base(score)}, cells_(score.rows()), all_(score.rows()) {
    for (std::size_t row = 0; row < all_.size(); ++row) all_[row] = static_cast<std::uint32_t>(row);
  }

  void watch(Observer* observer) override {
    observer_ = observer;
    for (Base& base : bases_) base.cells.watch(observer);
    cells_.watch(observer);
  }

  [[nodiscard]] double of(std::span<const Node> set) override {
    find_bases();
    separate(set, discrete_, real_);
    find_cells();
    double q = 1.0;
    for (Node node : discrete_) q *= score_->levels(node);
    if (q > most_cells) return GainEvaluator::refused;
    const auto c = static_cast<double>(real_.size());
    const double likelihood = multinomial() + gaussian();
    if (likelihood == GainEvaluator::refused) return GainEvaluator::refused;
    return likelihood - score_->penalty() * (q * c * (c + 1.0) / 2.0 + q - 1.0);
  }

  void expect_supersets_of(std::span<const Node> E, Node y) override {
    expected_E_.assign(E.begin(), E.end());
    expected_y_ = y;
    knows_bases_ = false;
  }

 private:
  /// Rows partitioned by some discrete nodes, to be split further.
  struct Base {
    explicit Base(const ConditionalGaussian& score) : cells(score.rows()) {}
    std::vector<Node> discrete;
    RowPartition cells;
  };
  /// Beyond this many, parameters are not counted exactly.
  static constexpr double most_cells = 1e15;

  /// Partitions the rows by E and by E ∪ y, whose supersets are expected.
  void find_bases() {
    if (knows_bases_) return;
    auto& [base_E, base_Ey] = bases_;
    separate(expected_E_, base_E.discrete, real_);
    base_E.cells.reset();
    for (Node node : base_E.discrete) split(base_E.cells, node);
    base_Ey.discrete = base_E.discrete;
    base_Ey.cells.take_cells_of(base_E.cells);
    if (const Node y = expected_y_; score_->levels(y) > 0) {
      auto& discrete = base_Ey.discrete;
      discrete.insert(std::upper_bound(discrete.begin(), discrete.end(), y), y);
      split(base_Ey.cells, y);
    }
    knows_bases_ = true;
  }
  void separate(std::span<const Node> set, std::vector<Node>& discrete, std::vector<Node>& real) {
    discrete.clear();
    real.clear();
    for (Node node : set) (score_->levels(node) > 0 ? discrete : real).push_back(node);
  }
  void split(RowPartition& cells, Node node) const {
    cells.split(score_->codes(node), static_cast<std::size_t>(score_->levels(node)));
  }
  /// Partitions the rows by discrete_, starting from the largest base that is a subset of it.
  void find_cells() {
    const Base& base = is_part(bases_[1].discrete) ? bases_[1] : bases_[0];
    const bool from_base = is_part(base.discrete);
    if (from_base)
      cells_.take_cells_of(base.cells);
    else
      cells_.reset();
    for (Node node : discrete_)
      if (!from_base || !std::binary_search(base.discrete.begin(), base.discrete.end(), node))
        split(cells_, node);
    order_ = cells_.grouped();
  }
  [[nodiscard]] bool is_part(std::span<const Node> nodes) const {
    return std::includes(discrete_.begin(), discrete_.end(), nodes.begin(), nodes.end());
  }

  [[nodiscard]] double multinomial() const {
    double total = 0.0;
    for (std::size_t cell = 0; cell < cells_.count(); ++cell) {
      const double a = weight_of(rows_of(cell));
      total += a * std::log(a / score_->n());
    }
    return total;
  }
  [[nodiscard]] std::span<const std::uint32_t> rows_of(std::size_t cell) const {
    const std::size_t end = cell + 1 < cells_.count() ? cells_.start(cell + 1) : score_->rows();
    return order_.subspan(cells_.start(cell), end - cells_.start(cell));
  }
  [[nodiscard]] double weight_of(std::span<const std::uint32_t> rows) const {
    if (score_->weights() == nullptr) return static_cast<double>(rows.size());
    double total = 0.0;
    for (std::uint32_t row : rows) total += score_->weights()[row];
    return total;
  }

  [[nodiscard]] double gaussian() {
    const std::size_t c = real_.size();
    if (c == 0) return 0.0;
    const double pooled = log_det_of(all_);
    if (pooled == GainEvaluator::refused) return GainEvaluator::refused;
    double constant = static_cast<double>(c);
    for (Node node : real_) constant += score_->log_variance(node);
    double total = 0.0;
    for (std::size_t cell = 0; cell < cells_.count(); ++cell) {
      if (cell % 4096 == 4095) throw_if_stopped(observer_);
      const std::span<const std::uint32_t> rows = rows_of(cell);
      const double a = weight_of(rows);
      double log_determinant = pooled;
      if (cells_.count() > 1 && a >= static_cast<double>(c + ConditionalGaussian::least_rows)) {
        const double own = log_det_of(rows);
        if (own != GainEvaluator::refused) log_determinant = own;
      }
      total -= 0.5 * a * (constant + log_determinant);
    }
    return total;
  }

  /// The log determinant of the covariances of real_ on some rows, relative to their variances on
  /// all rows.
  [[nodiscard]] double log_det_of(std::span<const std::uint32_t> rows) {
    const std::size_t c = real_.size();
    const std::size_t size = rows.size();
    const double a = weight_of(rows);
    gathered_.resize(c * size);
    matrix_.resize(c * c);
    find_roots(rows);
    for (std::size_t i = 0; i < c; ++i) {
      if ((i + 1) * size >= rows_of_part) throw_if_stopped(observer_);
      double* to = gathered_.data() + i * size;
      gather(score_->values(real_[i]), rows, a, to);
      for (std::size_t j = 0; j <= i; ++j)
        matrix_[i * c + j] = product(to, gathered_.data() + j * size, size) / a;
    }
    return log_det(matrix_, c, GaussianBic::zero_variance);
  }
  /// The square roots of the rows' weights, which scale the products of columns.
  void find_roots(std::span<const std::uint32_t> rows) {
    roots_.clear();
    if (score_->weights() == nullptr) return;
    for (std::uint32_t row : rows) roots_.push_back(std::sqrt(score_->weights()[row]));
  }
  /// Writes the deviations of some rows from their mean, times the roots of their weights.
  void gather(const double* values, std::span<const std::uint32_t> rows, double a,
              double* to) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      to[i] = values[rows[i]];
      sum += roots_.empty() ? to[i] : score_->weights()[rows[i]] * to[i];
    }
    const double mean = sum / a;
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] -= mean;
    if (roots_.empty()) return;
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] *= roots_[i];
  }
  /// Four partial sums, so that additions need not wait for each other.
  [[nodiscard]] static double product(const double* x, const double* y, std::size_t size) {
    double sums[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= size; i += 4)
      for (std::size_t k = 0; k < 4; ++k) sums[k] += x[i + k] * y[i + k];
    for (; i < size; ++i) sums[0] += x[i] * y[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  const ConditionalGaussian* score_;
  Observer* observer_ = nullptr;
  std::vector<Node> expected_E_;
  Node expected_y_ = 0;
  bool knows_bases_ = true;    ///< at first those of no nodes
  std::array<Base, 2> bases_;  ///< of E and of E ∪ y
  std::vector<Node> discrete_;
  std::vector<Node> real_;
  RowPartition cells_;
  std::vector<std::uint32_t> all_;
  std::span<const std::uint32_t> order_;
  std::vector<double> roots_;
  std::vector<double> gathered_;
  std::vector<double> matrix_;
};

}  // namespace

ConditionalGaussian::ConditionalGaussian(MixedColumns columns, double alpha)
    : columns_(std::move(columns)),
      n_(columns_.weights == nullptr
             ? static_cast<double>(columns_.rows)
             : std::accumulate(columns_.weights, columns_.weights + columns_.rows, 0.0)),
      penalty_(0.5 * alpha * std::log(n_)) {}

std::unique_ptr<SetFunction> ConditionalGaussian::function() const {
  return std::make_unique<CellLikelihoods>(*this);
}

}  // namespace greedag
