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
struct GainTable {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  struct Gain {
    Node x;
    SharedDouble value;
  };

  [[nodiscard]] bool is_full() const {
    return pairs.is_full() || inserts.is_full() || removals.is_full() || members.is_full();
  }

  ConcurrentMap<SharedDouble> pairs;  ///< by {x, y} and E: the gain of making them adjacent
  ConcurrentMap<Gain> inserts;        ///< by y and E: the x that may gain; values may be unknown
  ConcurrentMap<Gain> removals;       ///< by y and E: the x in E whose removal gains
  ConcurrentMap<SharedDouble>
      members;  ///< by y and E: the gain of removing each x in E, or unknown
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
