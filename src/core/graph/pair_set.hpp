#pragma once

#include <bit>
#include <vector>

#include "core/graph/node_set.hpp"

namespace greedag {

/// A set of pairs of a row and a node. A row has a bit for each node as long as that is small, and
/// is a sorted set beyond.
class PairSet {
 public:
  PairSet(std::size_t rows, Node nodes)
      : words_(nodes <= most_nodes_with_bits ? (static_cast<std::size_t>(nodes) + 63) / 64 : 0),
        bits_(rows * words_),
        sets_(words_ == 0 ? rows : 0) {}

  /// Adds an empty row at the end.
  void add_row() {
    bits_.resize(bits_.size() + words_);
    if (words_ == 0) sets_.emplace_back();
  }
  /// True if the node was not in the row.
  bool insert(std::size_t row, Node node) {
    if (words_ == 0) [[unlikely]]
      return sets_[row].insert(node);
    std::uint64_t& word = word_of(row, node);
    const std::uint64_t before = word;
    word |= bit_of(node);
    return word != before;
  }
  void erase(std::size_t row, Node node) {
    if (words_ == 0)
      sets_[row].erase(node);
    else
      word_of(row, node) &= ~bit_of(node);
  }
  [[nodiscard]] NodeSet nodes_of(std::size_t row) const {
    if (words_ == 0) return sets_[row];
    NodeSet nodes;
    for (std::size_t i = 0; i < words_; ++i)
      for (std::uint64_t word = bits_[row * words_ + i]; word != 0; word &= word - 1)
        nodes.insert(static_cast<Node>(64 * i) + std::countr_zero(word));
    return nodes;
  }

 private:
  static constexpr Node most_nodes_with_bits = 1024;

  [[nodiscard]] std::uint64_t& word_of(std::size_t row, Node node) {
    return bits_[row * words_ + static_cast<std::size_t>(node) / 64];
  }
  [[nodiscard]] static std::uint64_t bit_of(Node node) {
    return std::uint64_t{1} << (static_cast<std::uint32_t>(node) % 64);
  }

  std::size_t words_;  ///< how many a row of bits has; 0 if rows are sets
  std::vector<std::uint64_t> bits_;
  std::vector<NodeSet> sets_;
};

}  // namespace greedag
