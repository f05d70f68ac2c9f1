#pragma once

#include <algorithm>
#include <atomic>

#include "core/graph/node_set.hpp"
#include "core/util/observer.hpp"
#include "core/util/thread_team.hpp"

namespace greedag {

/// Calls `work(node, observer)` for every node, by several threads, until it returns false for one.
/// Whether it never did.
template <class Work>
[[nodiscard]] bool for_each_node(Node size, std::size_t jobs, Observer& observer, Work work) {
  std::atomic<Node> next = 0;
  std::atomic<bool> has_stopped = false;
  run_team(std::clamp<std::size_t>(jobs, 1, static_cast<std::size_t>(size)),
           [&](std::size_t thread) {
             StopFlagObserver follower(has_stopped);
             Observer& own = thread == 0 ? observer : follower;
             for (Node node = next++; node < size && !has_stopped; node = next++)
               if (own.should_stop_now() || !work(node, own)) has_stopped = true;
           });
  return !has_stopped;
}

}  // namespace greedag
