#pragma once

#include <span>
#include <vector>

#include "core/graph/node_set.hpp"

namespace greedag {

/// What may be read or changed at a node.
enum class ReadKind : std::uint8_t {
  edges,       ///< its edges in the graph
  candidates,  ///< the candidates with the node as y
  watchers,    ///< the watchers of path steps that start at the node, and of its edges
};

/// What was read between `start` and `stop`, by a trial or to decide on an operator, without
/// repetitions.
class ReadSet {
 public:
  explicit ReadSet(Node size) : recorded_(3 * static_cast<std::size_t>(size)) {}

  /// The index of a node's data of one kind, below 3 × size.
  [[nodiscard]] static std::uint32_t place(ReadKind kind, Node node) {
    return 3 * static_cast<std::uint32_t>(node) + static_cast<std::uint32_t>(kind);
  }
  /// The node of a place.
  [[nodiscard]] static Node node_at(std::uint32_t place) { return static_cast<Node>(place / 3); }

  void start() {
    for (std::uint32_t at : places_) recorded_[at] = false;
    places_.clear();
    is_recording_ = true;
  }
  void stop() { is_recording_ = false; }
  [[nodiscard]] bool is_recording() const { return is_recording_; }

  void record(ReadKind kind, Node node) {
    if (!is_recording_) return;
    record_place(place(kind, node));
  }
  /// Records the edges of nodes.
  template <class Nodes>
  void record_edges(const Nodes& nodes) {
    if (!is_recording_) return;
    for (Node node : nodes) record_place(place(ReadKind::edges, node));
  }
  /// Records all that another has recorded.
  void record_all(const ReadSet& other) {
    if (!is_recording_) return;
    for (std::uint32_t at : other.places_) record_place(at);
  }
  [[nodiscard]] std::span<const std::uint32_t> places() const { return places_; }

 private:
  void record_place(std::uint32_t at) {
    if (recorded_[at]) return;
    recorded_[at] = true;
    places_.push_back(at);
  }

  bool is_recording_ = false;
  std::vector<std::uint8_t> recorded_;
  std::vector<std::uint32_t> places_;
};

}  // namespace greedag
