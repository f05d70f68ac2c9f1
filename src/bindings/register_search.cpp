#include <nanobind/stl/map.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <new>
#include <tuple>

#include "bindings/common.hpp"
#include "bindings/custom_score.hpp"
#include "core/search/exact.hpp"
#include "core/search/search.hpp"

namespace greedag::python {

namespace {

using ProgressCallback = std::optional<
    nb::typed<nb::callable, nb::object(double, double, std::size_t, std::size_t, std::size_t)>>;

/// Called now and then with the state of a refinement.
using CheckpointCallback = std::optional<nb::typed<nb::callable, nb::object(Refinement)>>;

/// Regularly asks Python whether Ctrl-C was pressed, and reports the progress of the search. Python
/// handles signals on its main thread only.
class PythonObserver final : public Observer {
 public:
  PythonObserver(std::optional<double> seconds, const ProgressCallback& progress,
                 const CheckpointCallback& checkpoint)
      : Observer(seconds), progress_(&progress), checkpoint_(&checkpoint) {}

  /// Progress is reported only once the score of the class that the search starts from is known.
  void set_first_score(double score) { first_score_ = score; }

  /// Remembers the state of a refinement. May be called from any thread.
  void remember(const Refinement& at) {
    const std::scoped_lock lock(mutex_);
    latest_ = at;
  }

  /// Raises the exception of a signal handler or callback, unless it is a KeyboardInterrupt. The
  /// GIL must be held.
  void raise_if_foreign() const {
    if (raised_ && !raised_->matches(PyExc_KeyboardInterrupt)) throw *raised_;
  }

 protected:
  bool interrupted() override {
    // An exception must not be raised twice, and helper threads may take a moment to end.
    if (raised_) return true;
    nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) nb::raise_python_error();
      if (*progress_ && first_score_ && Clock::now() - reported_ >= report_interval)
        report_progress();
      if (*checkpoint_ && Clock::now() - written_ >= write_interval) write_checkpoint();
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
    }
    return raised_.has_value();
  }

 private:
  static constexpr std::chrono::milliseconds report_interval{100};
  static constexpr std::chrono::milliseconds write_interval{1000};

  void report_progress() {
    const ProgressSnapshot now = progress();
    const std::chrono::duration<double> seconds = Clock::now() - started_;
    (**progress_)(seconds.count(), *first_score_ + now.gain, now.edges, now.steps, trials());
    reported_ = Clock::now();
  }

  void write_checkpoint() {
    std::optional<Refinement> latest;
    {
      const std::scoped_lock lock(mutex_);
      std::swap(latest, latest_);
    }
    if (latest) (**checkpoint_)(std::move(*latest));
    written_ = Clock::now();
  }

  const ProgressCallback* progress_;
  const CheckpointCallback* checkpoint_;
  std::optional<double> first_score_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point reported_ = started_;
  Clock::time_point written_ = started_;
  std::optional<nb::python_error> raised_;
  std::mutex mutex_;
  std::optional<Refinement> latest_;  ///< not yet written
};

struct SearchOutcome {
  Outcome outcome;
  double seconds;
};

Algorithm algorithm_named(const std::string& name) {
  static const std::map<std::string, Algorithm> algorithms{{"xges", Algorithm::xges},
                                                           {"xges0", Algorithm::xges0},
                                                           {"ges", Algorithm::ges},
                                                           {"ges-r", Algorithm::ges_r},
                                                           {"ops", Algorithm::ops},
                                                           {"fges", Algorithm::fges},
                                                           {"exact", Algorithm::exact},
                                                           {"orders", Algorithm::orders},
                                                           {"exact-dag", Algorithm::exact_dag}};
  const auto found = algorithms.find(name);
  if (found == algorithms.end()) throw nb::value_error(("unknown search: " + name).c_str());
  return found->second;
}

bool is_among_dags(Algorithm algorithm) {
  return algorithm == Algorithm::orders || algorithm == Algorithm::exact_dag;
}

bool is_exact(Algorithm algorithm) {
  return algorithm == Algorithm::exact || algorithm == Algorithm::exact_dag;
}

