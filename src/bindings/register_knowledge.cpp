#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "bindings/common.hpp"
#include "core/graph/completion.hpp"
#include "core/graph/mpdag.hpp"
#include "core/graph/orientation.hpp"

namespace greedag::python {

namespace {

using NodePair = std::pair<Node, Node>;

std::vector<Arc> arcs_from(Node size, const std::vector<NodePair>& pairs) {
  std::vector<Arc> arcs;
  arcs.reserve(pairs.size());
  for (const auto& [tail, head] : pairs) {
    check_nodes(size, std::array{tail, head});
    check_absent(tail, std::array{head});
    arcs.push_back({tail, head});
  }
  return arcs;
}

Knowledge knowledge_from(Node size, const std::vector<NodePair>& required,
                         const std::vector<NodePair>& forbidden, const std::vector<Node>& tiers,
                         const std::vector<NodePair>& before) {
  if (size < 1) throw nb::value_error("there are no nodes");
  if (!tiers.empty() && tiers.size() != static_cast<std::size_t>(size))
    throw nb::value_error("there is not one tier per node");
  if (std::any_of(tiers.begin(), tiers.end(), [](Node tier) { return tier < -1; }))
    throw nb::value_error("a tier is a number from 0, or -1 for none");
  Knowledge knowledge(size, arcs_from(size, required), arcs_from(size, forbidden), tiers,
                      arcs_from(size, before));
  if (const Pdag dag = knowledge.required_dag(); !topological_order(dag) || !knowledge.admits(dag))
    throw nb::value_error("the required arcs contradict the rest");
  return knowledge;
}

using KnownArcs = std::vector<std::tuple<Node, Node, Node, Node>>;

std::optional<std::pair<OwnMatrix, KnownArcs>> oriented(const Matrix& matrix,
                                                        const Knowledge& knowledge) {
  const Pdag cpdag = cpdag_from(matrix);
  check_knowledge(cpdag.size(), &knowledge, nullptr);
  const auto found = orient(cpdag, knowledge);
  if (!found) return std::nullopt;
  KnownArcs arcs;
  for (const auto& [tail, head, earlier, later] : found->arcs)
    arcs.emplace_back(tail, head, earlier, later);
  return std::pair(matrix_from(found->graph), std::move(arcs));
}

std::optional<OwnMatrix> closed(const Matrix& matrix, const std::vector<NodePair>& arcs) {
  Pdag graph = pdag_from(matrix);
  MeekClosure closure;
  for (const auto& [tail, head] : arcs_from(graph.size(), arcs))
    if (!closure.direct(graph, tail, head)) return std::nullopt;
  return matrix_from(graph);
}

using ReasonTuple = std::tuple<Node, Node, int, Node, Node>;

std::vector<ReasonTuple> derived(const Matrix& matrix, const std::vector<NodePair>& given) {
  const Pdag graph = pdag_from(matrix);
  std::vector<ReasonTuple> reasons;
  for (const auto& [tail, head, rule, first, second] :
       derive(graph, arcs_from(graph.size(), given)))
    reasons.emplace_back(tail, head, static_cast<int>(rule), first, second);
  return reasons;
}

}  // namespace

void check_knowledge(Node size, const Knowledge* knowledge, const Pdag* cpdag) {
  if (knowledge == nullptr) return;
  if (knowledge->size() != size) throw nb::value_error("the knowledge does not fit the score");
  if (cpdag != nullptr && !orient(*cpdag, *knowledge))
    throw nb::value_error("no member of the class agrees with the knowledge");
}

void register_knowledge(nb::module_& m) {
  nb::class_<Knowledge>(m, "Knowledge", "What is known about the arcs and ancestors in a DAG.")
      .def(nb::new_(&knowledge_from), nb::arg("size"), nb::kw_only(),
           nb::arg("required") = std::vector<NodePair>{},
           nb::arg("forbidden") = std::vector<NodePair>{}, nb::arg("tiers") = std::vector<Node>{},
           nb::arg("before") = std::vector<NodePair>{})
      .def_prop_ro("size", &Knowledge::size);
  m.def("orient", &oriented, nb::arg("cpdag"), nb::arg("knowledge"),
        "The MPDAG of the members that agree with knowledge, and the arcs that it directs itself: "
        "tail, head, and for those that keep b from being an ancestor of a also a and b, else -1. "
        "None if no member agrees.");
  m.def("close_under_meek", &closed, nb::arg("mpdag"), nb::arg("arcs"),
        "Directs one arc of an MPDAG after the other, and what follows by Meek's rules. None if no "
        "member has them all.");
  m.def(
      "derive", &derived, nb::arg("mpdag"), nb::arg("given"),
      "Why each edge is directed: tail, head, rule and up to two nodes, else -1. Rules are 0 for "
      "a v-structure, 1 to 4 for Meek's, 5 for knowledge. An edge comes after those it rests on.");
}

}  // namespace greedag::python
