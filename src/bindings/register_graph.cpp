#include "bindings/common.hpp"
#include "core/graph/completion.hpp"

namespace greedag::python {

Pdag pdag_from(const Matrix& matrix) {
  const std::size_t size = matrix.shape(0);
  if (matrix.shape(1) != size) throw nb::value_error("the matrix is not square");
  Pdag graph(static_cast<Node>(size));
  for (std::size_t i = 0; i < size; ++i) {
    if (matrix(i, i) != 0) throw nb::value_error("a node has an edge to itself");
    for (std::size_t j = i + 1; j < size; ++j) {
      const Edge edge = matrix(i, j) ? (matrix(j, i) ? Edge::undirected : Edge::forward)
                                     : (matrix(j, i) ? Edge::backward : Edge::none);
      graph.set_edge(static_cast<Node>(i), static_cast<Node>(j), edge);
    }
  }
  return graph;
}

OwnMatrix matrix_from(const Pdag& graph) {
  const auto size = static_cast<std::size_t>(graph.size());
  auto cells = std::make_unique<std::uint8_t[]>(size * size);
  for (Node i = 0; i < graph.size(); ++i) {
    std::uint8_t* row = cells.get() + static_cast<std::size_t>(i) * size;
    for (Node j : graph.children(i)) row[j] = 1;
    for (Node j : graph.neighbors(i)) row[j] = 1;
  }
  std::uint8_t* data = cells.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
  return OwnMatrix(data, {size, size}, owner);
}

void register_graph(nb::module_& m) {
  m.def(
      "cpdag_of_dag",
      [](const Matrix& matrix) {
        const Pdag dag = pdag_from(matrix);
        for (Node y = 0; y < dag.size(); ++y)
          if (!dag.neighbors(y).empty()) throw nb::value_error("a DAG has no undirected edge");
        if (!topological_order(dag)) throw nb::value_error("the edges run in a circle");
        return matrix_from(cpdag_of_dag(dag));
      },
      nb::arg("matrix"), "The CPDAG of the class of a DAG.");
  m.def(
      "dag_of_cpdag",
      [](const Matrix& matrix) {
        const auto dag = dag_of_cpdag(pdag_from(matrix));
        if (!dag) throw nb::value_error("no DAG has these edges and no other v-structures");
        return matrix_from(*dag);
      },
      nb::arg("matrix"), "A DAG of the class, always the same one.");
  m.def(
      "complete",
      [](const Matrix& matrix) {
        Pdag graph = pdag_from(matrix);
        Completion(graph.size()).complete(graph);
        return matrix_from(graph);
      },
      nb::arg("matrix"), "Completes a PDAG whose directed edges agree with a DAG of its class.");
}

}  // namespace greedag::python
