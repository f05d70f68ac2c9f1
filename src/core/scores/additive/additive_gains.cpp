#include "core/scores/additive/additive_gains.hpp"

#include <numeric>

namespace greedag {

AdditiveGains::AdditiveGains(const AdditiveBic& score, bool with_losses)
    : score_(&score), with_losses_(with_losses), fit_(score), filter_(score) {}

void AdditiveGains::condition(Node y, std::span<const Node> E) {
  y_ = y;
  E_ = NodeSet(E);
  local_score_ = score_of(E_.span());
}

double AdditiveGains::score_of(std::span<const Node> parents) {
  const SetKey key(y_, y_, parents);
  if (const double* known = values_.find(key)) return *known;
  fit_.choose(y_, parents);
  return values_.add(key, fit_.is_sound() ? fit_.local_score() : refused);
}

double AdditiveGains::of_insert(Node x) {
  if (!can_score() || x == y_) return refused;
  larger_ = E_;
  larger_.insert(x);
  const double score = score_of(larger_.span());
  return score == refused ? refused : score - local_score_;
}

std::span<const Node> AdditiveGains::worth_inserting() {
  if (with_losses_ || !can_score() || !score_->has_curves(y_)) {
    inserts_.resize(static_cast<std::size_t>(score_->size()));
    std::iota(inserts_.begin(), inserts_.end(), 0);
    return inserts_;
  }
  fit_.choose(y_, E_.span());
  filter_.find(fit_, inserts_);
  return inserts_;
}

}  // namespace greedag