/// The class to start from, and one of its members; or a DAG twice.
struct Start {
  Pdag graph;
  Pdag member;
};

Start start_from(const std::optional<Matrix>& matrix, Node size, bool is_dag) {
  if (!matrix) return {Pdag(size), Pdag(size)};
  Pdag graph = is_dag ? dag_from(*matrix) : cpdag_from(*matrix);
  if (graph.size() != size) throw nb::value_error("the start does not fit the score");
  Pdag member = is_dag ? graph : *dag_of_cpdag(graph);
  return {std::move(graph), std::move(member)};
}

void check_start(const Score& score, const Knowledge* knowledge, const Pdag& graph, bool is_dag) {
  if (graph.size() != score.size()) throw nb::value_error("what is resumed does not fit the score");
  check_knowledge(score.size(), knowledge, is_dag ? nullptr : &graph);
  if (is_dag && knowledge != nullptr && !knowledge->admits(graph))
    throw nb::value_error("the DAG does not agree with what is known");
}

[[noreturn]] void raise_too_large(Node size) {
  const std::size_t megabytes = bytes_for_best_dag(size) >> 20;
  PyErr_Format(PyExc_MemoryError, "an exact search of %d columns needs %zu MB", size, megabytes);
  throw nb::python_error();
}

void set_first_score(PythonObserver& observer, const Score& score, const Pdag& start) {
  try {
    observer.set_first_score(score_of_dag(score, start, &observer));
  } catch (const Stopped&) {  // which the search notices itself
  }
}

SearchOutcome run_search(const Score& score, const std::string& name,
                         std::optional<double> time_limit, std::size_t clique_cap,
                         std::size_t trial_cap, bool keep_forbidden, std::size_t jobs,
                         const ProgressCallback& progress, const std::optional<Matrix>& start,
                         double effort, std::uint64_t seed, const Refinement* resume,
                         const CheckpointCallback& checkpoint, const Knowledge* knowledge) {
  const Algorithm algorithm = algorithm_named(name);
  if (is_exact(algorithm) && score.size() > most_nodes_for_local_scores)
    throw nb::value_error("too many nodes for an exact search");
  const Start from = start_from(start, score.size(), is_among_dags(algorithm));
  check_knowledge(score.size(), knowledge, nullptr);
  if (start) check_start(score, knowledge, from.graph, is_among_dags(algorithm));
  if (resume != nullptr && resume->is_dag != is_among_dags(algorithm))
    throw nb::value_error("what is resumed belongs to another search");
  if (resume != nullptr) check_start(score, knowledge, resume->graph, resume->is_dag);
  PythonObserver observer(time_limit, progress, checkpoint);
  const CustomScore::ObserverScope scope(score, observer);
  // Python runs on one thread at a time, so more threads would only wait for each other.
  if (scope.is_custom()) jobs = 1;
  SearchOptions options{.clique_cap = clique_cap,
                        .trials = {trial_cap, keep_forbidden},
                        .jobs = std::max<std::size_t>(jobs, 1),
                        .effort = effort,
                        .seed = seed,
                        .knowledge = knowledge,
                        .resume = resume,
                        .after_round = {}};
  if (checkpoint)
    options.after_round = [&observer](const Refinement& at) { observer.remember(at); };
  const auto started = std::chrono::steady_clock::now();
  if (progress) set_first_score(observer, score, from.member);
  Outcome outcome = [&] {
    try {
      nb::gil_scoped_release no_gil;
      return search(score, algorithm, options, observer, start ? &from.graph : nullptr);
    } catch (const std::bad_alloc&) {
      if (!is_exact(algorithm)) throw;
      raise_too_large(score.size());
    }
  }();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  observer.raise_if_foreign();
  return {std::move(outcome), took.count()};
}

using Applied = nb::typed<nb::tuple, nb::str, int, int, NodeTuple, NodeTuple, NodeTuple, double>;

nb::typed<nb::list, Applied> listed(const std::vector<Operator>& operators) {
  nb::typed<nb::list, Applied> trace;
  for (const Operator& op : operators)
    trace.append(nb::make_tuple(name_of(op.kind), op.x, op.y, tuple_from(op.T), tuple_from(op.E),
                                tuple_from(op.F), op.gain));
  return trace;
}

