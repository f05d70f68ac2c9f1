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
    const std::uint32_t* count = counts.data() + band.first_field;
    const SumOfTerms terms(*terms_[i], total);
    for (Sum& sum : sums_[i]) {
      std::uint32_t of_first_level = total;
      sum.terms += terms.of(count, band.levels - 1, of_first_level);
      sum.occurring += of_first_level > 0;
      count += band.levels - 1;
    }
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
