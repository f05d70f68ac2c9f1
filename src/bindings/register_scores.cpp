#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include <array>

#include "bindings/common.hpp"
#include "bindings/custom_score.hpp"
#include "core/scores/by_column_score.hpp"
#include "core/scores/discrete/discrete_score.hpp"
#include "core/scores/discrete/testwise_score.hpp"
#include "core/scores/gaussian/gaussian_bic.hpp"

namespace greedag::python {

void check_correlations(const Doubles& correlation, const Vector& log_variances) {
  const std::size_t size = log_variances.shape(0);
  if (size == 0) throw nb::value_error("a score needs at least one column");
  if (correlation.shape(0) != size || correlation.shape(1) != size)
    throw nb::value_error("the correlations do not fit the log-variances");
}

namespace {

/// Computes a score, unless Ctrl-C stops it.
template <class Compute>
double unless_stopped(Compute compute) {
  SignalObserver observer;
  try {
    return compute(observer);
  } catch (const Stopped&) {
    observer.raise_if_interrupted();
    throw;
  }
}

double local_score(const Score& score, Node y, const std::vector<Node>& parents) {
  check_nodes(score.size(), std::array{y});
  check_nodes(score.size(), parents);
  check_absent(y, parents);
  const NodeSet sorted{std::span<const Node>(parents)};
  return unless_stopped([&](Observer& observer) {
    const auto gains = score.evaluator(false);
    gains->watch(&observer);
    gains->condition(y, sorted.span());
    return gains->local_score();
  });
}

using NodeGains = std::vector<std::pair<Node, double>>;

NodeGains gains_of(GainEvaluator& gains, Node size, Node y, const std::vector<Node>& parents) {
  check_nodes(size, std::array{y});
  check_nodes(size, parents);
  check_absent(y, parents);
  const NodeSet E{std::span<const Node>(parents)};
  gains.condition(y, E.span());
  NodeGains found;
  if (!gains.can_score()) return found;
  for (Node x : gains.worth_inserting())
    if (x != y && !E.contains(x)) found.emplace_back(x, gains.of_insert(x));
  return found;
}

NodeGains insert_gains(const Score& score, Node y, const std::vector<Node>& parents,
                       bool with_losses) {
  return gains_of(*score.evaluator(with_losses), score.size(), y, parents);
}

std::vector<NodeGains> insert_gains_in_turn(
    const Score& score, const std::vector<std::pair<Node, std::vector<Node>>>& families) {
  const auto gains = score.evaluator(false);
  std::vector<NodeGains> found;
  for (const auto& [y, parents] : families)
    found.push_back(gains_of(*gains, score.size(), y, parents));
  return found;
}

void make_gaussian_bic(GaussianBic* place, const Doubles& correlation, const Vector& log_variances,
                       double n, double alpha, double extra, std::optional<std::size_t> rank) {
  check_correlations(correlation, log_variances);
  const std::size_t size = log_variances.shape(0);
  new (place) GaussianBic({correlation.data(), size * size}, {log_variances.data(), size}, n, alpha,
                          extra, rank.value_or(SingularSets::full_rank));
}

using Codes = nb::ndarray<const std::uint32_t, nb::shape<-1, -1>, nb::c_contig, nb::device::cpu>;

/// With `allow_missing`, a code that equals the number of levels stands for a missing value.
LevelTable level_table(const Codes& codes, const std::vector<std::uint32_t>& levels,
                       const Vector& counts, bool allow_missing = false) {
  const std::size_t rows = codes.shape(1);
  if (codes.shape(0) != levels.size() || counts.shape(0) != rows || rows == 0)
    throw nb::value_error("the codes do not fit the levels or the counts");
  if (levels.empty()) throw nb::value_error("a score needs at least one column");
  for (std::uint32_t count : levels)
    if (count == 0) throw nb::value_error("a column has no levels");
  const std::span<const std::uint32_t> all(codes.data(), codes.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] > levels[i / rows] || (all[i] == levels[i / rows] && !allow_missing))
      throw nb::value_error("a code is beyond its column's levels");
  const std::span<const double> weights(counts.data(), rows);
  for (double weight : weights)
    if (!(weight > 0.0) || weight > 1e300) throw nb::value_error("a count is not above 0");
  return LevelTable(all, levels, weights);
}

template <class Discrete>
void make_discrete(Discrete* place, const Codes& codes, const std::vector<std::uint32_t>& levels,
                   const Vector& counts, double option) {
  new (place) Discrete(level_table(codes, levels, counts), option);
}

template <class Terms>
std::unique_ptr<TestwiseScore> make_testwise(const Codes& codes,
                                             const std::vector<std::uint32_t>& levels,
                                             const Vector& counts, double option) {
  return std::make_unique<TestwiseScore>(level_table(codes, levels, counts, true),
                                         std::make_unique<Terms>(option));
}

using Parts = nb::typed<nb::tuple, Score, nb::ellipsis>;

void make_by_column(ByColumnScore* place, const Parts& parts,
                    const std::vector<std::size_t>& part_of) {
  std::vector<const Score*> scores;
  for (const nb::handle part : parts) {
    scores.push_back(nb::cast<const Score*>(part));
    if (dynamic_cast<const CustomScore*>(scores.back()) != nullptr)
      throw nb::value_error("a custom score cannot be part of another");
    if (scores.back()->size() != static_cast<Node>(part_of.size()))
      throw nb::value_error("the parts do not fit the columns");
  }
  if (part_of.empty()) throw nb::value_error("a score needs at least one column");
  for (const std::size_t part : part_of)
    if (part >= scores.size()) throw nb::value_error("a column has no part");
  new (place) ByColumnScore(std::move(scores), part_of);
}

}  // namespace

