#include "core/known_gains.hpp"

#include <cmath>
#include <limits>

namespace greedag {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

KnownGains::KnownGains(const GaussianBic& score, double min_r2)
    : partial_(score), removal_(score), sweep_(score, min_r2) {
  // Address space only: growing step by step would touch several times the memory.
  const auto d = static_cast<std::size_t>(score.size());
  gains_.reserve(std::min(most_gains + d, 512 * d));
}

void KnownGains::condition(Node y, const NodeSet& E) {
  y_ = y;
  E_ = E;
  conditioned_ = false;
}

void KnownGains::condition_partial() {
  if (!conditioned_) partial_.condition(y_, E_.span());
  conditioned_ = true;
}

double KnownGains::computed(Node x) {
  condition_partial();
  return partial_.of_insert(x);
}

double KnownGains::counted(double gain) {
  ++tally_.evaluations;
  tally_.refusals += gain == PartialGain::refused;
  return gain;
}

double KnownGains::of_insert(Node x) {
  const SetKey key(std::min(x, y_), std::max(x, y_), E_.span());
  if (const double* known = pairs_.find(key)) return counted(*known);
  return counted(pairs_.add(key, computed(x)));
}

double KnownGains::of_removal(Node x, Node y, const NodeSet& E) {
  return counted(removal_gain(x, y, E));
}

double KnownGains::removal_gain(Node x, Node y, const NodeSet& E) {
  const SetKey key(y, y, E.span());
  const std::size_t* begin = members_.find(key);
  if (!begin) {
    if (member_gains_.size() >= most_gains) {
      members_.clear();
      member_gains_.clear();
    }
    begin = &members_.add(key, member_gains_.size());
    member_gains_.resize(member_gains_.size() + E.size(), unknown);
  }
  double& gain = member_gains_[*begin + static_cast<std::size_t>(E.place_of(x))];
  if (std::isnan(gain)) {
    NodeSet others = E;
    others.erase(x);
    condition(y, others);
    gain = computed(x);
    if (gain != PartialGain::refused) gain = -gain;
  }
  return gain;
}

double KnownGains::of(Gain& gain) {
  if (std::isnan(gain.value)) gain.value = computed(gain.x);
  return counted(gain.value);
}

void KnownGains::make_room() {
  if (gains_.size() < most_gains) return;
  inserts_.clear();
  removals_.clear();
  gains_.clear();
}

std::optional<std::span<KnownGains::Gain>> KnownGains::inserts(Node y, const NodeSet& E) {
  condition(y, E);
  const SetKey key(y, y, E.span());
  const Range* range = inserts_.find(key);
  if (!range) {
    make_room();
    condition_partial();
    const auto begin = static_cast<std::uint32_t>(gains_.size());
    if (partial_.has_sound_factor()) {
      for (Node x : sweep_.survivors(partial_))
        if (x != y && !E.contains(x)) gains_.push_back({x, unknown});
      range = &inserts_.add(key, {begin, static_cast<std::uint32_t>(gains_.size()) - begin});
    } else {
      range = &inserts_.add(key, {begin, singular});
    }
  }
  if (range->size == singular) return std::nullopt;
  return std::span(gains_).subspan(range->begin, range->size);
}

std::span<const KnownGains::Gain> KnownGains::removals(Node y, const NodeSet& E, double min_gain) {
  const SetKey key(y, y, E.span());
  const Range* range = removals_.find(key);
  if (!range) {
    make_room();
    const auto begin = static_cast<std::uint32_t>(gains_.size());
    removal_.condition(y, E);
    for (std::uint32_t i = 0; i < E.size(); ++i) {
      if (!removal_.may_gain(i)) continue;
      const double gain = removal_gain(E[i], y, E);
      if (gain > min_gain) gains_.push_back({E[i], gain});
    }
    range = &removals_.add(key, {begin, static_cast<std::uint32_t>(gains_.size()) - begin});
  }
  tally_.evaluations += range->size;
  return std::span(gains_).subspan(range->begin, range->size);
}

}  // namespace greedag
