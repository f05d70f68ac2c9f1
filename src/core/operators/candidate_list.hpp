#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/graph/node_set.hpp"

namespace greedag {

/// What operators on one y have in common. S is (Ne(y) ∩ Ad(x)) ∪ T, or C for a Delete.
struct Context {
  NodeSet S;
  NodeSet E;
  NodeSet F;
};

/// An operator on a known y that was valid but for its path condition when it was found.
struct Candidate {
  enum class State : std::uint8_t {
    open,     ///< to be checked when its turn comes
    blocked,  ///< fails I4 or R4 because of its kept path
    dropped,  ///< fails another condition; the table brings it back if it may hold again
  };
  double gain;
  Node x;
  std::uint32_t context;
  State state = State::open;
  std::uint32_t path_begin = 0;
  std::uint32_t path_size = 0;  ///< 0: no path is kept
};

/// The order of candidates on one y: by gain, then x, then E.
struct RanksBelow {
  const std::vector<Context>& contexts;

  bool operator()(const Candidate& first, const Candidate& second) const {
    if (first.gain != second.gain) return first.gain < second.gain;
    if (first.x != second.x) return first.x > second.x;
    return contexts[first.context].E > contexts[second.context].E;
  }
};

/// The candidates of one kind on one y. The open ones come first, the best of them on top. Most
/// lists are renewed before a second one is asked for, so that only then the rest becomes a heap.
struct CandidateList {
  std::vector<Context> contexts;
  std::vector<Candidate> items;
  std::size_t open = 0;  ///< how many are
  bool is_heap = false;

  void clear() {
    contexts.clear();
    items.clear();
    open = 0;
  }
  /// `arrange` must follow.
  void add(Node x, double gain) {
    items.push_back({gain, x, static_cast<std::uint32_t>(contexts.size() - 1)});
  }
  /// Puts the items in order, whatever was done to them.
  void arrange() {
    const auto is_open = [](const Candidate& item) { return item.state == Candidate::State::open; };
    open = static_cast<std::size_t>(std::partition(items.begin(), items.end(), is_open) -
                                    items.begin());
    is_heap = false;
    const auto best = std::max_element(items.begin(), end_of_open(), RanksBelow{contexts});
    if (open > 0) std::iter_swap(items.begin(), best);
  }
  /// The best open candidate, or none.
  [[nodiscard]] const Candidate* top() const { return open > 0 ? items.data() : nullptr; }
  /// The one on top is not open any more, but as given.
  void close_top(Candidate closed) {
    if (!is_heap) std::make_heap(items.begin(), end_of_open(), RanksBelow{contexts});
    is_heap = true;
    std::pop_heap(items.begin(), end_of_open(), RanksBelow{contexts});
    items[--open] = closed;
  }
  /// Opens a closed candidate.
  void reopen(std::size_t i) {
    items[i].state = Candidate::State::open;
    std::swap(items[i], items[open++]);
    if (is_heap)
      std::push_heap(items.begin(), end_of_open(), RanksBelow{contexts});
    else if (RanksBelow{contexts}(items.front(), items[open - 1]))
      std::swap(items.front(), items[open - 1]);
  }
  /// Takes over the items and contexts of `other`.
  void merge(CandidateList& other) {
    const auto shift = static_cast<std::uint32_t>(contexts.size());
    contexts.insert(contexts.end(), std::make_move_iterator(other.contexts.begin()),
                    std::make_move_iterator(other.contexts.end()));
    for (Candidate& item : other.items) {
      item.context += shift;
      items.push_back(item);
    }
    arrange();
  }
  /// Frees contexts that no item refers to, once they are many.
  void drop_unused_contexts() {
    if (contexts.size() <= 2 * items.size() + 8) return;
    std::vector<Context> kept;
    std::vector<std::uint32_t> place(contexts.size(), 0);  // 1 + place in kept
    for (Candidate& item : items) {
      std::uint32_t& there = place[item.context];
      if (there == 0) {
        kept.push_back(std::move(contexts[item.context]));
        there = static_cast<std::uint32_t>(kept.size());
      }
      item.context = there - 1;
    }
    contexts = std::move(kept);
  }

 private:
  [[nodiscard]] std::vector<Candidate>::iterator end_of_open() {
    return items.begin() + static_cast<std::ptrdiff_t>(open);
  }
};

}  // namespace greedag
