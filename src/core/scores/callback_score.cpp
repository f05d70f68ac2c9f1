#include "core/scores/callback_score.hpp"

#include <algorithm>
#include <numeric>

namespace greedag {
namespace {

/// Has no filters: every insert and every removal may gain.
class CallbackGains final : public GainEvaluator {
 public:
  CallbackGains(const CallbackScore& score, bool is_directed)
      : score_(&score), is_directed_(is_directed), all_(static_cast<std::size_t>(score.size())) {
    std::iota(all_.begin(), all_.end(), 0);
  }

  [[nodiscard]] std::unique_ptr<GainEvaluator> copy() const override {
    return std::make_unique<CallbackGains>(*this);
  }
  void condition(Node y, std::span<const Node> E) override {
    y_ = y;
    E_.assign(E.begin(), E.end());
  }
  [[nodiscard]] double of_insert(Node x) override {
    const Node from = is_directed_ ? x : std::min(x, y_);
    const Node to = is_directed_ ? y_ : std::max(x, y_);
    const auto without = score_->local_score_unless_stopped(to, E_);
    if (!without || *without == refused) return refused;
    with_ = E_;
    with_.insert(std::lower_bound(with_.begin(), with_.end(), from), from);
    const auto with = score_->local_score_unless_stopped(to, with_);
    return with ? *with - *without : refused;
  }
  [[nodiscard]] double local_score() override { return score_->local_score(y_, E_); }
  [[nodiscard]] std::span<const Node> worth_inserting() override { return all_; }
  void find_worth_removing(Node, std::span<const Node> E, std::vector<bool>& may_gain) override {
    may_gain.assign(E.size(), true);
  }

 private:
  const CallbackScore* score_;
  bool is_directed_;
  std::vector<Node> all_;
  Node y_ = 0;
  std::vector<Node> E_;
  std::vector<Node> with_;
};

}  // namespace

std::unique_ptr<GainEvaluator> CallbackScore::evaluator(bool) const {
  return std::make_unique<CallbackGains>(*this, false);
}

std::unique_ptr<GainEvaluator> CallbackScore::directed_evaluator() const {
  return std::make_unique<CallbackGains>(*this, true);
}

double CallbackScore::local_score(Node y, std::span<const Node> E) const {
  const SetKey key(y, y, E);
  if (const auto value = known(key)) return *value;
  return remember(key, compute(y, E));
}

std::optional<double> CallbackScore::local_score_unless_stopped(Node y,
                                                                std::span<const Node> E) const {
  const SetKey key(y, y, E);
  if (const auto value = known(key)) return value;
  const auto value = compute_unless_stopped(y, E);
  return value ? remember(key, *value) : value;
}

std::optional<double> CallbackScore::known(const SetKey& key) const {
  const std::scoped_lock lock(mutex_);
  const double* value = known_.find(key);
  return value ? std::optional(*value) : std::nullopt;
}

double CallbackScore::remember(const SetKey& key, double value) const {
  const std::scoped_lock lock(mutex_);
  const double* other = known_.find(key);  // another thread may have been faster
  return other ? *other : known_.add(key, value);
}

}  // namespace greedag
