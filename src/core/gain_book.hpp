#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "core/set_map.hpp"

namespace greedag {

/// Lists by two nodes and a set, whose items lie in one vector. It forgets everything when it is
/// full.
template <class Item>
class ListMap {
 public:
  void reserve(std::size_t items) { items_.reserve(std::min(most_items, items)); }

  /// Lives until the next `add`.
  [[nodiscard]] std::optional<std::span<Item>> find(const SetKey& key) {
    const List* list = lists_.find(key);
    if (!list) return std::nullopt;
    return std::span(items_).subspan(list->begin, list->size);
  }
  /// Adds a list that was not there: what `append` puts at the end of the vector that it is given.
  template <class Append>
  std::span<Item> add(const SetKey& key, Append append) {
    if (items_.size() >= most_items || lists_.is_full()) clear();
    const std::size_t begin = items_.size();
    append(items_);
    const std::size_t size = items_.size() - begin;
    lists_.add(key, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(size)});
    return std::span(items_).subspan(begin, size);
  }

  [[nodiscard]] std::size_t size() const { return lists_.size(); }
  template <class Visit>
  void for_each(Visit visit) const {
    lists_.for_each([&](const SetKey& key, const List& list) {
      visit(key, std::span(items_).subspan(list.begin - first_begin_, list.size));
    });
  }
  /// All lists but the oldest `skipped`, for `for_each` alone: they are not found by key.
  [[nodiscard]] ListMap all_after(std::size_t skipped) const {
    ListMap later;
    if (skipped >= size()) return later;
    later.lists_ = lists_.all_after(skipped);
    later.first_begin_ = lists_.value_at(skipped).begin;
    later.items_.assign(items_.begin() + later.first_begin_, items_.end());
    return later;
  }

 private:
  struct List {
    std::uint32_t begin;
    std::uint32_t size;
  };
  static constexpr std::size_t most_lists = std::size_t{1} << 20;
  static constexpr std::size_t most_items = std::size_t{1} << 22;

  void clear() {
    lists_.clear();
    items_.clear();
  }

  SetMap<List> lists_{most_lists};
  std::vector<Item> items_;
  std::uint32_t first_begin_ = 0;  ///< where items_ began when it was part of a longer one
};

/// Gains that were computed. They belong to the data, not to the graph, so one thread may take over
/// what another has computed.
struct GainBook {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  static constexpr std::size_t most_pairs = std::size_t{1} << 20;

  struct Gain {
    Node x;
    double value;
  };
  /// How much a book holds.
  struct Mark {
    std::size_t pairs = 0;
    std::size_t inserts = 0;
    std::size_t removals = 0;
    std::size_t members = 0;
  };

  [[nodiscard]] Mark mark() const {
    return {pairs.size(), inserts.size(), removals.size(), members.size()};
  }
  /// What was added since a mark was taken, to be added to another book.
  [[nodiscard]] GainBook all_since(const Mark& mark) const;
  void add(const GainBook& other);

  SetMap<double> pairs{most_pairs};  ///< x and y beside E: the gain of inserting x into E of y
  ListMap<Gain> inserts;             ///< y and E: the x worth looking at; values may be unknown
  ListMap<Gain> removals;            ///< y and E: the x in E whose removal gains
  ListMap<double> members;           ///< y and E: the gain of removing each x in E, or unknown
};

}  // namespace greedag
