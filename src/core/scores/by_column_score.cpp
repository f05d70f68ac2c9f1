#include "core/scores/by_column_score.hpp"

#include <algorithm>
#include <utility>

namespace greedag {
namespace {

/// Asks the evaluator of the part that a column belongs to, which is made when first needed.
class ByColumnGains final : public GainEvaluator {
 public:
  ByColumnGains(const ByColumnScore& score, bool with_losses)
      : score_(&score), with_losses_(with_losses), evaluators_(score.parts()) {}

  [[nodiscard]] std::unique_ptr<GainEvaluator> copy() const override {
    auto twin = std::make_unique<ByColumnGains>(*score_, with_losses_);
    for (std::size_t i = 0; i < evaluators_.size(); ++i)
      if (evaluators_[i]) twin->evaluators_[i] = evaluators_[i]->copy();
    return twin;
  }
  void watch(Observer* observer) override {
    observer_ = observer;
    for (const auto& evaluator : evaluators_)
      if (evaluator) evaluator->watch(observer);
  }
  void condition(Node y, std::span<const Node> E) override {
    current_ = &of(y);
    current_->condition(y, E);
  }
  [[nodiscard]] double of_insert(Node x) override { return current_->of_insert(x); }
  [[nodiscard]] double local_score() override { return current_->local_score(); }
  [[nodiscard]] bool can_score() const override { return current_->can_score(); }
  [[nodiscard]] std::span<const Node> worth_inserting() override {
    return current_->worth_inserting();
  }
  void find_worth_removing(Node y, std::span<const Node> E, std::vector<bool>& may_gain) override {
    of(y).find_worth_removing(y, E, may_gain);
  }

 private:
  [[nodiscard]] GainEvaluator& of(Node y) {
    const std::size_t part = score_->part_of(y);
    auto& evaluator = evaluators_[part];
    if (!evaluator) {
      const Score& score = score_->part(part);
      evaluator = with_losses_ ? score.evaluator(true) : score.directed_evaluator();
      evaluator->watch(observer_);
    }
    return *evaluator;
  }

  const ByColumnScore* score_;
  bool with_losses_;
  Observer* observer_ = nullptr;
  std::vector<std::unique_ptr<GainEvaluator>> evaluators_;  ///< by part
  GainEvaluator* current_ = nullptr;                        ///< of the column conditioned on
};

}  // namespace

ByColumnScore::ByColumnScore(std::vector<const Score*> parts, std::vector<std::size_t> part_of)
    : parts_(std::move(parts)), part_of_(std::move(part_of)) {
  for (const Score* part : parts_) {
    min_gain_ = std::max(min_gain_, part->min_gain());
    scans_rows_ = scans_rows_ || part->scans_rows();
  }
}

std::unique_ptr<GainEvaluator> ByColumnScore::evaluator(bool with_losses) const {
  return std::make_unique<ByColumnGains>(*this, with_losses);
}

}  // namespace greedag
