#include <nanobind/stl/pair.h>

#include <array>

#include "bindings/common.hpp"
#include "core/operators/pair_operators.hpp"
#include "core/scores/gaussian/dependence_bound.hpp"

namespace greedag::python {
namespace {

using PairOperator =
    nb::typed<nb::tuple, nb::str, int, int, NodeTuple, NodeTuple, NodeTuple, double>;
using NodePair = std::pair<Node, Node>;

void check_pairs(const std::vector<NodePair>& pairs, Node size) {
  for (const auto& [a, b] : pairs) {
    check_nodes(size, std::array{a, b});
    if (a == b) throw nb::index_error("a pair is not of two nodes of the graph");
  }
}

nb::typed<nb::list, std::optional<PairOperator>> best_operators(const Score& score,
                                                                const Matrix& matrix,
                                                                const std::string& kind_name,
                                                                const std::vector<NodePair>& pairs,
                                                                std::size_t clique_cap) {
  const Kind kind = kind_named(kind_name);
  const Pdag graph = pdag_from(matrix);
  check_same_size(graph, score);
  if (!dag_of_cpdag(graph)) throw nb::value_error("no DAG is a member of the graph");
  check_pairs(pairs, graph.size());
  SignalObserver observer;
  PairOperators operators(graph, score, clique_cap, observer);
  nb::typed<nb::list, std::optional<PairOperator>> found;
  for (const auto& [a, b] : pairs) {
    const auto op = [&, x = a, y = b] {
      nb::gil_scoped_release no_gil;
      auto best = operators.best(kind, x, y);
      return observer.should_stop_now() ? std::nullopt : std::move(best);
    }();
    observer.raise_if_interrupted();
    if (op)
      found.append(nb::make_tuple(name_of(op->kind), op->x, op->y, tuple_from(op->T),
                                  tuple_from(op->E), tuple_from(op->F), op->gain));
    else
      found.append(nb::none());
  }
  return found;
}

std::vector<double> least_dependences(const Doubles& correlation, const Doubles& precision,
                                      double n, const std::vector<NodePair>& pairs,
                                      const std::vector<double>& enough) {
  const std::size_t d = correlation.shape(0);
  if (correlation.shape(1) != d || precision.shape(0) != d || precision.shape(1) != d)
    throw nb::value_error("the matrices do not fit each other");
  if (enough.size() != pairs.size()) throw nb::value_error("each pair has a value that is enough");
  check_pairs(pairs, static_cast<Node>(d));
  const Correlations given{d, {correlation.data(), d * d}, {precision.data(), d * d}};
  std::vector<double> found;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    nb::gil_scoped_release no_gil;
    found.push_back(least_dependence(given, n, static_cast<std::size_t>(pairs[i].first),
                                     static_cast<std::size_t>(pairs[i].second), enough[i]));
  }
  return found;
}

}  // namespace

void register_pairs(nb::module_& m) {
  m.def(
      "least_dependences", &least_dependences, nb::arg("correlation"), nb::arg("precision"),
      nb::arg("n"), nb::arg("pairs"), nb::arg("enough"),
      "For each pair of columns, a bound from below on -n/2 log(1 - r²) given any other columns.");
  m.def("best_operators", &best_operators, nb::arg("score"), nb::arg("matrix"), nb::arg("kind"),
        nb::arg("pairs"), nb::kw_only(), nb::arg("clique_cap") = EnumerateOptions{}.clique_cap,
        "For each pair of nodes of a CPDAG, the best valid operator of a kind, gain or loss.");
}

}  // namespace greedag::python
