#include "core/gain_cache/gain_cache.hpp"

#include <cmath>

namespace greedag {

KnownGains::KnownGains(const Score& score, bool with_losses) : gains_(score.gains(with_losses)) {}

KnownGains::KnownGains(const KnownGains& other)
    : gains_(other.gains_->copy()), books_(other.books_), book_(other.book_) {}

GainBook& KnownGains::book_with_room() {
  if (book_->is_full()) book_ = books_->after(book_);
  return *book_;
}

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
  if (const auto known = book_->pairs.find(key)) return counted(known->front());
  const SharedNumber gain = computed(x);
  return counted(book_with_room().pairs.add(key, {&gain, 1}).front());
}

double KnownGains::of_removal(Node x, Node y, const NodeSet& E) {
  return counted(removal_gain(x, y, E));
}

double KnownGains::removal_gain(Node x, Node y, const NodeSet& E) {
  const SetKey key(y, y, E.span());
  auto gains = book_->members.find(key);
  if (!gains) {
    none_known_.resize(std::max<std::size_t>(none_known_.size(), E.size()), GainBook::unknown);
    gains = book_with_room().members.add(key, std::span(none_known_).first(E.size()));
  }
  SharedNumber& gain = (*gains)[static_cast<std::size_t>(E.place_of(x))];
  if (std::isnan(gain)) {
    NodeSet others = E;
    others.erase(x);
    condition(y, others);
    const double of_joining = computed(x);
    gain = of_joining == Gains::refused ? of_joining : -of_joining;
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
  auto gains = book_->inserts.find(key);
  if (!gains) {
    condition_gains();
    found_.clear();
    // That y stands in its own list says that nothing can be scored beside E.
    if (!gains_->can_score())
      found_.push_back({y, Gains::refused});
    else
      for (Node x : gains_->worth_inserting())
        if (x != y && !E.contains(x)) found_.push_back({x, GainBook::unknown});
    gains = book_with_room().inserts.add(key, found_);
  }
  if (!gains->empty() && gains->front().x == y) return std::nullopt;
  return gains;
}

std::span<const KnownGains::Gain> KnownGains::removals(Node y, const NodeSet& E, double min_gain) {
  const SetKey key(y, y, E.span());
  auto gains = book_->removals.find(key);
  if (!gains) {
    gains_->find_worth_removing(y, E.span(), may_gain_);
    conditioned_ = false;
    found_.clear();
    for (std::uint32_t i = 0; i < E.size(); ++i) {
      if (!may_gain_[i]) continue;
      const double gain = removal_gain(E[i], y, E);
      if (gain > min_gain) found_.push_back({E[i], gain});
    }
    gains = book_with_room().removals.add(key, found_);
  }
  tally_.evaluations += gains->size();
  return *gains;
}

}  // namespace greedag
