#pragma once

#include <optional>

#include "core/scores/discrete/cell_counter.hpp"
#include "core/scores/discrete/term_sums.hpp"
#include "core/util/observer.hpp"

namespace greedag {

/// Counts the levels of all packed columns x in all cells of a set of columns, in one pass over the
/// rows. For one thread.
class LevelSweep {
 public:
  using Partition = CellCounter::Partition;

  /// The terms of E ∪ x and of E ∪ xy, by band.
  struct BothTerms {
    std::span<TermTable* const> E;
    std::span<TermTable* const> Ey;
  };
  struct BothSums {
    TermSums& E;
    TermSums& Ey;
  };

  LevelSweep(const LevelTable& table, const PackedRows& rows) : table_(&table), rows_(&rows) {}

  /// Sums over W ∪ x, given the cells of W.
  void run(const Partition& W, std::span<TermTable* const> terms, TermSums& sums,
           Observer* observer);
  /// Sums over E ∪ x and over E ∪ xy, given the cells of E.
  void run(const Partition& E, Node y, const BothTerms& terms, const BothSums& sums,
           Observer* observer);

 private:
  using Rows = std::span<const std::uint32_t>;  ///< indices of stored rows

  void start();
  void sort_rows(const Partition& W, std::optional<Node> y);
  /// The sorted rows of a cell of W, or of W and y.
  [[nodiscard]] Rows rows_of(std::size_t cell) const {
    return Rows(sorted_).subspan(starts_[cell], starts_[cell + 1] - starts_[cell]);
  }
  template <class Visit>
  void each_cell(std::size_t groups, std::size_t group, Observer* observer, Visit visit);
  void sum_cell_of_E(std::size_t first_cell, std::size_t levels_of_y, const BothSums& sums);
  [[nodiscard]] bool is_one_row(Rows rows) const;
  [[nodiscard]] std::uint32_t count_levels(Rows rows);

  const LevelTable* table_;
  const PackedRows* rows_;
  std::vector<std::uint32_t> cell_of_row_;  ///< that it is sorted by
  std::vector<std::uint32_t> starts_;       ///< by cell: its first row among the sorted
  std::vector<std::uint32_t> sorted_;       ///< stored rows by cell
  std::vector<std::uint32_t> alone_;  ///< rows of a cell of E that are alone in their cell of E ∪ y
  std::vector<std::uint32_t> even_;   ///< sums of the fields with even numbers, in eight bits each
  std::vector<std::uint32_t> odd_;    ///< likewise
  std::vector<std::uint32_t> counts_;  ///< by field
  std::vector<std::uint32_t> counts_of_E_;
};

}  // namespace greedag
