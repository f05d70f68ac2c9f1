#include <nanobind/stl/pair.h>

#include "bindings/common.hpp"
#include "core/pair_operators.hpp"

namespace greedag::python {
namespace {

using PairOperator =
    nb::typed<nb::tuple, nb::str, int, int, NodeTuple, NodeTuple, NodeTuple, double>;
using NodePair = std::pair<Node, Node>;

void check_pairs(const std::vector<NodePair>& pairs, Node size) {
  for (const auto& [a, b] : pairs)
    if (a < 0 || b < 0 || a >= size || b >= size || a == b)
      throw nb::index_error("a pair is not of two nodes of the graph");
}

nb::typed<nb::list, std::optional<PairOperator>> best_operators(const Score& score,
                                                                const Matrix& matrix,
                                                                const std::string& kind_name,
                                                                const std::vector<NodePair>& pairs,
                                                                std::size_t clique_cap) {
  const Kind kind = kind_named(kind_name);
  const Pdag graph = pdag_from(matrix);
  if (graph.size() != score.size()) throw nb::value_error("the graph does not fit the score");
  if (!dag_of_cpdag(graph)) throw nb::value_error("no DAG is a member of the graph");
  check_pairs(pairs, graph.size());
  PairOperators operators(graph, score, clique_cap);
  nb::typed<nb::list, std::optional<PairOperator>> found;
  for (const auto& [a, b] : pairs) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const auto op = [&, x = a, y = b] {
      nb::gil_scoped_release no_gil;
      return operators.best(kind, x, y);
    }();
    if (op)
      found.append(nb::make_tuple(name_of(op->kind), op->x, op->y, tuple_from(op->T),
                                  tuple_from(op->E), tuple_from(op->F), op->gain));
    else
      found.append(nb::none());
  }
  return found;
}

}  // namespace

void register_pairs(nb::module_& m) {
  m.def("best_operators", &best_operators, nb::arg("score"), nb::arg("matrix"), nb::arg("kind"),
        nb::arg("pairs"), nb::kw_only(), nb::arg("clique_cap") = EnumerateOptions{}.clique_cap,
        "For each pair of nodes of a CPDAG, the best valid operator of a kind, gain or loss.");
}

}  // namespace greedag::python
