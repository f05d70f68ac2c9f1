#pragma once

#include <limits>

#include "core/gain_cache/concurrent_map.hpp"

namespace greedag {

/// A number that threads may read and write at the same time, where all write the same.
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

/// Gains that were computed. They belong to the data, not to the graph, so all threads of a search
/// write into one book.
struct GainTable {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  struct Gain {
    Node x;
    SharedDouble value;
  };

  [[nodiscard]] bool is_full() const {
    return pairs.is_full() || inserts.is_full() || removals.is_full() || members.is_full();
  }

  ConcurrentMap<SharedDouble> pairs;    ///< x and y beside E: the gain of inserting x into E of y
  ConcurrentMap<Gain> inserts;          ///< y and E: the x worth looking at; values may be unknown
  ConcurrentMap<Gain> removals;         ///< y and E: the x in E whose removal gains
  ConcurrentMap<SharedDouble> members;  ///< y and E: the gain of removing each x in E, or unknown
};

/// The book that the threads of a search share. It only saves work, so a full one is put away.
class GainTables {
 public:
  /// The book to go on with after one that is full, or at first after none.
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
