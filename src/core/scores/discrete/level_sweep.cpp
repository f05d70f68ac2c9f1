#include "core/scores/discrete/level_sweep.hpp"

#include <algorithm>

#include "core/util/four_lanes.hpp"

namespace greedag {

namespace {

// What fields of four and of eight bits can hold.
constexpr std::size_t rows_of_nibble = 15;
constexpr std::size_t rows_of_byte = 17 * rows_of_nibble;
constexpr std::size_t block = 8;
// Rows of a cell are far apart in memory, so that the processor does not foresee the next.
constexpr std::size_t rows_ahead = 2 * rows_of_nibble;

using Eight = std::uint32_t __attribute__((vector_size(32)));
typedef std::uint32_t EightThere __attribute__((vector_size(32), aligned(4), may_alias));

const EightThere* at(const std::uint32_t* words) {
  return reinterpret_cast<const EightThere*>(words);
}
EightThere* at(std::uint32_t* words) { return reinterpret_cast<EightThere*>(words); }

/// Adds the fields of up to 15 rows, which begin at `rows`, to sums of fields with even and with
/// odd numbers.
GREEDAG_VECTORISED void add_rows(std::span<const std::uint32_t* const> rows, std::size_t width,
                                 std::uint32_t* even, std::uint32_t* odd) {
  for (std::size_t w = 0; w < width; w += block) {
    Eight sum{};
    for (const std::uint32_t* row : rows) sum += *at(row + w);
    *at(even + w) += sum & 0x0f0f0f0fU;
    *at(odd + w) += sum >> 4 & 0x0f0f0f0fU;
  }
}

/// Moves sums of fields of eight bits to the counts by field, each counted 2^shift times.
GREEDAG_VECTORISED void move_sums(std::uint32_t* even, std::uint32_t* odd, std::size_t width,
                                  unsigned shift, std::uint32_t* counts) {
  for (std::size_t w = 0; w < width; w += block) {
    const Eight evens = *at(even + w);
    const Eight odds = *at(odd + w);
    for (unsigned byte = 0; byte < 4; ++byte) {
      *at(counts + 2 * byte * width + w) += (evens >> 8 * byte & 0xffU) << shift;
      *at(counts + (2 * byte + 1) * width + w) += (odds >> 8 * byte & 0xffU) << shift;
    }
    *at(even + w) = *at(odd + w) = Eight{};
  }
}

GREEDAG_VECTORISED void add_counts(const std::uint32_t* counts, std::size_t size,
                                   std::uint32_t* sums) {
  for (std::size_t i = 0; i < size; i += block) *at(sums + i) += *at(counts + i);
}

/// Adds 1 where a count is not 0.
GREEDAG_VECTORISED void add_occurring_fields(const std::uint32_t* counts, std::size_t size,
                                             std::uint32_t* sums) {
  // A comparison that holds yields -1.
  for (std::size_t i = 0; i < size; i += block)
    *at(sums + i) -= reinterpret_cast<Eight>(*at(counts + i) != 0U);
}

/// Sums the terms of cells with up to `largest` rows.
class SumOfTerms {
 public:
  SumOfTerms(TermTable& terms, std::uint32_t largest)
      : terms_(&terms), known_(largest < TermTable::most_counts ? terms.up_to(largest) : nullptr) {}

  /// Over `size` counts and what they leave of `rest`.
  [[nodiscard]] std::int64_t of(const std::uint32_t* counts, std::uint32_t size,
                                std::uint32_t& rest) const {
    std::int64_t sum = 0;
    for (const std::uint32_t* end = counts + size; counts != end; ++counts) {
      rest -= *counts;
      sum += of(*counts);
    }
    return sum + of(rest);
  }

 private:
  [[nodiscard]] std::int64_t of(std::uint32_t count) const {
    if (known_ != nullptr && known_[count] != TermTable::unknown) return known_[count];
    return terms_->of(count);
  }