void register_scores(nb::module_& m) {
  // Looking at all rows takes long: meanwhile, other threads go on.
  const nb::call_guard<nb::gil_scoped_release> without_gil;
  m.attr("ZERO_VARIANCE") = GaussianBic::zero_variance;
  m.attr("MOST_INFLATION") = SingularSets::most_inflation;
  m.def("min_gain", &min_gain_of, nb::arg("n"),
        "The largest gain on n rows that is taken for rounding.");
  nb::class_<Score>(m, "Score")
      .def_prop_ro("size", [](const Score& score) { return score.size(); })
      .def("local_score", &local_score, nb::arg("y"), nb::arg("parents"),
           "The score of a node with its parents.")
      .def("insert_gains", &insert_gains, nb::arg("y"), nb::arg("parents"), nb::arg("with_losses"),
           "The further parents of a node that may gain, or all of them, with their gains.")
      .def("insert_gains_in_turn", &insert_gains_in_turn, nb::arg("families"),
           "Those that may gain, of one family after the other, from one evaluator.")
      .def(
          "of_dag",
          [](const Score& score, const Matrix& dag) {
            const Pdag graph = dag_from(dag);
            check_same_size(graph, score);
            return unless_stopped(
                [&](Observer& observer) { return score_of_dag(score, graph, &observer); });
          },
          nb::arg("dag"), "The total score of a DAG.");
  // The score refers to the correlations, which must therefore stay alive and must not be a
  // temporary copy.
  nb::class_<GaussianBic, Score>(m, "GaussianBic")
      .def("__init__", &make_gaussian_bic, nb::arg("correlation").noconvert(),
           nb::arg("log_variances"), nb::arg("n"), nb::arg("alpha"), nb::arg("extra") = 0.0,
           nb::arg("rank") = nb::none(), nb::keep_alive<1, 2>());
  nb::class_<DiscreteBic, Score>(m, "DiscreteBic")
      .def("__init__", &make_discrete<DiscreteBic>, nb::arg("codes"), nb::arg("levels"),
           nb::arg("counts"), nb::arg("alpha"), without_gil);
  nb::class_<BDeu, Score>(m, "BDeu").def("__init__", &make_discrete<BDeu>, nb::arg("codes"),
                                         nb::arg("levels"), nb::arg("counts"),
                                         nb::arg("equivalent_sample_size"), without_gil);
  nb::class_<TestwiseScore, Score>(m, "TestwiseScore");
  // The score refers to its parts, which the tuple keeps alive.
  nb::class_<ByColumnScore, Score>(m, "ByColumn")
      .def("__init__", &make_by_column, nb::arg("parts"), nb::arg("part_of"),
           nb::keep_alive<1, 2>());
  m.def("testwise_bic", &make_testwise<BicTerms>, nb::arg("codes"), nb::arg("levels"),
        nb::arg("counts"), nb::arg("alpha"), without_gil,
        "The discrete BIC where values, coded by the number of levels, are missing.");
  m.def("testwise_bdeu", &make_testwise<BDeuTerms>, nb::arg("codes"), nb::arg("levels"),
        nb::arg("counts"), nb::arg("equivalent_sample_size"), without_gil,
        "BDeu where values, coded by the number of levels, are missing.");
}

}  // namespace greedag::python
