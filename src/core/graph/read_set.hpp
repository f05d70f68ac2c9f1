#pragma once

#include <span>
#include <vector>

#include "core/graph/node_set.hpp"

namespace greedag {

/// What there is at a node that a trial may read or change.
enum class Aspect : std::uint8_t {
  edges,       ///< of the graph
  candidates,  ///< on it as target
  watchers,    ///< of steps that start there
};

/// Aspects of nodes, each once: those that a trial has read. Outside trials nothing is noted.
class Footprint {
 public:
  explicit Footprint(Node size) : noted_(3 * static_cast<std::size_t>(size)) {}

  /// The place of an aspect of a node, below 3 × size.
  [[nodiscard]] static std::uint32_t place(Aspect aspect, Node node) {
    return 3 * static_cast<std::uint32_t>(node) + static_cast<std::uint32_t>(aspect);
  }

  void start() {
    for (std::uint32_t at : places_) noted_[at] = false;
    places_.clear();
    is_noting_ = true;
  }
  void stop() { is_noting_ = false; }
  [[nodiscard]] bool is_noting() const { return is_noting_; }

  void note(Aspect aspect, Node node) {
    if (!is_noting_) return;
    const std::uint32_t at = place(aspect, node);
    if (noted_[at]) return;
    noted_[at] = true;
    places_.push_back(at);
  }
  /// Notes the edges of nodes.
  template <class Nodes>
  void note_edges(const Nodes& nodes) {
    if (!is_noting_) return;
    for (Node node : nodes) note(Aspect::edges, node);
  }
  [[nodiscard]] std::span<const std::uint32_t> places() const { return places_; }

 private:
  bool is_noting_ = false;
  std::vector<std::uint8_t> noted_;
  std::vector<std::uint32_t> places_;
};

}  // namespace greedag
