#include "bindings/common.hpp"
#include "core/gaussian_bic.hpp"

namespace greedag::python {

void check_nodes(const Score& score, const std::vector<Node>& nodes) {
  for (Node node : nodes)
    if (node < 0 || node >= score.size()) throw nb::index_error("the score has no such node");
}

namespace {

double local_score(const Score& score, Node y, const std::vector<Node>& parents) {
  check_nodes(score, {y});
  check_nodes(score, parents);
  const NodeSet sorted{std::span<const Node>(parents)};
  const auto gains = score.gains(false);
  gains->condition(y, sorted.span());
  return gains->local_score();
}

void make_gaussian_bic(GaussianBic* place, const Doubles& correlation, const Vector& log_variances,
                       double n, double alpha) {
  const std::size_t size = log_variances.shape(0);
  if (correlation.shape(0) != size || correlation.shape(1) != size)
    throw nb::value_error("the correlations do not fit the log-variances");
  new (place)
      GaussianBic({correlation.data(), size * size}, {log_variances.data(), size}, n, alpha);
}

}  // namespace

void register_scores(nb::module_& m) {
  nb::class_<Score>(m, "Score")
      .def_prop_ro("size", [](const Score& score) { return score.size(); })
      .def("local_score", &local_score, nb::arg("y"), nb::arg("parents"),
           "The score of a node with its parents.")
      .def(
          "of_dag",
          [](const Score& score, const Matrix& dag) {
            const Pdag graph = pdag_from(dag);
            if (graph.size() != score.size())
              throw nb::value_error("the graph does not fit the score");
            return score_of_dag(score, graph);
          },
          nb::arg("dag"), "The total score of a DAG.");
  // The score refers to the correlations: they stay with it, and are never a passing copy.
  nb::class_<GaussianBic, Score>(m, "GaussianBic")
      .def("__init__", &make_gaussian_bic, nb::arg("correlation").noconvert(),
           nb::arg("log_variances"), nb::arg("n"), nb::arg("alpha"), nb::keep_alive<1, 2>());
}

}  // namespace greedag::python
