#include "core/search/posterior.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/search/node_team.hpp"

namespace greedag {
namespace {

using Number = Scaled<double>;

constexpr std::size_t at(Node node) { return static_cast<std::size_t>(node); }
constexpr bool is_time_to_look(Mask sets) { return sets % 16384 == 16383; }

/// By sums over the sets of nodes that come first in an order (Koivisto & Sood 2004; Koivisto
/// 2006). A DAG and an order that suits it weigh as much as the DAG. All numbers are positive, and
/// none are subtracted from each other.
class OrderPosterior final : public DagPosterior {
 public:
  OrderPosterior(ParentWeights weights, WorkDone& work)
      : weights_(std::move(weights)),
        work_(&work),
        d_(weights_.size()),
        all_(bit(d_) - 1),
        sums_(at(d_)) {}

  /// Finds the total, and unless that is all, what the rest needs. False if it should stop.
  [[nodiscard]] bool build(Sums sums, std::size_t jobs, Observer& observer) {
    const auto add_sums = [&](Node y, Observer&) {
      sums_[at(y)] = weights_.sums<double>(y);
      work_->add(static_cast<double>(d_) * static_cast<double>(sums_[at(y)].size()));
      return true;
    };
    return for_each_node(d_, jobs, observer, add_sums) && add_forward(observer) &&
           (sums == Sums::total || add_backward(observer));
  }

  [[nodiscard]] Node size() const override { return d_; }
  [[nodiscard]] double log_total() const override {
    return forward_[all_].log() + weights_.log_scale();
  }

  [[nodiscard]] std::optional<NodePairs> edges(std::size_t jobs, Observer& observer) override {
    NodePairs found(at(d_) * at(d_));
    const bool is_whole = for_each_node(d_, jobs, observer, [&](Node y, Observer&) {
      std::vector<Number> others(sums_[at(y)].size());
      for (Mask place = 0; place < others.size(); ++place) {
        const Mask S = with_gap(place, y);
        others[place] = forward_[S] * backward_[S | bit(y)] / forward_[all_];
      }
      add_supersets(others);
      const std::vector<double> parents = weights_.parents(y, others);
      for (Node x = 0; x < d_; ++x) found[at(x) * at(d_) + at(y)] = std::min(1.0, parents[at(x)]);
      work_->add(static_cast<double>(d_) * static_cast<double>(others.size()));
      return true;
    });
    return is_whole ? std::optional(std::move(found)) : std::nullopt;
  }

  [[nodiscard]] std::optional<NodePairs> paths(std::size_t jobs, Observer& observer) override {
    NodePairs found(at(d_) * at(d_));
    const bool is_whole = for_each_node(d_, jobs, observer, [&](Node x, Observer& own) {
      return find_descendants(x, std::span(found).subspan(at(x) * at(d_), at(d_)), own);
    });
    return is_whole ? std::optional(std::move(found)) : std::nullopt;
  }

  [[nodiscard]] std::vector<Mask> draw(Random& random) override {
    std::vector<Mask> parents(at(d_));
    for (Mask U = all_; U != 0;) {
      const Node y = draw_last(U, random);
      U &= ~bit(y);
      parents[at(y)] = weights_.draw(y, U, 0, sum(y, U), random);
    }
    return parents;
  }

 private:
  [[nodiscard]] const Number& sum(Node y, Mask S) const { return sums_[at(y)][without(S, y)]; }

  /// forward_[U]: the weight of all orders of U with their DAGs.
  bool add_forward(Observer& observer) {
    forward_.resize(std::size_t{1} << d_);
    forward_[0] = Number::one();
    for (Mask U = 1; U <= all_; ++U) {
      if (is_time_to_look(U) && observer.should_stop_now()) return false;
      for (Mask rest = U; rest != 0; rest &= rest - 1) {
        const Node y = std::countr_zero(rest);
        forward_[U] += forward_[U & ~bit(y)] * sum(y, U & ~bit(y));
      }
    }
    return true;
  }
  /// backward_[U]: the weight of all ways to go on where U comes first.
  bool add_backward(Observer& observer) {
    backward_.resize(std::size_t{1} << d_);
    backward_[all_] = Number::one();
    for (Mask U = all_; U-- > 0;) {
      if (is_time_to_look(U) && observer.should_stop_now()) return false;
      for (Mask rest = all_ & ~U; rest != 0; rest &= rest - 1) {
        const Node y = std::countr_zero(rest);
        backward_[U] += backward_[U | bit(y)] * sum(y, U);
      }
    }
    return true;
  }

  /// Among the orders that start with S and y, the share of those in which y comes last of them.
  [[nodiscard]] double last_share(Node y, Mask S) const {
    const Number& both = forward_[S | bit(y)];
    return both.is_zero() ? 0.0 : static_cast<double>(forward_[S] * sum(y, S) / both);
  }
  [[nodiscard]] Node draw_last(Mask U, Random& random) const {
    double left = random.unit();
    Node last = 0;
    for (Mask rest = U; rest != 0; rest &= rest - 1) {
      const Node y = std::countr_zero(rest);
      const double share = last_share(y, U & ~bit(y));
      if (share == 0.0) continue;
      last = y;
      left -= share;
      if (left < 0.0) break;
    }
    return last;
  }

