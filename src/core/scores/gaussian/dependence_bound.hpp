#pragma once

#include <cstddef>
#include <span>

#include "core/scores/gaussian/gaussian_bic.hpp"

namespace greedag {

/// Correlations of nodes and their inverse, row-major.
struct Correlations {
  std::size_t size;
  std::span<const double> matrix;
  std::span<const double> precision;
};

/// How little x and y can depend on each other: a bound from below on -n/2 log(1 - r²), with their
/// partial correlation r given S, over every set S of the other nodes; `enough` if it is not less,
/// and 0 if that is all that can be said.
[[nodiscard]] double least_dependence(const Correlations& correlations, double n, std::size_t x,
                                      std::size_t y, double enough);

}  // namespace greedag
