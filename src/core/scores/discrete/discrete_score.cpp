#include "core/scores/discrete/discrete_score.hpp"

#include <algorithm>
#include <array>

#include "core/scores/discrete/cell_counter.hpp"

namespace greedag {

namespace {

class DiscreteFunction final : public SetFunction {
 public:
  explicit DiscreteFunction(const DiscreteScore& score)
      : score_(&score), counter_(score.table()), tables_(score.terms()) {}

  [[nodiscard]] double of(std::span<const Node> set) override {
    const CellNumber cells = cells_of(score_->table(), set);
    const std::span<const double> counts = counter_.counts(set);
    tables_.make_room();
    TermTable& terms = tables_.of(cells);
    std::int64_t sum = 0;
    in_parts(counts.size(), observer_, [&](std::size_t begin, std::size_t end) {
      for (double count : counts.subspan(begin, end - begin)) sum += terms.of(count);
    });
    const auto occurring = static_cast<double>(counts.size());
    return static_cast<double>(sum) / score_->terms().units_per_one() +
           score_->terms().exact().offset(cells, occurring, score_->table().n());
  }
  void watch(Observer* observer) override {
    observer_ = observer;
    counter_.watch(observer);
  }
  void expect_supersets_of(std::span<const Node> E, Node y) override { counter_.keep(E, y); }
  void drop_losing(Node y, std::span<const Node> E, double local_score,
                   std::vector<Node>& inserts) override {
    score_->drop_losing(y, E, local_score, inserts);
  }

 private:
  const DiscreteScore* score_;
  Observer* observer_ = nullptr;
  CellCounter counter_;
  TermTables tables_;
};

}  // namespace

std::unique_ptr<SetFunction> DiscreteScore::function() const {
  return std::make_unique<DiscreteFunction>(*this);
}

DiscreteBic::DiscreteBic(LevelTable levels, double alpha)
    : DiscreteScore(std::move(levels), std::make_unique<BicTerms>(alpha)),
      penalty_(BicTerms(alpha).penalty(table().n())) {
  CellCounter counter(table());
  const double n_log_n = table().n() * std::log(table().n());
  for (Node v = 0; v < size(); ++v) {
    double entropy = n_log_n;
    for (double count : counter.counts(std::array{v})) entropy -= count * std::log(count);
    entropies_.push_back(entropy);
  }
}

/// Making x and y adjacent given E gains n I(x; y | E) minus the penalty of (r_x - 1)(r_y - 1) q_E,
/// and the mutual information is at most the entropy of y given E and at most that of x.
void DiscreteBic::drop_losing(Node y, std::span<const Node> E, double local_score,
                              std::vector<Node>& inserts) const {
  const double added = penalty_ * cells_of(table(), E).q * (table().levels(y) - 1.0);
  const double of_y = -(local_score + added);
  std::erase_if(inserts, [&](Node x) {
    const double most = std::min(of_y, entropies_[static_cast<std::size_t>(x)]);
    // Far above the rounding of an entropy.
    return most * (1.0 + 1e-9) + min_gain() < added * (table().levels(x) - 1.0);
  });
}

}  // namespace greedag
