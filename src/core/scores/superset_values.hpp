#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "core/graph/set_map.hpp"

namespace greedag {

/// Values S(W ∪ x) of a set function, for all x of one W together. It only saves work, so it is
/// emptied when it is full.
class SupersetValues {
 public:
  /// Where a value has not been computed.
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  explicit SupersetValues(Node nodes)
      : nodes_(static_cast<std::size_t>(nodes)),
        most_sets_(std::max<std::size_t>(most_values / std::max<std::size_t>(nodes_, 1), 2)),
        places_(most_sets_) {}

  /// Must be called before `find` and `add`, so that the values of two sets are valid together.
  void make_room() {
    if (size_ + 2 > most_sets_ || places_.is_full()) clear();
  }
  /// The values by x, or none if W is not known. Valid until the next `make_room`.
  [[nodiscard]] std::span<double> find(std::span<const Node> W) {
    const std::size_t* place = places_.find(SetKey(0, 0, W));
    return place == nullptr ? std::span<double>() : std::span<double>(values_[*place]);
  }
  /// Adds a set that is not known yet, with unknown values.
  std::span<double> add(std::span<const Node> W) {
    places_.add(SetKey(0, 0, W), size_);
    if (size_ == values_.size()) values_.emplace_back();
    values_[size_].assign(nodes_, unknown);
    return values_[size_++];
  }
  void clear() {
    places_.clear();
    size_ = 0;
  }

 private:
  /// 32 megabytes.
  static constexpr std::size_t most_values = std::size_t{1} << 22;

  std::size_t nodes_;
  std::size_t most_sets_;
  std::size_t size_ = 0;
  SetMap<std::size_t> places_;
  std::vector<std::vector<double>> values_;  ///< the first `size_` are those of known sets
};

}  // namespace greedag
