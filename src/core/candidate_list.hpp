#pragma once

#include <algorithm>
#include <cstdint>
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
      if (first.gain != second.gain) return first.gain > second.gain;
      if (first.x != second.x) return first.x < second.x;
      return contexts[first.context].E < contexts[second.context].E;
    });
    next = 0;
    skip_closed();
  }
  void skip_closed() {
    while (next < items.size() && items[next].state != Candidate::State::open) ++next;
  }
  /// The best open candidate, or none.
  [[nodiscard]] const Candidate* top() const {
    return next < items.size() ? &items[next] : nullptr;
  }
};

}  // namespace greedag
