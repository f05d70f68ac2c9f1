#include "core/scores/additive/curve_lanes.hpp"

#include <algorithm>

namespace greedag {

void CurveLanes::start(Node y, std::span<const Node> nodes, std::size_t taken, double zero) {
  const std::size_t room = (nodes.size() + lanes_in_group - 1) / lanes_in_group * lanes_in_group;
  shape_ = {taken, score_->most_columns()};
  zero_ = zero;
  nodes_.assign(nodes.begin(), nodes.end());
  taken_.assign(room, static_cast<double>(taken));
  shortest_.assign(room, 0.0);
  for (std::size_t lane = 0; lane < size(); ++lane)
    if (nodes_[lane] != none)
      shortest_[lane] = static_cast<double>(score_->least_columns(nodes_[lane]));
  along_y_.clear();
  subtracted_ = 0;
  load_blocks();
  with_y_.resize(row_length());
  gather(score_->first(y), with_y_.data());
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
    for (std::size_t a = 0; a < shape_.depth; ++a)
      for (std::size_t i = 0; i < lanes_in_group; ++i)
        least[a * lanes_in_group + i] = zero_ * pairs[pair_at(a, a) + i];
  }
}

/// The covariances of a column with all blocks.
void CurveLanes::gather(std::size_t column, double* row) const {
  const double* covariances = score_->row(column);
  for (std::size_t group = 0; group < groups(); ++group, row += columns_in_group()) {
    Sources from;
    bool are_whole = true;
    for (std::size_t i = 0; i < lanes_in_group; ++i) {
      const Node node = node_in(group * lanes_in_group + i);
      from[i] = node == none ? zeros_.data() : covariances + score_->first(node);
      are_whole = are_whole && (node == none || score_->columns(node) == shape_.depth);
    }
    if (are_whole)
      interleave(from.data(), shape_.depth, row);
    else
      gather_short(covariances, group, row);
  }
}

/// The same for a group in which some blocks are shorter than others.
void CurveLanes::gather_short(const double* covariances, std::size_t group, double* to) const {
  std::fill_n(to, columns_in_group(), 0.0);
  for (std::size_t i = 0; i < lanes_in_group; ++i) {
    const Node node = node_in(group * lanes_in_group + i);
    if (node == none) continue;
    for (std::size_t a = 0; a < score_->columns(node); ++a)
      to[a * lanes_in_group + i] = covariances[score_->first(node) + a];
  }
}

void CurveLanes::project_out(const ColumnFactor& fit) {
  const std::size_t k = projected();
  along_.resize(std::max(along_.size(), (k + 1) * row_length()));
  double* row = along_.data() + k * row_length();
  gather(fit.column(k), row);
  subtract_rows(row, row_length(), along_.data(), fit.row(k), k, fit.inverse(k));
  along_y_.push_back(fit.along_y(k));
}

void CurveLanes::subtract_projected() {
  for (std::size_t group = 0; group < groups(); ++group) {
    const std::size_t at = group * columns_in_group();
    const GroupRows rows{along_.data() + subtracted_ * row_length() + at, row_length(),
                         projected() - subtracted_, along_y_.data() + subtracted_};
    subtract_products(shape_, rows, pairs_.data() + group * pairs_in_group(), with_y_.data() + at);
  }
  subtracted_ = projected();
}

void CurveLanes::coordinates_of(std::size_t lane, std::size_t c,
                                std::vector<double>& coordinates) const {
  const std::size_t group = lane / lanes_in_group;
  const double* from =
      along_.data() + group * columns_in_group() + c * lanes_in_group + lane % lanes_in_group;
  coordinates.resize(projected());
  for (std::size_t k = 0; k < projected(); ++k) coordinates[k] = from[k * row_length()];
}

void CurveLanes::find_best_prefixes(double left_of_y, double nothing_of_y) {
  subtract_projected();
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
