#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/graph/pdag.hpp"
#include "core/util/observer.hpp"

namespace greedag {

/// Computes what inserting and deleting edges gains, for one thread.
///
/// s(y, E) is the local score of y with the parents E; all sets are ascending. A search over
/// classes needs scores that are score equivalent: all members of a class score the same. Then the
/// gain of making x and y adjacent given E is the same from either end. It must be so to the last
/// bit, because ties are broken by rule and not by rounding.
class GainEvaluator {
 public:
  /// The gain where nothing can be measured, as where a set would fit exactly.
  static constexpr double refused = -std::numeric_limits<double>::infinity();

  GainEvaluator() = default;
  virtual ~GainEvaluator() = default;
  GainEvaluator& operator=(const GainEvaluator&) = delete;

  /// A copy for another thread, which nobody observes.
  [[nodiscard]] virtual std::unique_ptr<GainEvaluator> copy() const = 0;
  /// Evaluations that take long throw `Stopped` once this observer, if any, says to stop.
  virtual void watch(Observer* /*observer*/) {}
  virtual void condition(Node y, std::span<const Node> E) = 0;
  /// s(y, E ∪ x) - s(y, E), or `refused`.
  [[nodiscard]] virtual double of_insert(Node x) = 0;
  /// s(y, E).
  [[nodiscard]] virtual double local_score() = 0;
  /// False where every insert would be refused.
  [[nodiscard]] virtual bool can_score() const { return true; }
  /// The x that may gain, ascending, possibly including y and members of E. Must be the same for
  /// the same y and E, because threads share the result. Only a filter: `of_insert` decides. Valid
  /// until the next call.
  [[nodiscard]] virtual std::span<const Node> worth_inserting() = 0;
  /// Determines for each member of E whether removing it from the parents of y may gain: again only
  /// a filter. Resets the conditioning.
  virtual void find_worth_removing(Node y, std::span<const Node> E,
                                   std::vector<bool>& may_gain) = 0;

 protected:
  GainEvaluator(const GainEvaluator&) = default;
};

/// The largest gain on n rows that is rounding, not improvement. Gains scale with n, and so does
/// their rounding.
[[nodiscard]] inline double min_gain_of(double n) { return std::max(1e-7, 1e-13 * n); }

/// What a search maximises: a sum of local scores over the nodes.
class Score {
 public:
  Score() = default;
  virtual ~Score() = default;
  Score(const Score&) = delete;
  Score& operator=(const Score&) = delete;

  [[nodiscard]] virtual Node size() const = 0;
  /// Gains up to this are rounding, not improvement.
  [[nodiscard]] virtual double min_gain() const = 0;
  /// Whether all members of a class score the same.
  [[nodiscard]] virtual bool is_equivalent() const { return true; }
  /// Whether scoring a set reads every row of the data.
  [[nodiscard]] virtual bool scans_rows() const { return true; }
  /// The evaluator refers to this score. With `with_losses`, no insert is filtered out because it
  /// loses.
  [[nodiscard]] virtual std::unique_ptr<GainEvaluator> evaluator(bool with_losses) const = 0;
  /// An evaluator for a search among DAGs: its gains are those of x → y, whatever those of y → x.
  [[nodiscard]] virtual std::unique_ptr<GainEvaluator> directed_evaluator() const {
    return evaluator(false);
  }
};

/// The total score of a DAG. Throws `Stopped` if the observer, if any, says to stop.
[[nodiscard]] double score_of_dag(const Score& score, const Pdag& dag,
                                  Observer* observer = nullptr);

}  // namespace greedag
