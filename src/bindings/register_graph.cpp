#include <algorithm>
#include <cstring>

#include "bindings/common.hpp"
#include "core/graph/completion.hpp"

namespace greedag::python {

namespace {

/// The place of the first entry from `place` on that is not 0. Nearly all are, so eight are looked
/// at together.
std::size_t next_nonzero(std::span<const std::uint8_t> row, std::size_t place) {
  std::uint64_t eight = 0;
  for (; place + sizeof eight <= row.size(); place += sizeof eight) {
    std::memcpy(&eight, row.data() + place, sizeof eight);
    if (eight != 0) break;
  }
  while (place < row.size() && row[place] == 0) ++place;
  return place;
}

}  // namespace

Pdag pdag_from(const Matrix& matrix) {
  const std::size_t size = matrix.shape(0);
  if (matrix.shape(1) != size) throw nb::value_error("the matrix is not square");
  Pdag graph(static_cast<Node>(size));
  for (std::size_t i = 0; i < size; ++i) {
    if (matrix(i, i) != 0) throw nb::value_error("a node has an edge to itself");
    const std::span<const std::uint8_t> row{matrix.data() + i * size, size};
    for (std::size_t j = next_nonzero(row, 0); j < size; j = next_nonzero(row, j + 1))
      graph.set_edge(static_cast<Node>(i), static_cast<Node>(j),
                     matrix(j, i) ? Edge::undirected : Edge::forward);
  }
  return graph;
}

Pdag dag_from(const Matrix& matrix) {
  Pdag dag = pdag_from(matrix);
  for (Node y = 0; y < dag.size(); ++y)
    if (!dag.neighbors(y).empty()) throw nb::value_error("a DAG has no undirected edge");
  if (!topological_order(dag)) throw nb::value_error("the edges form a cycle");
  return dag;
}

Pdag cpdag_from(const Matrix& matrix) {
  Pdag graph = pdag_from(matrix);
  const auto member = dag_of_cpdag(graph);
  if (!member || cpdag_of_dag(*member) != graph)
    throw nb::value_error("the graph is not the CPDAG of any class");
  return graph;
}

void check_nodes(Node size, std::span<const Node> nodes) {
  for (Node node : nodes)
    if (node < 0 || node >= size) {
      PyErr_Format(PyExc_IndexError, "node %d is not one of 0 to %d", node, size - 1);
      throw nb::python_error();
    }
}

void check_absent(Node node, std::span<const Node> others) {
  if (std::find(others.begin(), others.end(), node) == others.end()) return;
  PyErr_Format(PyExc_ValueError, "node %d occurs twice", node);
  throw nb::python_error();
}

void check_same_size(const Pdag& graph, const Score& score) {
  if (graph.size() == score.size()) return;
  PyErr_Format(PyExc_ValueError, "the graph does not fit the score: it has %d nodes, not %d",
               graph.size(), score.size());
  throw nb::python_error();
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
      [](const Matrix& matrix) { return matrix_from(cpdag_of_dag(dag_from(matrix))); },
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
