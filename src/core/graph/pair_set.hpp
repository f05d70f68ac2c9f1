#pragma once

#include <vector>

#include "core/graph/node_set.hpp"

namespace greedag {

/// A set of ordered pairs of nodes: a bit for each pair as long as these fit into a cache, a sorted
/// set for each first node beyond that.
class PairSet {
 public:
  explicit PairSet(Node size)
      : words_(size <= most_nodes_with_bits ? (static_cast<std::size_t>(size) + 63) / 64 : 0) {
    if (words_ > 0)
      bits_.resize(static_cast<std::size_t>(size) * words_);
    else
      sets_.resize(static_cast<std::size_t>(size));
  }

  /// True if the pair was not in the set.
  bool insert(Node a, Node b) {
    if (words_ == 0) return sets_[static_cast<std::size_t>(a)].insert(b);
    std::uint64_t& word = word_of(a, b);
    const std::uint64_t before = word;
    word |= bit_of(b);
    return word != before;
  }
  void erase(Node a, Node b) {
    if (words_ == 0)
      sets_[static_cast<std::size_t>(a)].erase(b);
    else
      word_of(a, b) &= ~bit_of(b);
  }

 private:
  static constexpr Node most_nodes_with_bits = 1024;

  [[nodiscard]] std::uint64_t& word_of(Node a, Node b) {
    return bits_[static_cast<std::size_t>(a) * words_ + static_cast<std::size_t>(b) / 64];
  }
  [[nodiscard]] static std::uint64_t bit_of(Node b) { return std::uint64_t{1} << (b % 64); }

  std::size_t words_;  ///< how many hold the bits of one first node; 0 if there are sets instead
  std::vector<std::uint64_t> bits_;
  std::vector<NodeSet> sets_;
};

}  // namespace greedag
