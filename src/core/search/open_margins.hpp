#pragma once

#include <vector>

#include "core/graph/pdag.hpp"
#include "core/scores/score.hpp"
#include "core/util/observer.hpp"

namespace greedag {

/// An edge that a graph leaves undirected, as its best member directs it.
struct OpenMargin {
  Node tail;
  Node head;
  /// The score of the best member less that of the best one with the edge turned.
  double margin;
  /// If not, the true margin may be smaller where it is at most `least`, and larger elsewhere.
  bool is_proven;
};

struct BestMember {
  Pdag dag;
  std::vector<OpenMargin> margins;
};

/// Finds the best member of an MPDAG under a score that tells its members apart, starting from the
/// member `dag`, and for each undirected edge the best one with that edge turned. Once a margin is
/// known to be at most `least`, it is not looked at any closer.
///
/// A branch and bound over directions of edges. Given some of them, a node scores at most what it
/// scores with those of its neighbours as parents that suit it best. Where no two nodes disagree on
/// their edge, that is the best member.
[[nodiscard]] BestMember find_open_margins(const Score& score, const Pdag& mpdag, const Pdag& dag,
                                           double least, Observer& observer);

}  // namespace greedag
