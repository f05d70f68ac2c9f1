#pragma once

#include "core/scores/discrete/cell_terms.hpp"
#include "core/scores/discrete/packed_rows.hpp"
#include "core/util/observer.hpp"

namespace greedag {

/// Sums terms over the cells of E ∪ x and of E ∪ xy, for all packed columns x in one pass over the
/// rows. For one thread.
class LevelSweep {
 public:
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

  /// The sums of each band. The cells of E are given by row, and numbered below `cells`. Valid
  /// until the next call.
  [[nodiscard]] std::span<const BandSums> run(std::span<const std::uint32_t> cell_of_row,
                                              std::size_t cells, Node y,
                                              std::span<const BandTerms> terms, Observer* observer);

 private:
  /// A stored row and its level of y.
  struct Place {
    std::uint32_t stored;
    std::uint32_t level;
  };
  using Places = std::span<const Place>;
  using Member = std::vector<Sum> BandSums::*;

  void start();
  void sort_rows(std::span<const std::uint32_t> cell_of_row, std::size_t cells, Node y);
  void sum_cell_of_E(Places places);
  [[nodiscard]] bool is_one_row(Places places) const;
  [[nodiscard]] std::uint32_t count_levels(Places places);
  void add_terms(const std::vector<std::uint32_t>& counts, std::uint32_t total, Member member);
  void add_terms_of_single_rows();

  const LevelTable* table_;
  const PackedRows* rows_;
  std::span<const BandTerms> terms_;
  std::vector<BandSums> sums_;
  std::vector<std::uint32_t> starts_;
  std::vector<Place> by_level_;
  std::vector<Place> by_cell_;
  std::vector<Place> single_;          ///< rows of a cell of E that are alone in their cell of E ∪ y
  std::vector<std::uint32_t> even_;    ///< sums of the fields with even numbers, in eight bits each
  std::vector<std::uint32_t> odd_;     ///< likewise
  std::vector<std::uint32_t> counts_;  ///< by field
  std::vector<std::uint32_t> counts_of_E_;
  std::uint32_t cells_of_one_row_E_ = 0;
  std::uint32_t cells_of_one_row_Ey_ = 0;
};

}  // namespace greedag
