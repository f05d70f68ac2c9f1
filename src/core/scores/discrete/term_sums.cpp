#include "core/scores/discrete/term_sums.hpp"

#include "core/scores/discrete/eight_lanes.hpp"

namespace greedag {

namespace {

/// Adds 1 where a count is not 0.
GREEDAG_VECTORISED void add_occurring(const std::uint32_t* counts, std::size_t size,
                                      std::uint32_t* sums) {
  // A comparison that holds yields -1.
  for (std::size_t i = 0; i < size; i += lanes)
    *at(sums + i) -= reinterpret_cast<Eight>(*at(counts + i) != 0U);
}

// The terms of so few rows are computed beforehand, rather than checked one by one.
constexpr std::uint32_t few_rows = 512;

/// Sums the terms of `size` counts and of what they leave of `rest`.
template <class TermOf>
std::int64_t sum_of(const std::uint32_t* counts, std::uint32_t size, std::uint32_t& rest,
                    TermOf term_of) {
  std::int64_t sum = 0;
  for (const std::uint32_t* end = counts + size; counts != end; ++counts) {
    rest -= *counts;
    sum += term_of(*counts);
  }
  return sum + term_of(rest);
}

/// Adds the terms of a band in a cell with `total` rows.
template <class TermOf>
void add_band(const std::uint32_t* counts, std::uint32_t levels, std::uint32_t total,
              TermOf term_of, std::vector<TermSums::Sum>& sums) {
  for (TermSums::Sum& sum : sums) {
    std::uint32_t of_first_level = total;
    sum.terms += sum_of(counts, levels - 1, of_first_level, term_of);
    sum.occurring += of_first_level > 0;
    counts += levels - 1;
  }
}

void add_band(const std::uint32_t* counts, std::uint32_t levels, std::uint32_t total,
              TermTable& terms, std::vector<TermSums::Sum>& sums) {
  if (total <= few_rows) {
    const std::int64_t* all = terms.computed_up_to(total);
    add_band(counts, levels, total, [all](std::uint32_t count) { return all[count]; }, sums);
  } else if (total < TermTable::most_counts) {
    const std::int64_t* known = terms.up_to(total);
    const auto term_of = [&terms, known](std::uint32_t count) {
      return known[count] != TermTable::unknown ? known[count] : terms.of(count);
    };
    add_band(counts, levels, total, term_of, sums);
  } else {
    add_band(counts, levels, total, [&](std::uint32_t count) { return terms.of(count); }, sums);
  }
}

}  // namespace

void TermSums::start(std::span<TermTable* const> terms) {
  terms_ = terms;
  for (std::size_t i = 0; i < sums_.size(); ++i)
    sums_[i].assign(rows_->bands()[i].columns.size(), {});
  occurring_.assign(PackedRows::fields_of_word * rows_->width(), 0);
  cells_of_one_row_ = 0;
}

void TermSums::add(const std::vector<std::uint32_t>& counts, std::uint32_t total) {
  add_occurring(counts.data(), counts.size(), occurring_.data());
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (terms_[i] == nullptr) continue;
    const PackedRows::Band& band = rows_->bands()[i];
    add_band(counts.data() + band.first_field, band.levels, total, *terms_[i], sums_[i]);
  }
}

void TermSums::finish() {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (terms_[i] == nullptr) continue;
    const PackedRows::Band& band = rows_->bands()[i];
    const std::uint32_t* occurring = occurring_.data() + band.first_field;
    const std::int64_t of_one_row = terms_[i]->of(1U);
    for (Sum& sum : sums_[i]) {
      sum.terms += cells_of_one_row_ * of_one_row;
      sum.occurring += cells_of_one_row_;
      for (std::uint32_t level = 1; level < band.levels; ++level) sum.occurring += *occurring++;
    }
  }
}

}  // namespace greedag
