#include "core/scores/score.hpp"

namespace greedag {

double score_of_dag(const Score& score, const Pdag& dag, Observer* observer) {
  const std::unique_ptr<GainEvaluator> gains = score.evaluator(false);
  gains->watch(observer);
  double total = 0.0;
  for (Node y = 0; y < dag.size(); ++y) {
    gains->condition(y, dag.parents(y).span());
    total += gains->local_score();
  }
  return total;
}

}  // namespace greedag
