#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "core/graph/node_set.hpp"

namespace greedag {

/// Scrambles the bits of a number: the mixing step of splitmix64.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// A random number generator that gives the same numbers on every machine.
class Random {
 public:
  /// The streams of one seed are independent of each other.
  Random(std::uint64_t seed, std::uint64_t stream) : state_(mixed(mixed(seed) ^ stream)) {}

  /// One of 0 … count - 1.
  [[nodiscard]] Node below(Node count) {
    state_ += 0x9e3779b97f4a7c15ULL;
    return static_cast<Node>((mixed(state_) >> 32) * static_cast<std::uint64_t>(count) >> 32);
  }
  /// A number from 0 to below 1.
  [[nodiscard]] double unit() {
    state_ += 0x9e3779b97f4a7c15ULL;
    return static_cast<double>(mixed(state_) >> 11) * 0x1p-53;
  }
  void shuffle(std::span<Node> nodes) {
    for (std::size_t i = nodes.size(); i > 1; --i)
      std::swap(nodes[i - 1], nodes[static_cast<std::size_t>(below(static_cast<Node>(i)))]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace greedag
