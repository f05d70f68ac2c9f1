#include "core/scores/discrete/packed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace greedag {

namespace {

// Columns with more levels are sparse: counting them one by one is as fast.
constexpr std::uint32_t most_levels = 64;
// Two gigabytes.
constexpr std::size_t most_words = std::size_t{1} << 29;
// Counts of fields have 32 bits.
constexpr double most_rows = 2e9;
constexpr std::size_t words_of_block = 8;

}  // namespace

PackedRows::PackedRows(const LevelTable& table) {
  if (table.n() > most_rows || !find_digits(table.counts())) return;
  find_bands(table);
  if (width_ > most_words / size()) {
    bands_.clear();
    return;
  }
  words_.assign(size() * width_, 0);
  for (const Band& band : bands_)
    for (std::size_t i = 0; i < band.columns.size(); ++i)
      pack(table, band.columns[i], band.first_field + i * (band.levels - 1));
}

/// False if a count is not a whole number.
bool PackedRows::find_digits(std::span<const double> counts) {
  std::uint32_t all = 0;
  for (double count : counts) {
    if (count != std::floor(count)) return false;
    all |= static_cast<std::uint32_t>(count);
  }
  for (unsigned shift = 0; all >> shift != 0; ++shift) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (static_cast<std::uint32_t>(counts[i]) >> shift & 1)
        row_.push_back(static_cast<std::uint32_t>(i));
    digits_.push_back({shift, row_.size()});
  }
  return true;
}

void PackedRows::find_bands(const LevelTable& table) {
  std::map<std::uint32_t, std::vector<Node>> by_levels;
  for (Node v = 0; v < table.size(); ++v)
    if (table.levels(v) <= most_levels) by_levels[table.levels(v)].push_back(v);
  std::size_t fields = 0;
  for (auto& [levels, columns] : by_levels) {
    bands_.push_back({levels, fields, std::move(columns)});
    fields += bands_.back().columns.size() * (levels - 1);
  }
  const std::size_t blocks = fields / (fields_of_word * words_of_block) + 1;
  width_ = blocks * words_of_block;
}

void PackedRows::pack(const LevelTable& table, Node column, std::size_t first_field) {
  table.visit_column(column, [&](const auto& codes) {
    for (std::size_t i = 0; i < size(); ++i) {
      const std::size_t code = codes[row(i)];
      if (code == 0) continue;
      const std::size_t field = first_field + code - 1;
      words_[i * width_ + field % width_] |= 1U << 4 * (field / width_);
    }
  });
}

}  // namespace greedag
