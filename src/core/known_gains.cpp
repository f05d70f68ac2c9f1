#include "core/known_gains.hpp"

#include <cmath>

namespace greedag {

KnownGains::KnownGains(const Score& score, bool with_losses) : gains_(score.gains(with_losses)) {
  // Address space only: growing step by step would touch several times the memory.
  book_.inserts.reserve(512 * static_cast<std::size_t>(score.size()));
}

KnownGains::KnownGains(const KnownGains& other)
    : gains_(other.gains_->copy()), book_(other.book_), told_(other.told_), tally_(other.tally_) {}

void KnownGains::condition(Node y, const NodeSet& E) {
  y_ = y;
  E_ = E;
  conditioned_ = false;
}

void KnownGains::condition_gains() {
  if (!conditioned_) gains_->condition(y_, E_.span());
  conditioned_ = true;
}

double KnownGains::computed(Node x) {
  condition_gains();
  const double gain = gains_->of_insert(x);
  return std::isnan(gain) ? Gains::refused : gain;
}

double KnownGains::counted(double gain) {
  ++tally_.evaluations;
  tally_.refusals += gain == Gains::refused;
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
    if (gain != Gains::refused) gain = -gain;
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
    condition_gains();
    gains = book_.inserts.add(key, [&](std::vector<Gain>& all) {
      // That y stands in its own list says that nothing can be scored beside E.
      if (!gains_->can_score()) return all.push_back({y, Gains::refused});
      for (Node x : gains_->worth_inserting())
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
    gains_->find_worth_removing(y, E.span(), may_gain_);
    conditioned_ = false;
    gains = book_.removals.add(key, [&](std::vector<Gain>& all) {
      for (std::uint32_t i = 0; i < E.size(); ++i) {
        if (!may_gain_[i]) continue;
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
