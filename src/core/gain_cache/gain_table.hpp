#pragma once

#include <limits>

#include "core/gain_cache/concurrent_map.hpp"

namespace greedag {

/// A number that threads may read and write concurrently, because all of them write the same value.
class SharedDouble {
 public:
  SharedDouble() = default;
  SharedDouble(double value) : value_(value) {}  // NOLINT: it is a number
  SharedDouble(const SharedDouble& other) : value_(double{other}) {}
  SharedDouble& operator=(const SharedDouble& other) { return *this = double{other}; }
  SharedDouble& operator=(double value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }
  operator double() const { return value_.load(std::memory_order_relaxed); }  // NOLINT

 private:
  std::atomic<double> value_;
};

/// Computed gains. They depend on the data, not on the graph, so all threads of a search share one
/// table.
class GainTable {
 public:
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  struct Gain {
    Node x;
    SharedDouble value;
  };
  /// What is known about one y and E.
  struct Given {
    SharedList<Gain> inserts;          ///< the x that may gain; values may be unknown
    SharedList<Gain> removals;         ///< the x in E whose removal gains
    SharedList<SharedDouble> members;  ///< the gain of removing each x in E, or unknown
  };
  struct Pair {
    SharedDouble gain = unknown;
  };

  ConcurrentMap<Given> given;  ///< by y and E
  ConcurrentMap<Pair> pairs;   ///< by {x, y} and E: the gain of making them adjacent

  /// Sets a list of this table, unless another thread has done so, and returns it.
  template <class Item>
  std::span<Item> set(SharedList<Item>& list, std::span<const Item> items) {
    const std::scoped_lock lock(mutex_);
    const auto set = list.set(items, lists_);
    if (lists_.taken() >= 64 * ConcurrentMap<Given>::max_entries)
      has_many_lists_.store(true, std::memory_order_relaxed);
    return set;
  }
  [[nodiscard]] bool is_full() const {
    return given.is_full() || pairs.is_full() || has_many_lists_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> has_many_lists_ = false;
  std::mutex mutex_;  // guards the arena
  Arena lists_;
};

/// Hands out the table that the threads of a search share. A table only saves work, so a full one
/// is dropped.
class GainTables {
 public:
  /// The table to use after `full`, or the first one for nullptr.
  [[nodiscard]] std::shared_ptr<GainTable> after(const std::shared_ptr<GainTable>& full) {
    const std::scoped_lock lock(mutex_);
    if (current_ == full) current_ = std::make_shared<GainTable>();
    return current_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<GainTable> current_;
};

}  // namespace greedag
