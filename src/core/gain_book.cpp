#include "core/gain_book.hpp"

namespace greedag {
namespace {

void fill_in(double& value, double known) {
  if (std::isnan(value)) value = known;
}
void fill_in(GainBook::Gain& gain, const GainBook::Gain& known) {
  if (gain.x == known.x) fill_in(gain.value, known.value);
}

template <class Item>
void add_lists(ListMap<Item>& book, const ListMap<Item>& other) {
  other.for_each([&](const SetKey& key, std::span<const Item> items) {
    if (const auto own = book.find(key))
      for (std::size_t i = 0; i < std::min(items.size(), own->size()); ++i)
        fill_in((*own)[i], items[i]);
    else
      book.add(key,
               [&](std::vector<Item>& all) { all.insert(all.end(), items.begin(), items.end()); });
  });
}

/// What was added to a map since it had `size` entries. If it has fewer, it was emptied meanwhile.
template <class Map>
Map added_since(const Map& map, std::size_t size) {
  return map.all_after(size <= map.size() ? size : 0);
}

}  // namespace

GainBook GainBook::all_since(const Mark& mark) const {
  return {added_since(pairs, mark.pairs), added_since(inserts, mark.inserts),
          added_since(removals, mark.removals), added_since(members, mark.members)};
}

void GainBook::add(const GainBook& other) {
  other.pairs.for_each([&](const SetKey& key, double value) {
    if (!pairs.find(key)) pairs.add(key, value);
  });
  add_lists(inserts, other.inserts);
  add_lists(removals, other.removals);
  add_lists(members, other.members);
}

}  // namespace greedag
