#pragma once

#include <utility>

#include "core/graph/set_map.hpp"
#include "core/scores/score.hpp"
#include "core/scores/superset_values.hpp"

namespace greedag {

/// Evaluates a function S of sets of nodes, for one thread.
class SetFunction {
 public:
  SetFunction() = default;
  virtual ~SetFunction() = default;
  SetFunction& operator=(const SetFunction&) = delete;

  /// S(set) of an ascending set; `GainEvaluator::refused` where nothing can be measured. Must
  /// depend on the set alone, to the last bit, and not on earlier calls.
  [[nodiscard]] virtual double of(std::span<const Node> set) = 0;
  /// As for GainEvaluator.
  virtual void watch(Observer* /*observer*/) {}
  /// Many of the next sets will be E ∪ x and E ∪ y ∪ x for some x.
  virtual void expect_supersets_of(std::span<const Node> /*E*/, Node /*y*/) {}
  /// Whether `find_supersets` does anything.
  [[nodiscard]] virtual bool finds_supersets() const { return false; }
  /// Writes by x what `of` returns for E ∪ x and for E ∪ xy, for as many x as are faster computed
  /// together; meaningless in `S_Ex` for the members of E, and in `S_Exy` for those and y. Other
  /// targets will read it, so it must not depend on y otherwise. One of the two may be empty if it
  /// is not needed.
  virtual void find_supersets(Node /*y*/, std::span<const Node> /*E*/, std::span<double> /*S_Ex*/,
                              std::span<double> /*S_Exy*/) {}
  /// Drops from `inserts` nodes that cannot gain by becoming adjacent to y given E. `local_score`
  /// is s(y, E).
  virtual void drop_losing(Node /*y*/, std::span<const Node> /*E*/, double /*local_score*/,
                           std::vector<Node>& /*inserts*/) {}

 protected:
  SetFunction(const SetFunction&) = default;
};

/// A score given by a set function, s(y, P) = S(P ∪ y) - S(P), as is every decomposable score that
/// is score equivalent. Making x and y adjacent given E gains S(E ∪ xy) - S(E ∪ x) - S(E ∪ y) +
/// S(E).
class SetScore : public Score {
 public:
  /// The function refers to this score.
  [[nodiscard]] virtual std::unique_ptr<SetFunction> function() const = 0;
  [[nodiscard]] std::unique_ptr<GainEvaluator> evaluator(bool with_losses) const final;
  /// A search among DAGs also tries inserts that lose.
  [[nodiscard]] std::unique_ptr<GainEvaluator> directed_evaluator() const final;
};

/// Gains from a set function, whose values are cached while there is room.
class SetGains final : public GainEvaluator {
 public:
  /// Which inserts are filtered out: those that are known to lose without computing their gains, or
  /// all that lose as far as gains of many are computed together.
  enum class Filter : std::uint8_t { none, known_losses, losses };

  SetGains(const SetScore& score, Filter filter);

  [[nodiscard]] std::unique_ptr<GainEvaluator> copy() const override;
  void watch(Observer* observer) override {
    observer_ = observer;
    function_->watch(observer);
  }
  void condition(Node y, std::span<const Node> E) override;
  [[nodiscard]] double of_insert(Node x) override;
  [[nodiscard]] double local_score() override;
  [[nodiscard]] bool can_score() const override { return S_Ey_ != refused && S_E_ != refused; }
  [[nodiscard]] std::span<const Node> worth_inserting() override;
  void find_worth_removing(Node y, std::span<const Node> E, std::vector<bool>& may_gain) override;

 private:
  static constexpr std::size_t most_values = std::size_t{1} << 20;

  [[nodiscard]] double value(std::span<const Node> set);
  [[nodiscard]] double known_as_superset(std::span<const Node> set);
  [[nodiscard]] double value_with(const NodeSet& set, Node x);
  void keep_value_with(const NodeSet& set, Node x, double value);
  [[nodiscard]] double gain(Node x, double S_Ex, double S_Exy) const;
  void drop_losses();
  [[nodiscard]] std::pair<std::span<const double>, std::span<const double>> superset_values();

  const SetScore* score_;
  Filter filter_;
  Observer* observer_ = nullptr;
  std::unique_ptr<SetFunction> function_;
  SetMap<double> values_{most_values};
  SupersetValues supersets_;
  Node y_ = 0;
  NodeSet E_;
  NodeSet Ey_;
  NodeSet larger_;
  NodeSet smaller_;
  double S_E_ = 0.0;
  double S_Ey_ = 0.0;
  std::vector<Node> inserts_;
};

}  // namespace greedag
