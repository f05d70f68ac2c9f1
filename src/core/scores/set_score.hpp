#pragma once

#include "core/graph/set_map.hpp"
#include "core/scores/score.hpp"

namespace greedag {

/// Evaluates a function S of sets of nodes, for one thread.
class SetFunction {
 public:
  SetFunction() = default;
  virtual ~SetFunction() = default;
  SetFunction& operator=(const SetFunction&) = delete;

  /// S(set), the set ascending; `GainEvaluator::refused` where nothing can be measured. It depends
  /// on the set alone, to the last bit, whatever was asked before.
  [[nodiscard]] virtual double of(std::span<const Node> set) = 0;
  /// Many of the sets asked for next are E ∪ x and E ∪ y ∪ x for some x.
  virtual void expect_supersets_of(std::span<const Node> /*E*/, Node /*y*/) {}
  /// Drops from `inserts` nodes whose joining to y given E cannot gain. `local_score` is s(y, E).
  virtual void drop_losing(Node /*y*/, std::span<const Node> /*E*/, double /*local_score*/,
                           std::vector<Node>& /*inserts*/) {}

 protected:
  SetFunction(const SetFunction&) = default;
};

/// A score given by a set function, s(y, P) = S(P ∪ y) - S(P), as every decomposable score is that
/// is score equivalent. Joining x and y given E gains S(E ∪ xy) - S(E ∪ x) - S(E ∪ y) + S(E).
class SetScore : public Score {
 public:
  /// Refers to this score.
  [[nodiscard]] virtual std::unique_ptr<SetFunction> function() const = 0;
  [[nodiscard]] std::unique_ptr<GainEvaluator> evaluator(bool with_losses) const final;
};

/// Gains by a set function, each of whose values is kept while there is room.
class SetGains final : public GainEvaluator {
 public:
  SetGains(const SetScore& score, bool with_losses);

  [[nodiscard]] std::unique_ptr<GainEvaluator> copy() const override;
  void condition(Node y, std::span<const Node> E) override;
  [[nodiscard]] double of_insert(Node x) override;
  [[nodiscard]] double local_score() override;
  [[nodiscard]] bool can_score() const override { return S_Ey_ != refused && S_E_ != refused; }
  [[nodiscard]] std::span<const Node> worth_inserting() override;
  void find_worth_removing(Node y, std::span<const Node> E, std::vector<bool>& may_gain) override;

 private:
  static constexpr std::size_t most_values = std::size_t{1} << 20;

  [[nodiscard]] double value(std::span<const Node> set);
  [[nodiscard]] double value_with(const NodeSet& set, Node x);

  const SetScore* score_;
  bool with_losses_;
  std::unique_ptr<SetFunction> function_;
  SetMap<double> values_{most_values};
  Node y_ = 0;
  NodeSet E_;
  NodeSet Ey_;
  NodeSet larger_;
  double S_E_ = 0.0;
  double S_Ey_ = 0.0;
  std::vector<Node> inserts_;
};

}  // namespace greedag
