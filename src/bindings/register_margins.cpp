#include <nanobind/stl/pair.h>

#include <array>
#include <memory>
#include <mutex>
#include <utility>

#include "bindings/common.hpp"
#include "bindings/custom_score.hpp"
#include "core/search/direction_margins.hpp"
#include "core/search/local_scores.hpp"

namespace greedag::python {
namespace {

using NodePair = std::pair<Node, Node>;
/// Two nodes, and their edge before and after: "→", "←", "-" or nothing.
using Change = nb::typed<nb::tuple, int, int, nb::str, nb::str>;
using Turned = nb::typed<nb::tuple, double, nb::typed<nb::list, Change>>;

const char* mark_of(Edge edge) {
  switch (edge) {
    case Edge::forward:
      return "→";
    case Edge::backward:
      return "←";
    case Edge::undirected:
      return "-";
    case Edge::none:
      break;
  }
  return "";
}

Turned tuple_from(const OtherClass& turned) {
  nb::typed<nb::list, Change> changes;
  for (const auto& [a, b, before, after] : turned.changes)
    changes.append(nb::make_tuple(a, b, mark_of(before), mark_of(after)));
  return nb::make_tuple(turned.gain, changes);
}

std::vector<DirectedEdge> directed_edges(const Pdag& graph, const std::vector<NodePair>& pairs) {
  std::vector<DirectedEdge> edges;
  for (const auto& [x, y] : pairs) {
    check_nodes(graph.size(), std::array{x, y});
    if (!graph.is_parent(x, y)) throw nb::value_error("only directed edges can be turned");
    edges.push_back({x, y});
  }
  return edges;
}

using TurnedList = nb::typed<nb::list, std::optional<Turned>>;

TurnedList listed(const TurnedClasses& found) {
  TurnedList listed;
  for (const auto& turned : found)
    if (turned)
      listed.append(tuple_from(*turned));
    else
      listed.append(nb::none());
  return listed;
}

TurnedList turned_classes(const Score& score, const Matrix& matrix,
                          const std::vector<NodePair>& pairs, bool exact,
                          std::optional<double> time_limit, const Knowledge* knowledge) {
  const Pdag graph = cpdag_from(matrix);
  check_same_size(graph, score);
  check_knowledge(score.size(), knowledge, &graph);
  const std::vector<DirectedEdge> edges = directed_edges(graph, pairs);
  if (exact && score.size() > most_nodes_for_local_scores)
    throw nb::value_error("too many nodes for an exact search");
  SignalObserver observer(time_limit);
  const CustomScore::ObserverScope scope(score, observer);
  const TurnedClasses found = [&] {
    nb::gil_scoped_release no_gil;
    if (exact) return best_turned_classes(score, graph, edges, knowledge, observer);
    return TurnSearch(score, graph, knowledge, observer).find(edges);
  }();
  observer.raise_if_interrupted();
  return listed(found);
}

/// Turns edges of a class in many calls, of which the first sets up what all need.
class KeptTurnSearch {
 public:
  KeptTurnSearch(const Score& score, const Matrix& matrix)
      : score_(&score), graph_(cpdag_from(matrix)) {
    check_same_size(graph_, score);
  }

  [[nodiscard]] TurnedList find(const std::vector<NodePair>& pairs,
                                std::optional<double> time_limit) {
    const std::vector<DirectedEdge> edges = directed_edges(graph_, pairs);
    TurnedClasses found;
    {
      nb::gil_scoped_release no_gil;
      const std::scoped_lock one_call_at_a_time(mutex_);
      found = find_alone(edges, time_limit);
    }
    return listed(found);
  }

 private:
  [[nodiscard]] TurnedClasses find_alone(std::span<const DirectedEdge> edges,
                                         std::optional<double> time_limit) {
    // Kept only if it ends by itself: stopped anywhere, it cannot go on.
    std::unique_ptr<TurnSearch> search = std::exchange(search_, nullptr);
    if (!search) observer_ = std::make_unique<SignalObserver>();
    observer_->set_time_limit(time_limit);
    if (!search) search = std::make_unique<TurnSearch>(*score_, graph_, nullptr, *observer_);
    TurnedClasses found = search->find(edges);
    if (observer_->stop() == Stop::no) {
      search_ = std::move(search);
    } else {
      const nb::gil_scoped_acquire gil;
      observer_->raise_if_interrupted();
    }
    return found;
  }

  const Score* score_;
  Pdag graph_;
  std::mutex mutex_;
  std::unique_ptr<SignalObserver> observer_;
  std::unique_ptr<TurnSearch> search_;
};

}  // namespace

void register_margins(nb::module_& m) {
  m.def("turned_classes", &turned_classes, nb::arg("score"), nb::arg("matrix"), nb::arg("edges"),
        nb::kw_only(), nb::arg("exact") = false, nb::arg("time_limit") = nb::none(),
        nb::arg("knowledge") = nb::none(),
        "For each directed edge of a CPDAG, the best class found in which it is turned: what that "
        "adds to the score, and every edge that differs. None where nothing was found in time. "
        "With `exact`, for few nodes, the best of all.");
  nb::class_<KeptTurnSearch>(m, "TurnSearch", "Turns edges of a CPDAG, as `turned_classes` does.")
      .def(nb::init<const Score&, const Matrix&>(), nb::arg("score"), nb::arg("matrix"),
           nb::keep_alive<1, 2>())
      .def("find", &KeptTurnSearch::find, nb::arg("edges"), nb::kw_only(),
           nb::arg("time_limit") = nb::none(),
           "What `turned_classes` returns for these edges. The first call sets up what all need.");
}

}  // namespace greedag::python
