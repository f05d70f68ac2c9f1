#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/node_set.hpp"

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

/// The candidates of one kind on one y, best first.
struct CandidateList {
  std::vector<Context> contexts;
  std::vector<Candidate> items;
  std::size_t next = 0;  ///< no item before this one is open

  void clear() {
    contexts.clear();
    items.clear();
    next = 0;
  }
  void add(Node x, double gain) {
    items.push_back({gain, x, static_cast<std::uint32_t>(contexts.size() - 1)});
  }
  /// Puts the best first: by gain, then x, then E.
  void sort() {
    std::sort(items.begin(), items.end(), [this](const Candidate& first, const Candidate& second) {
      return is_before(first, second);
    });
    next = 0;
    skip_closed();
  }
  /// Takes over the items and contexts of `other`; both lists' items are sorted in the end.
  void merge(CandidateList& other) {
    const auto shift = static_cast<std::uint32_t>(contexts.size());
    contexts.insert(contexts.end(), std::make_move_iterator(other.contexts.begin()),
                    std::make_move_iterator(other.contexts.end()));
    for (Candidate& item : other.items) {
      item.context += shift;
      const auto place = std::upper_bound(
          items.begin(), items.end(), item,
          [this](const Candidate& a, const Candidate& b) { return is_before(a, b); });
      items.insert(place, item);
    }
    next = 0;
    skip_closed();
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
  void skip_closed() {
    while (next < items.size() && items[next].state != Candidate::State::open) ++next;
  }
  /// The best open candidate, or none.
  [[nodiscard]] const Candidate* top() const {
    return next < items.size() ? &items[next] : nullptr;
  }

 private:
  [[nodiscard]] bool is_before(const Candidate& first, const Candidate& second) const {
    if (first.gain != second.gain) return first.gain > second.gain;
    if (first.x != second.x) return first.x < second.x;
    return contexts[first.context].E < contexts[second.context].E;
  }
};

}  // namespace greedag
