#include "core/scores/additive/additive_fit.hpp"

#include <algorithm>

namespace greedag {
namespace {

/// Differences in a residual variance up to this fraction are rounding.
constexpr double rounding = 1e-10;

}  // namespace

void AdditiveFit::start(Node y, std::span<const Node> parents) {
  factor_.start(y);
  const std::size_t lanes = score_->has_curves(y) ? parents.size() + 1 : 0;
  lanes_.start(lanes, score_->most_columns(), 1, AdditiveBic::zero_curve);
  std::size_t lane = 0;
  for (Node x : parents)
    if (may_bend(x)) lanes_.fill(lane++, x, y);
  is_sound_ = true;
  for (Node x : parents) add_least_columns(x);
  is_sound_ = is_sound_ && factor_.log_det().has_value();
}

void AdditiveFit::add(Node x) {
  if (may_bend(x)) lanes_.fill(lanes_.size() - 1, x, factor_);
  add_least_columns(x);
  is_sound_ = is_sound_ && factor_.log_det().has_value();
}

void AdditiveFit::add_least_columns(Node x) {
  for (std::size_t i = 0; i < score_->least_columns(x) && is_sound_; ++i) {
    is_sound_ = factor_.add(score_->first(x) + i);
    if (is_sound_ && lanes_.size() > 0) lanes_.project_out(factor_, factor_.size() - 1);
  }
}

void AdditiveFit::raise_degrees() {
  while (const auto raise = best_raise()) apply(*raise);
}

/// A column more is worth its penalty if it divides the residual variance by more than
/// `break_even`. So the best raise has the smallest product of the variance it leaves and the price
/// of its columns. Ties: the lowest parent, then the fewest columns.
std::optional<AdditiveFit::Raise> AdditiveFit::best_raise() {
  if (lanes_.size() == 0) return std::nullopt;
  lanes_.find_prefixes(factor_);
  std::optional<Raise> best;
  double least = factor_.left_of_y();
  for (std::size_t lane : lanes_.by_node()) {
    double price = 1.0;
    for (std::size_t c = lanes_.taken(lane); c < lanes_.depth(); ++c) {
      price *= score_->break_even();
      const double value = price * lanes_.left_of_y(lane, c);
      if (value >= (1.0 - rounding) * least) continue;
      least = value;
      best = {lane, c + 1};
    }
  }
  return best;
}

void AdditiveFit::apply(const Raise& raise) {
  for (std::size_t c = lanes_.taken(raise.lane); c < raise.columns; ++c) {
    lanes_.coordinates_of(raise.lane, c, coordinates_);
    if (!factor_.add(score_->first(lanes_.node(raise.lane)) + c, coordinates_)) return;
    lanes_.project_out(factor_, factor_.size() - 1);
    lanes_.set_taken(raise.lane, c + 1);
  }
}

double AdditiveFit::local_score() {
  return score_->local_score(factor_.y(), factor_.size(), *factor_.log_det());
}

std::size_t AdditiveFit::degree(Node x) const {
  for (std::size_t lane : lanes_.by_node())
    if (lanes_.node(lane) == x) return lanes_.taken(lane);
  return score_->least_columns(x);
}

}  // namespace greedag
