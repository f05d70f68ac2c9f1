#include <nanobind/stl/pair.h>

#include <algorithm>
#include <array>
#include <functional>

#include "bindings/common.hpp"
#include "core/scores/additive/additive_bic.hpp"

namespace greedag::python {
namespace {

bool are_blocks(const std::vector<Node>& starts, const std::vector<Node>& steps,
                const std::vector<Node>& responses, std::size_t columns) {
  if (starts.size() != responses.size() + 1 || steps.size() != responses.size() ||
      starts.front() != 0 || starts.back() != static_cast<Node>(columns) ||
      std::adjacent_find(starts.begin(), starts.end(), std::greater_equal<>()) != starts.end())
    return false;
  for (std::size_t i = 0; i < responses.size(); ++i)
    if (steps[i] < 0 || steps[i] >= starts[i + 1] - starts[i] ||
        (responses[i] != 1 && responses[i] != starts[i + 1] - starts[i] - steps[i]))
      return false;
  return true;
}

void make_additive_bic(AdditiveBic* place, const Doubles& gram, const std::vector<Node>& starts,
                       const std::vector<Node>& steps, const std::vector<Node>& responses,
                       const Vector& log_variances, double n, double alpha) {
  if (responses.empty()) throw nb::value_error("a score needs at least one column");
  if (gram.shape(0) != gram.shape(1) || !are_blocks(starts, steps, responses, gram.shape(0)) ||
      log_variances.shape(0) != responses.size())
    throw nb::value_error("the blocks do not fit the covariances");
  for (std::size_t i = 0; i < gram.shape(0); ++i)
    if (!(gram(i, i) > 0.0)) throw nb::value_error("a column does not vary");
  new (place) AdditiveBic({gram.data(), gram.size()}, starts, steps, responses,
                          {log_variances.data(), responses.size()}, n, alpha);
}

NodeSet parents_from(const AdditiveBic& score, Node y, const std::vector<Node>& parents) {
  check_nodes(score.size(), std::array{y});
  check_nodes(score.size(), parents);
  check_absent(y, parents);
  return NodeSet{std::span<const Node>(parents)};
}

std::vector<std::vector<std::size_t>> chosen(const AdditiveBic& score, Node y,
                                             const std::vector<Node>& parents) {
  const NodeSet sorted = parents_from(score, y, parents);
  const auto found = score.chosen(y, sorted.span());
  std::vector<std::vector<std::size_t>> in_given_order;
  for (std::size_t i = 0; i < parents.size() && !found.empty(); ++i)
    in_given_order.push_back(found[static_cast<std::size_t>(sorted.place_of(parents[i]))]);
  return in_given_order;
}

std::vector<std::pair<Node, double>> inserts(const AdditiveBic& score, Node y,
                                             const std::vector<Node>& parents) {
  const NodeSet sorted = parents_from(score, y, parents);
  const auto gains = score.evaluator(false);
  gains->condition(y, sorted.span());
  if (!gains->can_score()) return {};
  std::vector<std::pair<Node, double>> found;
  for (Node x : gains->worth_inserting())
    if (x != y && !sorted.contains(x)) found.emplace_back(x, 0.0);
  for (auto& [x, gain] : found) gain = gains->of_insert(x);
  return found;
}

}  // namespace

void register_additive(nb::module_& m) {
  // The score refers to the covariances, which must therefore stay alive and must not be a
  // temporary copy.
  nb::class_<AdditiveBic, Score>(m, "AdditiveBic")
      .def("__init__", &make_additive_bic, nb::arg("gram").noconvert(), nb::arg("starts"),
           nb::arg("steps"), nb::arg("responses"), nb::arg("log_variances"), nb::arg("n"),
           nb::arg("alpha"), nb::keep_alive<1, 2>())
      .def("chosen", &chosen, nb::arg("y"), nb::arg("parents"),
           "The columns of its block that each parent enters with; none if they are refused.")
      .def("inserts", &inserts, nb::arg("y"), nb::arg("parents"),
           "The further parents that may gain, and what each of them gains.");
}

}  // namespace greedag::python
