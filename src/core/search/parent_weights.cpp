#include "core/search/parent_weights.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace greedag {
namespace {

constexpr double refused = GainEvaluator::refused;

std::vector<std::vector<double>> empty_tables(Node size) {
  const auto d = static_cast<std::size_t>(size);
  return std::vector(d, std::vector<double>(std::size_t{1} << (d - 1), refused));
}

/// Sets the logarithm of every weight that the rules allow.
template <class Log>
void fill(std::vector<std::vector<double>>& logs, const ParentRules& rules, Log log) {
  const auto d = static_cast<Node>(logs.size());
  const Limits limits = rules.knowledge != nullptr ? limits_of(*rules.knowledge) : Limits{};
  for (Node y = 0; y < d; ++y) {
    auto& table = logs[static_cast<std::size_t>(y)];
    for (Mask place = 0; place < table.size(); ++place) {
      const Mask P = with_gap(place, y);
      if (std::popcount(P) > rules.most) continue;
      if (rules.knowledge != nullptr && !limits.allow(y, P)) continue;
      table[place] = log(y, P);
    }
  }
}

}  // namespace

ParentWeights::ParentWeights(const LocalScores& scores, const ParentRules& rules)
    : logs_(empty_tables(scores.size())), ordered_(logs_.size()) {
  fill(logs_, rules, [&](Node y, Mask P) { return scores.of(y, P); });
  for (auto& table : logs_) {
    const double most = *std::max_element(table.begin(), table.end());
    log_scale_ += most;
    if (most == refused) continue;
    for (double& log : table) log -= most;
  }
}

ParentWeights::ParentWeights(Node size, const ParentRules& rules)
    : logs_(empty_tables(size)), ordered_(logs_.size()) {
  fill(logs_, rules, [](Node, Mask) { return 0.0; });
}

void ParentWeights::sort_sets(Node y) {
  const auto& logs = logs_[at(y)];
  auto& places = ordered_[at(y)];
  places.resize(logs.size());
  std::iota(places.begin(), places.end(), Mask{0});
  std::stable_sort(places.begin(), places.end(), [&](Mask a, Mask b) { return logs[a] > logs[b]; });
  // What has no weight is never drawn.
  while (!places.empty() && logs[places.back()] == refused) places.pop_back();
}

Mask ParentWeights::draw(Node y, Mask S, Mask needed, Scaled<double> total, Random& random) {
  if (ordered_[at(y)].empty()) sort_sets(y);
  double left = random.unit();
  Mask last = 0;
  for (const Mask place : ordered_[at(y)]) {
    const Mask P = with_gap(place, y);
    if ((P & ~S) != 0 || (needed != 0 && (P & needed) == 0)) continue;
    last = P;
    left -= static_cast<double>(of(y, place) / total);
    if (left < 0.0) break;
  }
  return last;  // the least likely one, where rounding leaves a little
}

}  // namespace greedag
