#include "core/scores/discrete/level_table.hpp"

#include <limits>
#include <numeric>

namespace greedag {

namespace {

template <class Code>
std::vector<Code> packed(std::span<const std::uint32_t> codes) {
  std::vector<Code> column(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) column[i] = static_cast<Code>(codes[i]);
  return column;
}

template <class Code>
bool holds(std::uint32_t levels) {
  return levels <= std::numeric_limits<Code>::max();
}

}  // namespace

LevelTable::LevelTable(std::span<const std::uint32_t> codes, std::span<const std::uint32_t> levels,
                       std::span<const double> counts)
    : levels_(levels.begin(), levels.end()),
      counts_(counts.begin(), counts.end()),
      n_(std::accumulate(counts.begin(), counts.end(), 0.0)) {
  columns_.reserve(levels.size());
  for (std::size_t v = 0; v < levels.size(); ++v) {
    const auto column = codes.subspan(v * rows(), rows());
    if (holds<std::uint8_t>(levels[v]))
      columns_.emplace_back(packed<std::uint8_t>(column));
    else if (holds<std::uint16_t>(levels[v]))
      columns_.emplace_back(packed<std::uint16_t>(column));
    else
      columns_.emplace_back(packed<std::uint32_t>(column));
  }
}

}  // namespace greedag
