#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/graph/set_map.hpp"

namespace greedag {

/// Appends items to blocks that never move, so that pointers to items stay valid.
template <class Item>
class Arena {
 public:
  Item* append(std::span<const Item> items) {
    if (room_ < items.size()) add_block(std::max(items.size(), next_block_));
    Item* begin = end_;
    end_ = std::copy(items.begin(), items.end(), begin);
    room_ -= items.size();
    size_ += items.size();
    return begin;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t largest_block = std::size_t{1} << 15;

  void add_block(std::size_t size) {
    // Not make_unique, which would fill the block with zeros, nor make_unique_for_overwrite, which
    // some standard libraries lack.
    blocks_.push_back(std::unique_ptr<Item[]>(new Item[size]));
    end_ = blocks_.back().get();
    room_ = size;
    next_block_ = std::min(2 * next_block_, largest_block);
  }

  std::vector<std::unique_ptr<Item[]>> blocks_;
  std::size_t next_block_ = 128;
  Item* end_ = nullptr;
  std::size_t room_ = 0;
  std::size_t size_ = 0;
};

/// A concurrent map from two nodes and a set to a list. Lookups take no lock, but may miss a list
/// that is being added at the same time.
template <class Item>
class ConcurrentMap {
 public:
  ConcurrentMap() { use_table(64); }

  /// Valid as long as this object.
  [[nodiscard]] std::optional<std::span<Item>> find(const SetKey& key) const {
    const Entry* entry = table_.load(std::memory_order_acquire)->place_of(key).entry;
    if (entry == nullptr) return std::nullopt;
    return std::span(entry->items, entry->size);
  }
  /// Adds a list and returns it, or the one that another thread has added in the meantime.
  std::span<Item> add(const SetKey& key, std::span<const Item> items) {
    const std::scoped_lock lock(mutex_);
    const std::size_t slots = tables_.back()->slots.size();
    if (2 * entries_.size() >= slots && !is_full()) use_table(2 * slots);
    auto [slot, entry] = tables_.back()->place_of(key);
    if (entry == nullptr) {
      const Entry added{key.hash,
                        key.a,
                        key.b,
                        static_cast<std::uint32_t>(key.set.size()),
                        static_cast<std::uint32_t>(items.size()),
                        nodes_.append(key.set),
                        items_.append(items)};
      entry = entries_.append({&added, 1});
      slot->store(entry, std::memory_order_release);
      if (entries_.size() >= max_lists || nodes_.size() >= 8 * max_lists ||
          items_.size() >= 4 * max_lists)
        is_full_.store(true, std::memory_order_relaxed);
    }
    return {entry->items, entry->size};
  }
  [[nodiscard]] bool is_full() const { return is_full_.load(std::memory_order_relaxed); }

 private:
#ifdef GREEDAG_MAX_LISTS  // lets tests fill the map
  static constexpr std::size_t max_lists = GREEDAG_MAX_LISTS;
#else
  static constexpr std::size_t max_lists = std::size_t{1} << 20;
#endif
  static constexpr std::size_t cache_line = 64;

  struct Entry {
    std::uint64_t hash;
    Node a;
    Node b;
    std::uint32_t set_size;
    std::uint32_t size;
    const Node* set;
    Item* items;

    [[nodiscard]] bool has(const SetKey& key) const {
      return hash == key.hash && a == key.a && b == key.b &&
             std::equal(key.set.begin(), key.set.end(), set, set + set_size);
    }
  };
  using Slot = std::atomic<const Entry*>;
  /// A slot and what a lookup saw there.
  struct Place {
    Slot* slot;
    const Entry* entry;
  };
  /// A hash table with open addressing.
  struct Table {
    explicit Table(std::size_t size) : slots(size) {}

    std::vector<Slot> slots;

    /// The slot that holds the key, or the free slot where it belongs.
    [[nodiscard]] Place place_of(const SetKey& key) {
      return first_place(key.hash, [&](const Entry& entry) { return entry.has(key); });
    }
    template <class Matches>
    [[nodiscard]] Place first_place(std::uint64_t hash, Matches matches) {
      const std::size_t mask = slots.size() - 1;
      for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
        const Entry* entry = slots[i].load(std::memory_order_acquire);
        if (entry == nullptr || matches(*entry)) return {&slots[i], entry};
      }
    }
  };

  /// The previous table is kept: other threads may still be searching it.
  void use_table(std::size_t size) {
    auto table = std::make_unique<Table>(size);
    if (!tables_.empty())
      for (const Slot& old : tables_.back()->slots)
        if (const Entry* entry = old.load(std::memory_order_relaxed))
          table->first_place(entry->hash, [](const Entry&) { return false; })
              .slot->store(entry, std::memory_order_relaxed);
    tables_.push_back(std::move(table));
    table_.store(tables_.back().get(), std::memory_order_release);
  }

  // What is read all the time is kept on another cache line than what is written often.
  std::atomic<Table*> table_ = nullptr;
  std::atomic<bool> is_full_ = false;
  alignas(cache_line) std::mutex mutex_;  // guards everything below
  std::vector<std::unique_ptr<Table>> tables_;
  Arena<Entry> entries_;
  Arena<Node> nodes_;
  Arena<Item> items_;
};

}  // namespace greedag
