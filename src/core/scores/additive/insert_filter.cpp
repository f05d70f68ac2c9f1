#include "core/scores/additive/insert_filter.hpp"

#include <cmath>

namespace greedag {

void InsertFilter::find(const ColumnFactor& fit, double slack, std::vector<Node>& found) {
  const double limit = fit.left_of_y() * std::exp(2.0 * slack / score_->n());
  found.clear();
  tile_.clear();
  for (Node x = 0; x < score_->size(); ++x) {
    tile_.push_back(x);
    if (tile_.size() < lanes_in_tile && x + 1 < score_->size()) continue;
    find_in_tile(fit, limit, found);
    tile_.clear();
  }
}

/// Discrete nodes with longer blocks than any curve has are not looked into.
void InsertFilter::find_in_tile(const ColumnFactor& fit, double limit, std::vector<Node>& found) {
  const std::size_t depth = score_->most_columns();
  lanes_.start(tile_.size(), depth, 0, AdditiveBic::zero_variance);
  for (std::size_t lane = 0; lane < tile_.size(); ++lane)
    if (score_->columns(tile_[lane]) <= depth) lanes_.fill(lane, tile_[lane], fit.y());
  for (std::size_t k = 0; k < fit.size(); ++k) lanes_.project_out(fit, k);
  lanes_.find_best_prefixes(fit);
  for (std::size_t lane = 0; lane < tile_.size(); ++lane)
    if (score_->columns(tile_[lane]) > depth || lanes_.best_prefix(lane).value < limit)
      found.push_back(tile_[lane]);
}

}  // namespace greedag
