#include "core/known_gains.hpp"

#include <cmath>

namespace greedag {

KnownGains::KnownGains(const GaussianBic& score, double min_r2)
    : partial_(score), removal_(score), sweep_(score, min_r2) {
  // Address space only: growing step by step would touch several times the memory.
  book_.inserts.reserve(512 * static_cast<std::size_t>(score.size()));
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
  if (const double* known = book_.pairs.find(key)) return counted(*known);
  return counted(book_.pairs.add(key, computed(x)));
}

double KnownGains::of_removal(Node x, Node y, const NodeSet& E) {
  return counted(removal_gain(x, y, E));
}

double KnownGains::removal_gain(Node x, Node y, const NodeSet& E) {
  const SetKey key(y, y, E.span());
  auto gains = book_.members.find(key);
  if (!gains)
    gains = book_.members.add(key, [&](std::vector<double>& all) {
      all.resize(all.size() + E.size(), GainBook::unknown);
    });
  double& gain = (*gains)[static_cast<std::size_t>(E.place_of(x))];
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

std::optional<std::span<KnownGains::Gain>> KnownGains::inserts(Node y, const NodeSet& E) {
  condition(y, E);
  const SetKey key(y, y, E.span());
  auto gains = book_.inserts.find(key);
  if (!gains) {
    condition_partial();
    gains = book_.inserts.add(key, [&](std::vector<Gain>& all) {
      // That y stands in its own list says that nothing can be scored beside E.
      if (!partial_.has_sound_factor()) return all.push_back({y, PartialGain::refused});
      for (Node x : sweep_.survivors(partial_))
        if (x != y && !E.contains(x)) all.push_back({x, GainBook::unknown});
    });
  }
  if (!gains->empty() && gains->front().x == y) return std::nullopt;
  return gains;
}

std::span<const KnownGains::Gain> KnownGains::removals(Node y, const NodeSet& E, double min_gain) {
  const SetKey key(y, y, E.span());
  auto gains = book_.removals.find(key);
  if (!gains) {
    removal_.condition(y, E);
    gains = book_.removals.add(key, [&](std::vector<Gain>& all) {
      for (std::uint32_t i = 0; i < E.size(); ++i) {
        if (!removal_.may_gain(i)) continue;
        const double gain = removal_gain(E[i], y, E);
        if (gain > min_gain) all.push_back({E[i], gain});
      }
    });
  }
  tally_.evaluations += gains->size();
  return *gains;
}

GainBook KnownGains::take_news() {
  GainBook news = book_.all_since(told_);
  skip_news();
  return news;
}

void KnownGains::learn(const GainBook& news) {
  book_.add(news);
  skip_news();
}

}  // namespace greedag
