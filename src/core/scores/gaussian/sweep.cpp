#include "core/scores/gaussian/sweep.hpp"

#include <bit>

#include "core/util/four_lanes.hpp"

namespace greedag {
namespace {

/// Rounding of residuals near zero must not hide a gain from PartialGain.
constexpr double slack = 1e-12;

constexpr int fours = 4;
constexpr std::size_t width = 4 * fours;  ///< how many x are swept together, in registers

/// One y and E: what the correlations of all x are combined with.
struct Problem {
  std::size_t k;              ///< |E|
  const double* const* rows;  ///< correlations of E's members with all x
  const double* row_y;        ///< correlations of y with all x
  const double* factor;       ///< L, packed as in PartialGain
  const double* inverse;      ///< 1 / L[j][j]
  const double* along_y;      ///< L⁻¹ R[E, y]
  double threshold;           ///< r² v_y
};

/// Appends the survivors to `out`, and returns its end. `z` has room for k × width values: the
/// columns of L⁻¹ R[E, ·] that are being computed.
GREEDAG_VECTORISED Node* sweep_all(const Problem& problem, std::size_t size, double* z, Node* out) {
  const auto [k, rows, row_y, factor, inverse, along_y, threshold] = problem;
  for (std::size_t done = 0; done < size;) {
    // The last block overlaps the one before it, whose x have already been filtered.
    const std::size_t first = std::min(done, size - width);
    const FourThere* from_y = reinterpret_cast<const FourThere*>(row_y + first);
    Four v[fours];
    Four c[fours];
#pragma GCC unroll 4
    for (int i = 0; i < fours; ++i) {
      v[i] = Four{1.0, 1.0, 1.0, 1.0};
      c[i] = from_y[i];
    }
    const double* L = factor;
    for (std::size_t j = 0; j < k; L += j, ++j) {
      const FourThere* from = reinterpret_cast<const FourThere*>(rows[j] + first);
      FourThere* earlier = reinterpret_cast<FourThere*>(z);
      Four t[fours];
#pragma GCC unroll 4
      for (int i = 0; i < fours; ++i) t[i] = from[i];
      for (std::size_t m = 0; m < j; ++m, earlier += fours)
#pragma GCC unroll 4
        for (int i = 0; i < fours; ++i) t[i] -= L[m] * earlier[i];
#pragma GCC unroll 4
      for (int i = 0; i < fours; ++i) {
        t[i] *= inverse[j];
        earlier[i] = t[i];
        v[i] -= t[i] * t[i];
        c[i] -= t[i] * along_y[j];
      }
    }
    FourBits bits{};
#pragma GCC unroll 4
    for (int i = 0; i < fours; ++i) {
      const auto may_gain = c[i] * c[i] > threshold * v[i] - slack;
      bits |= may_gain & (FourBits{1, 2, 4, 8} << 4 * i);
    }
    auto kept = static_cast<std::uint64_t>(bits[0] | bits[1] | bits[2] | bits[3]);
    for (kept &= ~std::uint64_t{0} << (done - first); kept != 0; kept &= kept - 1)
      *out++ = static_cast<Node>(first) + std::countr_zero(kept);
    done = first + width;
  }
  return out;
}

}  // namespace

Sweep::Sweep(const GaussianBic& score, double min_r2)
    : score_(&score),
      min_r2_(min_r2),
      size_(std::max(static_cast<std::size_t>(score.size()), width)),
      survivors_(size_) {}

/// The correlations of a node with all x, padded with zeros if there are fewer than `width`.
const double* Sweep::row(Node node, std::size_t place) {
  const auto d = static_cast<std::size_t>(score_->size());
  if (size_ == d) return score_->row(node);
  double* padded = padding_.data() + place * size_;
  std::copy(score_->row(node), score_->row(node) + d, padded);
  return padded;
}

std::span<const Node> Sweep::survivors(const PartialGain& partial, double min_r2) {
  const std::size_t k = partial.E().size();
  scratch_.resize(k * width);
  rows_.resize(k);
  if (size_ != static_cast<std::size_t>(score_->size())) padding_.assign((k + 1) * size_, 0.0);
  for (std::size_t j = 0; j < k; ++j) rows_[j] = row(partial.E()[j], j);
  const Problem problem{k,
                        rows_.data(),
                        row(partial.y(), k),
                        partial.factor(),
                        partial.inverse(),
                        partial.along_y(),
                        min_r2 * partial.variance_y()};
  const Node* begin = survivors_.data();
  const Node* end = sweep_all(problem, size_, scratch_.data(), survivors_.data());
  return {begin, std::lower_bound(begin, end, score_->size())};
}

}  // namespace greedag