  TermTable* terms_;
  const std::int64_t* known_;
};

}  // namespace

std::span<const LevelSweep::BandSums> LevelSweep::run(const Partition& E, Node y,
                                                      std::span<const BandTerms> terms,
                                                      Observer* observer) {
  terms_ = terms;
  start();
  sort_rows(E, y);
  const std::size_t levels = table_->levels(y);
  std::size_t watched = 0;
  for (std::size_t first = 0; first < E.cells * levels; first += levels) {
    sum_cell_of_E(first, levels);
    if (starts_[first] < watched + rows_of_part) continue;
    throw_if_stopped(observer);
    watched = starts_[first];
  }
  add_occurring(occurring_Ex_, &BandSums::Ex);
  add_occurring(occurring_Exy_, &BandSums::Exy);
  add_single_rows(cells_of_one_row_E_, &BandSums::Ex);
  add_single_rows(cells_of_one_row_Ey_, &BandSums::Exy);
  return sums_;
}

void LevelSweep::start() {
  const std::size_t width = rows_->width();
  even_.assign(width, 0);
  odd_.assign(width, 0);
  counts_.resize(PackedRows::fields_of_word * width);
  counts_of_E_.resize(counts_.size());
  occurring_Ex_.assign(counts_.size(), 0);
  occurring_Exy_.assign(counts_.size(), 0);
  cells_of_one_row_E_ = cells_of_one_row_Ey_ = 0;
  sums_.resize(rows_->bands().size());
  for (std::size_t i = 0; i < sums_.size(); ++i)
    for (Member member : {&BandSums::Ex, &BandSums::Exy})
      (sums_[i].*member).assign(rows_->bands()[i].columns.size(), {});
}

/// Sorts by cells of E, within these by y, and within these by digit.
void LevelSweep::sort_rows(const Partition& E, Node y) {
  const std::size_t size = rows_->size();
  const std::uint32_t levels = table_->levels(y);
  cell_of_row_.resize(size);
  sorted_.resize(size);
  starts_.assign(E.cells * levels + 2, 0);
  table_->visit_column(y, [&](const auto& codes) {
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t row = rows_->row(i);
      cell_of_row_[i] = E.cell[row] * levels + codes[row];
      ++starts_[cell_of_row_[i] + 2];
    }
  });
  for (std::size_t i = 2; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  // Moves the start of each cell from the place after its own to its own.
  for (std::size_t i = 0; i < size; ++i)
    sorted_[starts_[cell_of_row_[i] + 1]++] = static_cast<std::uint32_t>(i);
}

void LevelSweep::sum_cell_of_E(std::size_t first_cell, std::size_t levels_of_y) {
  const std::size_t end_cell = first_cell + levels_of_y;
  const Rows rows =
      Rows(sorted_).subspan(starts_[first_cell], starts_[end_cell] - starts_[first_cell]);
  if (rows.empty()) return;
  if (is_one_row(rows)) {
    ++cells_of_one_row_E_;
    ++cells_of_one_row_Ey_;
    return;
  }
  std::fill(counts_of_E_.begin(), counts_of_E_.end(), 0);
  alone_.clear();
  std::uint32_t total = 0;
  for (std::size_t cell = first_cell; cell < end_cell; ++cell) {
    if (rows_of(cell).empty()) continue;
    if (is_one_row(rows_of(cell))) {
      alone_.push_back(rows_of(cell).front());
      continue;
    }
    const std::uint32_t in_cell = count_levels(rows_of(cell));
    add_terms(counts_, in_cell, &BandSums::Exy);
    add_occurring_fields(counts_.data(), counts_.size(), occurring_Exy_.data());
    add_counts(counts_.data(), counts_.size(), counts_of_E_.data());
    total += in_cell;
  }
  if (!alone_.empty()) {
    cells_of_one_row_Ey_ += static_cast<std::uint32_t>(alone_.size());
    total += count_levels(alone_);
    add_counts(counts_.data(), counts_.size(), counts_of_E_.data());
  }
  add_terms(counts_of_E_, total, &BandSums::Ex);
  add_occurring_fields(counts_of_E_.data(), counts_of_E_.size(), occurring_Ex_.data());
}

/// Whatever x is, its cell in such a group occurs once.
bool LevelSweep::is_one_row(Rows rows) const {
  return rows.size() == 1 && rows.front() < rows_->digits().front().end;
}

/// Counts the levels of all columns in rows, which ascend by digit. Returns how often they occur.
std::uint32_t LevelSweep::count_levels(Rows rows) {
  const std::uint32_t* words[rows_of_nibble];
  const std::size_t width = rows_->width();
  std::fill(counts_.begin(), counts_.end(), 0);
  std::uint32_t total = 0;
  std::size_t i = 0;
  for (const PackedRows::Digit& digit : rows_->digits()) {
    std::size_t summed = 0;
    while (i < rows.size() && rows[i] < digit.end) {
      std::size_t count = 0;
      while (count < rows_of_nibble && i < rows.size() && rows[i] < digit.end) {
        if (i + rows_ahead < rows.size())
          __builtin_prefetch(rows_->words() + rows[i + rows_ahead] * width);
        words[count++] = rows_->words() + rows[i++] * width;
      }
      add_rows({words, count}, width, even_.data(), odd_.data());
      total += static_cast<std::uint32_t>(count) << digit.shift;
      summed += count;
      if (summed + rows_of_nibble <= rows_of_byte) continue;
      move_sums(even_.data(), odd_.data(), width, digit.shift, counts_.data());
      summed = 0;
    }
    if (summed > 0) move_sums(even_.data(), odd_.data(), width, digit.shift, counts_.data());
  }
  return total;
}

/// Without counting how many cells occur, except those of first levels.
void LevelSweep::add_terms(const std::vector<std::uint32_t>& counts, std::uint32_t total,
                           Member member) {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const PackedRows::Band& band = rows_->bands()[i];
    const std::uint32_t* count = counts.data() + band.first_field;
    const SumOfTerms terms(terms_of(i, member), total);
    for (Sum& sum : sums_[i].*member) {
      std::uint32_t of_first_level = total;
      sum.terms += terms.of(count, band.levels - 1, of_first_level);
      sum.occurring += of_first_level > 0;
      count += band.levels - 1;
    }
  }
}

void LevelSweep::add_occurring(const std::vector<std::uint32_t>& by_field, Member member) {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const PackedRows::Band& band = rows_->bands()[i];
    const std::uint32_t* field = by_field.data() + band.first_field;
    for (Sum& sum : sums_[i].*member)
      for (std::uint32_t level = 1; level < band.levels; ++level) sum.occurring += *field++;
  }
}

void LevelSweep::add_single_rows(std::uint32_t rows, Member member) {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const std::int64_t of_one = terms_of(i, member).of(1U);
    for (Sum& sum : sums_[i].*member) {
      sum.terms += rows * of_one;
      sum.occurring += rows;
    }
  }
}

}  // namespace greedag
