#pragma once

#include "core/scores/discrete/cell_terms.hpp"
#include "core/scores/discrete/packed_rows.hpp"

namespace greedag {

/// Sums terms over the cells of W ∪ x, for one set of columns W and all packed columns x, while the
/// cells of W come one after the other. For one thread.
class TermSums {
 public:
  /// Over the cells of W ∪ x that occur.
  struct Sum {
    std::int64_t terms = 0;
    std::uint32_t occurring = 0;
  };

  explicit TermSums(const PackedRows& rows) : rows_(&rows), sums_(rows.bands().size()) {}

  /// Starts with a new W. The terms are those of each band, whose columns all have the same number
  /// of levels; null for bands that are left out.
  void start(std::span<TermTable* const> terms);
  /// Adds a cell of W that has `total` rows, with the counts of all fields.
  void add(const std::vector<std::uint32_t>& counts, std::uint32_t total);
  /// Adds a cell of W with one row: whatever x is, its cell occurs once.
  void add_one_row() { ++cells_of_one_row_; }
  /// To be called after the last cell.
  void finish();
  /// Of the columns of a band, in their order.
  [[nodiscard]] std::span<const Sum> of_band(std::size_t band) const { return sums_[band]; }

 private:
  const PackedRows* rows_;
  std::span<TermTable* const> terms_;
  std::vector<std::vector<Sum>> sums_;    ///< by band
  std::vector<std::uint32_t> occurring_;  ///< by field: how many of its cells are not empty
  std::uint32_t cells_of_one_row_ = 0;
};

}  // namespace greedag
