#include "core/scores/additive/additive_fit.hpp"

#include <algorithm>

namespace greedag {

void AdditiveFit::choose(Node y, std::span<const Node> parents) {
  if (is_chosen_ && factor_.y() == y &&
      std::equal(parents.begin(), parents.end(), parents_.begin(), parents_.end()))
    return;
  is_chosen_ = false;  // until it is whole
  parents_.assign(parents.begin(), parents.end());
  steps_.clear();
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
}

/// False if one of them is a combination of others.
bool AdditiveFit::add_least_columns(Node x) {
  for (std::size_t i = 0; i < score_->least_columns(x); ++i) {
    if (!factor_.add(score_->first(x) + i)) return false;
    lanes_.project_out(factor_);
  }
  return true;
}

/// A column more is worth its penalty if it divides the residual variance by more than
/// `break_even`. So the best raise has the smallest product of the variance it leaves and the price
/// of its columns. Ties: the lowest parent, then the fewest columns.
std::optional<AdditiveFit::Raise> AdditiveFit::best_raise() {
  lanes_.find_best_prefixes(factor_.left_of_y(), factor_.nothing_of_y());
  std::optional<Raise> best;
  double least = factor_.left_of_y();
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    const auto [value, columns] = lanes_.best_prefix(lane);
    if (columns == 0 || value >= (1.0 - CurveLanes::rounding) * least) continue;
    least = value;
    best = {lane, columns, value};
  }
  return best;
}

void AdditiveFit::apply(const Raise& raise) {
  steps_.push_back({factor_.size(), factor_.left_of_y(), raise.value});
  for (std::size_t c = lanes_.taken(raise.lane); c < raise.columns; ++c) {
    lanes_.coordinates_of(raise.lane, c, coordinates_);
    if (!factor_.add(score_->first(lanes_.node(raise.lane)) + c, coordinates_)) return;
    lanes_.project_out(factor_);
    lanes_.set_taken(raise.lane, c + 1);
  }
}

double AdditiveFit::local_score() {
  return score_->local_score(factor_.y(), factor_.size(), *factor_.log_det());
}

std::size_t AdditiveFit::degree(Node x) const {
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
    if (lanes_.node(lane) == x) return lanes_.taken(lane);
  return score_->least_columns(x);
}

}  // namespace greedag
