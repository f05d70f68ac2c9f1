#include "core/scores/gaussian/gaussian_gains.hpp"

namespace greedag {

std::unique_ptr<GainEvaluator> GaussianBic::evaluator(bool with_losses) const {
  const double min_r2 = with_losses ? -std::numeric_limits<double>::infinity() : break_even();
  return std::make_unique<GaussianGains>(*this, min_r2);
}

}  // namespace greedag
