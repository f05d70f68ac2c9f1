#pragma once

#include "core/scores/additive/curve_lanes.hpp"
#include "core/scores/additive/step_lanes.hpp"

namespace greedag {

/// The model of one y that the additive score chooses for its parents.
class AdditiveFit {
 public:
  explicit AdditiveFit(const AdditiveBic& score)
      : score_(&score), factor_(score), lanes_(score), steps_(score) {}

  /// A raise that was made: a higher degree, or further steps.
  struct Raised {
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
  /// The columns of the block of x that are in the fit, ascending.
  [[nodiscard]] std::vector<std::size_t> columns_of(Node x) const;
  [[nodiscard]] const ColumnFactor& factor() const { return factor_; }
  [[nodiscard]] std::span<const Raised> raised() const { return raised_; }

 private:
  /// The degree that the parent in a lane is raised to, or the steps that it is given.
  struct Raise {
    std::size_t lane;
    double value;
    std::size_t columns;  ///< 0 where steps are added
    StepLanes::Path path;
  };

  [[nodiscard]] bool may_bend(Node x) const {
    return score_->has_curves(factor_.y()) && score_->has_curves(x);
  }
  void make_lanes();
  [[nodiscard]] bool add_least_columns(Node x);
  [[nodiscard]] std::optional<Raise> best_raise();
  void apply(const Raise& raise);
  [[nodiscard]] bool add(std::size_t column);
  void project_out();

  const AdditiveBic* score_;
  ColumnFactor factor_;
  CurveLanes lanes_;  ///< of the parents that may bend
  StepLanes steps_;   ///< likewise
  std::vector<Node> parents_;
  std::vector<Raised> raised_;
  std::size_t steps_taken_ = 0;
  bool is_chosen_ = false;
  bool is_sound_ = false;
  std::vector<Node> bending_;
  std::vector<double> coordinates_;
};

}  // namespace greedag
