#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "core/scores/score.hpp"

namespace greedag {

/// The log determinant of a covariance matrix, by Cholesky; `GainEvaluator::refused` where a
/// residual variance is at most `zero`. `matrix` is row-major, k × k; its lower triangle is read
/// and overwritten. Throws `Stopped` if the observer, if any, says to stop.
[[nodiscard]] inline double log_det(std::span<double> matrix, std::size_t k, double zero,
                                    Observer* observer = nullptr) {
  double total = 0.0;
  for (std::size_t i = 0; i < k; ++i) {
    if (i >= 128) throw_if_stopped(observer);  // so long a row takes longer than a look
    double* row = matrix.data() + i * k;
    for (std::size_t j = 0; j < i; ++j) {
      const double* above = matrix.data() + j * k;
      for (std::size_t m = 0; m < j; ++m) row[j] -= row[m] * above[m];
      row[j] /= above[j];
      row[i] -= row[j] * row[j];
    }
    if (!(row[i] > zero)) return GainEvaluator::refused;
    total += std::log(row[i]);
    row[i] = std::sqrt(row[i]);
  }
  return total;
}

}  // namespace greedag
