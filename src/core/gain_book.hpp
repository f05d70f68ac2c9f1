#pragma once

#include <limits>

#include "core/shared_lists.hpp"

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
/// write into one book, which only saves work. When it is full they start another.
struct GainBook {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  struct Gain {
    Node x;
    SharedNumber value;
  };

  [[nodiscard]] bool is_full() const {
    return pairs.is_full() || inserts.is_full() || removals.is_full() || members.is_full();
  }
  /// The book to go on with when this one is full, the same for all threads.
  [[nodiscard]] std::shared_ptr<GainBook> next() {
    const std::scoped_lock lock(mutex);
    if (!following) following = std::make_shared<GainBook>();
    return following;
  }

  SharedLists<SharedNumber> pairs;    ///< x and y beside E: the gain of inserting x into E of y
  SharedLists<Gain> inserts;          ///< y and E: the x worth looking at; values may be unknown
  SharedLists<Gain> removals;         ///< y and E: the x in E whose removal gains
  SharedLists<SharedNumber> members;  ///< y and E: the gain of removing each x in E, or unknown

  std::mutex mutex;
  std::shared_ptr<GainBook> following;
};

}  // namespace greedag
