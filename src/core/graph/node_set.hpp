#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

namespace greedag {

using Node = std::int32_t;

/// A sorted set of nodes. Up to `inline_capacity` of them are stored in the object itself, so that
/// the sets of a sparse graph are created, copied and destroyed without touching the heap.
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
  [[nodiscard]] const Node* begin() const { return data(); }
  [[nodiscard]] const Node* end() const { return data() + size_; }
  [[nodiscard]] Node operator[](std::uint32_t i) const { return data()[i]; }
  [[nodiscard]] std::span<const Node> span() const { return {data(), size_}; }

  [[nodiscard]] bool contains(Node node) const {
    const Node* place = find(node);
    return place != end() && *place == node;
  }
  /// The number of nodes before one that is in the set.
  [[nodiscard]] std::ptrdiff_t place_of(Node node) const { return find(node) - begin(); }
  [[nodiscard]] bool contains_all(const NodeSet& other) const {
    return other.size_ <= size_ && std::includes(begin(), end(), other.begin(), other.end());
  }

  /// True if the node was not in the set.
  bool insert(Node node) {
    const auto place = static_cast<std::uint32_t>(find(node) - begin());
    if (place < size_ && data()[place] == node) return false;
    if (size_ == capacity_) grow(2 * capacity_);
    Node* nodes = data();
    std::copy_backward(nodes + place, nodes + size_, nodes + size_ + 1);
    nodes[place] = node;
    ++size_;
    return true;
  }
  /// True if the node was in the set.
  bool erase(Node node) {
    Node* place = data() + (find(node) - begin());
    if (place == data() + size_ || *place != node) return false;
    std::copy(place + 1, data() + size_, place);
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
  [[nodiscard]] const Node* data() const { return heap_ ? heap_.get() : inline_; }
  [[nodiscard]] Node* data() { return heap_ ? heap_.get() : inline_; }

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
    capacity_ = capacity;
  }
  void assign(const NodeSet& other) {
    size_ = size_ < other.size_ ? size_ : other.size_;
    if (other.size_ > capacity_) grow(other.size_);
    std::copy(other.begin(), other.end(), data());
    size_ = other.size_;
  }
  void take(NodeSet& other) {
    heap_ = std::move(other.heap_);
    capacity_ = heap_ ? other.capacity_ : inline_capacity;
    size_ = other.size_;
    if (!heap_) std::copy(other.inline_, other.inline_ + size_, inline_);
    other.capacity_ = inline_capacity;
    other.size_ = 0;
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = inline_capacity;
  std::unique_ptr<Node[]> heap_;
  Node inline_[inline_capacity];
};

}  // namespace greedag
