#include "core/scores/gaussian/singular_sets.hpp"

#include <algorithm>
#include <cmath>

namespace greedag {

bool SingularSets::contain(std::span<const Node> set, double most) {
  const std::size_t k = set.size();
  if (k > rank_) return true;
  inverse_.resize(k * k);
  double inflation = 0.0;
  for (std::size_t i = 0; i < k; ++i) {
    const double* row = correlation_ + static_cast<std::size_t>(set[i]) * size_;
    double* M = inverse_.data() + i * k;
    std::fill_n(M, i, 0.0);
    double variance = 1.0;
    for (std::size_t j = 0; j < i; ++j) {
      const double* above = inverse_.data() + j * k;
      double weight = 0.0;
      for (std::size_t m = 0; m <= j; ++m) weight += above[m] * row[set[m]];
      for (std::size_t m = 0; m <= j; ++m) M[m] -= weight * above[m];
      variance -= weight * weight;
    }
    if (!(variance > 0.0)) return true;
    double squares = 1.0;
    for (std::size_t m = 0; m < i; ++m) squares += M[m] * M[m];
    inflation += squares / variance;
    if (!(inflation <= most)) return true;
    const double scale = 1.0 / std::sqrt(variance);
    for (std::size_t m = 0; m < i; ++m) M[m] *= scale;
    M[i] = scale;
  }
  return false;
}

bool SingularSets::contain(std::span<const Node> E, std::initializer_list<Node> others,
                           double most) {
  set_.assign(E.begin(), E.end());
  set_.insert(set_.end(), others);
  std::sort(set_.begin(), set_.end());
  return contain(set_, most);
}

}  // namespace greedag
