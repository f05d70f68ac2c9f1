#pragma once

#include <vector>

#include "core/scores/gaussian/gaussian_bic.hpp"

namespace greedag {

/// Finds, for one y and E, every x that may gain by becoming adjacent to y.
///
/// Computes the residual variances v and the residual covariances c with y of *all* x given E, a
/// block of x at a time, and keeps x where c² > r² v_x v_y at the smallest r² of interest. It is
/// only a filter: PartialGain decides on the few x that pass, so that rounding here, which may
/// differ between machines, decides nothing.
class Sweep {
 public:
  /// Keeps the x whose r² exceeds `min_r2`.
  Sweep(const GaussianBic& score, double min_r2);

  /// The x that may gain given what `partial` is conditioned on, ascending, including y and the
  /// members of E. E must have a sound factor. Valid until the next call.
  [[nodiscard]] std::span<const Node> survivors(const PartialGain& partial) {
    return survivors(partial, min_r2_);
  }
  /// The same with another r².
  [[nodiscard]] std::span<const Node> survivors(const PartialGain& partial, double min_r2);

 private:
  [[nodiscard]] const double* row(Node node, std::size_t place);

  const GaussianBic* score_;
  double min_r2_;
  std::size_t size_;  ///< how many x are swept: all, padded to `width` if there are fewer
  std::vector<const double*> rows_;  ///< the correlations of each member of E
  std::vector<double> padding_;
  std::vector<double> scratch_;
  std::vector<Node> survivors_;
};

}  // namespace greedag
