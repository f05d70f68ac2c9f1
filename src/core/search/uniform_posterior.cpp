#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/search/node_team.hpp"
#include "core/search/posterior.hpp"

namespace greedag {
namespace {

using Number = Scaled<DoubleDouble>;

constexpr std::size_t at(Node node) { return static_cast<std::size_t>(node); }

std::vector<Node> nodes_of(Mask set) {
  std::vector<Node> nodes;
  for (; set != 0; set &= set - 1) nodes.push_back(std::countr_zero(set));
  return nodes;
}

/// By inclusion and exclusion (Tian & He 2009), in which sums alternate in sign. The terms of a sum
/// over sets T of sinks, or of sources, are weights of DAGs in which all of T are such; as a DAG
/// has at most 2^d of these sets, they add up to at most 2^d times the sum. Through all sums, the
/// relative error grows to no more than that of one operation times the number of weak orders of d
/// nodes, 5e15 for 16: a DoubleDouble has 32 digits.
class UniformPosterior final : public DagPosterior {
 public:
  UniformPosterior(ParentWeights weights, WorkDone& work)
      : weights_(std::move(weights)),
        work_(&work),
        d_(weights_.size()),
        all_(bit(d_) - 1),
        sums_(at(d_)),
        before_(std::size_t{1} << d_),
        after_(std::size_t{1} << d_),
        others_(at(d_), std::vector<Number>(std::size_t{1} << (d_ - 1))),
        paths_(at(d_) * at(d_)) {}

  /// Finds the total, and unless that is all, what the rest needs. False if it should stop.
  [[nodiscard]] bool build(Sums sums, std::size_t jobs, Observer& observer) {
    const auto add_sums = [&](Node y, Observer&) {
      sums_[at(y)] = weights_.sums<DoubleDouble>(y);
      work_->add(static_cast<double>(d_) * static_cast<double>(sums_[at(y)].size()));
      return true;
    };
    return for_each_node(d_, jobs, observer, add_sums) && add_before(observer) &&
           (sums == Sums::total || before_[all_].is_zero() || add_after(observer));
  }

  [[nodiscard]] Node size() const override { return d_; }
  [[nodiscard]] double log_total() const override {
    return before_[all_].log() + weights_.log_scale();
  }

  [[nodiscard]] std::optional<NodePairs> edges(std::size_t jobs, Observer& observer) override {
    NodePairs found(at(d_) * at(d_));
    const bool is_whole = for_each_node(d_, jobs, observer, [&](Node y, Observer&) {
      std::vector<Number> others = others_[at(y)];
      add_supersets(others);
      const std::vector<double> parents = weights_.parents(y, others);
      for (Node x = 0; x < d_; ++x)
        found[at(x) * at(d_) + at(y)] = std::clamp(parents[at(x)], 0.0, 1.0);
      work_->add(static_cast<double>(d_) * static_cast<double>(others.size()));
      return true;
    });
    return is_whole ? std::optional(std::move(found)) : std::nullopt;
  }
  [[nodiscard]] std::optional<NodePairs> paths(std::size_t, Observer&) override {
    NodePairs found = paths_;
    for (double& share : found) share = std::clamp(share, 0.0, 1.0);
    for (Node x = 0; x < d_; ++x) found[at(x) * at(d_) + at(x)] = 1.0;
    return found;
  }

  [[nodiscard]] std::vector<Mask> draw(Random& random) override {
    std::vector<Mask> parents(at(d_));
    Mask layer = 0;
    for (Mask S = 0; S != all_; S |= layer) {
      const Mask previous = std::exchange(layer, 0);
      while (layer == 0) layer = draw_layer(S, previous, random);
      for (const Node y : nodes_of(layer)) {
        const Scaled<double> total(sum(y, S) + -below(y, S, previous));
        parents[at(y)] = weights_.draw(y, S, previous, total, random);
      }
    }
    return parents;
  }

 private:
  [[nodiscard]] const Number& sum(Node y, Mask S) const { return sums_[at(y)][without(S, y)]; }

  /// For every T ⊆ C, in the order of masks: (-1)^|T| `first` times the α_y(S) of all y in T.
  void set_products(Mask S, Mask C, const Number& first) {
    products_.resize(std::size_t{1} << std::popcount(C));
    products_[0] = first;
    std::size_t size = 1;
    for (; C != 0; C &= C - 1, size *= 2) {
      const Number factor = -sum(std::countr_zero(C), S);
      for (std::size_t i = 0; i < size; ++i) products_[size + i] = products_[i] * factor;
    }
  }

  /// before_[U]: the weight of all DAGs on U. Those with sinks T: of a DAG on U \ T, and any
  /// parents in it for all of T.
  bool add_before(Observer& observer) {
    before_[0] = Number::one();
    for (Mask S = 0; S < all_; ++S) {
      if (observer.should_stop()) return false;
      if (before_[S].is_zero()) continue;
      const Mask C = all_ & ~S;
      set_products(S, C, -before_[S]);
      Mask T = 0;
      for (std::size_t i = 1; i < products_.size(); ++i) {
        T = (T - C) & C;
        before_[S | T] += products_[i];
      }
      work_->add(static_cast<double>(products_.size()));
    }
    return true;
  }

