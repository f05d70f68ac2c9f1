#include "core/scores/set_score.hpp"

#include <numeric>

namespace greedag {

std::unique_ptr<GainEvaluator> SetScore::evaluator(bool with_losses) const {
  return std::make_unique<SetGains>(*this, with_losses);
}

SetGains::SetGains(const SetScore& score, bool with_losses)
    : score_(&score), with_losses_(with_losses), function_(score.function()) {}

std::unique_ptr<GainEvaluator> SetGains::copy() const {
  auto twin = std::make_unique<SetGains>(*score_, with_losses_);
  twin->values_ = values_;
  return twin;
}

double SetGains::value(std::span<const Node> set) {
  const SetKey key(0, 0, set);
  if (const double* known = values_.find(key)) return *known;
  throw_if_stopped(observer_);
  return values_.add(key, function_->of(set));
}

double SetGains::value_with(const NodeSet& set, Node x) {
  larger_ = set;
  larger_.insert(x);
  return value(larger_.span());
}

void SetGains::condition(Node y, std::span<const Node> E) {
  y_ = y;
  E_ = NodeSet(E);
  Ey_ = E_;
  Ey_.insert(y);
  function_->expect_supersets_of(E, y);
  S_E_ = value(E_.span());
  S_Ey_ = value(Ey_.span());
}

/// The differences are taken in the order of the nodes, so that both ends agree to the last bit.
double SetGains::of_insert(Node x) {
  const double S_Ex = value_with(E_, x);
  const double S_Exy = value_with(Ey_, x);
  if (!can_score() || S_Ex == refused || S_Exy == refused) return refused;
  const auto [S_low, S_high] = x < y_ ? std::pair(S_Ex, S_Ey_) : std::pair(S_Ey_, S_Ex);
  return (S_Exy - S_high) - (S_low - S_E_);
}

double SetGains::local_score() { return can_score() ? S_Ey_ - S_E_ : refused; }

std::span<const Node> SetGains::worth_inserting() {
  inserts_.resize(static_cast<std::size_t>(score_->size()));
  std::iota(inserts_.begin(), inserts_.end(), 0);
  if (!with_losses_) function_->drop_losing(y_, E_.span(), local_score(), inserts_);
  return inserts_;
}

void SetGains::find_worth_removing(Node /*y*/, std::span<const Node> E,
                                   std::vector<bool>& may_gain) {
  may_gain.assign(E.size(), true);
}

}  // namespace greedag
