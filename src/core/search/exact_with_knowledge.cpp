#include <algorithm>
#include <bit>
#include <queue>
#include <utility>

#include "core/search/exact.hpp"
#include "core/search/parent_limits.hpp"

namespace greedag {
namespace {

constexpr std::size_t at(Node node) { return static_cast<std::size_t>(node); }

/// Local scores that refuse parent sets beyond the limits.
class LimitedScores final : public LocalScores {
 public:
  LimitedScores(const LocalScores& scores, const Limits& limits)
      : scores_(&scores), limits_(&limits) {}

  [[nodiscard]] Node size() const override { return scores_->size(); }
  [[nodiscard]] double of(Node y, Mask P) const override {
    return limits_->allow(y, P) ? scores_->of(y, P) : GainEvaluator::refused;
  }
  void raise(Node y, Mask high, std::span<double> values) const override {
    const Mask low = static_cast<Mask>(values.size()) - 1;
    if (!limits_->allow(y, high | (limits_->required[at(y)] & low))) return;
    scratch_.assign(values.size(), GainEvaluator::refused);
    scores_->raise(y, high, scratch_);
    for (Mask P = 0; P <= low; ++P)
      if (limits_->allow(y, P | high)) values[P] = std::max(values[P], scratch_[P]);
  }

 private:
  const LocalScores* scores_;
  const Limits* limits_;
  mutable std::vector<double> scratch_;
};

/// Whether every DAG that keeps to the pairs one by one has an order that keeps to all of them.
///
/// If not, arcs of the DAG and pairs (a, b) alternate in a cycle. Where for any two pairs (a, b)
/// and (c, d) also (a, d) or (c, b) is a pair, the cycle can be shortened, until one pair and a
/// path from b to a are left.
bool is_interval_order(std::span<const Mask> later) {
  for (std::size_t a = 0; a < later.size(); ++a)
    for (std::size_t c = 0; c < a; ++c)
      if ((later[a] & ~later[c]) != 0 && (later[c] & ~later[a]) != 0) return false;
  return true;
}

/// What is known about ancestors: pairs (a, b) such that b must not be one of a.
struct Precedence {
  std::vector<Mask> later;  ///< by a: the b of pairs that an order can keep to; empty if none
  std::vector<Arc> others;  ///< further pairs
};

/// Tiers are an interval order. Other pairs are added to it as long as it remains one.
Precedence precedence_of(const Knowledge& knowledge) {
  Precedence precedence{std::vector<Mask>(at(knowledge.size())), {}};
  for (Node a = 0; a < knowledge.size(); ++a)
    for (Node b = 0; b < knowledge.size(); ++b)
      if (knowledge.is_earlier(a, b)) precedence.later[at(a)] |= bit(b);
  for (const auto& [a, b] : knowledge.before()) {
    Mask& later = precedence.later[at(a)];
    const Mask before = std::exchange(later, later | bit(b));
    if (is_interval_order(precedence.later)) continue;
    later = before;
    precedence.others.push_back({a, b});
  }
  if (std::all_of(precedence.later.begin(), precedence.later.end(), [](Mask m) { return m == 0; }))
    precedence.later.clear();
  return precedence;
}

/// The nodes of a shortest path from b to a; empty if there is none.
std::vector<Node> path_between(const BestDag& dag, Node b, Node a) {
  std::vector<Node> next(dag.parents.size(), -1);
  std::vector<Node> open{a};
  for (std::size_t done = 0; done < open.size(); ++done)
    for (Mask rest = dag.parents[at(open[done])]; rest != 0; rest &= rest - 1) {
      const Node u = std::countr_zero(rest);
      if (next[at(u)] >= 0) continue;
      next[at(u)] = open[done];
      open.push_back(u);
    }
  std::vector<Node> path;
  if (next[at(b)] < 0) return path;
  for (Node v = b; v != a; v = next[at(v)]) path.push_back(v);
  path.push_back(a);
  return path;
}

/// A part of all DAGs, and the best of it when ancestors are left out of account.
struct Branch {
  Limits limits;
  BestDag best;
  friend bool operator<(const Branch& one, const Branch& other) {
    return one.best.score < other.best.score;
  }
};

/// Branch and bound: where the best DAG of a branch has a path that must not be, one of its arcs
/// has to go. One new branch is without the first arc, the next has the first but not the second,
/// and so on. Where an order keeps to all pairs, there is only one branch.
class AncestorSearch {
 public:
  AncestorSearch(const LocalScores& scores, const Knowledge& knowledge, std::size_t most_branches,
                 Observer& observer)
      : scores_(&scores),
        precedence_(precedence_of(knowledge)),
        branches_left_(most_branches),
        observer_(&observer) {}

  [[nodiscard]] std::optional<BestDag> run(Limits all) {
    if (!add(std::move(all))) return std::nullopt;
    while (true) {
      const Branch branch = branches_.top();
      branches_.pop();
      const std::vector<Node> path = forbidden_path(branch.best);
      if (path.empty()) return branch.best;
      Limits limits = branch.limits;
      for (std::size_t i = 1; i < path.size(); ++i) {
        const Mask tail = bit(path[i - 1]);
        Limits without = limits;
        without.forbidden[at(path[i])] |= tail;
        if (!add(std::move(without))) return std::nullopt;
        limits.required[at(path[i])] |= tail;
      }
    }
  }

 private:
  /// False if there are too many, or the observer says to stop.
  bool add(Limits limits) {
    if (branches_left_-- == 0) return false;
    auto best = best_dag(LimitedScores(*scores_, limits), *observer_, precedence_.later);
    if (!best) return false;
    branches_.push({std::move(limits), std::move(*best)});
    return true;
  }
  [[nodiscard]] std::vector<Node> forbidden_path(const BestDag& dag) const {
    for (const auto& [a, b] : precedence_.others)
      if (auto path = path_between(dag, b, a); !path.empty()) return path;
    return {};
  }

  const LocalScores* scores_;
  Precedence precedence_;
  std::size_t branches_left_;
  Observer* observer_;
  std::priority_queue<Branch> branches_;
};

}  // namespace

std::optional<BestDag> best_dag(const LocalScores& scores, const Knowledge* knowledge,
                                Observer& observer, std::size_t most_branches) {
  if (knowledge == nullptr) return best_dag(scores, observer);
  return AncestorSearch(scores, *knowledge, most_branches, observer).run(limits_of(*knowledge));
}

}  // namespace greedag
