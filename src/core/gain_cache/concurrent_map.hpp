#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/graph/set_map.hpp"

namespace greedag {

/// Hands out memory, piece by piece, that never moves.
class Arena {
 public:
  /// Enough for `size` bytes, aligned for pointers and numbers. Never null.
  [[nodiscard]] void* take(std::size_t size) {
    const std::size_t whole = (size + alignment - 1) / alignment * alignment;
    if (room_ < whole || end_ == nullptr) add_block(std::max(whole, next_block_));
    void* begin = end_;
    end_ += whole;
    room_ -= whole;
    taken_ += whole;
    return begin;
  }
  [[nodiscard]] std::size_t taken() const { return taken_; }

 private:
  static constexpr std::size_t alignment = 8;
  static constexpr std::size_t largest_block = std::size_t{1} << 19;

  void add_block(std::size_t size) {
    // Not make_unique, which would fill the block with zeros, nor make_unique_for_overwrite, which
    // some standard libraries lack.
    blocks_.push_back(std::unique_ptr<std::byte[]>(new std::byte[size]));
    end_ = blocks_.back().get();
    room_ = size;
    next_block_ = std::min(2 * next_block_, largest_block);
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t next_block_ = 2048;
  std::byte* end_ = nullptr;
  std::size_t room_ = 0;
  std::size_t taken_ = 0;
};

/// A list that is set once, and that all threads may read meanwhile.
template <class Item>
class SharedList {
 public:
  [[nodiscard]] std::optional<std::span<Item>> get() const {
    Item* items = items_.load(std::memory_order_acquire);
    if (items == nullptr) return std::nullopt;
    return std::span(items, size_);
  }
  /// Sets the list, unless another thread has done so. Needs a lock on whatever guards the arena.
  std::span<Item> set(std::span<const Item> items, Arena& arena) {
    if (const auto known = get()) return *known;
    auto* copy = static_cast<Item*>(arena.take(items.size_bytes()));
    std::uninitialized_copy(items.begin(), items.end(), copy);
    size_ = static_cast<std::uint32_t>(items.size());
    items_.store(copy, std::memory_order_release);
    return std::span(copy, size_);
  }

 private:
  std::atomic<Item*> items_ = nullptr;
  std::uint32_t size_ = 0;  ///< written before items_
};

/// A concurrent map from two nodes and a set to a value. Looking up what is there takes no lock.
template <class Value>
class ConcurrentMap {
 public:
  ConcurrentMap() { use_table(64); }

  /// Valid as long as this object; null if the key is unknown.
  [[nodiscard]] Value* find(const SetKey& key) const {
    Entry* entry = table_.load(std::memory_order_acquire)->place_of(key).entry;
    return entry == nullptr ? nullptr : &entry->value;
  }
  /// Adds an empty value, unless another thread has added the key in the meantime.
  Value& add(const SetKey& key) {
    const std::scoped_lock lock(mutex_);
    const std::size_t slots = tables_.back()->slots.size();
    if (2 * size_ >= slots && !is_full()) use_table(2 * slots);
    auto [slot, entry] = tables_.back()->place_of(key);
    if (entry == nullptr) {
      entry = make_entry(key);
      slot->store(entry, std::memory_order_release);
      if (++size_ >= max_entries || arena_.taken() >= 128 * max_entries)
        is_full_.store(true, std::memory_order_relaxed);
    }
    return entry->value;
  }
  [[nodiscard]] bool is_full() const { return is_full_.load(std::memory_order_relaxed); }

#ifdef GREEDAG_MAX_LISTS  // lets tests fill the map
  static constexpr std::size_t max_entries = GREEDAG_MAX_LISTS;
#else
  static constexpr std::size_t max_entries = std::size_t{1} << 20;
#endif

 private:
  static constexpr std::size_t cache_line = 64;

  /// The nodes of its set follow it in memory: a lookup waits for one place less.
  struct Entry {
    std::uint64_t hash;
    Node a;
    Node b;
    std::uint32_t set_size;
    Value value;

    [[nodiscard]] Node* set() { return reinterpret_cast<Node*>(this + 1); }
    [[nodiscard]] bool has(const SetKey& key) {
      return hash == key.hash && a == key.a && b == key.b && set_size == key.set.size() &&
             std::equal(key.set.begin(), key.set.end(), set());
    }
  };
  static_assert(std::is_trivially_destructible_v<Entry>, "nothing destroys what is in an arena");
  using Slot = std::atomic<Entry*>;
  /// A slot and what a lookup saw there.
  struct Place {
    Slot* slot;
    Entry* entry;
  };
  /// A hash table with open addressing.
  struct Table {
    explicit Table(std::size_t size) : slots(size) {}

    std::vector<Slot> slots;

    /// The slot that holds the key, or the free slot where it belongs.
    [[nodiscard]] Place place_of(const SetKey& key) {
      return first_place(key.hash, [&](Entry& entry) { return entry.has(key); });
    }
    template <class Matches>
    [[nodiscard]] Place first_place(std::uint64_t hash, Matches matches) {
      const std::size_t mask = slots.size() - 1;
      for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
        Entry* entry = slots[i].load(std::memory_order_acquire);
        if (entry == nullptr || matches(*entry)) return {&slots[i], entry};
      }
    }
  };

  [[nodiscard]] Entry* make_entry(const SetKey& key) {
    void* memory = arena_.take(sizeof(Entry) + key.set.size_bytes());
    auto* entry = new (memory)
        Entry{key.hash, key.a, key.b, static_cast<std::uint32_t>(key.set.size()), Value{}};
    std::uninitialized_copy(key.set.begin(), key.set.end(), entry->set());
    return entry;
  }
  /// The previous table is kept: other threads may still be searching it.
  void use_table(std::size_t size) {
    auto table = std::make_unique<Table>(size);
    if (!tables_.empty())
      for (const Slot& old : tables_.back()->slots)
        if (Entry* entry = old.load(std::memory_order_relaxed))
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
  std::size_t size_ = 0;
  Arena arena_;
};

}  // namespace greedag
