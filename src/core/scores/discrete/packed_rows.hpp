#pragma once

#include "core/scores/discrete/level_table.hpp"

namespace greedag {

/// The rows of a table, packed so that the levels of many columns are counted at once.
///
/// Every level of a column but the first has a *field* of four bits, which is 1 in rows that have
/// the level: the sum of the words of up to 15 rows holds the counts of all levels. A row that
/// occurs w times is stored once for each binary digit of w that is 1.
///
/// Field f is in word f % width(), so that the same shift brings neighbouring fields into place.
class PackedRows {
 public:
  /// Columns with the same number of levels, one after the other.
  struct Band {
    std::uint32_t levels;
    std::size_t first_field;
    std::vector<Node> columns;
  };
  /// The rows with one digit, which begin after those with lower digits.
  struct Digit {
    unsigned shift;
    std::size_t end;
  };

  /// Leaves out columns with very many levels, and all columns if a row does not occur a whole
  /// number of times, or if they would take too much memory.
  explicit PackedRows(const LevelTable& table);

  [[nodiscard]] std::span<const Band> bands() const { return bands_; }
  [[nodiscard]] std::span<const Digit> digits() const { return digits_; }
  /// How many rows are stored.
  [[nodiscard]] std::size_t size() const { return row_.size(); }
  /// The row of the table that a stored one stands for.
  [[nodiscard]] std::uint32_t row(std::size_t stored) const { return row_[stored]; }
  /// The number of words of a stored row, a multiple of 8.
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] const std::uint32_t* words() const { return words_.data(); }
  static constexpr std::size_t fields_of_word = 8;

 private:
  [[nodiscard]] bool find_digits(std::span<const double> counts);
  void find_bands(const LevelTable& table);
  void pack(const LevelTable& table, Node column, std::size_t first_field);

  std::vector<Band> bands_;
  std::vector<Digit> digits_;
  std::vector<std::uint32_t> row_;
  std::size_t width_ = 0;
  std::vector<std::uint32_t> words_;
};

}  // namespace greedag
