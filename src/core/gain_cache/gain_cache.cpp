#include "core/gain_cache/gain_cache.hpp"

#include <cmath>

namespace greedag {

GainCache::GainCache(const Score& score, bool with_losses, const Knowledge* knowledge)
    : GainCache(score.evaluator(with_losses), score.size(), false, knowledge) {}

GainCache::GainCache(std::unique_ptr<GainEvaluator> evaluator, Node size, bool is_directed,
                     const Knowledge* knowledge)
    : evaluator_(std::move(evaluator)),
      is_directed_(is_directed),
      knowledge_(knowledge),
      recent_(static_cast<std::size_t>(size)) {}

GainCache GainCache::directed(const Score& score, const Knowledge* knowledge) {
  return {score.directed_evaluator(), score.size(), true, knowledge};
}

GainCache::GainCache(const GainCache& other)
    : evaluator_(other.evaluator_->copy()),
      is_directed_(other.is_directed_),
      knowledge_(other.knowledge_),
      recent_(other.recent_.size()),
      tables_(other.tables_),
      table_(other.table_) {}

GainTable& GainCache::table_with_room() {
  if (!table_->is_full()) return *table_;
  table_ = tables_->after(table_);
  for (Recent& recent : recent_) recent.given = nullptr;
  return *table_;
}

GainTable::Given& GainCache::given(Node y, const NodeSet& E) {
  GainTable& table = table_with_room();
  Recent& recent = recent_[static_cast<std::size_t>(y)];
  if (recent.given != nullptr && recent.E == E) return *recent.given;
  const SetKey key(y, y, E.span());
  GainTable::Given* given = table.given.find(key);
  if (given == nullptr) given = &table.given.add(key);
  recent.E = E;
  recent.given = given;
  return *given;
}

void GainCache::condition(Node y, const NodeSet& E) {
  y_ = y;
  E_ = E;
  conditioned_ = false;
}

void GainCache::condition_evaluator() {
  if (!conditioned_) evaluator_->condition(y_, E_.span());
  conditioned_ = true;
}

/// Unknown if the search should stop.
double GainCache::computed(Node x) {
  try {
    condition_evaluator();
    const double gain = evaluator_->of_insert(x);
    return std::isnan(gain) ? GainEvaluator::refused : gain;
  } catch (const Stopped&) {
    return GainTable::unknown;
  }
}

double GainCache::counted(double gain) {
  if (std::isnan(gain)) return GainEvaluator::refused;
  ++counters_.evaluations;
  counters_.refusals += gain == GainEvaluator::refused;
  return gain;
}

double GainCache::of_insert(Node x) {
  const bool is_turned = !is_directed_ && x > y_;
  const SetKey key(is_turned ? y_ : x, is_turned ? x : y_, E_.span());
  // Another thread may have added the pair, and not yet its gain.
  const GainTable::Pair* known = table_->pairs.find(key);
  const double known_gain = known == nullptr ? GainTable::unknown : double{known->gain};
  if (!std::isnan(known_gain)) return counted(known_gain);
  const double gain = computed(x);
  if (!std::isnan(gain)) table_with_room().pairs.add(key).gain = gain;
  return counted(gain);
}

double GainCache::of_removal(Node x, Node y, const NodeSet& E) {
  return counted(removal_gain(x, y, E, given(y, E)));
}

double GainCache::removal_gain(Node x, Node y, const NodeSet& E, GainTable::Given& given) {
  auto gains = given.members.get();
  if (!gains) {
    none_known_.resize(std::max<std::size_t>(none_known_.size(), E.size()), GainTable::unknown);
    gains = table_->set(given.members, std::span<const SharedDouble>(none_known_).first(E.size()));
  }
  SharedDouble& gain = (*gains)[static_cast<std::size_t>(E.place_of(x))];
  if (std::isnan(gain)) {
    condition(y, E);
    E_.erase(x);
    const double of_joining = computed(x);
    gain = of_joining == GainEvaluator::refused ? of_joining : -of_joining;  // or still unknown
  }
  return gain;
}

double GainCache::of(Gain& gain) {
  if (std::isnan(gain.value)) gain.value = computed(gain.x);
  return counted(gain.value);
}

std::optional<std::span<GainCache::Gain>> GainCache::inserts(Node y, const NodeSet& E) {
  condition(y, E);
  GainTable::Given& given = this->given(y, E);
  auto gains = given.inserts.get();
  if (!gains) {
    try {
      find_inserts();
    } catch (const Stopped&) {
      return std::nullopt;
    }
    gains = table_->set(given.inserts, std::span<const Gain>(found_));
  }
  if (!gains->empty() && gains->front().x == y) return std::nullopt;
  return gains;
}

/// Finds what may gain given what is conditioned on.
void GainCache::find_inserts() {
  condition_evaluator();
  found_.clear();
  // A list that holds y itself marks that nothing can be scored given E.
  if (!evaluator_->can_score())
    found_.push_back({y_, GainEvaluator::refused});
  else
    for (Node x : evaluator_->worth_inserting())
      if (x != y_ && !E_.contains(x) && (knowledge_ == nullptr || knowledge_->allows(x, y_)))
        found_.push_back({x, GainTable::unknown});
}

double GainCache::local_score(Node y, const NodeSet& E) {
  condition(y, E);
  try {
    condition_evaluator();
    return evaluator_->local_score();
  } catch (const Stopped&) {
    return GainEvaluator::refused;
  }
}

std::span<const GainCache::Gain> GainCache::removals(Node y, const NodeSet& E, double min_gain) {
  GainTable::Given& given = this->given(y, E);
  auto gains = given.removals.get();
  if (!gains) {
    evaluator_->find_worth_removing(y, E.span(), may_gain_);
    conditioned_ = false;
    found_.clear();
    for (std::uint32_t i = 0; i < E.size(); ++i) {
      if (!may_gain_[i]) continue;
      const double gain = removal_gain(E[i], y, E, given);
      if (std::isnan(gain)) return {};
      if (gain > min_gain) found_.push_back({E[i], gain});
    }
    gains = table_->set(given.removals, std::span<const Gain>(found_));
  }
  counters_.evaluations += gains->size();
  return *gains;
}

}  // namespace greedag
