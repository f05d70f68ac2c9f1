#pragma once

#include <limits>

#include "core/gain_cache/concurrent_map.hpp"

namespace greedag {

/// A number that threads may read and write at the same time, where all write the same.
class SharedNumber {
 public:
  SharedNumber() = default;
  SharedNumber(double value) : value_(value) {}  // NOLINT: it is a number
  SharedNumber(const SharedNumber& other) : value_(double{other}) {}
  SharedNumber& operator=(const SharedNumber& other) { return *this = double{other}; }
  SharedNumber& operator=(double value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }
  operator double() const { return value_.load(std::memory_order_relaxed); }  // NOLINT

 private:
  std::atomic<double> value_;
};

/// Gains that were computed. They belong to the data, not to the graph, so all threads of a search
/// write into one book.
struct GainBook {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  struct Gain {
    Node x;
    SharedNumber value;
  };

  [[nodiscard]] bool is_full() const {
    return pairs.is_full() || inserts.is_full() || removals.is_full() || members.is_full();
  }

  SharedLists<SharedNumber> pairs;    ///< x and y beside E: the gain of inserting x into E of y
  SharedLists<Gain> inserts;          ///< y and E: the x worth looking at; values may be unknown
  SharedLists<Gain> removals;         ///< y and E: the x in E whose removal gains
  SharedLists<SharedNumber> members;  ///< y and E: the gain of removing each x in E, or unknown
};

/// The book that the threads of a search share. It only saves work, so a full one is put away.
class GainBooks {
 public:
  /// The book to go on with after one that is full, or at first after none.
  [[nodiscard]] std::shared_ptr<GainBook> after(const std::shared_ptr<GainBook>& book) {
    const std::scoped_lock lock(mutex_);
    if (current_ == book) current_ = std::make_shared<GainBook>();
    return current_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<GainBook> current_;
};

}  // namespace greedag
