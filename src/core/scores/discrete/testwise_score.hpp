#pragma once

#include "core/scores/discrete/cell_terms.hpp"
#include "core/scores/score.hpp"

namespace greedag {

/// A score of discrete data with missing values, by test-wise deletion.
///
/// The gain of joining x and y given E is that of the score on the m rows that have x, y and all of
/// E, times n/m, so that gains on few rows and on many can be added. Each gain thus compares both
/// models on the same rows, and is the same from either end. But there is no set function behind
/// it: what two ways to one class gain differs by how the rows differ.
///
/// The local score of y is that of y alone, on the rows that have it, times n over their number,
/// and the gains of its parents, joined one after the other in ascending order. Without missing
/// values all this is the score itself.
class TestwiseScore final : public Score {
 public:
  /// Of a table in which a code that equals the number of levels stands for a missing value.
  TestwiseScore(LevelTable table, std::unique_ptr<const CellTerms> terms)
      : table_(std::move(table)), terms_(std::move(terms), table_) {}

  [[nodiscard]] Node size() const override { return table_.size(); }
  [[nodiscard]] double min_gain() const override { return terms_.min_gain(); }
  [[nodiscard]] std::unique_ptr<GainEvaluator> evaluator(bool with_losses) const override;

  [[nodiscard]] const LevelTable& table() const { return table_; }
  [[nodiscard]] const RoundedTerms& terms() const { return terms_; }

 private:
  LevelTable table_;
  RoundedTerms terms_;
};

}  // namespace greedag
