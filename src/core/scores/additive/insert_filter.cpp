#include "core/scores/additive/insert_filter.hpp"

#include <algorithm>
#include <cmath>

namespace greedag {
namespace {

/// In penalties of a column: what an insert may lose and still be kept. One that explains nothing
/// loses a whole one, less what chance explains.
constexpr double most_loss = 0.5;

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
  is_kept_.clear();
  tile_.clear();
  for (Node x = first; x < last; ++x) {
    is_kept_.push_back(score_->columns(x) > score_->most_columns());
    tile_.push_back(is_kept_.back() ? CurveLanes::none : x);
  }
  lanes_.start(y, tile_, 0, AdditiveBic::zero_variance);
}

/// Before a raise, x is kept if raising it would have been as good.
void InsertFilter::look_at_tile(const AdditiveFit& fit) {
  const ColumnFactor& factor = fit.factor();
  for (const AdditiveFit::Raised& raised : fit.raised()) {
    while (lanes_.projected() < raised.columns) lanes_.project_out(factor);
    note_near(factor, raised.left_of_y, score_->break_even() * raised.value);
  }
  while (lanes_.projected() < factor.size()) lanes_.project_out(factor);
  const double loss = std::exp(2.0 * most_loss * score_->penalty() / score_->n());
  note_near(factor, factor.left_of_y(), loss * factor.left_of_y());
}

void InsertFilter::note_near(const ColumnFactor& factor, double left_of_y, double limit) {
  lanes_.find_best_prefixes(factor, left_of_y);
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
    if (lanes_.best_prefix(lane).value < limit) is_kept_[lane] = true;
}

}  // namespace greedag
