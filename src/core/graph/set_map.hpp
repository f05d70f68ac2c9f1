#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/node_set.hpp"

namespace greedag {

/// Two nodes and an ascending set of nodes, with their hash.
struct SetKey {
  SetKey(Node first, Node second, std::span<const Node> nodes) : a(first), b(second), set(nodes) {
    hash = ((static_cast<std::uint64_t>(a) << 32 ^ static_cast<std::uint64_t>(b)) + 1) * factor;
    for (Node node : nodes) hash = (hash ^ static_cast<std::uint64_t>(node)) * factor;
    hash ^= hash >> 32;  // a product's upper half depends on more of what was multiplied
  }

  Node a;
  Node b;
  std::span<const Node> set;
  std::uint64_t hash;

 private:
  static constexpr std::uint64_t factor = 0x9e3779b97f4a7c15ULL;
};

/// A cache keyed by two nodes and a set: a hash table with open addressing, whose sets are stored
/// in one vector. It only saves work, so it is emptied when it is full.
template <class Value>
class SetMap {
 public:
  explicit SetMap(std::size_t most_entries) : most_(most_entries) {}

  /// Valid until the next `add`; null if the key is unknown.
  [[nodiscard]] Value* find(const SetKey& key) {
    if (slots_.empty()) return nullptr;
    for (std::size_t i = key.hash & mask();; i = (i + 1) & mask()) {
      if (slots_[i] == 0) return nullptr;
      Entry& entry = entries_[slots_[i] - 1];
      if (entry.hash == key.hash && is_same(entry, key)) return &entry.value;
    }
  }
  /// Adds a key that is not in the map.
  Value& add(const SetKey& key, const Value& value) {
    if (is_full()) clear();
    if (2 * entries_.size() >= slots_.size()) grow();
    entries_.push_back({key.hash, key.a, key.b, static_cast<std::uint32_t>(nodes_.size()),
                        static_cast<std::uint32_t>(key.set.size()), value});
    nodes_.insert(nodes_.end(), key.set.begin(), key.set.end());
    place(entries_.size() - 1);
    return entries_.back().value;
  }
  [[nodiscard]] bool is_full() const {
    return entries_.size() >= most_ || nodes_.size() >= 8 * most_;
  }
  void clear() {
    entries_.clear();
    nodes_.clear();
    std::fill(slots_.begin(), slots_.end(), 0);
  }

 private:
  struct Entry {
    std::uint64_t hash;
    Node a;
    Node b;
    std::uint32_t begin;
    std::uint32_t size;
    Value value;
  };

  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  [[nodiscard]] bool is_same(const Entry& entry, const SetKey& key) const {
    return entry.a == key.a && entry.b == key.b && entry.size == key.set.size() &&
           std::equal(key.set.begin(), key.set.end(), nodes_.begin() + entry.begin);
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
    for (std::size_t i = 0; i < entries_.size(); ++i) place(i);
  }
  void place(std::size_t entry) {
    std::size_t i = entries_[entry].hash & mask();
    while (slots_[i] != 0) i = (i + 1) & mask();
    slots_[i] = static_cast<std::uint32_t>(entry + 1);
  }

  std::size_t most_;
  std::vector<Entry> entries_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> slots_;  ///< 1 + index into entries_, 0 where free
};

}  // namespace greedag