  /// after_[C]: the weight of all ways to choose parents for C anywhere, without a cycle. Those
  /// with T without parents in C: any parents in the rest for all of T, and then those of C \ T.
  ///
  /// Among them, those with x in T and with every node but x in C a descendant of x are the terms
  /// with x in T: all others cancel. So the same sums give the probability of each set of
  /// descendants.
  bool add_after(Observer& observer) {
    after_[0] = Number::one();
    for (Mask C = 1; C <= all_; ++C) {
      if (observer.should_stop()) return false;
      const Mask S = all_ & ~C;
      set_products(S, C, -Number::one());
      products_[0] = {};
      Mask T = 0;
      for (std::size_t i = 1; i < products_.size(); ++i) {
        T = (T - C) & C;
        products_[i] = products_[i] * after_[C & ~T];
        after_[C] += products_[i];
      }
      if (!before_[S].is_zero()) add_descendants(S, C);
      work_->add(5.0 * static_cast<double>(products_.size()));
    }
    return true;
  }
  /// C are the descendants of x, with x, where x is in T. Folds the terms, node by node.
  void add_descendants(Mask S, Mask C) {
    const Number share = before_[S] / before_[all_];
    for (Mask rest = C; rest != 0;) {
      const Node x = static_cast<Node>(std::bit_width(rest)) - 1;
      rest &= ~bit(x);
      const std::size_t half = std::size_t{1} << std::popcount(rest);
      Number with_x;
      for (std::size_t i = 0; i < half; ++i) {
        with_x += products_[half + i];
        products_[i] += products_[half + i];
      }
      const Number weight = with_x * share;
      for (Mask left = C; left != 0; left &= left - 1)
        paths_[at(x) * at(d_) + at(std::countr_zero(left))] += static_cast<double>(weight);
      // Without parents in S there are none to count the others for.
      if (!sum(x, S).is_zero()) others_[at(x)][without(S, x)] = weight / sum(x, S);
    }
  }

  /// The weight of parents of y that are before the last layer: none count in the first layer.
  [[nodiscard]] Number below(Node y, Mask S, Mask previous) const {
    return previous == 0 ? Number{} : sum(y, S & ~previous);
  }

  /// Draws the nodes whose parents are all in S, given that the `previous` are those of S whose
  /// parents are all in the rest of S; so each of them has a parent among these. It may be empty
  /// only by rounding.
  ///
  /// `tables[k]`, for every X among the first k nodes of C: the weight of all that can follow where
  /// the nodes of X do and the others of these k do not, with nothing known of further nodes. They
  /// are found from the last node to the first, and then the nodes are drawn one after the other.
  [[nodiscard]] Mask draw_layer(Mask S, Mask previous, Random& random) const {
    const Mask C = all_ & ~S;
    const std::vector<Node> nodes = nodes_of(C);
    std::vector<std::vector<Number>> tables(nodes.size() + 1);
    for (Mask X = 0, i = 0; i < bit(static_cast<Node>(nodes.size())); ++i, X = (X - C) & C)
      tables.back().push_back(after_[X]);
    for (std::size_t k = nodes.size(); k-- > 0;)
      tables[k] = folded(tables[k + 1], std::size_t{1} << k, below(nodes[k], S, previous));
    Mask layer = 0;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      std::vector<Number> table = std::move(tables[k + 1]);
      for (std::size_t i = 0; i < k; ++i) table = decided(table, S, nodes[i], layer);
      const Node y = nodes[k];
      const Number within = (sum(y, S) + -below(y, S, previous)) * table[0];
      const Number beyond = table[1] + -(sum(y, S) * table[0]);
      const auto share = static_cast<double>(within / (within + beyond));
      if (random.unit() < share) layer |= bit(y);
    }
    return layer;
  }
  /// Takes the node of a bit out of a table: all that has it, less `weight` times all that has not.
  static std::vector<Number> folded(const std::vector<Number>& table, std::size_t step,
                                    const Number& weight) {
    std::vector<Number> less(table.size() / 2);
    for (std::size_t i = 0; i < less.size(); ++i) {
      const std::size_t place = (i & (step - 1)) | (i & ~(step - 1)) << 1;
      less[i] = table[place + step] + -(weight * table[place]);
    }
    return less;
  }
  /// The same for the first node of a table, of which it is known whether the layer has it.
  [[nodiscard]] std::vector<Number> decided(const std::vector<Number>& table, Mask S, Node y,
                                            Mask layer) const {
    if ((layer & bit(y)) == 0) return folded(table, 1, sum(y, S));
    std::vector<Number> less(table.size() / 2);
    for (std::size_t i = 0; i < less.size(); ++i) less[i] = table[2 * i];
    return less;
  }

  ParentWeights weights_;
  WorkDone* work_;
  Node d_;
  Mask all_;
  std::vector<std::vector<Number>> sums_;
  std::vector<Number> before_;
  std::vector<Number> after_;
  std::vector<std::vector<Number>> others_;  ///< by node and place, as `ParentWeights::parents`
  NodePairs paths_;
  std::vector<Number> products_;
};

}  // namespace

std::unique_ptr<DagPosterior> uniform_posterior(ParentWeights weights, Sums sums, WorkDone& work,
                                                std::size_t jobs, Observer& observer) {
  auto posterior = std::make_unique<UniformPosterior>(std::move(weights), work);
  return posterior->build(sums, jobs, observer) ? std::move(posterior) : nullptr;
}

}  // namespace greedag
