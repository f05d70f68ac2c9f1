#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace greedag {

/// Rows partitioned into cells by their levels. Cells are numbered in the order of their first
/// rows, so that the numbers do not depend on the order of the columns.
class RowPartition {
 public:
  explicit RowPartition(std::size_t rows) : cell_(rows, 0) {}

  [[nodiscard]] std::size_t count() const { return count_; }

  /// Puts all rows back into one cell.
  void reset() {
    std::fill(cell_.begin(), cell_.end(), 0);
    count_ = 1;
  }

  /// Splits every cell by the levels of one more column.
  template <class Code>
  void split(const Code* codes, std::size_t levels) {
    const std::size_t range = count_ * levels;
    if (range <= 4 * cell_.size() + 1024) {
      number_.assign(range, unnumbered);
      renumber(codes, levels, [&](std::size_t key) -> std::uint32_t& { return number_[key]; });
    } else {
      sparse_.clear();
      renumber(codes, levels, [&](std::size_t key) -> std::uint32_t& {
        return sparse_.try_emplace(key, unnumbered).first->second;
      });
    }
  }

  /// The rows cell by cell, ascending within each cell.
  [[nodiscard]] std::span<const std::uint32_t> grouped() {
    starts_.assign(count_ + 1, 0);
    for (std::uint32_t cell : cell_) ++starts_[cell + 1];
    for (std::size_t i = 1; i <= count_; ++i) starts_[i] += starts_[i - 1];
    next_ = starts_;
    order_.resize(cell_.size());
    for (std::size_t row = 0; row < cell_.size(); ++row)
      order_[next_[cell_[row]]++] = static_cast<std::uint32_t>(row);
    return order_;
  }
  /// The index of a cell's first row among the grouped ones; the last cell ends with the rows.
  [[nodiscard]] std::size_t start(std::size_t cell) const { return starts_[cell]; }

 private:
  static constexpr std::uint32_t unnumbered = ~std::uint32_t{0};

  template <class Code, class Number>
  void renumber(const Code* codes, std::size_t levels, Number number) {
    count_ = 0;
    for (std::size_t row = 0; row < cell_.size(); ++row) {
      std::uint32_t& cell = number(cell_[row] * levels + static_cast<std::size_t>(codes[row]));
      if (cell == unnumbered) cell = static_cast<std::uint32_t>(count_++);
      cell_[row] = cell;
    }
  }

  std::size_t count_ = 1;
  std::vector<std::uint32_t> cell_;    ///< of each row
  std::vector<std::uint32_t> number_;  ///< new number, by old cell and level
  std::unordered_map<std::size_t, std::uint32_t> sparse_;
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> next_;
  std::vector<std::uint32_t> order_;
};

}  // namespace greedag
