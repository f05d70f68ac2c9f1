#include "core/scores/additive/insert_filter.hpp"

#include <algorithm>
#include <cmath>

namespace greedag {
namespace {

/// In penalties of a column: what an insert may lose and still be kept. One that explains nothing
/// loses a whole one, less what chance explains.
constexpr double most_loss = 0.5;
/// The same for what a raise of x may gain less than the raise that was made.
constexpr double most_behind = 1.0;

}  // namespace

void InsertFilter::find(const AdditiveFit& fit, std::vector<Node>& found) {
  found.clear();
  const Node size = score_->size();
  for (Node first = 0; first < size; first += static_cast<Node>(lanes_in_tile)) {
    const Node last = std::min(size, first + static_cast<Node>(lanes_in_tile));
    fill_tile(first, last, fit.factor().y());
    look_at_tile(fit);
    for (Node x = first; x < last; ++x)
      if (is_kept_[static_cast<std::size_t>(x - first)]) found.push_back(x);
  }
}

/// Discrete nodes with longer blocks than any node with curves are kept without a look.
void InsertFilter::fill_tile(Node first, Node last, Node y) {
  const auto count = static_cast<std::size_t>(last - first);
  is_kept_.assign(count, false);
  lanes_.start(count, score_->most_columns(), 0, AdditiveBic::zero_variance);
  for (std::size_t lane = 0; lane < count; ++lane) {
    const Node x = first + static_cast<Node>(lane);
    is_kept_[lane] = score_->columns(x) > score_->most_columns();
    if (!is_kept_[lane]) lanes_.fill(lane, x, y);
  }
}

void InsertFilter::look_at_tile(const AdditiveFit& fit) {
  const ColumnFactor& factor = fit.factor();
  const double nothing = factor.nothing_of_y();
  const double behind = std::exp(2.0 * most_behind * score_->penalty() / score_->n());
  const double loss = std::exp(2.0 * most_loss * score_->penalty() / score_->n());
  std::size_t k = 0;
  for (const AdditiveFit::Step& step : fit.steps()) {
    for (; k < step.columns; ++k) lanes_.project_out(factor, k);
    note_near(step.left_of_y, nothing, behind * score_->break_even() * step.value);
  }
  for (; k < factor.size(); ++k) lanes_.project_out(factor, k);
  note_near(factor.left_of_y(), nothing, loss * factor.left_of_y());
}

void InsertFilter::note_near(double left_of_y, double nothing_of_y, double limit) {
  lanes_.find_best_prefixes(left_of_y, nothing_of_y);
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
    if (lanes_.best_prefix(lane).value < limit) is_kept_[lane] = true;
}

}  // namespace greedag
