#include "core/scores/mixed/degenerate_gaussian.hpp"

#include "core/scores/gaussian/gaussian_bic.hpp"
#include "core/scores/gaussian/log_det.hpp"

namespace greedag {
namespace {

class BlockDeterminants final : public SetFunction {
 public:
  explicit BlockDeterminants(const DegenerateGaussian& score)
      : score_(&score), singular_sets_(score.singular_sets()) {}

  [[nodiscard]] double of(std::span<const Node> set) override {
    columns_.clear();
    double log_variances = 0.0;
    for (Node node : set)
      for (Node column = score_->first(node); column < score_->last(node); ++column) {
        columns_.push_back(column);
        log_variances += score_->log_variance(column);
      }
    if (singular_sets_.are_possible() && singular_sets_.contain(columns_))
      return GainEvaluator::refused;
    const std::size_t k = columns_.size();
    matrix_.resize(k * k);
    for (std::size_t i = 0; i < k; ++i) {
      if (i % 1024 == 1023) throw_if_stopped(observer_);
      const double* row = score_->row(columns_[i]);
      for (std::size_t j = 0; j <= i; ++j) matrix_[i * k + j] = row[columns_[j]];
    }
    const double log_determinant = log_det(matrix_, k, GaussianBic::zero_variance, observer_);
    if (log_determinant == GainEvaluator::refused) return GainEvaluator::refused;
    const auto size = static_cast<double>(k);
    return -0.5 * score_->n() * (size + log_variances + log_determinant) -
           score_->penalty() * size * (size + 1.0) / 2.0;
  }
  void watch(Observer* observer) override { observer_ = observer; }

 private:
  const DegenerateGaussian* score_;
  Observer* observer_ = nullptr;
  SingularSets singular_sets_;
  std::vector<Node> columns_;
  std::vector<double> matrix_;
};

}  // namespace

DegenerateGaussian::DegenerateGaussian(std::span<const double> correlation,
                                       std::span<const double> log_variances,
                                       std::span<const Node> starts, double n, double alpha,
                                       std::size_t rank)
    : correlation_(correlation),
      log_variances_(log_variances.begin(), log_variances.end()),
      starts_(starts.begin(), starts.end()),
      n_(n),
      penalty_(0.5 * alpha * std::log(n)),
      rank_(rank) {}

std::unique_ptr<SetFunction> DegenerateGaussian::function() const {
  return std::make_unique<BlockDeterminants>(*this);
}

}  // namespace greedag