const char* stop_of(const SearchOutcome& result) {
  if (result.outcome.stopped == Stop::time_limit) return "time limit";
  return result.outcome.stopped == Stop::interrupt ? "interrupt" : "";
}

using AppliedGiven = std::tuple<std::string, Node, Node, std::vector<Node>, std::vector<Node>,
                                std::vector<Node>, double>;

NodeSet set_from(Node size, const std::vector<Node>& nodes) {
  check_nodes(size, nodes);
  return NodeSet{std::span<const Node>(nodes)};
}

Operator operator_from(Node size, const AppliedGiven& given) {
  const auto& [kind, x, y, T, E, F, gain] = given;
  check_nodes(size, std::array{x, y});
  return {kind_named(kind), x, y, set_from(size, T), set_from(size, E), set_from(size, F), gain};
}

/// What a refinement has counted, by name.
using Counts = std::map<std::string, std::size_t>;

Counts counts_of(const Refinement& at) {
  return {
      {"evaluations", at.counters.evaluations}, {"refusals", at.counters.refusals},
      {"sweeps", at.counters.sweeps},           {"capped_families", at.counters.capped_families},
      {"cycles", at.counters.cycles},           {"trials", at.trials.tried},
      {"accepted_trials", at.trials.accepted},  {"capped_trials", at.trials.capped_pairs}};
}

void set_counts(Refinement& at, const Counts& counts) {
  at.counters.evaluations = counts.at("evaluations");
  at.counters.refusals = counts.at("refusals");
  at.counters.sweeps = counts.at("sweeps");
  at.counters.capped_families = counts.at("capped_families");
  at.counters.cycles = counts.at("cycles");
  at.trials.tried = counts.at("trials");
  at.trials.accepted = counts.at("accepted_trials");
  at.trials.capped_pairs = counts.at("capped_trials");
}

Refinement refinement_from(const Matrix& adjacency, double score, double effort, double evaluations,
                           double work, std::uint64_t round, std::uint64_t kept,
                           std::uint64_t rounds_without_gain, std::uint64_t climbed,
                           bool needs_xges, const std::optional<Counts>& counts,
                           const std::vector<Node>& capped_targets,
                           const std::optional<std::vector<AppliedGiven>>& trace, bool has_jumped,
                           bool is_dag, bool is_dense) {
  const auto size = static_cast<Node>(adjacency.shape(0));
  Refinement at{start_from(adjacency, size, is_dag).graph, score, effort, evaluations, work};
  at.is_dag = is_dag;
  at.is_dense = is_dense;
  at.round = round;
  at.kept = kept;
  at.rounds_without_gain = rounds_without_gain;
  at.climbed = climbed;
  at.needs_xges = needs_xges;
  if (counts) set_counts(at, *counts);
  at.counters.capped_targets = set_from(size, capped_targets);
  at.has_jumped = has_jumped;
  if (trace) {
    std::vector<Operator> operators;
    for (const AppliedGiven& given : *trace) operators.push_back(operator_from(size, given));
    at.trace = std::make_shared<const std::vector<Operator>>(std::move(operators));
  }
  return at;
}

