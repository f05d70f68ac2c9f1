#pragma once

#include <cstddef>

#include "core/util/four_lanes.hpp"

namespace greedag {

constexpr std::size_t lanes = 8;
using Eight = std::uint32_t __attribute__((vector_size(32)));
/// The same in memory, aligned as a word.
typedef std::uint32_t EightThere __attribute__((vector_size(32), aligned(4), may_alias));

inline const EightThere* at(const std::uint32_t* words) {
  return reinterpret_cast<const EightThere*>(words);
}
inline EightThere* at(std::uint32_t* words) { return reinterpret_cast<EightThere*>(words); }

}  // namespace greedag
