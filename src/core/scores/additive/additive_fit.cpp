#include "core/scores/additive/additive_fit.hpp"

#include <algorithm>

namespace greedag {

void AdditiveFit::choose(Node y, std::span<const Node> parents) {
  if (is_chosen_ && factor_.y() == y &&
      std::equal(parents.begin(), parents.end(), parents_.begin(), parents_.end()))
    return;
  is_chosen_ = false;  // until it is whole
  parents_.assign(parents.begin(), parents.end());
  raised_.clear();
  steps_taken_ = 0;
  factor_.start(y);
  make_lanes();
  is_sound_ =
      std::all_of(parents.begin(), parents.end(), [&](Node x) { return add_least_columns(x); }) &&
      factor_.log_det();
  if (is_sound_)
    while (const auto raise = best_raise()) apply(*raise);
  is_chosen_ = true;
}

void AdditiveFit::make_lanes() {
  bending_.clear();
  for (Node x : parents_)
    if (may_bend(x)) bending_.push_back(x);
  lanes_.start(factor_.y(), bending_, 1, AdditiveBic::zero_curve);
  steps_.start(factor_.y(), bending_);
}

/// False if one of them is a combination of others.
bool AdditiveFit::add_least_columns(Node x) {
  for (std::size_t i = 0; i < score_->least_columns(x); ++i) {
    if (!factor_.add(score_->first(x) + i)) return false;
    project_out();
  }
  return true;
}

void AdditiveFit::project_out() {
  lanes_.project_out(factor_);
  steps_.project_out(factor_);
}

/// A column more is worth its penalty if it divides the residual variance by more than
/// `break_even`. So the best raise has the smallest product of the variance it leaves and the price
/// of its columns. Ties: the lowest parent, then the fewest columns, steps last.
std::optional<AdditiveFit::Raise> AdditiveFit::best_raise() {
  lanes_.find_best_prefixes(factor_, factor_.left_of_y());
  std::optional<Raise> best;
  double least = factor_.left_of_y();
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    const auto is_better = [&](double value) {
      return value < (1.0 - CurveLanes::rounding) * least;
    };
    const auto [value, columns] = lanes_.best_prefix(lane);
    if (columns > 0 && is_better(value)) {
      best = {lane, value, columns, {}};
      least = value;
    }
    const StepLanes::Path path =
        steps_.best_path(lane, factor_.left_of_y(), factor_.nothing_of_y());
    if (path.count > 0 && is_better(path.value)) {
      best = {lane, path.value, 0, path};
      least = path.value;
    }
  }
  return best;
}

void AdditiveFit::apply(const Raise& raise) {
  raised_.push_back({factor_.size(), factor_.left_of_y(), raise.value});
  const Node x = lanes_.node(raise.lane);
  for (std::size_t c = lanes_.taken(raise.lane); c < raise.columns; ++c) {
    lanes_.coordinates_of(raise.lane, c, coordinates_);
    if (!add(score_->first(x) + c)) return;
    lanes_.set_taken(raise.lane, c + 1);
  }
  for (std::size_t i = 0; i < raise.path.count; ++i) {
    steps_.coordinates_of(raise.lane, raise.path.steps[i], coordinates_);
    if (!add(score_->first_step(x) + raise.path.steps[i])) return;
    ++steps_taken_;
  }
}

/// Adds the column that `coordinates_` are of.
bool AdditiveFit::add(std::size_t column) {
  if (!factor_.add(column, coordinates_)) return false;
  project_out();
  return true;
}

double AdditiveFit::local_score() {
  return score_->local_score(factor_.y(), factor_.size() + steps_taken_, *factor_.log_det());
}

std::vector<std::size_t> AdditiveFit::columns_of(Node x) const {
  std::vector<std::size_t> found;
  const std::size_t last = score_->first_step(x) + score_->steps(x);
  for (std::size_t i = 0; i < factor_.size(); ++i)
    if (factor_.column(i) >= score_->first(x) && factor_.column(i) < last)
      found.push_back(factor_.column(i) - score_->first(x));
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace greedag
