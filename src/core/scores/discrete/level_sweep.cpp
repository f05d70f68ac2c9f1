#include "core/scores/discrete/level_sweep.hpp"

#include <algorithm>

#include "core/util/four_lanes.hpp"

namespace greedag {

namespace {

// What fields of four and of eight bits can hold.
constexpr std::size_t rows_of_nibble = 15;
constexpr std::size_t rows_of_byte = 17 * rows_of_nibble;
constexpr std::size_t block = 8;

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

/// Where the next row of each key goes, if rows are sorted by keys of which counts[key + 1] is the
/// number.
void accumulate(std::vector<std::uint32_t>& counts) {
  for (std::size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
}

}  // namespace

std::span<const LevelSweep::BandSums> LevelSweep::run(std::span<const std::uint32_t> cell_of_row,
                                                      std::size_t cells, Node y,
                                                      std::span<const BandTerms> terms,
                                                      Observer* observer) {
  terms_ = terms;
  start();
  sort_rows(cell_of_row, cells, y);
  std::size_t begin = 0;
  std::size_t unwatched = 0;
  // Sorting has moved each start to where the next cell starts.
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::size_t end = starts_[cell];
    if (begin == end) continue;
    sum_cell_of_E(Places(by_cell_).subspan(begin, end - begin));
    unwatched += end - begin;
    if (unwatched > rows_of_part) {
      throw_if_stopped(observer);
      unwatched = 0;
    }
    begin = end;
  }
  add_terms_of_single_rows();
  return sums_;
}

void LevelSweep::start() {
  const std::size_t width = rows_->width();
  even_.assign(width, 0);
  odd_.assign(width, 0);
  counts_.resize(PackedRows::fields_of_word * width);
  counts_of_E_.resize(counts_.size());
  cells_of_one_row_E_ = cells_of_one_row_Ey_ = 0;
  sums_.resize(rows_->bands().size());
  for (std::size_t i = 0; i < sums_.size(); ++i)
    for (Member member : {&BandSums::Ex, &BandSums::Exy})
      (sums_[i].*member).assign(rows_->bands()[i].columns.size(), {});
}

/// Sorts by cells of E, within these by y, and within these by digit.
void LevelSweep::sort_rows(std::span<const std::uint32_t> cell_of_row, std::size_t cells, Node y) {
  const std::size_t size = rows_->size();
  by_level_.resize(size);
  by_cell_.resize(size);
  table_->visit_column(y, [&](const auto& codes) {
    starts_.assign(table_->levels(y) + 1, 0);
    for (std::size_t i = 0; i < size; ++i) ++starts_[codes[rows_->row(i)] + 1U];
    accumulate(starts_);
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t level = codes[rows_->row(i)];
      by_level_[starts_[level]++] = {static_cast<std::uint32_t>(i), level};
    }
  });
  starts_.assign(cells + 1, 0);
  for (std::size_t i = 0; i < size; ++i) ++starts_[cell_of_row[rows_->row(i)] + 1];
  accumulate(starts_);
  for (const Place& place : by_level_)
    by_cell_[starts_[cell_of_row[rows_->row(place.stored)]]++] = place;
}

void LevelSweep::sum_cell_of_E(Places places) {
  if (is_one_row(places)) {
    ++cells_of_one_row_E_;
    ++cells_of_one_row_Ey_;
    return;
  }
  std::fill(counts_of_E_.begin(), counts_of_E_.end(), 0);
  single_.clear();
  std::uint32_t total = 0;
  for (std::size_t begin = 0, end = 0; begin < places.size(); begin = end) {
    while (end < places.size() && places[end].level == places[begin].level) ++end;
    const Places cell = places.subspan(begin, end - begin);
    if (is_one_row(cell)) {
      single_.push_back(cell.front());
      continue;
    }
    const std::uint32_t rows = count_levels(cell);
    add_terms(counts_, rows, &BandSums::Exy);
    add_counts(counts_.data(), counts_.size(), counts_of_E_.data());
    total += rows;
  }
  if (!single_.empty()) {
    cells_of_one_row_Ey_ += static_cast<std::uint32_t>(single_.size());
    total += count_levels(single_);
    add_counts(counts_.data(), counts_.size(), counts_of_E_.data());
  }
  add_terms(counts_of_E_, total, &BandSums::Ex);
}

/// Whatever x is, its cell in such a group occurs once.
bool LevelSweep::is_one_row(Places places) const {
  const PackedRows::Digit& ones = rows_->digits().front();
  return places.size() == 1 && places.front().stored < ones.end;
}

/// Counts the levels of all columns in rows that ascend within a level of y. Returns the number of
/// rows.
std::uint32_t LevelSweep::count_levels(Places places) {
  const std::uint32_t* rows[rows_of_nibble];
  const std::size_t width = rows_->width();
  std::fill(counts_.begin(), counts_.end(), 0);
  std::uint32_t total = 0;
  std::size_t i = 0;
  for (const PackedRows::Digit& digit : rows_->digits()) {
    std::size_t summed = 0;
    while (i < places.size() && places[i].stored < digit.end) {
      std::size_t count = 0;
      while (count < rows_of_nibble && i < places.size() && places[i].stored < digit.end)
        rows[count++] = rows_->words() + places[i++].stored * width;
      add_rows({rows, count}, width, even_.data(), odd_.data());
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

void LevelSweep::add_terms(const std::vector<std::uint32_t>& counts, std::uint32_t total,
                           Member member) {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const PackedRows::Band& band = rows_->bands()[i];
    TermTable& terms = member == &BandSums::Ex ? *terms_[i].Ex : *terms_[i].Exy;
    const std::uint32_t* count = counts.data() + band.first_field;
    for (Sum& sum : sums_[i].*member) {
      std::uint32_t of_first_level = total;
      for (std::uint32_t level = 1; level < band.levels; ++level, ++count) {
        of_first_level -= *count;
        sum.terms += terms.of(*count);
        sum.occurring += *count > 0;
      }
      sum.terms += terms.of(of_first_level);
      sum.occurring += of_first_level > 0;
    }
  }
}

void LevelSweep::add_terms_of_single_rows() {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const std::int64_t of_one_Ex = terms_[i].Ex->of(1U);
    const std::int64_t of_one_Exy = terms_[i].Exy->of(1U);
    for (Sum& sum : sums_[i].Ex) {
      sum.terms += cells_of_one_row_E_ * of_one_Ex;
      sum.occurring += cells_of_one_row_E_;
    }
    for (Sum& sum : sums_[i].Exy) {
      sum.terms += cells_of_one_row_Ey_ * of_one_Exy;
      sum.occurring += cells_of_one_row_Ey_;
    }
  }
}

}  // namespace greedag
