#include <array>

#include "bindings/common.hpp"
#include "core/scores/gaussian/gaussian_bic.hpp"
#include "core/search/search.hpp"

/// The parts of the engine one by one, for tests on every small graph.
namespace greedag::python {

NodeTuple tuple_from(const NodeSet& nodes) {
  nb::list list;
  for (Node node : nodes) list.append(node);
  return NodeTuple(nb::tuple(list));
}

const char* name_of(Kind kind) {
  if (kind == Kind::Insert) return "insert";
  return kind == Kind::Delete ? "delete" : "reverse";
}

Kind kind_named(const std::string& name) {
  for (Kind kind : all_kinds)
    if (name == name_of(kind)) return kind;
  throw nb::value_error(("unknown kind of operator: " + name).c_str());
}

namespace {

/// A search without data, for tests of the graph alone: every operator is kept.
class GraphOnly {
 public:
  explicit GraphOnly(const Pdag& graph)
      : correlation_(identity(graph.size())),
        log_variances_(static_cast<std::size_t>(graph.size())),
        score_(correlation_, log_variances_, 100.0, 1.0),
        observer_(std::nullopt),
        state_(score_, {.clique_cap = 0, .keep_losses = true}, observer_) {
    state_.start_at(graph);
  }
  [[nodiscard]] SearchState& state() { return state_; }
  [[nodiscard]] std::vector<Operator> valid(Kind kind) {
    return state_.candidates().all_valid(kind);
  }

 private:
  static std::vector<double> identity(Node size) {
    const auto d = static_cast<std::size_t>(size);
    std::vector<double> cells(d * d);
    for (std::size_t i = 0; i < d; ++i) cells[i * d + i] = 1.0;
    return cells;
  }
  std::vector<double> correlation_;
  std::vector<double> log_variances_;
  GaussianBic score_;
  Observer observer_;
  SearchState state_;
};

using FreeOperator = nb::typed<nb::tuple, int, int, NodeTuple, NodeTuple, NodeTuple>;
using KindOperator = nb::typed<nb::tuple, nb::str, int, int, NodeTuple, NodeTuple, NodeTuple>;

nb::typed<nb::list, FreeOperator> valid_operators(const Matrix& matrix, const std::string& kind) {
  nb::typed<nb::list, FreeOperator> found;
  for (const Operator& op : GraphOnly(cpdag_from(matrix)).valid(kind_named(kind)))
    found.append(nb::make_tuple(op.x, op.y, tuple_from(op.T), tuple_from(op.E), tuple_from(op.F)));
  return found;
}

/// Whether an operator meets all of its conditions, including those on paths.
bool is_valid(const Pdag& graph, Kind kind, Node x, Node y, const NodeSet& T) {
  NodeSet E = graph.parents(y);
  if (kind == Kind::Delete) {
    for (Node c : T) E.insert(c);
    E.erase(x);
    return meets_D1234(graph, x, y, T, E);
  }
  NodeSet S = neighbors_y_adjacent_x(graph, y, x);
  for (Node t : T)
    if (!S.insert(t)) return false;
  for (Node s : S) E.insert(s);
  const bool reverse = kind == Kind::Reverse;
  const bool meets =
      reverse ? meets_R12356(graph, x, y, S, E, graph.parents(x)) : meets_I1235(graph, x, y, S, E);
  const NodeSet more_blockers = reverse ? graph.neighbors(x) : NodeSet{};
  PathFinder finder(graph.size());
  return meets && finder.find(graph, y, x, S, more_blockers, reverse).empty();
}

Operator operator_from(const Pdag& graph, const std::string& kind_name, Node x, Node y,
                       const std::vector<Node>& T) {
  const Kind kind = kind_named(kind_name);
  const NodeSet nodes{std::span<const Node>(T)};
  check_nodes(graph.size(), std::array{x, y});
  check_nodes(graph.size(), T);
  check_absent(x, std::array{y});
  if (!is_valid(graph, kind, x, y, nodes))
    throw nb::value_error(("the " + kind_name + " is not valid on this graph").c_str());
  return {kind, x, y, nodes, {}, {}, 0.0};
}

}  // namespace

void register_operators(nb::module_& m) {
  m.def("valid_operators", &valid_operators, nb::arg("matrix"), nb::arg("kind"),
        "All valid operators (x, y, T, E, F) of one kind.");
  m.def(
      "apply",
      [](const Matrix& matrix, const std::string& kind, Node x, Node y,
         const std::vector<Node>& T) {
        GraphOnly graph(cpdag_from(matrix));
        graph.state().apply(operator_from(graph.state().graph(), kind, x, y, T));
        return matrix_from(graph.state().graph());
      },
      nb::arg("matrix"), nb::arg("kind"), nb::arg("x"), nb::arg("y"), nb::arg("T"),
      "The CPDAG that a valid operator leads to.");
  m.def(
      "kept_after",
      [](const Matrix& matrix, const std::string& kind, Node x, Node y,
         const std::vector<Node>& T) {
        GraphOnly graph(cpdag_from(matrix));
        SearchState& state = graph.state();
        const Operator applied = operator_from(state.graph(), kind, x, y, T);
        for (Kind k : all_kinds) (void)graph.valid(k);
        state.apply(applied);
        nb::typed<nb::list, KindOperator> kept;
        for (Kind k : all_kinds)
          for (const Operator& op : graph.valid(k))
            kept.append(nb::make_tuple(name_of(k), op.x, op.y, tuple_from(op.T), tuple_from(op.E),
                                       tuple_from(op.F)));
        return kept;
      },
      nb::arg("matrix"), nb::arg("kind"), nb::arg("x"), nb::arg("y"), nb::arg("T"),
      "The valid operators known after an operator was applied and the update table read.");
  m.def(
      "gain",
      [](const Score& score, const std::string& kind, Node x, Node y, const std::vector<Node>& E,
         const std::vector<Node>& F) {
        check_nodes(score.size(), std::array{x, y});
        check_nodes(score.size(), E);
        check_nodes(score.size(), F);
        check_absent(x, std::array{y});
        check_absent(x, E);
        check_absent(y, E);
        check_absent(x, F);
        GainCache gains(score, false);
        NodeSet given{std::span<const Node>(E)};
        if (kind_named(kind) == Kind::Delete) {
          given.insert(x);
          return gains.of_removal(x, y, given);
        }
        gains.condition(y, given);
        const double of_insert = gains.of_insert(x);
        if (kind_named(kind) == Kind::Insert) return of_insert;
        NodeSet parents_of_x{std::span<const Node>(F)};
        parents_of_x.insert(y);
        return of_insert + gains.of_removal(y, x, parents_of_x);
      },
      nb::arg("score"), nb::arg("kind"), nb::arg("x"), nb::arg("y"), nb::arg("E"), nb::arg("F"),
      "The gain of an operator.");
}

}  // namespace greedag::python
