#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/graph/node_set.hpp"

namespace greedag {

/// The distinct rows of a table of discrete columns, with their counts.
class LevelTable {
 public:
  /// The level of each row, column by column: a code below the column's number of levels, or that
  /// number itself where the value is missing.
  LevelTable(std::span<const std::uint32_t> codes, std::span<const std::uint32_t> levels,
             std::span<const double> counts);

  [[nodiscard]] Node size() const { return static_cast<Node>(columns_.size()); }
  [[nodiscard]] std::size_t rows() const { return counts_.size(); }
  [[nodiscard]] std::span<const double> counts() const { return counts_; }
  [[nodiscard]] double n() const { return n_; }
  [[nodiscard]] std::uint32_t levels(Node v) const { return levels_[static_cast<std::size_t>(v)]; }
  /// Calls `visit` with the codes of a column, in the narrowest type that holds them.
  template <class Visit>
  decltype(auto) visit_column(Node v, Visit visit) const {
    return std::visit(visit, columns_[static_cast<std::size_t>(v)]);
  }

 private:
  using Column = std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>,
                              std::vector<std::uint32_t>>;

  std::vector<Column> columns_;
  std::vector<std::uint32_t> levels_;
  std::vector<double> counts_;
  double n_;
};

}  // namespace greedag
