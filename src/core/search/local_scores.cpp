#include "core/search/local_scores.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/scores/by_column_score.hpp"
#include "core/scores/callback_score.hpp"
#include "core/scores/gaussian/bge.hpp"
#include "core/scores/set_score.hpp"

namespace greedag {
namespace {

constexpr double refused = GainEvaluator::refused;

void nodes_of(Mask set, std::vector<Node>& nodes) {
  nodes.clear();
  for (; set != 0; set &= set - 1) nodes.push_back(std::countr_zero(set));
}

/// For score-equivalent scores: s(y, P) = S(P ∪ y) - S(P), so one table of S is enough.
class SetTable final : public LocalScores {
 public:
  SetTable(Node size, std::vector<double> S) : size_(size), S_(std::move(S)) {}

  [[nodiscard]] Node size() const override { return size_; }
  [[nodiscard]] double of(Node y, Mask P) const override {
    return difference(S_[P | bit(y)], S_[P]);
  }
  void raise(Node y, Mask high, std::span<double> values) const override {
    const double* low = S_.data() + high;
    if (bit(y) >= values.size()) {
      raise(low + bit(y), low, values);
      return;
    }
    for (std::size_t at = 0; at < values.size(); at += 2 * bit(y))
      raise(low + at + bit(y), low + at, values.subspan(at, bit(y)));
  }

 private:
  /// Where S(P) is refused, so is S(P ∪ y), and their difference is not a number.
  [[nodiscard]] static double difference(double S_Py, double S_P) {
    const double score = S_Py - S_P;
    return score == score ? score : refused;
  }
  static void raise(const double* S_Py, const double* S_P, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::max(values[i], difference(S_Py[i], S_P[i]));
  }

  Node size_;
  std::vector<double> S_;
};

/// For scores that need not be score equivalent: one table per node.
class NodeTables final : public LocalScores {
 public:
  explicit NodeTables(std::vector<std::vector<double>> tables) : tables_(std::move(tables)) {}

  [[nodiscard]] Node size() const override { return static_cast<Node>(tables_.size()); }
  [[nodiscard]] double of(Node y, Mask P) const override { return tables_[index(y)][P]; }
  void raise(Node y, Mask high, std::span<double> values) const override {
    const double* scores = tables_[index(y)].data() + high;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::max(values[i], scores[i]);
  }

 private:
  static std::size_t index(Node y) { return static_cast<std::size_t>(y); }

  std::vector<std::vector<double>>
      tables_;  ///< by node and set; sets with the node itself are unused
};

/// For scores whose nodes are scored by different parts: those of each part.
class PartTables final : public LocalScores {
 public:
  PartTables(const ByColumnScore& score, std::vector<std::unique_ptr<LocalScores>> parts)
      : score_(&score), parts_(std::move(parts)) {}

  [[nodiscard]] Node size() const override { return score_->size(); }
  [[nodiscard]] double of(Node y, Mask P) const override {
    return parts_[score_->part_of(y)]->of(y, P);
  }
  void raise(Node y, Mask high, std::span<double> values) const override {
    parts_[score_->part_of(y)]->raise(y, high, values);
  }

 private:
  const ByColumnScore* score_;
  std::vector<std::unique_ptr<LocalScores>> parts_;
};

/// Eliminates nodes from a correlation matrix, in ascending order, for every set of nodes.
///
/// The residual covariances given a set are needed only for nodes after its last one. Half of all
/// sets end with the last node, a quarter with the one before it, and so on: a few operations per
/// set.
class Elimination {
 public:
  Elimination(const GaussianBic& score, Observer& observer)
      : d_(static_cast<std::size_t>(score.size())), left_(d_ + 1), observer_(&observer) {
    for (auto& matrix : left_) matrix.resize(d_ * d_);
    for (std::size_t i = 0; i < d_; ++i)
      std::copy_n(score.row(at(i)), d_, left_[0].data() + i * d_);
  }

  /// Calls `visit(E, y, k, part)` for every E and every y after its last node, where k = |E| and
  /// part is the fraction of the variance of y that E leaves. E itself is visited before. Sets in
  /// which some node is a linear combination of others are skipped. False if the observer stops it.
  template <class Visit>
  bool for_each_set(Visit visit) {
    return extend(0, 0, 0, visit);
  }

 private:
  // So many sets take less than a millisecond.
  static constexpr std::size_t nodes_between_looks = 12;

  static Node at(std::size_t i) { return static_cast<Node>(i); }

