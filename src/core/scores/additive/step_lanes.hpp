#pragma once

#include <array>

#include "core/scores/additive/column_factor.hpp"

namespace greedag {

/// The steps of some nodes, as residuals given the columns of a fit.
///
/// Each node has a lane: one value for each of its steps, one after the other.
class StepLanes {
 public:
  /// Steps that enter at once.
  static constexpr std::size_t most_in_path = 4;

  /// Steps that enter one after the other, each of them worth its price.
  struct Path {
    double value;  ///< the residual variance of y that they leave × their price
    std::size_t count;
    std::array<std::size_t, most_in_path> steps;  ///< places among those of the node
  };

  explicit StepLanes(const AdditiveBic& score);

  /// Makes a lane for each node, given a fit of y on nothing.
  void start(Node y, std::span<const Node> nodes);
  /// Takes from all lanes what the next column of the fit explains.
  void project_out(const ColumnFactor& fit);
  /// L⁻¹ Σ[columns of the fit, a step of the lane's node].
  void coordinates_of(std::size_t lane, std::size_t step, std::vector<double>& coordinates) const;
  /// The steps to add to a fit that leaves `left_of_y` of y: again and again the one that explains
  /// most, the first of several, as long as it is worth its price.
  [[nodiscard]] Path best_path(std::size_t lane, double left_of_y, double nothing_of_y);

 private:
  static constexpr std::size_t nothing = static_cast<std::size_t>(-1);

  [[nodiscard]] std::size_t length() const { return nodes_.size() * width_; }
  void gather(std::size_t column, double* row) const;
  [[nodiscard]] std::size_t best_step(std::size_t lane) const;
  void take_from_path(std::size_t lane, std::size_t step, double* part);

  const AdditiveBic* score_;
  std::size_t width_;  ///< of a lane: the most steps of any node, a multiple of four
  std::vector<Node> nodes_;
  std::vector<double> least_;  ///< by step: the residual variance at which it is a combination
  std::vector<double> left_;   ///< residual variances
  std::vector<double> with_y_;
  std::vector<double> along_;  ///< L⁻¹ Σ[columns of the fit, steps], a row for each column
  std::size_t projected_ = 0;
  std::vector<double> path_left_;    ///< as `left_`, of one lane, given the path as well
  std::vector<double> path_with_y_;  ///< likewise
  std::vector<double> parts_;        ///< of one lane, what each step of the path explains
};

}  // namespace greedag
