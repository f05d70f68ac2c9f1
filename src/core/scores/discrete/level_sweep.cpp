#include "core/scores/discrete/level_sweep.hpp"

#include <algorithm>

#include "core/scores/discrete/eight_lanes.hpp"

namespace greedag {

namespace {

// What fields of four and of eight bits can hold.
constexpr std::size_t rows_of_nibble = 15;
constexpr std::size_t rows_of_byte = 17 * rows_of_nibble;
// Rows of a cell are far apart in memory, so that the processor does not foresee the next.
constexpr std::size_t rows_ahead = 2 * rows_of_nibble;

/// Adds the fields of up to 15 rows, which begin at `rows`, to sums of fields with even and with
/// odd numbers.
GREEDAG_VECTORISED void add_rows(std::span<const std::uint32_t* const> rows, std::size_t width,
                                 std::uint32_t* even, std::uint32_t* odd) {
  for (std::size_t w = 0; w < width; w += lanes) {
    Eight sum{};
    for (const std::uint32_t* row : rows) sum += *at(row + w);
    *at(even + w) += sum & 0x0f0f0f0fU;
    *at(odd + w) += sum >> 4 & 0x0f0f0f0fU;
  }
}

/// Moves sums of fields of eight bits to the counts by field, each counted 2^shift times.
GREEDAG_VECTORISED void move_sums(std::uint32_t* even, std::uint32_t* odd, std::size_t width,
                                  unsigned shift, std::uint32_t* counts) {
  for (std::size_t w = 0; w < width; w += lanes) {
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
  for (std::size_t i = 0; i < size; i += lanes) *at(sums + i) += *at(counts + i);
}

}  // namespace

void LevelSweep::run(const Partition& W, std::span<TermTable* const> terms, TermSums& sums,
                     Observer* observer) {
  start();
  sums.start(terms);
  sort_rows(W, std::nullopt);
  each_cell(W.cells, 1, observer, [&](std::size_t cell) {
    const Rows rows = rows_of(cell);
    if (rows.empty()) return;
    if (is_one_row(rows)) return sums.add_one_row();
    const std::uint32_t total = count_levels(rows);
    sums.add(counts_, total);
  });
  sums.finish();
}

void LevelSweep::run(const Partition& E, Node y, const BothTerms& terms, const BothSums& sums,
                     Observer* observer) {
  start();
  sums.E.start(terms.E);
  sums.Ey.start(terms.Ey);
  sort_rows(E, y);
  const std::size_t levels = table_->levels(y);
  each_cell(E.cells, levels, observer,
            [&](std::size_t first) { sum_cell_of_E(first, levels, sums); });
  sums.E.finish();
  sums.Ey.finish();
}

/// Calls `visit` with the first of `group` cells that belong together, for each group.
template <class Visit>
void LevelSweep::each_cell(std::size_t groups, std::size_t group, Observer* observer, Visit visit) {
  std::size_t watched = 0;
  for (std::size_t first = 0; first < groups * group; first += group) {
    visit(first);
    if (starts_[first] < watched + rows_of_part) continue;
    throw_if_stopped(observer);
    watched = starts_[first];
  }
}

void LevelSweep::start() {
  even_.assign(rows_->width(), 0);
  odd_.assign(rows_->width(), 0);
  counts_.resize(PackedRows::fields_of_word * rows_->width());
  counts_of_E_.resize(counts_.size());
}

/// Sorts by cells of W, within these by y, if any, and within these by digit.
void LevelSweep::sort_rows(const Partition& W, std::optional<Node> y) {
  const std::size_t size = rows_->size();
  const std::uint32_t levels = y ? table_->levels(*y) : 1;
  cell_of_row_.resize(size);
  sorted_.resize(size);
  starts_.assign(W.cells * levels + 2, 0);
  const auto find_cells = [&](auto level_of) {
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t row = rows_->row(i);
      cell_of_row_[i] = W.cell[row] * levels + level_of(row);
      ++starts_[cell_of_row_[i] + 2];
    }
  };
  if (y)
    table_->visit_column(*y, [&](const auto& codes) {
      find_cells([&](std::uint32_t row) -> std::uint32_t { return codes[row]; });
    });
  else
    find_cells([](std::uint32_t) -> std::uint32_t { return 0; });
  for (std::size_t i = 2; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  // Moves the start of each cell from the place after its own to its own.
  for (std::size_t i = 0; i < size; ++i)
    sorted_[starts_[cell_of_row_[i] + 1]++] = static_cast<std::uint32_t>(i);
}

void LevelSweep::sum_cell_of_E(std::size_t first_cell, std::size_t levels_of_y,
                               const BothSums& sums) {
  const std::size_t end_cell = first_cell + levels_of_y;
  const Rows rows =
      Rows(sorted_).subspan(starts_[first_cell], starts_[end_cell] - starts_[first_cell]);
  if (rows.empty()) return;
  if (is_one_row(rows)) {
    sums.E.add_one_row();
    sums.Ey.add_one_row();
    return;
  }
  std::fill(counts_of_E_.begin(), counts_of_E_.end(), 0);
  alone_.clear();
  std::uint32_t total = 0;
  for (std::size_t cell = first_cell; cell < end_cell; ++cell) {
    if (rows_of(cell).empty()) continue;
    if (is_one_row(rows_of(cell))) {
      sums.Ey.add_one_row();
      alone_.push_back(rows_of(cell).front());
      continue;
    }
    const std::uint32_t in_cell = count_levels(rows_of(cell));
    sums.Ey.add(counts_, in_cell);
    add_counts(counts_.data(), counts_.size(), counts_of_E_.data());
    total += in_cell;
  }
  if (!alone_.empty()) {
    total += count_levels(alone_);
    add_counts(counts_.data(), counts_.size(), counts_of_E_.data());
  }
  sums.E.add(counts_of_E_, total);
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

}  // namespace greedag
