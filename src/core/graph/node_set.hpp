#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>

namespace greedag {

using Node = std::int32_t;

/// A sorted set of nodes. Up to `inline_capacity` of them are stored in the object itself, so that
/// the sets of a sparse graph are created, copied and destroyed without touching the heap. Such
/// copies move all inline places, which costs less than a loop over those in use.
class NodeSet {
 public:
  static constexpr std::uint32_t inline_capacity = 10;

  NodeSet() = default;
  NodeSet(std::initializer_list<Node> nodes) {
    for (Node node : nodes) insert(node);
  }
  /// From nodes in any order.
  explicit NodeSet(std::span<const Node> nodes) {
    for (Node node : nodes) insert(node);
  }
  NodeSet(const NodeSet& other) { assign(other); }
  NodeSet& operator=(const NodeSet& other) {
    if (this != &other) assign(other);
    return *this;
  }
  NodeSet(NodeSet&& other) noexcept { take(other); }
  NodeSet& operator=(NodeSet&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~NodeSet() = default;

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const Node* begin() const { return nodes_; }
  [[nodiscard]] const Node* end() const { return nodes_ + size_; }
  [[nodiscard]] Node operator[](std::uint32_t i) const { return nodes_[i]; }
  [[nodiscard]] std::span<const Node> span() const { return {nodes_, size_}; }

  [[nodiscard]] bool contains(Node node) const {
    const Node* place = find(node);
    return place != end() && *place == node;
  }
  /// The number of nodes in the set that are smaller.
  [[nodiscard]] std::ptrdiff_t place_of(Node node) const { return find(node) - begin(); }
  [[nodiscard]] bool contains_all(const NodeSet& other) const {
    return other.size_ <= size_ && std::includes(begin(), end(), other.begin(), other.end());
  }

  /// True if the node was not in the set.
  bool insert(Node node) {
    const std::ptrdiff_t place = place_of(node);
    if (nodes_ + place != end() && nodes_[place] == node) return false;
    if (size_ == capacity_) grow(2 * capacity_);
    Node* last = nodes_ + size_++;
    for (; last != nodes_ + place; --last) *last = last[-1];
    *last = node;
    return true;
  }
  /// True if the node was in the set.
  bool erase(Node node) {
    Node* place = nodes_ + place_of(node);
    Node* last = nodes_ + size_;
    if (place == last || *place != node) return false;
    for (--last; place != last; ++place) *place = place[1];
    --size_;
    return true;
  }
  void clear() { size_ = 0; }

  friend bool operator==(const NodeSet& a, const NodeSet& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  /// Lexicographic, as the tie-breaking rule of operators requires.
  friend std::strong_ordering operator<=>(const NodeSet& a, const NodeSet& b) {
    const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (in_a != a.end() && in_b != b.end()) return *in_a <=> *in_b;
    return a.size() <=> b.size();
  }

 private:
  [[nodiscard]] bool is_inline() const { return nodes_ == inline_; }

  [[nodiscard]] const Node* find(Node node) const {
    if (size_ > 2 * inline_capacity) return std::lower_bound(begin(), end(), node);
    const Node* place = begin();
    const Node* last = end();
    while (place != last && *place < node) ++place;
    return place;
  }
  void grow(std::uint32_t capacity) {
    auto larger = std::make_unique<Node[]>(capacity);
    std::copy(begin(), end(), larger.get());
    heap_ = std::move(larger);
    nodes_ = heap_.get();
    capacity_ = capacity;
  }
  void assign(const NodeSet& other) {
    if (other.is_inline()) {
      std::memcpy(nodes_, other.inline_, sizeof inline_);  // whether or not this one is inline
    } else {
      size_ = size_ < other.size_ ? size_ : other.size_;
      if (other.size_ > capacity_) grow(other.size_);
      std::copy(other.begin(), other.end(), nodes_);
    }
    size_ = other.size_;
  }
  void take(NodeSet& other) {
    heap_ = std::move(other.heap_);
    if (heap_) {
      nodes_ = heap_.get();
      capacity_ = other.capacity_;
    } else {
      nodes_ = inline_;
      capacity_ = inline_capacity;
      std::memcpy(inline_, other.inline_, sizeof inline_);
    }
    size_ = other.size_;
    other.nodes_ = other.inline_;
    other.capacity_ = inline_capacity;
    other.size_ = 0;
  }

  Node* nodes_ = inline_;  ///< inline_, or what heap_ owns
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = inline_capacity;
  std::unique_ptr<Node[]> heap_;
  Node inline_[inline_capacity];
};

}  // namespace greedag
