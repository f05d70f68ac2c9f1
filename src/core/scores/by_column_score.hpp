#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/scores/score.hpp"

namespace greedag {

/// A score whose local scores come from several others: s(y, P) of a column y is that of the part
/// that belongs to y. So each column can be scored on rows of its own, as where experiments set
/// some columns in some rows. It is not score equivalent, even where all parts are.
class ByColumnScore final : public Score {
 public:
  /// The parts, all of the same size and at least one, must outlive this object. `part_of` names
  /// the part of each column.
  ByColumnScore(std::vector<const Score*> parts, std::vector<std::size_t> part_of);

  [[nodiscard]] Node size() const override { return static_cast<Node>(part_of_.size()); }
  [[nodiscard]] double min_gain() const override { return min_gain_; }
  [[nodiscard]] bool is_equivalent() const override { return false; }
  [[nodiscard]] bool scans_rows() const override { return scans_rows_; }
  [[nodiscard]] std::unique_ptr<GainEvaluator> evaluator(bool with_losses) const override;

  [[nodiscard]] std::size_t parts() const { return parts_.size(); }
  [[nodiscard]] std::size_t part_of(Node y) const { return part_of_[static_cast<std::size_t>(y)]; }
  [[nodiscard]] const Score& part(std::size_t i) const { return *parts_[i]; }

 private:
  std::vector<const Score*> parts_;
  std::vector<std::size_t> part_of_;
  double min_gain_ = 0.0;
  bool scans_rows_ = false;
};

}  // namespace greedag
