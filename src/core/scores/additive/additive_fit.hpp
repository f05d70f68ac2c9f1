#pragma once

#include "core/scores/additive/curve_lanes.hpp"

namespace greedag {

/// The model of one y that the additive score chooses for its parents.
class AdditiveFit {
 public:
  explicit AdditiveFit(const AdditiveBic& score) : score_(&score), factor_(score), lanes_(score) {}

  /// A degree that was raised.
  struct Step {
    std::size_t columns;  ///< in the fit before
    double left_of_y;     ///< before
    double value;         ///< the residual variance of y after it × the price of its columns
  };

  /// As for GainEvaluator.
  void watch(Observer* observer) { factor_.watch(observer); }
  /// Fits y on its parents, ascending: all at degree 1, then raised as long as that adds to the
  /// score. Does nothing if the last call was the same.
  void choose(Node y, std::span<const Node> parents);

  /// Whether no column at degree 1 is a combination of others, and something is left of y.
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  [[nodiscard]] double local_score();
  [[nodiscard]] std::size_t degree(Node x) const;  ///< in columns
  [[nodiscard]] const ColumnFactor& factor() const { return factor_; }
  [[nodiscard]] std::span<const Step> steps() const { return steps_; }

 private:
  /// The columns that the parent in a lane is raised to.
  struct Raise {
    std::size_t lane;
    std::size_t columns;
    double value;
  };

  [[nodiscard]] bool may_bend(Node x) const {
    return score_->has_curves(factor_.y()) && score_->has_curves(x);
  }
  void make_lanes();
  [[nodiscard]] bool add_least_columns(Node x);
  [[nodiscard]] std::optional<Raise> best_raise();
  void apply(const Raise& raise);

  const AdditiveBic* score_;
  ColumnFactor factor_;
  CurveLanes lanes_;  ///< of the parents that may bend
  std::vector<Node> parents_;
  std::vector<Step> steps_;
  bool is_chosen_ = false;
  bool is_sound_ = false;
  std::vector<Node> bending_;
  std::vector<double> coordinates_;
};

}  // namespace greedag
