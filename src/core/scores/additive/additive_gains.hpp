#pragma once

#include "core/scores/additive/additive_fit.hpp"

namespace greedag {

/// Gains of the additive score. They are not symmetric.
class AdditiveGains final : public GainEvaluator {
 public:
  AdditiveGains(const AdditiveBic& score, bool with_losses);

  [[nodiscard]] std::unique_ptr<GainEvaluator> copy() const override {
    return std::make_unique<AdditiveGains>(*this);
  }
  void condition(Node y, std::span<const Node> E) override;
  [[nodiscard]] double of_insert(Node x) override;
  [[nodiscard]] double local_score() override { return local_score_; }
  [[nodiscard]] bool can_score() const override { return start_.is_sound(); }
  [[nodiscard]] std::span<const Node> worth_inserting() override;
  void find_worth_removing(Node /*y*/, std::span<const Node> E,
                           std::vector<bool>& may_gain) override {
    may_gain.assign(E.size(), true);
  }

 private:
  const AdditiveBic* score_;
  bool with_losses_;
  AdditiveFit start_;   ///< of y on E at degree 1
  AdditiveFit fit_;     ///< of y on E
  AdditiveFit with_x_;  ///< of y on E and some x
  double local_score_ = refused;
  std::vector<Node> inserts_;
};

}  // namespace greedag
