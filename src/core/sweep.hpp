#pragma once

#include <vector>

#include "core/gaussian_bic.hpp"

namespace greedag {

/// Finds, for one y and a growing set E, every x whose joining to y may gain.
///
/// Carries the residual variances v and the residual covariances c with y of *all* x given E.
/// Adding a node to E costs one row of length d; x is kept where c² > r² v_x v_y at the smallest r²
/// of interest. A filter only: the few that pass are judged by PartialGain, so that rounding here,
/// which may differ between machines, decides nothing. No row is computed before it is needed.
class Sweep {
 public:
  /// Keeps the x whose r² exceeds `min_r2`.
  Sweep(const GaussianBic& score, double min_r2);

  void start(Node y);
  /// Adds `e` to E.
  void push(Node e) { E_.push_back(e); }
  /// Takes back the last push.
  void pop() {
    E_.pop_back();
    ready_ = std::min(ready_, E_.size());
  }
  /// The x that may gain, ascending, y and the members of E among them; false if a member of E is a
  /// combination of those pushed before.
  bool survivors(std::vector<Node>& out);

 private:
  /// The state given the first members of E. Level 0, given none, lies in the correlations.
  struct Level {
    std::vector<double> row;         ///< the last row of L⁻¹ R[E, ·]
    std::vector<double> variance;    ///< v of every x
    std::vector<double> covariance;  ///< c of every x
  };

  bool add_row();
  [[nodiscard]] const double* variance(std::size_t level) const {
    return level == 0 ? ones_.data() : levels_[level - 1].variance.data();
  }
  [[nodiscard]] const double* covariance(std::size_t level) const {
    return level == 0 ? score_->row(y_) : levels_[level - 1].covariance.data();
  }

  const GaussianBic* score_;
  double min_r2_;
  std::vector<double> ones_;
  Node y_ = 0;
  std::size_t ready_ = 0;  ///< how many of E's members have their level
  std::vector<Node> E_;
  std::vector<Level> levels_;       ///< level i + 1 at place i
  std::vector<std::uint8_t> kept_;  ///< whether x may gain
};

}  // namespace greedag
