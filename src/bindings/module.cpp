#include "bindings/common.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The engine of greedag. Private: its names may change without notice.";
  greedag::python::register_graph(m);
  greedag::python::register_knowledge(m);
  greedag::python::register_scores(m);
  greedag::python::register_mixed(m);
  greedag::python::register_additive(m);
  greedag::python::register_custom(m);
  greedag::python::register_search(m);
  greedag::python::register_operators(m);
  greedag::python::register_pairs(m);
  greedag::python::register_posterior(m);
  greedag::python::register_margins(m);
  greedag::python::register_dags(m);
}
