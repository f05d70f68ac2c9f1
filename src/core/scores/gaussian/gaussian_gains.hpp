#pragma once

#include "core/scores/gaussian/sweep.hpp"

namespace greedag {

/// Gains of the Gaussian BIC: two filters that look at many nodes at once, and PartialGain, which
/// decides.
class GaussianGains final : public GainEvaluator {
 public:
  /// Keeps the inserts whose squared partial correlation exceeds `min_r2`.
  GaussianGains(const GaussianBic& score, double min_r2)
      : partial_(score), sweep_(score, min_r2), removal_(score) {}

  [[nodiscard]] std::unique_ptr<GainEvaluator> copy() const override {
    return std::make_unique<GaussianGains>(*this);
  }
  void condition(Node y, std::span<const Node> E) override { partial_.condition(y, E); }
  [[nodiscard]] double of_insert(Node x) override { return partial_.of_insert(x); }
  [[nodiscard]] double local_score() override { return partial_.local_score(); }
  [[nodiscard]] bool can_score() const override { return partial_.has_sound_factor(); }
  [[nodiscard]] std::span<const Node> worth_inserting() override {
    return sweep_.survivors(partial_);
  }
  void find_worth_removing(Node y, std::span<const Node> E, std::vector<bool>& may_gain) override {
    partial_.condition(y, E);
    removal_.filter(partial_, may_gain);
  }

 private:
  PartialGain partial_;
  Sweep sweep_;
  RemovalFilter removal_;
};

}  // namespace greedag
