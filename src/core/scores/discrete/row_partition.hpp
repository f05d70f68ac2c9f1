#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/util/observer.hpp"

namespace greedag {

/// Values by key: a hash table with open addressing, which is emptied and freed at once.
template <class Value>
class KeyMap {
 public:
  /// Empties the map, which may then hold `most` keys.
  void make_room(std::size_t most) {
    const std::size_t size = std::bit_ceil(2 * most + 2);
    keys_.assign(size, no_key);
    values_.resize(size);
  }
  /// The value of a key, at first `initial`.
  [[nodiscard]] Value& at(std::uint64_t key, Value initial) {
    const std::size_t mask = keys_.size() - 1;
    std::size_t i = (key * 0x9e3779b97f4a7c15ULL >> 20) & mask;
    while (keys_[i] != key && keys_[i] != no_key) i = (i + 1) & mask;
    if (keys_[i] == no_key) {
      keys_[i] = key;
      values_[i] = initial;
    }
    return values_[i];
  }

 private:
  static constexpr std::uint64_t no_key = ~std::uint64_t{0};

  std::vector<std::uint64_t> keys_;
  std::vector<Value> values_;
};

/// Rows partitioned into cells by their levels. Cells are numbered in the order of their first
/// rows, so that the numbers do not depend on the order of the columns.
class RowPartition {
 public:
  explicit RowPartition(std::size_t rows) : cell_(rows, 0) {}

  /// Splitting and grouping throw `Stopped` once this observer, if any, says to stop; the rows must
  /// be put back into one cell then.
  void watch(Observer* observer) { observer_ = observer; }

  [[nodiscard]] std::size_t count() const { return count_; }

  /// Puts all rows back into one cell.
  void reset() {
    std::fill(cell_.begin(), cell_.end(), 0);
    count_ = 1;
  }

  /// Puts all rows into the cells that they have in another partition of them.
  void take_cells_of(const RowPartition& other) {
    cell_ = other.cell_;
    count_ = other.count_;
  }

  /// Splits every cell by the levels of one more column.
  template <class Code>
  void split(const Code* codes, std::size_t levels) {
    const std::size_t range = count_ * levels;
    if (range <= 4 * cell_.size() + 1024) {
      number_.assign(range, unnumbered);
      renumber(codes, levels, [&](std::size_t key) -> std::uint32_t& { return number_[key]; });
    } else {
      sparse_.make_room(cell_.size());
      renumber(codes, levels,
               [&](std::size_t key) -> std::uint32_t& { return sparse_.at(key, unnumbered); });
    }
  }

  /// The rows cell by cell, ascending within each cell.
  [[nodiscard]] std::span<const std::uint32_t> grouped() {
    starts_.assign(count_ + 1, 0);
    in_parts(cell_.size(), observer_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) ++starts_[cell_[row] + 1];
    });
    for (std::size_t i = 1; i <= count_; ++i) starts_[i] += starts_[i - 1];
    next_ = starts_;
    order_.resize(cell_.size());
    in_parts(cell_.size(), observer_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row)
        order_[next_[cell_[row]]++] = static_cast<std::uint32_t>(row);
    });
    return order_;
  }
  /// The index of a cell's first row among the grouped ones; the last cell ends with the rows.
  [[nodiscard]] std::size_t start(std::size_t cell) const { return starts_[cell]; }

 private:
  static constexpr std::uint32_t unnumbered = ~std::uint32_t{0};

  template <class Code, class Number>
  void renumber(const Code* codes, std::size_t levels, Number number) {
    count_ = 0;
    in_parts(cell_.size(), observer_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        std::uint32_t& cell = number(cell_[row] * levels + static_cast<std::size_t>(codes[row]));
        if (cell == unnumbered) cell = static_cast<std::uint32_t>(count_++);
        cell_[row] = cell;
      }
    });
  }

  Observer* observer_ = nullptr;
  std::size_t count_ = 1;
  std::vector<std::uint32_t> cell_;    ///< of each row
  std::vector<std::uint32_t> number_;  ///< new number, by old cell and level
  KeyMap<std::uint32_t> sparse_;       ///< the same, where there would be too many
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> next_;
  std::vector<std::uint32_t> order_;
};

}  // namespace greedag
