#include "core/scores/additive/additive_gains.hpp"

#include <numeric>

namespace greedag {

AdditiveGains::AdditiveGains(const AdditiveBic& score, bool with_losses)
    : score_(&score), with_losses_(with_losses), start_(score), fit_(score), with_x_(score) {}

void AdditiveGains::condition(Node y, std::span<const Node> E) {
  start_.start(y, E);
  local_score_ = refused;
  if (!start_.is_sound()) return;
  fit_ = start_;
  fit_.raise_degrees();
  local_score_ = fit_.local_score();
}

double AdditiveGains::of_insert(Node x) {
  if (!can_score()) return refused;
  with_x_ = start_;
  with_x_.add(x);
  if (!with_x_.is_sound()) return refused;
  with_x_.raise_degrees();
  return with_x_.local_score() - local_score_;
}

std::span<const Node> AdditiveGains::worth_inserting() {
  inserts_.resize(static_cast<std::size_t>(score_->size()));
  std::iota(inserts_.begin(), inserts_.end(), 0);
  return inserts_;
}

}  // namespace greedag