  template <class Visit>
  bool extend(Mask E, std::size_t first, std::size_t k, Visit& visit) {
    if (first + nodes_between_looks <= d_ && observer_->should_stop()) return false;
    for (std::size_t y = first; y < d_; ++y) {
      const double part = left_[k][y * d_ + y];
      if (part <= GaussianBic::zero_variance) continue;
      visit(E, at(y), k, part);
      eliminate(y, k, part);
      if (!extend(E | bit(at(y)), y + 1, k + 1, visit)) return false;
    }
    return true;
  }
  void eliminate(std::size_t y, std::size_t k, double part) {
    const double* from = left_[k].data();
    double* to = left_[k + 1].data();
    for (std::size_t i = y + 1; i < d_; ++i) {
      const double weight = from[i * d_ + y] / part;
      for (std::size_t j = y + 1; j <= i; ++j)
        to[i * d_ + j] = from[i * d_ + j] - weight * from[j * d_ + y];
    }
  }

  std::size_t d_;
  std::vector<std::vector<double>> left_;  ///< residual covariances, by the size of the set
  Observer* observer_;
};

/// The table of a set function with S(∅) = 0, before it is filled.
std::vector<double> empty_table(const Score& score) {
  std::vector<double> S(std::size_t{1} << score.size(), refused);
  S[0] = 0.0;
  return S;
}

/// Sets visited between two looks at the clock: a few milliseconds.
constexpr std::size_t sets_between_looks = std::size_t{1} << 20;

using Table = std::optional<std::vector<double>>;

/// Refuses sets that would fit exactly, in whatever order their nodes are eliminated. In a single
/// order, the rounding of a nearly collinear set may hide that a larger one is exactly collinear.
/// False if the observer stops it.
bool refuse_exact_fits(const GaussianBic& score, std::vector<double>& S, Observer& observer) {
  const auto d = static_cast<std::size_t>(score.size());
  std::vector<double> too_high(d * d);  // by number of parents, then node
  for (std::size_t i = 0; i < d * d; ++i)
    too_high[i] = score.local_score(static_cast<Node>(i % d), i / d, GaussianBic::zero_variance);
  for (Mask set = 1; set < S.size(); ++set) {
    if (set % 65536 == 0 && observer.should_stop_now()) return false;
    const double* limits = too_high.data() + d * (static_cast<std::size_t>(std::popcount(set)) - 1);
    for (Mask rest = set; rest != 0 && S[set] != refused; rest &= rest - 1) {
      const Node y = std::countr_zero(rest);
      if (S[set] - S[set & ~bit(y)] >= limits[y]) S[set] = refused;
    }
  }
  return true;
}

/// Where some sets are singular: by the same rule as in a search.
Table regular_table(const Score& score, SingularSets singular_sets, Observer& observer) {
  std::vector<double> S = empty_table(score);
  const std::unique_ptr<GainEvaluator> gains = score.evaluator(false);
  std::vector<Node> nodes;
  for (Mask set = 1; set < S.size(); ++set) {
    if (observer.should_stop()) return std::nullopt;
    nodes_of(set, nodes);
    const Mask P = set & ~bit(nodes.back());
    if (S[P] == refused || singular_sets.contain(nodes)) continue;
    gains->condition(nodes.back(), std::span(nodes).first(nodes.size() - 1));
    S[set] = S[P] + gains->local_score();
  }
  return S;
}

Table gaussian_table(const GaussianBic& score, Observer& observer) {
  // A residual variance is known to 1e-16, relative to the smallest one before it.
  constexpr double least_certain = 1e-4;
  std::vector<double> S = empty_table(score);
  double least = 1.0;
  const bool is_whole =
      Elimination(score, observer).for_each_set([&](Mask E, Node y, std::size_t k, double part) {
        S[E | bit(y)] = S[E] + score.local_score(y, k, part);
        least = std::min(least, part);
      });
  if (!is_whole || (least < least_certain && !refuse_exact_fits(score, S, observer)))
    return std::nullopt;
  return S;
}

Table bge_table(const Bge& score, Observer& observer) {
  std::vector<double> S = empty_table(score);
  const GaussianBic& posterior = score.posterior();
  std::vector<double> log_dets(static_cast<std::size_t>(score.size()) + 1);  // of E, by its size
  const bool is_whole =
      Elimination(posterior, observer)
          .for_each_set([&](Mask E, Node y, std::size_t k, double part) {
            const double log_variance = posterior.log_variance(y) + std::log(part);
            S[E | bit(y)] = S[E] + score.local_score(k, log_variance, log_dets[k]);
            log_dets[k + 1] = log_dets[k] + log_variance;
          });
  return is_whole ? Table(std::move(S)) : std::nullopt;
}

/// Sets are computed in groups of eight that differ in the last three nodes, so that the function
/// can reuse what it knows of the rest.
Table function_table(const SetScore& score, Observer& observer) {
  std::vector<double> S = empty_table(score);
  const std::unique_ptr<SetFunction> function = score.function();
  function->watch(&observer);
  const Node tail = std::min<Node>(3, score.size() - 1);
  const Node head = score.size() - tail;
  std::vector<Node> nodes;
  for (Mask E = 0; E < bit(head); ++E) {
    nodes_of(E, nodes);
    function->expect_supersets_of(nodes, score.size() - 1);
    for (Mask last = 0; last < bit(tail); ++last) {
      const Mask set = E | last << head;
      nodes_of(set, nodes);
      if (observer.should_stop_now()) return std::nullopt;
      S[set] = function->of(nodes);
    }
  }
  return S;
}

/// A set is refused if any subset is, even where rounding has hidden it. False if the observer
/// stops it.
bool refuse_supersets(std::vector<double>& S, Observer& observer) {
  if (std::find(S.begin(), S.end(), refused) == S.end()) return true;
  for (std::size_t step = 1; step < S.size(); step *= 2)
    for (std::size_t at = 0; at < S.size(); ++at) {
      if (at % sets_between_looks == 0 && observer.should_stop_now()) return false;
      if ((at & step) == 0 && S[at] == refused) S[at + step] = refused;
    }
  return true;
}

/// For scores without a set function: `local_score(y, P)` returns none to stop.
template <class LocalScore>
std::unique_ptr<LocalScores> node_tables(const Score& score, LocalScore local_score,
                                         Observer& observer) {
  std::vector<std::vector<double>> tables;
  std::vector<Node> nodes;
  for (Node y = 0; y < score.size(); ++y) {
    auto& table = tables.emplace_back(std::size_t{1} << score.size(), refused);
    for (Mask P = 0; P < table.size(); ++P) {
      if ((P & bit(y)) != 0) continue;
      nodes_of(P, nodes);
      const std::optional<double> value = local_score(y, nodes);
      if (!value || observer.should_stop()) return nullptr;
      table[P] = *value;
    }
  }
  return std::make_unique<NodeTables>(std::move(tables));
}

Table set_table(const Score& score, Observer& observer) {
  const auto* gaussian = dynamic_cast<const GaussianBic*>(&score);
  const auto* bge = dynamic_cast<const Bge*>(&score);
  if (const GaussianBic* by_moments = bge ? &bge->posterior() : gaussian) {
    const SingularSets singular_sets = by_moments->singular_sets();
    if (singular_sets.are_possible()) return regular_table(score, singular_sets, observer);
    return bge ? bge_table(*bge, observer) : gaussian_table(*gaussian, observer);
  }
  return function_table(dynamic_cast<const SetScore&>(score), observer);
}

std::unique_ptr<LocalScores> tables_of(const Score& score, Observer& observer);

std::unique_ptr<LocalScores> part_tables(const ByColumnScore& score, Observer& observer) {
  std::vector<std::unique_ptr<LocalScores>> parts;
  for (std::size_t i = 0; i < score.parts(); ++i) {
    parts.push_back(tables_of(score.part(i), observer));
    if (!parts.back()) return nullptr;
  }
  return std::make_unique<PartTables>(score, std::move(parts));
}

/// Null or `Stopped` if the observer stops it.
std::unique_ptr<LocalScores> tables_of(const Score& score, Observer& observer) {
  if (const auto* by_column = dynamic_cast<const ByColumnScore*>(&score))
    return part_tables(*by_column, observer);
  if (const auto* callback = dynamic_cast<const CallbackScore*>(&score)) {
    const auto ask = [&](Node y, std::span<const Node> P) {
      return callback->local_score_unless_stopped(y, P);
    };
    return node_tables(score, ask, observer);
  }
  if (!score.is_equivalent()) {
    const auto gains = score.evaluator(true);
    gains->watch(&observer);
    const auto count = [&](Node y, std::span<const Node> P) -> std::optional<double> {
      gains->condition(y, P);
      return gains->local_score();
    };
    return node_tables(score, count, observer);
  }
  Table S = set_table(score, observer);
  if (!S) return nullptr;
  if (!refuse_supersets(*S, observer)) return nullptr;
  return std::make_unique<SetTable>(score.size(), std::move(*S));
}

}  // namespace

std::unique_ptr<LocalScores> all_local_scores(const Score& score, Observer& observer) {
  try {
    return observer.should_stop_now() ? nullptr : tables_of(score, observer);
  } catch (const Stopped&) {
    return nullptr;
  }
}

}  // namespace greedag
