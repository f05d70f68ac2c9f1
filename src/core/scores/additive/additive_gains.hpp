#pragma once

#include "core/graph/set_map.hpp"
#include "core/scores/additive/additive_fit.hpp"
#include "core/scores/additive/insert_filter.hpp"

namespace greedag {

/// Gains of the additive score: differences of local scores, which are cached while there is room.
/// A gain is that of x → y, and not the same from the other end.
class AdditiveGains final : public GainEvaluator {
 public:
  AdditiveGains(const AdditiveBic& score, bool with_losses);

  [[nodiscard]] std::unique_ptr<GainEvaluator> copy() const override {
    auto twin = std::make_unique<AdditiveGains>(*this);
    twin->watch(nullptr);
    return twin;
  }
  void watch(Observer* observer) override { fit_.watch(observer); }
  void condition(Node y, std::span<const Node> E) override;
  [[nodiscard]] double of_insert(Node x) override;
  [[nodiscard]] double local_score() override { return local_score_; }
  [[nodiscard]] bool can_score() const override { return local_score_ != refused; }
  [[nodiscard]] std::span<const Node> worth_inserting() override;
  void find_worth_removing(Node /*y*/, std::span<const Node> E,
                           std::vector<bool>& may_gain) override {
    may_gain.assign(E.size(), true);
  }

 private:
  static constexpr std::size_t most_values = std::size_t{1} << 18;

  [[nodiscard]] double score_of(std::span<const Node> parents);

  const AdditiveBic* score_;
  bool with_losses_;
  AdditiveFit fit_;
  InsertFilter filter_;
  SetMap<double> values_{most_values};
  Node y_ = 0;
  NodeSet E_;
  NodeSet larger_;
  double local_score_ = refused;
  std::vector<Node> inserts_;
};

}  // namespace greedag
