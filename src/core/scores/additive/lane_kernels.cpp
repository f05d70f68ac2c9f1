#include "core/scores/additive/lane_kernels.hpp"

#include <limits>

#include "core/util/four_lanes.hpp"

namespace greedag {
namespace {

const FourThere* fours(const double* values) { return reinterpret_cast<const FourThere*>(values); }
FourThere* fours(double* values) { return reinterpret_cast<FourThere*>(values); }

/// Where the pair of columns a ≥ b is, in fours.
constexpr std::size_t pair(std::size_t a, std::size_t b) { return a * (a + 1) / 2 + b; }

}  // namespace

GREEDAG_VECTORISED void interleave(const double* const* from, std::size_t length, double* to) {
  const double* const one = from[0];
  const double* const two = from[1];
  const double* const three = from[2];
  const double* const four = from[3];
  for (std::size_t i = 0; i < length; ++i) fours(to)[i] = Four{one[i], two[i], three[i], four[i]};
}

/// Four fours at once, which do not wait for each other.
GREEDAG_VECTORISED void subtract_rows(double* row, std::size_t length, const WeightedRows& earlier,
                                      double inverse) {
  constexpr std::size_t step = 4;
  const auto [rows, stride, k, weights] = earlier;
  FourThere* to = fours(row);
  const std::size_t count = length / lanes_in_group;
  std::size_t i = 0;
  for (; i + step <= count; i += step) {
    Four value[step] = {to[i], to[i + 1], to[i + 2], to[i + 3]};
    const double* from = rows + i * lanes_in_group;
    for (std::size_t j = 0; j < k; ++j, from += stride)
#pragma GCC unroll 4
      for (std::size_t s = 0; s < step; ++s) value[s] -= weights[j] * fours(from)[s];
#pragma GCC unroll 4
    for (std::size_t s = 0; s < step; ++s) to[i + s] = value[s] * inverse;
  }
  for (; i < count; ++i) {
    Four value = to[i];
    const double* from = rows + i * lanes_in_group;
    for (std::size_t j = 0; j < k; ++j, from += stride) value -= weights[j] * *fours(from);
    to[i] = value * inverse;
  }
}

GREEDAG_VECTORISED void subtract_squares(const double* row, std::size_t length, double along_y,
                                         double* left, double* with_y) {
  for (std::size_t i = 0; i < length / lanes_in_group; ++i) {
    const Four value = fours(row)[i];
    fours(left)[i] -= value * value;
    fours(with_y)[i] -= value * along_y;
  }
}

GREEDAG_VECTORISED void subtract_products(const Window& window, std::size_t first,
                                          const GroupRows& rows, double* pairs, double* with_y) {
  constexpr std::size_t step = 4;
  const auto [from, stride, count, along_y] = rows;
  for (std::size_t a = window.first; a < window.last; ++a) {
    FourThere* to = fours(pairs) + pair(a, 0);
    std::size_t b = first;
    for (; b + step <= a + 1; b += step) {
      Four value[step] = {to[b], to[b + 1], to[b + 2], to[b + 3]};
      const double* row = from;
      for (std::size_t k = 0; k < count; ++k, row += stride) {
        const Four at_a = fours(row)[a];
#pragma GCC unroll 4
        for (std::size_t s = 0; s < step; ++s) value[s] -= at_a * fours(row)[b + s];
      }
#pragma GCC unroll 4
      for (std::size_t s = 0; s < step; ++s) to[b + s] = value[s];
    }
    for (; b <= a; ++b) {
      Four value = to[b];
      const double* row = from;
      for (std::size_t k = 0; k < count; ++k, row += stride) value -= fours(row)[a] * fours(row)[b];
      to[b] = value;
    }
    Four value = fours(with_y)[a];
    const double* row = from;
    for (std::size_t k = 0; k < count; ++k, row += stride) value -= fours(row)[a] * along_y[k];
    fours(with_y)[a] = value;
  }
}

GREEDAG_VECTORISED BestPrefixes best_prefixes(const Window& window, const GroupLeft& left,
                                              const Prices& prices, double* scratch) {
  const auto [first, last] = window;
  FourThere* M = fours(scratch);  // = L D
  FourThere* L = M + pair(last, 0);
  FourThere* inverse = L + pair(last, 0);  // 1 / D, or 0 where a column is not used
  FourThere* along_y = inverse + last;
  const Four zero{};
  const Four one = zero + 1.0;
  const Four infinity = zero + std::numeric_limits<double>::infinity();
  const Four taken = *fours(left.taken);
  const Four shortest = *fours(left.shortest);
  const Four longest = taken + left.most_raise;
  Four left_of_y = zero + left.left_of_y;
  Four price = one;
  Four best = infinity;
  Four columns = zero;
  FourBits is_open = taken == taken;
  for (std::size_t a = first; a < last; ++a) {
    FourThere* m = M + pair(a, 0);
    FourThere* l = L + pair(a, 0);
    Four with_y = fours(left.with_y)[a];
    Four pivot = fours(left.pairs)[pair(a, a)];
    for (std::size_t b = first; b < a; ++b) {
      const FourThere* above = L + pair(b, 0);
      Four value = fours(left.pairs)[pair(a, b)];
      for (std::size_t c = first; c < b; ++c) value -= m[c] * above[c];
      m[b] = value;
      l[b] = value * inverse[b];
      pivot -= value * l[b];
      with_y -= l[b] * along_y[b];
    }
    const FourBits is_next = taken <= static_cast<double>(a);
    is_open &= ~is_next | (pivot > fours(left.least)[a]);
    const FourBits is_used = is_open & is_next;
    const Four divided = is_used ? one / pivot : zero;
    const Four remaining = left_of_y - with_y * with_y * divided;
    is_open &= remaining > left.least_left_of_y;
    inverse[a] = divided;
    along_y[a] = with_y;
    left_of_y = remaining;
    price = is_next ? price * prices.break_even : price;
    const Four value = price * remaining;
    const Four length = zero + static_cast<double>(a + 1);
    const FourBits is_better = is_used & is_open & (length >= shortest) & (length <= longest) &
                               (value < best * (1.0 - prices.rounding));
    best = is_better ? value : best;
    columns = is_better ? length : columns;
  }
  BestPrefixes found;
  *fours(found.value) = best;
  *fours(found.columns) = columns;
  return found;
}

}  // namespace greedag