void register_refinement(nb::module_& m) {
  nb::class_<Refinement>(m, "Refinement", "The state of a refinement between two rounds.")
      .def(nb::new_(&refinement_from), nb::kw_only(), nb::arg("adjacency"), nb::arg("score"),
           nb::arg("effort"), nb::arg("evaluations"), nb::arg("work"), nb::arg("round"),
           nb::arg("kept"), nb::arg("rounds_without_gain"), nb::arg("climbed"),
           nb::arg("needs_xges"), nb::arg("counts") = nb::none(),
           nb::arg("capped_targets") = std::vector<Node>{}, nb::arg("trace") = nb::none(),
           nb::arg("has_jumped") = false, nb::arg("is_dag") = false, nb::arg("is_dense") = false)
      .def_prop_ro(
          "adjacency", [](const Refinement& at) { return matrix_from(at.graph); },
          nb::rv_policy::automatic)
      .def_ro("score", &Refinement::score)
      .def_ro("effort", &Refinement::effort)
      .def_ro("evaluations", &Refinement::evaluations)
      .def_ro("work", &Refinement::work)
      .def_ro("round", &Refinement::round)
      .def_ro("kept", &Refinement::kept)
      .def_ro("rounds_without_gain", &Refinement::rounds_without_gain)
      .def_ro("climbed", &Refinement::climbed)
      .def_ro("needs_xges", &Refinement::needs_xges)
      .def_prop_ro("counts", &counts_of)
      .def_prop_ro("capped_targets",
                   [](const Refinement& at) { return tuple_from(at.counters.capped_targets); })
      .def_prop_ro("trace",
                   [](const Refinement& at) {
                     return at.trace ? std::optional(listed(*at.trace)) : std::nullopt;
                   })
      .def_ro("has_jumped", &Refinement::has_jumped)
      .def_ro("is_dag", &Refinement::is_dag)
      .def_ro("is_dense", &Refinement::is_dense);
}

}  // namespace

void register_search(nb::module_& m) {
  register_refinement(m);
  nb::class_<SearchOutcome>(m, "SearchOutcome")
      .def_prop_ro(
          "adjacency", [](const SearchOutcome& r) { return matrix_from(r.outcome.graph); },
          nb::rv_policy::automatic)
      .def_prop_ro("score", [](const SearchOutcome& r) { return r.outcome.score; })
      .def_prop_ro("bound", [](const SearchOutcome& r) { return r.outcome.bound; })
      .def_prop_ro("trace", [](const SearchOutcome& r) { return listed(r.outcome.trace); })
      .def_prop_ro("has_jumped", [](const SearchOutcome& r) { return r.outcome.has_jumped; })
      .def_prop_ro("score_evaluations",
                   [](const SearchOutcome& r) { return r.outcome.counters.evaluations; })
      .def_prop_ro("sweeps", [](const SearchOutcome& r) { return r.outcome.counters.sweeps; })
      .def_prop_ro("trials", [](const SearchOutcome& r) { return r.outcome.trials.tried; })
      .def_prop_ro("accepted_trials",
                   [](const SearchOutcome& r) { return r.outcome.trials.accepted; })
      .def_prop_ro("refinement", [](const SearchOutcome& r) { return r.outcome.refinement; })
      .def_ro("seconds", &SearchOutcome::seconds)
      .def_prop_ro("stopped", &stop_of)
      .def_prop_ro(
          "capped_targets",
          [](const SearchOutcome& r) { return tuple_from(r.outcome.counters.capped_targets); })
      .def_prop_ro("capped_trials",
                   [](const SearchOutcome& r) { return r.outcome.trials.capped_pairs; })
      .def_prop_ro("refused_singular",
                   [](const SearchOutcome& r) { return r.outcome.counters.refusals; })
      .def_prop_ro("cycles", [](const SearchOutcome& r) { return r.outcome.counters.cycles; });

  const SearchOptions defaults;
  m.attr("DEFAULT_CLIQUE_CAP") = defaults.clique_cap;
  m.attr("DEFAULT_TRIAL_CAP") = defaults.trials.cap;
  m.attr("MOST_EXACT") = most_nodes_for_local_scores;
  m.attr("MOST_EXACT_OWN_SCORE") = most_nodes_for_own_local_scores;
  m.def("search", &run_search, nb::arg("score"), nb::arg("search"), nb::kw_only(),
        nb::arg("time_limit") = nb::none(), nb::arg("clique_cap") = defaults.clique_cap,
        nb::arg("trial_cap") = defaults.trials.cap, nb::arg("keep_forbidden") = false,
        nb::arg("jobs") = 1, nb::arg("progress") = nb::none(), nb::arg("start") = nb::none(),
        nb::arg("effort") = 0.0, nb::arg("seed") = 0, nb::arg("resume") = nb::none(),
        nb::arg("checkpoint") = nb::none(), nb::arg("knowledge") = nb::none(),
        "Searches for the class that scores best, from the class `start` or the empty graph. "
        "\"orders\" and \"exact-dag\" search for the best DAG, from the DAG `start`.");
}

}  // namespace greedag::python
