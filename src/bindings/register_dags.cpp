#include <nanobind/stl/pair.h>

#include <array>

#include "bindings/common.hpp"
#include "bindings/custom_score.hpp"
#include "core/graph/completion.hpp"
#include "core/graph/mpdag.hpp"
#include "core/search/dag_margins.hpp"
#include "core/search/open_margins.hpp"

namespace greedag::python {
namespace {

using NodePair = std::pair<Node, Node>;
using Margin = nb::typed<nb::tuple, int, int, double, bool>;
using Margins = nb::typed<nb::list, Margin>;

std::vector<Arc> arcs_of(const Pdag& dag, const std::vector<NodePair>& pairs) {
  std::vector<Arc> arcs;
  for (const auto& [tail, head] : pairs) {
    check_nodes(dag.size(), std::array{tail, head});
    if (!dag.is_parent(tail, head)) throw nb::value_error("the DAG has no such arc");
    arcs.push_back({tail, head});
  }
  return arcs;
}

Pdag dag_for(const Matrix& matrix, const Score& score, const Knowledge* knowledge) {
  Pdag dag = dag_from(matrix);
  check_same_size(dag, score);
  check_knowledge(score.size(), knowledge, nullptr);
  if (knowledge != nullptr && !knowledge->admits(dag))
    throw nb::value_error("the DAG does not agree with what is known");
  return dag;
}

/// What the members of the class of a DAG have in common that agree with knowledge and have `arcs`,
/// as the DAG itself does.
Pdag common_edges(const Pdag& dag, const Knowledge* knowledge, std::span<const Arc> arcs) {
  const Pdag cpdag = cpdag_of_dag(dag);
  Pdag graph = knowledge == nullptr ? cpdag : orient(cpdag, *knowledge)->graph;
  MeekClosure closure;
  for (const auto& [tail, head] : arcs)
    if (graph.are_neighbors(tail, head)) static_cast<void>(closure.direct(graph, tail, head));
  return graph;
}

nb::typed<nb::tuple, OwnMatrix, Margins> open_margins(const Score& score, const Matrix& matrix,
                                                      const Knowledge* knowledge,
                                                      const std::vector<NodePair>& pairs,
                                                      double least,
                                                      std::optional<double> time_limit) {
  const Pdag dag = dag_for(matrix, score, knowledge);
  const Pdag graph = common_edges(dag, knowledge, arcs_of(dag, pairs));
  SignalObserver observer(time_limit);
  const CustomScore::ObserverScope scope(score, observer);
  const BestMember best = [&] {
    const nb::gil_scoped_release no_gil;
    return find_open_margins(score, graph, dag, least, observer);
  }();
  observer.raise_if_interrupted();
  Margins margins;
  for (const auto& [tail, head, margin, is_proven] : best.margins)
    margins.append(nb::make_tuple(tail, head, margin, is_proven));
  return nb::make_tuple(matrix_from(best.dag), margins);
}

std::vector<double> removed_arcs(const Score& score, const Matrix& matrix,
                                 const std::vector<NodePair>& pairs) {
  const Pdag dag = dag_for(matrix, score, nullptr);
  const std::vector<Arc> arcs = arcs_of(dag, pairs);
  SignalObserver observer;
  const CustomScore::ObserverScope scope(score, observer);
  std::vector<double> gains = [&] {
    const nb::gil_scoped_release no_gil;
    return gains_of_removing(score, dag, arcs, observer);
  }();
  observer.raise_if_interrupted();
  return gains;
}

std::vector<std::optional<double>> turned_arcs(const Score& score, const Matrix& matrix,
                                               const std::vector<NodePair>& pairs,
                                               const Knowledge* knowledge,
                                               std::optional<double> time_limit) {
  const Pdag dag = dag_for(matrix, score, knowledge);
  const std::vector<Arc> arcs = arcs_of(dag, pairs);
  SignalObserver observer(time_limit);
  const CustomScore::ObserverScope scope(score, observer);
  std::vector<std::optional<double>> gains = [&] {
    const nb::gil_scoped_release no_gil;
    return gains_of_turning(score, dag, arcs, knowledge, observer);
  }();
  observer.raise_if_interrupted();
  return gains;
}

}  // namespace

void register_dags(nb::module_& m) {
  m.def("open_margins", &open_margins, nb::arg("score"), nb::arg("dag"), nb::kw_only(),
        nb::arg("knowledge") = nb::none(), nb::arg("arcs") = std::vector<NodePair>{},
        nb::arg("least") = 0.0, nb::arg("time_limit") = nb::none(),
        "The best member of the class of a DAG, of those that agree with knowledge and have the "
        "arcs; and for each edge that these leave undirected, as (tail, head, margin, is_proven), "
        "what the best member with the edge turned scores less. Margins are not looked at any "
        "closer once they are at most `least`.");
  m.def("removed_arcs", &removed_arcs, nb::arg("score"), nb::arg("dag"), nb::arg("arcs"),
        "What removing each of some arcs of a DAG adds to the score; -inf where that cannot be "
        "measured.");
  m.def("turned_arcs", &turned_arcs, nb::arg("score"), nb::arg("dag"), nb::arg("arcs"),
        nb::kw_only(), nb::arg("knowledge") = nb::none(), nb::arg("time_limit") = nb::none(),
        "For each of some arcs of a DAG, what the best DAG found with it turned adds to the score; "
        "None where nothing was found in time.");
}

}  // namespace greedag::python
