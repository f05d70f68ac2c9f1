#pragma once

#include <cstddef>
#include <span>

#include "core/scores/gaussian/gaussian_bic.hpp"

namespace greedag {

/// A correlation matrix and its inverse, row-major.
struct Correlations {
  std::size_t size;
  std::span<const double> matrix;
  std::span<const double> precision;
};

/// A lower bound on how strongly x and y depend on each other given any set S of other nodes: on
/// -n/2 log(1 - r²) with their partial correlation r given S. Stops at `enough`; 0 if nothing
/// better is known.
[[nodiscard]] double least_dependence(const Correlations& correlations, double n, std::size_t x,
                                      std::size_t y, double enough);

}  // namespace greedag
