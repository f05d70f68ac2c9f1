#include "core/operators/pair_operators.hpp"

namespace greedag {

std::optional<Operator> PairOperators::best(Kind kind, Node a, Node b) {
  std::optional<Operator> best;
  look_at(kind, a, b, best);
  look_at(kind, b, a, best);
  return best;
}

void PairOperators::look_at(Kind kind, Node x, Node y, std::optional<Operator>& best) {
  found_.clear();
  enumerator_.find(kind, x, y, found_);
  found_.arrange();
  for (; const Candidate* top = found_.top(); found_.close_top(*top)) {
    const Candidate item = *top;
    if (item.gain == GainEvaluator::refused) return;
    const auto& [S, E, F] = found_.contexts[item.context];
    Operator op{kind, x, y, S, E, F, item.gain};
    if (kind != Kind::Delete)
      for (Node s : S)
        if (graph_->are_adjacent(x, s)) op.T.erase(s);
    if (best && !is_better(op, *best)) return;
    if (has_unblocked_path(op, S)) continue;
    best = op;
    return;
  }
}

/// Whether I4 or R4 fails. The enumerator has checked the other conditions.
bool PairOperators::has_unblocked_path(const Operator& op, const NodeSet& S) {
  if (op.kind == Kind::Delete) return false;
  const bool reverse = op.kind == Kind::Reverse;
  const NodeSet more_blockers = reverse ? graph_->neighbors(op.x) : NodeSet{};
  return !finder_.find(*graph_, op.y, op.x, S, more_blockers, reverse).empty();
}

}  // namespace greedag