  /// Shares of the descendants of x: for every set S with x that may come first, and every D ⊆ S,
  /// the probability, given S, that D are the descendants of x within S. A node y after S is a
  /// further one unless all of its parents are in S \ D: Parviainen & Koivisto (2011).
  ///
  /// Sets are kept without x, which is in all of them: D ⊆ S stand at starts[S], in the order of
  /// their masks.
  bool find_descendants(Node x, std::span<double> found, Observer& observer) const {
    const Mask most = bit(d_ - 1) - 1;
    std::vector<std::size_t> starts(std::size_t{most} + 2);
    for (Mask S = 0; S <= most; ++S)
      starts[S + 1] = starts[S] + (std::size_t{1} << std::popcount(S));
    std::vector<double> shares(starts.back());
    for (Mask S = 0; S <= most; ++S) {
      if (observer.should_stop()) return false;
      shares[starts[S]] += last_share(x, with_gap(S, x));
      for (Mask rest = most & ~S; rest != 0; rest &= rest - 1) {
        const Mask further = S | (rest & -rest);
        pass_on(x, S, std::countr_zero(rest), &shares[starts[S]], &shares[starts[further]]);
      }
    }
    for (Mask D = 0; D <= most; ++D)
      for (Mask rest = with_gap(D, x) | bit(x); rest != 0; rest &= rest - 1)
        found[at(std::countr_zero(rest))] += shares[starts[most] + D];
    for (double& share : found) share = std::min(share, 1.0);
    found[at(x)] = 1.0;
    work_->add(static_cast<double>(d_) * static_cast<double>(shares.size()));
    return true;
  }
  /// Adds what the shares of S, without x, contribute to those of S with the node at `place`.
  void pass_on(Node x, Mask S, Node place, const double* from, double* to) const {
    const Mask rest = with_gap(S, x);
    const Node y = std::countr_zero(with_gap(bit(place), x));
    const double share = last_share(y, rest | bit(x));
    if (share == 0.0) return;
    const Number inverse = Number::one() / sum(y, rest | bit(x));
    const Number* sums = sums_[at(y)].data();
    const std::size_t step = std::size_t{1} << std::popcount(S & (bit(place) - 1));
    Mask D = 0;
    for (std::size_t i = 0; i < std::size_t{1} << std::popcount(S); ++i) {
      const double outside = std::min(1.0, Number::product(sums[without(rest & ~D, y)], inverse));
      const std::size_t place_without = (i & (step - 1)) | (i & ~(step - 1)) << 1;
      const double weight = from[i] * share;
      to[place_without] += weight * outside;
      to[place_without + step] += weight * (1.0 - outside);
      D = (D - rest) & rest;
    }
  }

  ParentWeights weights_;
  WorkDone* work_;
  Node d_;
  Mask all_;
  std::vector<std::vector<Number>> sums_;
  std::vector<Number> forward_;
  std::vector<Number> backward_;
};

/// Operations of sums over sets, of each of the passes over all nodes and sets.
double expected_work(Node size, DagPrior prior) {
  const double sets = std::ldexp(1.0, size - 1);
  const double d = size;
  const double pairs = std::pow(3.0, d - 1);
  if (prior == DagPrior::uniform) return 3.0 * d * d * sets + 21.0 * pairs;
  return 3.0 * d * d * sets + (size <= most_nodes_for_pairs_of_sets ? d * d * pairs : 0.0);
}

}  // namespace

std::unique_ptr<DagPosterior> order_posterior(ParentWeights weights, Sums sums, WorkDone& work,
                                              std::size_t jobs, Observer& observer) {
  auto posterior = std::make_unique<OrderPosterior>(std::move(weights), work);
  return posterior->build(sums, jobs, observer) ? std::move(posterior) : nullptr;
}

std::unique_ptr<DagPosterior> dag_posterior(const Score& score, DagPrior prior,
                                            const ParentRules& rules, WorkDone& work,
                                            std::size_t jobs, Observer& observer) {
  work.total = expected_work(score.size(), prior);
  const auto scores = all_local_scores(score, observer);
  if (!scores) return nullptr;
  const auto build = prior == DagPrior::orders ? order_posterior : uniform_posterior;
  return build(ParentWeights(*scores, rules), Sums::all, work, jobs, observer);
}

std::optional<double> log_prior_total(Node size, DagPrior prior, const ParentRules& rules,
                                      WorkDone& work, std::size_t jobs, Observer& observer) {
  work.total = expected_work(size, prior);
  const auto build = prior == DagPrior::orders ? order_posterior : uniform_posterior;
  const auto found = build(ParentWeights(size, rules), Sums::total, work, jobs, observer);
  return found ? std::optional(found->log_total()) : std::nullopt;
}

}  // namespace greedag
