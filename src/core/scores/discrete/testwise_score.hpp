#pragma once

#include "core/scores/discrete/cell_terms.hpp"
#include "core/scores/score.hpp"

namespace greedag {

/// A score of discrete data with missing values, by test-wise deletion.
///
/// The gain of making x and y adjacent given E is that of the score on the m rows in which x, y and
/// E are complete, times n/m, so that gains on few and on many rows can be added. Each gain thus
/// compares both models on the same rows, and is the same from either end. There is no set function
/// behind it, however: two paths to one class may differ in their gains as the rows differ.
///
/// The local score of y is that of y alone on the rows where it is not missing, times n over their
/// number, plus the gains of its parents, added one by one in ascending order. Without missing
/// values all of this is the score itself.
class TestwiseScore final : public Score {
 public:
  /// In the table, a code equal to the number of levels stands for a missing value.
  TestwiseScore(LevelTable table, std::unique_ptr<const CellTerms> terms)
      : table_(std::move(table)), terms_(std::move(terms), table_) {}

  [[nodiscard]] Node size() const override { return table_.size(); }
  [[nodiscard]] double min_gain() const override { return terms_.min_gain(); }
  [[nodiscard]] bool is_equivalent() const override { return false; }
  [[nodiscard]] std::unique_ptr<GainEvaluator> evaluator(bool with_losses) const override;

  [[nodiscard]] const LevelTable& table() const { return table_; }
  [[nodiscard]] const RoundedTerms& terms() const { return terms_; }

 private:
  LevelTable table_;
  RoundedTerms terms_;
};

}  // namespace greedag
