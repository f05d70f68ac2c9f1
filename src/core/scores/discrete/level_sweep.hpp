#pragma once

#include "core/scores/discrete/cell_counter.hpp"
#include "core/scores/discrete/cell_terms.hpp"
#include "core/scores/discrete/packed_rows.hpp"
#include "core/util/observer.hpp"

namespace greedag {

/// Sums terms over the cells of E ∪ x and of E ∪ xy, for all packed columns x in one pass over the
/// rows. For one thread.
class LevelSweep {
 public:
  using Partition = CellCounter::Partition;

  /// Over the cells that occur, of one set of columns.
  struct Sum {
    std::int64_t terms = 0;
    std::uint32_t occurring = 0;
  };
  /// Of the columns of a band, in their order.
  struct BandSums {
    std::vector<Sum> Ex;
    std::vector<Sum> Exy;
  };
  /// The terms of a band's cells, which all have the same number of cells.
  struct BandTerms {
    TermTable* Ex;
    TermTable* Exy;
  };

  LevelSweep(const LevelTable& table, const PackedRows& rows) : table_(&table), rows_(&rows) {}

  /// The sums of each band, given the cells of E. Valid until the next call.
  [[nodiscard]] std::span<const BandSums> run(const Partition& E, Node y,
                                              std::span<const BandTerms> terms, Observer* observer);

 private:
  using Rows = std::span<const std::uint32_t>;  ///< indices of stored rows
  using Member = std::vector<Sum> BandSums::*;

  void start();
  void sort_rows(const Partition& E, Node y);
  /// The sorted rows of a cell of E ∪ y.
  [[nodiscard]] Rows rows_of(std::size_t cell) const {
    return Rows(sorted_).subspan(starts_[cell], starts_[cell + 1] - starts_[cell]);
  }
  void sum_cell_of_E(std::size_t first_cell, std::size_t levels_of_y);
  [[nodiscard]] bool is_one_row(Rows rows) const;
  [[nodiscard]] std::uint32_t count_levels(Rows rows);
  void add_terms(const std::vector<std::uint32_t>& counts, std::uint32_t total, Member member);
  void add_occurring(const std::vector<std::uint32_t>& by_field, Member member);
  void add_single_rows(std::uint32_t rows, Member member);
  [[nodiscard]] TermTable& terms_of(std::size_t band, Member member) const {
    return member == &BandSums::Ex ? *terms_[band].Ex : *terms_[band].Exy;
  }

  const LevelTable* table_;
  const PackedRows* rows_;
  std::span<const BandTerms> terms_;
  std::vector<BandSums> sums_;
  std::vector<std::uint32_t> cell_of_row_;  ///< of E ∪ y
  std::vector<std::uint32_t> starts_;       ///< by cell of E ∪ y: its first row among the sorted
  std::vector<std::uint32_t> sorted_;       ///< stored rows by cell
  std::vector<std::uint32_t> alone_;  ///< rows of a cell of E that are alone in their cell of E ∪ y
  std::vector<std::uint32_t> even_;   ///< sums of the fields with even numbers, in eight bits each
  std::vector<std::uint32_t> odd_;    ///< likewise
  std::vector<std::uint32_t> counts_;  ///< by field
  std::vector<std::uint32_t> counts_of_E_;
  std::vector<std::uint32_t> occurring_Ex_;  ///< by field: how many of its cells are not empty
  std::vector<std::uint32_t> occurring_Exy_;
  std::uint32_t cells_of_one_row_E_ = 0;
  std::uint32_t cells_of_one_row_Ey_ = 0;
};

}  // namespace greedag
