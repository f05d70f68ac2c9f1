#pragma once

#include <vector>

#include "core/gaussian_bic.hpp"

namespace greedag {

/// Finds, for one y and a growing set E, every x whose joining to y may gain.
///
/// Carries the residual variances v and the residual covariances c with y of *all* x given E.
/// Adding a node to E costs one row of length d; x is kept where c² > r² v_x v_y at the smallest r²
/// of interest. A filter only: the few that pass are judged by PartialGain, so that rounding here,
/// which may differ between machines, decides nothing.
class Sweep {
 public:
  /// Keeps the x whose r² exceeds `min_r2`.
  Sweep(const GaussianBic& score, double min_r2);

  void start(Node y);
  /// Adds `e` to E; false, and E unchanged, where e is a combination of E.
  bool push(Node e);
  void pop() { --depth_; }
  /// The x that may gain, ascending, y and the members of E among them.
  void survivors(std::vector<Node>& out);

 private:
  struct Level {
    std::vector<double> row;         ///< the last row of L⁻¹ R[E, ·]; empty at level 0
    std::vector<double> variance;    ///< v of every x
    std::vector<double> covariance;  ///< c of every x
  };

  const GaussianBic* score_;
  double min_r2_;
  Node y_ = 0;
  std::size_t depth_ = 0;
  std::vector<Level> levels_;
  std::vector<double> weights_;
  std::vector<std::uint8_t> kept_;
};

}  // namespace greedag
