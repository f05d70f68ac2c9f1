#include "core/scores/additive/curve_lanes.hpp"

#include <algorithm>

namespace greedag {

void CurveLanes::start(std::size_t lanes, std::size_t depth, std::size_t taken, double zero) {
  const std::size_t room = (lanes + lanes_in_group - 1) / lanes_in_group * lanes_in_group;
  shape_ = {taken, depth};
  zero_ = zero;
  nodes_.assign(lanes, none);
  taken_.assign(room, static_cast<double>(taken));
  shortest_.assign(room, 0.0);
  least_.assign(row_length(), 0.0);
  with_y_.assign(row_length(), 0.0);
  pairs_.assign(groups() * pairs_in_group(), 0.0);
  along_.clear();
}

void CurveLanes::fill(std::size_t lane, Node node, Node y) {
  nodes_[lane] = node;
  shortest_[lane] = static_cast<double>(score_->least_columns(node));
  const std::size_t first = score_->first(node);
  double* pairs = pairs_.data() + pairs_at(lane);
  for (std::size_t a = 0; a < score_->columns(node); ++a) {
    const double* row = score_->row(first + a);
    const std::size_t at = column_at(lane) + a * lanes_in_group;
    least_[at] = zero_ * row[first + a];
    with_y_[at] = row[score_->first(y)];
    for (std::size_t b = 0; b <= a; ++b) pairs[pair_at(a, b)] = row[first + b];
  }
}

/// The covariances of a column with all blocks.
void CurveLanes::gather(std::size_t column, double* row) const {
  for (std::size_t lane = 0; lane < size(); ++lane) {
    if (nodes_[lane] == none) continue;
    const double* from = score_->row(column) + score_->first(nodes_[lane]);
    double* to = row + column_at(lane);
    const std::size_t count = score_->columns(nodes_[lane]);
    for (std::size_t a = 0; a < count; ++a) to[a * lanes_in_group] = from[a];
  }
}

void CurveLanes::project_out(const ColumnFactor& fit, std::size_t k) {
  along_.resize((k + 1) * row_length(), 0.0);
  double* row = along_.data() + k * row_length();
  gather(fit.column(k), row);
  subtract_rows(row, row_length(), along_.data(), fit.row(k), k, fit.inverse(k));
  for (std::size_t group = 0; group < groups(); ++group) {
    const std::size_t at = group * columns_in_group();
    subtract_products(shape_, row + at, fit.along_y(k), pairs_.data() + group * pairs_in_group(),
                      with_y_.data() + at);
  }
}

void CurveLanes::coordinates_of(std::size_t lane, std::size_t c,
                                std::vector<double>& coordinates) const {
  coordinates.clear();
  for (std::size_t at = column_at(lane) + c * lanes_in_group; at < along_.size();
       at += row_length())
    coordinates.push_back(along_[at]);
}

void CurveLanes::find_best_prefixes(double left_of_y, double nothing_of_y) {
  scratch_.resize(2 * (pairs_in_group() + columns_in_group()));
  best_.resize(groups());
  for (std::size_t group = 0; group < groups(); ++group) {
    const std::size_t at = group * columns_in_group();
    const GroupLeft left{pairs_.data() + group * pairs_in_group(),
                         with_y_.data() + at,
                         least_.data() + at,
                         taken_.data() + group * lanes_in_group,
                         shortest_.data() + group * lanes_in_group,
                         left_of_y,
                         nothing_of_y};
    best_[group] = best_prefixes(shape_, left, {score_->break_even(), rounding}, scratch_.data());
  }
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
