#include "core/scores/additive/additive_bic.hpp"

#include <algorithm>
#include <cmath>

#include "core/scores/additive/additive_gains.hpp"

namespace greedag {

AdditiveBic::AdditiveBic(std::span<const double> gram, std::span<const Node> starts,
                         std::span<const Node> steps, std::span<const Node> responses,
                         std::span<const double> log_variances, double n, double alpha)
    : gram_(gram),
      starts_(starts.begin(), starts.end()),
      steps_(steps.begin(), steps.end()),
      responses_(responses.begin(), responses.end()),
      log_variances_(log_variances.begin(), log_variances.end()),
      n_(n),
      penalty_(0.5 * alpha * std::log(n)),
      break_even_(std::exp(2.0 * penalty_ / n)) {
  for (Node node = 0; node < size(); ++node)
    if (has_curves(node)) most_columns_ = std::max(most_columns_, columns(node));
  for (std::size_t count : steps_) most_steps_ = std::max(most_steps_, count);
  fill_blocks();
}

void AdditiveBic::fill_blocks() {
  blocks_.resize(responses_.size() * block_size());
  double* to = blocks_.data();
  for (Node node = 0; node < size(); ++node, to += block_size())
    for (std::size_t a = 0; a < columns(node) && columns(node) <= most_columns_; ++a)
      std::copy_n(row(first(node) + a) + first(node), a + 1, to + a * (a + 1) / 2);
}

std::unique_ptr<GainEvaluator> AdditiveBic::evaluator(bool with_losses) const {
  return std::make_unique<AdditiveGains>(*this, with_losses);
}

double AdditiveBic::local_score(Node y, std::size_t k, double log_det) const {
  const auto c = static_cast<double>(responses(y));
  return -0.5 * n_ * (c + log_variances_[at(y)] + log_det) -
         penalty_ * c * (static_cast<double>(k) + 0.5 * (c + 1.0));
}

std::vector<std::vector<std::size_t>> AdditiveBic::chosen(Node y, std::span<const Node> P) const {
  AdditiveFit fit(*this);
  fit.choose(y, P);
  if (!fit.is_sound()) return {};
  std::vector<std::vector<std::size_t>> found;
  for (Node x : P) found.push_back(fit.columns_of(x));
  return found;
}

}  // namespace greedag
