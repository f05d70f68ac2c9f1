#include "bindings/custom_score.hpp"

#include <cmath>
#include <limits>

namespace greedag::python {

CustomScore::ObserverScope::ObserverScope(const Score& score, Observer& observer)
    : score_(dynamic_cast<const CustomScore*>(&score)) {
  if (!score_) return;
  if (score_->observer_) throw nb::value_error("the score is in use by another search");
  score_->observer_ = &observer;
}

CustomScore::ObserverScope::~ObserverScope() {
  if (score_) score_->observer_ = nullptr;
}

/// Python handles a signal while the callback runs, so Ctrl-C surfaces here. The search needs this
/// value to end with a result, so the callback is called once more.
double CustomScore::compute(Node y, std::span<const Node> E) const {
  const nb::gil_scoped_acquire gil;
  try {
    return call(y, E);
  } catch (const nb::python_error& error) {
    const bool is_first = observer_ && observer_->stop() != Stop::interrupt;
    if (!is_first || !error.matches(PyExc_KeyboardInterrupt)) throw;
    observer_->interrupt();
  }
  return call(y, E);
}

std::optional<double> CustomScore::compute_unless_stopped(Node y, std::span<const Node> E) const {
  if (observer_ && observer_->should_stop_now()) return std::nullopt;
  const nb::gil_scoped_acquire gil;
  try {
    return call(y, E);
  } catch (const nb::python_error& error) {
    if (!observer_ || !error.matches(PyExc_KeyboardInterrupt)) throw;
    observer_->interrupt();
    return std::nullopt;
  }
}

double CustomScore::call(Node y, std::span<const Node> E) const {
  const NodeTuple parents = tuple_from(NodeSet(E));
  const nb::object answer = callback_(y, parents);
  const double value = PyFloat_AsDouble(answer.ptr());
  const bool is_number = !PyErr_Occurred();
  if (!is_number) PyErr_Clear();
  if (!is_number || !(value < std::numeric_limits<double>::infinity()) ||
      (E.empty() && std::isinf(value))) {
    raise_invalid_(y, parents, answer);
    throw nb::value_error("a local score is no number");
  }
  return value;
}

int CustomScore::traverse(visitproc visit, void* arg) const {
  Py_VISIT(callback_.ptr());
  Py_VISIT(raise_invalid_.ptr());
  return 0;
}

void CustomScore::clear() {
  callback_ = nb::none();
  raise_invalid_ = nb::none();
}

namespace {

int traverse_score(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<CustomScore>(self)->traverse(visit, arg) : 0;
}

int clear_score(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<CustomScore>(self)->clear();
  return 0;
}

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_score)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear_score)},
                       {0, nullptr}};

}  // namespace

void register_custom(nb::module_& m) {
  nb::class_<CustomScore, Score>(m, "CustomScore", nb::type_slots(slots))
      .def(nb::init<CustomScore::Callback, CustomScore::RaiseInvalid, Node, double>(),
           nb::arg("local_score"), nb::arg("raise_invalid"), nb::arg("size"), nb::arg("min_gain"));
}

}  // namespace greedag::python
