#include "core/scores/additive/curve_lanes.hpp"

#include <algorithm>

namespace greedag {

void CurveLanes::start(Node y, std::span<const Node> nodes, std::size_t taken, double zero) {
  const std::size_t room = (nodes.size() + lanes_in_group - 1) / lanes_in_group * lanes_in_group;
  depth_ = score_->most_columns();
  zero_ = zero;
  nodes_.assign(nodes.begin(), nodes.end());
  taken_.assign(room, static_cast<double>(depth_));
  shortest_.assign(room, 0.0);
  for (std::size_t lane = 0; lane < size(); ++lane)
    if (nodes_[lane] != none) {
      taken_[lane] = static_cast<double>(taken);
      shortest_[lane] = static_cast<double>(score_->least_columns(nodes_[lane]));
    }
  along_y_.clear();
  subtracted_ = 0;
  load_blocks();
  with_y_.resize(row_length());
  windows_.clear();
  for (std::size_t group = 0; group < groups(); ++group) {
    windows_.push_back(window_of(group));
    gather(score_->first(y), group, {0, depth_}, with_y_.data() + group * columns_in_group());
  }
}

/// From the first column that is in no fit of a lane, up to the last that one may be raised to.
Window CurveLanes::window_of(std::size_t group) const {
  Window found{depth_, 0};
  for (std::size_t i = 0; i < lanes_in_group; ++i) {
    const std::size_t taken = this->taken(group * lanes_in_group + i);
    if (taken == depth_) continue;
    found.first = std::min(found.first, taken);
    found.last = std::max(found.last, std::min(depth_, taken + most_raise));
  }
  return found;
}

void CurveLanes::load_blocks() {
  pairs_.resize(groups() * pairs_in_group());
  least_.resize(row_length());
  for (std::size_t group = 0; group < groups(); ++group) {
    Sources from;
    for (std::size_t i = 0; i < lanes_in_group; ++i) {
      const Node node = node_in(group * lanes_in_group + i);
      from[i] = node == none ? zeros_.data() : score_->block(node);
    }
    double* pairs = pairs_.data() + group * pairs_in_group();
    interleave(from.data(), score_->block_size(), pairs);
    double* least = least_.data() + group * columns_in_group();
    for (std::size_t a = 0; a < depth_; ++a)
      for (std::size_t i = 0; i < lanes_in_group; ++i)
        least[a * lanes_in_group + i] = zero_ * pairs[pair_at(a, a) + i];
  }
}

/// The covariances of a column with those of a window.
void CurveLanes::gather(std::size_t column, std::size_t group, const Window& window,
                        double* to) const {
  const double* covariances = score_->row(column);
  Sources from;
  bool are_whole = true;
  for (std::size_t i = 0; i < lanes_in_group; ++i) {
    const Node node = node_in(group * lanes_in_group + i);
    from[i] = (node == none ? zeros_.data() : covariances + score_->first(node)) + window.first;
    are_whole = are_whole && (node == none || score_->columns(node) == depth_);
  }
  if (are_whole)
    interleave(from.data(), window.last - window.first, to + window.first * lanes_in_group);
  else
    gather_short(covariances, group, window, to);
}

/// The same for a group in which some blocks are shorter than others.
void CurveLanes::gather_short(const double* covariances, std::size_t group, const Window& window,
                              double* to) const {
  for (std::size_t i = 0; i < lanes_in_group; ++i) {
    const Node node = node_in(group * lanes_in_group + i);
    const std::size_t count = node == none ? 0 : score_->columns(node);
    for (std::size_t a = window.first; a < window.last; ++a)
      to[a * lanes_in_group + i] = a < count ? covariances[score_->first(node) + a] : 0.0;
  }
}

void CurveLanes::project_out(const ColumnFactor& fit) {
  const std::size_t k = projected();
  along_.resize(std::max(along_.size(), (k + 1) * row_length()));
  for (std::size_t group = 0; group < groups(); ++group) project(fit, k, group, windows_[group]);
  along_y_.push_back(fit.along_y(k));
}

/// Finds what column k of the fit explains of the columns of a window.
void CurveLanes::project(const ColumnFactor& fit, std::size_t k, std::size_t group,
                         const Window& window) {
  if (window.first >= window.last) return;
  const std::size_t at = group * columns_in_group();
  double* row = along_.data() + k * row_length() + at;
  gather(fit.column(k), group, window, row);
  const std::size_t first = window.first * lanes_in_group;
  const WeightedRows earlier{along_.data() + at + first, row_length(), k, fit.row(k)};
  subtract_rows(row + first, (window.last - window.first) * lanes_in_group, earlier,
                fit.inverse(k));
}

/// Columns that a window is extended to are projected on all columns before.
void CurveLanes::move_window(const ColumnFactor& fit, std::size_t group) {
  Window& window = windows_[group];
  Window moved = window_of(group);
  moved.last = std::max(moved.last, window.last);  // where a lane is full, it would end earlier
  const Window further{std::max(window.last, moved.first), moved.last};
  for (std::size_t k = 0; k < projected() && further.first < further.last; ++k)
    project(fit, k, group, further);
  const Window known{moved.first, window.last};
  subtract_products_of(group, known, moved.first, subtracted_);
  subtract_products_of(group, further, moved.first, 0);
  window = moved;
}

/// Takes what the columns of the fit from `from` on explain from the pairs of a window.
void CurveLanes::subtract_products_of(std::size_t group, const Window& window, std::size_t first,
                                      std::size_t from) {
  const std::size_t at = group * columns_in_group();
  const GroupRows rows{along_.data() + from * row_length() + at, row_length(), projected() - from,
                       along_y_.data() + from};
  subtract_products(window, first, rows, pairs_.data() + group * pairs_in_group(),
                    with_y_.data() + at);
}

void CurveLanes::coordinates_of(std::size_t lane, std::size_t c,
                                std::vector<double>& coordinates) const {
  const std::size_t group = lane / lanes_in_group;
  const double* from =
      along_.data() + group * columns_in_group() + c * lanes_in_group + lane % lanes_in_group;
  coordinates.resize(projected());
  for (std::size_t k = 0; k < projected(); ++k) coordinates[k] = from[k * row_length()];
}

void CurveLanes::find_best_prefixes(const ColumnFactor& fit, double left_of_y) {
  scratch_.resize(2 * (pairs_in_group() + columns_in_group()));
  best_.resize(groups());
  for (std::size_t group = 0; group < groups(); ++group) {
    move_window(fit, group);
    const std::size_t at = group * columns_in_group();
    const GroupLeft left{pairs_.data() + group * pairs_in_group(),
                         with_y_.data() + at,
                         least_.data() + at,
                         taken_.data() + group * lanes_in_group,
                         shortest_.data() + group * lanes_in_group,
                         static_cast<double>(most_raise),
                         left_of_y,
                         fit.nothing_of_y()};
    best_[group] =
        best_prefixes(windows_[group], left, {score_->break_even(), rounding}, scratch_.data());
  }
  subtracted_ = projected();
}

CurveLanes::Prefix CurveLanes::best_prefix(std::size_t lane) const {
  const BestPrefixes& best = best_[lane / lanes_in_group];
  const std::size_t i = lane % lanes_in_group;
  return {best.value[i], static_cast<std::size_t>(best.columns[i])};
}

std::size_t CurveLanes::taken(std::size_t lane) const {
  return static_cast<std::size_t>(taken_[lane]);
}

}  // namespace greedag
