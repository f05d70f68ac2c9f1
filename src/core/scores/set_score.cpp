#include "core/scores/set_score.hpp"

#include <cmath>
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
    : score_(&score), filter_(filter), function_(score.function()), supersets_(score.size()) {}

std::unique_ptr<GainEvaluator> SetGains::copy() const {
  auto twin = std::make_unique<SetGains>(*score_, filter_);
  twin->values_ = values_;
  return twin;
}

double SetGains::value(std::span<const Node> set) {
  const SetKey key(0, 0, set);
  if (const double* known = values_.find(key)) return *known;
  const double known = known_as_superset(set);
  if (!std::isnan(known)) return values_.add(key, known);
  throw_if_stopped(observer_);
  return values_.add(key, function_->of(set));
}

/// The value of W ∪ x where all x of W were computed together, for some x in the set.
double SetGains::known_as_superset(std::span<const Node> set) {
  if (!function_->finds_supersets()) return SupersetValues::unknown;
  smaller_ = NodeSet(set);
  for (Node x : set) {
    smaller_.erase(x);
    const std::span<const double> values = supersets_.find(smaller_.span());
    if (!values.empty() && !std::isnan(values[static_cast<std::size_t>(x)]))
      return values[static_cast<std::size_t>(x)];
    smaller_.insert(x);
  }
  return SupersetValues::unknown;
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
  if (!function_->finds_supersets()) return;
  const auto values = superset_values();
  std::erase_if(inserts_, [&](Node x) {
    const double of_Ex = values.first[static_cast<std::size_t>(x)];
    const double of_Exy = values.second[static_cast<std::size_t>(x)];
    if (std::isnan(of_Ex) || std::isnan(of_Exy)) return false;
    if (Ey_.contains(x) || gain(x, of_Ex, of_Exy) <= score_->min_gain()) return true;
    keep_value_with(E_, x, of_Ex);
    keep_value_with(Ey_, x, of_Exy);
    return false;
  });
}

/// S(E ∪ x) and S(E ∪ xy) by x. The same sets are asked for with other y, too.
std::pair<std::span<const double>, std::span<const double>> SetGains::superset_values() {
  supersets_.make_room();
  std::span<double> S_Ex = supersets_.find(E_.span());
  std::span<double> S_Exy = supersets_.find(Ey_.span());
  const bool knows_Ex = !S_Ex.empty();
  const bool knows_Exy = !S_Exy.empty();
  if (knows_Ex && knows_Exy) return {S_Ex, S_Exy};
  if (!knows_Ex) S_Ex = supersets_.add(E_.span());
  if (!knows_Exy) S_Exy = supersets_.add(Ey_.span());
  try {
    function_->find_supersets(y_, E_.span(), knows_Ex ? std::span<double>() : S_Ex,
                              knows_Exy ? std::span<double>() : S_Exy);
  } catch (const Stopped&) {
    supersets_.clear();
    throw;
  }
  return {S_Ex, S_Exy};
}

void SetGains::find_worth_removing(Node /*y*/, std::span<const Node> E,
                                   std::vector<bool>& may_gain) {
  may_gain.assign(E.size(), true);
}

}  // namespace greedag
