#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/graph/node_set.hpp"

namespace greedag {

/// What several operators on one y share. S is (Ne(y) ∩ Ad(x)) ∪ T, or C for a Delete.
struct Context {
  NodeSet S;
  NodeSet E;
  NodeSet F;
};

/// An operator on a given y that met all conditions except those on paths when it was found.
struct Candidate {
  enum class State : std::uint8_t {
    open,     ///< to be checked once it is the best
    blocked,  ///< fails I4 or R4 because of its stored path
    dropped,  ///< fails another condition; the update table finds it again when it may hold
    refused,  ///< leads to a class that knowledge rules out
  };
  double gain;
  Node x;
  std::uint32_t context;
  State state = State::open;
  std::uint32_t path_begin = 0;
  std::uint32_t path_size = 0;  ///< 0: no stored path
  /// The bits of the path's steps, which tell that most other steps are not among them.
  std::uint32_t path_steps = 0;
};

/// The bit of a step in `Candidate::path_steps`.
[[nodiscard]] constexpr std::uint32_t step_bit(Node a, Node b) {
  return std::uint32_t{1} << (static_cast<std::uint32_t>(5 * a + b) % 32);
}

/// The order of candidates on one y: by gain, then x, then E.
struct RanksBelow {
  const std::vector<Context>& contexts;

  bool operator()(const Candidate& first, const Candidate& second) const {
    if (first.gain != second.gain) return first.gain < second.gain;
    if (first.x != second.x) return first.x > second.x;
    return contexts[first.context].E > contexts[second.context].E;
  }
};

/// The candidates of one kind on one y. Open ones come first, with the best on top. Most lists are
/// rebuilt before their second-best candidate is needed, so the heap is built only then.
struct CandidateList {
  std::vector<Context> contexts;
  std::vector<Candidate> items;
  std::size_t open = 0;  ///< number of open candidates
  bool is_heap = false;

  void clear() {
    contexts.clear();
    items.clear();
    open = 0;
  }
  void add_context(const NodeSet& S, const NodeSet& E, const NodeSet& F) {
    Context& context = contexts.emplace_back();
    context.S = S;
    context.E = E;
    context.F = F;
  }
  /// Adds a candidate with the last context. Must be followed by `arrange`.
  void add(Node x, double gain) {
    items.push_back({gain, x, static_cast<std::uint32_t>(contexts.size() - 1)});
  }
  /// Restores the order after any change to the items.
  void arrange() {
    const auto is_open = [](const Candidate& item) { return item.state == Candidate::State::open; };
    open = static_cast<std::size_t>(std::partition(items.begin(), items.end(), is_open) -
                                    items.begin());
    is_heap = false;
    const auto best = std::max_element(items.begin(), end_of_open(), RanksBelow{contexts});
    if (open > 0) std::iter_swap(items.begin(), best);
  }
  /// The best open candidate, or null.
  [[nodiscard]] const Candidate* top() const { return open > 0 ? items.data() : nullptr; }
  /// Replaces the top candidate by `closed`, which is no longer open.
  void close_top(Candidate closed) {
    if (!is_heap) std::make_heap(items.begin(), end_of_open(), RanksBelow{contexts});
    is_heap = true;
    std::pop_heap(items.begin(), end_of_open(), RanksBelow{contexts});
    items[--open] = closed;
  }
  /// Reopens a closed candidate.
  void reopen(std::size_t i) {
    items[i].state = Candidate::State::open;
    std::swap(items[i], items[open++]);
    if (is_heap)
      std::push_heap(items.begin(), end_of_open(), RanksBelow{contexts});
    else if (RanksBelow{contexts}(items.front(), items[open - 1]))
      std::swap(items.front(), items[open - 1]);
  }
  /// Appends the items and contexts of `other`, whose contexts are moved from.
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
  /// Frees contexts that no item refers to, once there are many.
  void drop_unused_contexts() {
    if (contexts.size() <= 2 * items.size() + 8) return;
    std::vector<Context> kept;
    std::vector<std::uint32_t> place(contexts.size(), 0);  // 1 + index into kept
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
