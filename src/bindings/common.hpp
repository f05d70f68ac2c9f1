#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <span>
#include <string>

#include "core/graph/knowledge.hpp"
#include "core/operators/operators.hpp"
#include "core/scores/score.hpp"
#include "core/util/observer.hpp"

namespace greedag::python {

namespace nb = nanobind;

using Matrix = nb::ndarray<const std::uint8_t, nb::shape<-1, -1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::shape<-1, -1>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::shape<-1>, nb::c_contig, nb::device::cpu>;

/// A[i, j] = 1 and A[j, i] = 0 is i → j; both 1 is i - j.
[[nodiscard]] Pdag pdag_from(const Matrix& matrix);
using OwnMatrix = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<2>>;
[[nodiscard]] OwnMatrix matrix_from(const Pdag& graph);

using NodeTuple = nb::typed<nb::tuple, int, nb::ellipsis>;
[[nodiscard]] NodeTuple tuple_from(const NodeSet& nodes);
[[nodiscard]] const char* name_of(Kind kind);
[[nodiscard]] Kind kind_named(const std::string& name);

/// Stops when a signal handler of Python's raises an exception, as that of Ctrl-C does. Python
/// calls them on its main thread only.
class SignalObserver : public Observer {
 public:
  explicit SignalObserver(std::optional<double> seconds = std::nullopt) : Observer(seconds) {}

  /// Raises that exception, or KeyboardInterrupt if a callback noticed Ctrl-C. The GIL must be
  /// held.
  void raise_if_interrupted() {
    if (raised_) throw std::move(*raised_);
    if (stop() != Stop::interrupt) return;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }

 protected:
  bool interrupted() override {
    if (raised_) return true;
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) raised_.emplace();
    return raised_.has_value();
  }

 private:
  std::optional<nb::python_error> raised_;
};

/// Raises IndexError unless every node is one of 0 … size - 1.
void check_nodes(Node size, std::span<const Node> nodes);
/// Raises ValueError unless the node is missing from `others`.
void check_absent(Node node, std::span<const Node> others);
/// Raises ValueError unless the graph has as many nodes as the score.
void check_same_size(const Pdag& graph, const Score& score);
/// Raises ValueError unless the matrix is a DAG's.
[[nodiscard]] Pdag dag_from(const Matrix& matrix);
/// Raises ValueError unless the matrix is the CPDAG of a class.
[[nodiscard]] Pdag cpdag_from(const Matrix& matrix);

/// Raises ValueError unless knowledge, if any is given, has the size of the score, and a member of
/// the class, if any is given, agrees with it.
void check_knowledge(Node size, const Knowledge* knowledge, const Pdag* cpdag);

/// Raises ValueError unless there is a correlation for each two of at least one column.
void check_correlations(const Doubles& correlation, const Vector& log_variances);

void register_graph(nb::module_& m);
void register_scores(nb::module_& m);
void register_mixed(nb::module_& m);
void register_additive(nb::module_& m);
void register_custom(nb::module_& m);
void register_search(nb::module_& m);
void register_operators(nb::module_& m);
void register_pairs(nb::module_& m);
void register_posterior(nb::module_& m);
void register_margins(nb::module_& m);
void register_dags(nb::module_& m);
void register_knowledge(nb::module_& m);

}  // namespace greedag::python
