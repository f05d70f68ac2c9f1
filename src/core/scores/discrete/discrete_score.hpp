#pragma once

#include <mutex>

#include "core/scores/discrete/cell_terms.hpp"
#include "core/scores/discrete/packed_rows.hpp"
#include "core/scores/set_score.hpp"

namespace greedag {

/// A score of discrete data, whose set function sums over the cells that occur.
class DiscreteScore : public SetScore {
 public:
  [[nodiscard]] Node size() const final { return table_.size(); }
  [[nodiscard]] double min_gain() const final { return terms_.min_gain(); }
  [[nodiscard]] std::unique_ptr<SetFunction> function() const final;

  [[nodiscard]] const LevelTable& table() const { return table_; }
  [[nodiscard]] const RoundedTerms& terms() const { return terms_; }
  /// Packed at the first call; threads share them.
  [[nodiscard]] const PackedRows& packed_rows() const;
  /// See SetFunction.
  virtual void drop_losing(Node /*y*/, std::span<const Node> /*E*/, double /*local_score*/,
                           std::vector<Node>& /*inserts*/) const {}

 protected:
  DiscreteScore(LevelTable table, std::unique_ptr<const CellTerms> terms)
      : table_(std::move(table)), terms_(std::move(terms), table_) {}

 private:
  LevelTable table_;
  RoundedTerms terms_;
  mutable std::once_flag is_packed_;
  mutable std::unique_ptr<const PackedRows> packed_rows_;
};

/// See BicTerms.
class DiscreteBic final : public DiscreteScore {
 public:
  DiscreteBic(LevelTable levels, double alpha);

  void drop_losing(Node y, std::span<const Node> E, double local_score,
                   std::vector<Node>& inserts) const override;

 private:
  double penalty_;
  std::vector<double> entropies_;  ///< n times the entropy of each column
};

/// See BDeuTerms.
class BDeu final : public DiscreteScore {
 public:
  BDeu(LevelTable levels, double equivalent_sample_size)
      : DiscreteScore(std::move(levels), std::make_unique<BDeuTerms>(equivalent_sample_size)) {}
};

}  // namespace greedag
