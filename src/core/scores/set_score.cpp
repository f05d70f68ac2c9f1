#include "core/scores/set_score.hpp"

#include <numeric>

namespace greedag {

std::unique_ptr<GainEvaluator> SetScore::evaluator(bool with_losses) const {
  return std::make_unique<SetGains>(
      *this, with_losses ? SetGains::Filter::none : SetGains::Filter::losses);
}

std::unique_ptr<GainEvaluator> SetScore::directed_evaluator() const {
  return std::make_unique<SetGains>(*this, SetGains::Filter::known_losses);
}

SetGains::SetGains(const SetScore& score, Filter filter)
    : score_(&score), filter_(filter), function_(score.function()) {}

std::unique_ptr<GainEvaluator> SetGains::copy() const {
  auto twin = std::make_unique<SetGains>(*score_, filter_);
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

void SetGains::keep_value_with(const NodeSet& set, Node x, double value) {
  larger_ = set;
  larger_.insert(x);
  const SetKey key(0, 0, larger_.span());
  if (values_.find(key) == nullptr) values_.add(key, value);
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

double SetGains::of_insert(Node x) {
  const double S_Ex = value_with(E_, x);
  return gain(x, S_Ex, value_with(Ey_, x));
}

/// The differences are taken in the order of the nodes, so that both ends agree to the last bit.
double SetGains::gain(Node x, double S_Ex, double S_Exy) const {
  if (!can_score() || S_Ex == refused || S_Exy == refused) return refused;
  const auto [S_low, S_high] = x < y_ ? std::pair(S_Ex, S_Ey_) : std::pair(S_Ey_, S_Ex);
  return (S_Exy - S_high) - (S_low - S_E_);
}

double SetGains::local_score() { return can_score() ? S_Ey_ - S_E_ : refused; }

std::span<const Node> SetGains::worth_inserting() {
  inserts_.resize(static_cast<std::size_t>(score_->size()));
  std::iota(inserts_.begin(), inserts_.end(), 0);
  if (filter_ != Filter::none) function_->drop_losing(y_, E_.span(), local_score(), inserts_);
  if (filter_ == Filter::losses) drop_losses();
  return inserts_;
}

/// Values of inserts that gain are kept, because they will be needed.
void SetGains::drop_losses() {
  loses_.assign(static_cast<std::size_t>(score_->size()), false);
  for (const auto& [x, S_Ex, S_Exy] : function_->of_supersets(y_, E_.span())) {
    if (Ey_.contains(x)) continue;
    if (gain(x, S_Ex, S_Exy) > score_->min_gain()) {
      keep_value_with(E_, x, S_Ex);
      keep_value_with(Ey_, x, S_Exy);
    } else {
      loses_[static_cast<std::size_t>(x)] = true;
    }
  }
  std::erase_if(inserts_, [this](Node x) { return loses_[static_cast<std::size_t>(x)]; });
}

void SetGains::find_worth_removing(Node /*y*/, std::span<const Node> E,
                                   std::vector<bool>& may_gain) {
  may_gain.assign(E.size(), true);
}

}  // namespace greedag
