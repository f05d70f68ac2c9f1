#include <chrono>
#include <memory>

#include "bindings/common.hpp"
#include "bindings/custom_score.hpp"
#include "core/search/posterior.hpp"

namespace greedag::python {
namespace {

using Pairs = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using Matrices = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<3>>;
/// Called with seconds and the share of the work that is done.
using ShareCallback = std::optional<nb::typed<nb::callable, nb::object(double, double)>>;

/// Also reports how much of the work is done.
class ShareObserver final : public SignalObserver {
 public:
  ShareObserver(std::optional<double> seconds, const WorkDone& work, const ShareCallback& progress)
      : SignalObserver(seconds), work_(&work), progress_(&progress) {}

  /// Raises what the callback has raised. The GIL must be held.
  void raise_if_failed() {
    if (failed_) throw std::move(*failed_);
    raise_if_interrupted();
  }

 protected:
  bool interrupted() override {
    if (failed_ || SignalObserver::interrupted()) return true;
    if (!*progress_ || Clock::now() - reported_ < std::chrono::milliseconds{100}) return false;
    const nb::gil_scoped_acquire gil;
    try {
      const std::chrono::duration<double> seconds = Clock::now() - started_;
      (**progress_)(seconds.count(), work_->share());
    } catch (nb::python_error& error) {
      failed_.emplace(std::move(error));
    }
    reported_ = Clock::now();
    return failed_.has_value();
  }

 private:
  const WorkDone* work_;
  const ShareCallback* progress_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point reported_ = started_;
  std::optional<nb::python_error> failed_;
};

/// A posterior with what has been computed of it.
struct ComputedPosterior {
  std::unique_ptr<WorkDone> work;  ///< which the posterior refers to
  std::unique_ptr<DagPosterior> posterior;
  double log_total;
  double log_prior_total;
  NodePairs edges;
  NodePairs paths;  ///< empty if there are too many nodes
};

DagPrior prior_named(const std::string& name) {
  if (name == "orders") return DagPrior::orders;
  if (name == "uniform") return DagPrior::uniform;
  throw nb::value_error(("unknown prior: " + name).c_str());
}

/// None where it is stopped. Where no DAG has any weight, all else is empty.
std::optional<ComputedPosterior> computed(const Score& score, DagPrior prior,
                                          const ParentRules& rules, std::size_t jobs,
                                          std::unique_ptr<WorkDone> work, Observer& observer) {
  const auto of_prior = log_prior_total(score.size(), prior, rules, *work, jobs, observer);
  if (!of_prior) return std::nullopt;
  auto posterior = dag_posterior(score, prior, rules, *work, jobs, observer);
  if (!posterior) return std::nullopt;
  ComputedPosterior found{std::move(work), std::move(posterior), 0.0, *of_prior, {}, {}};
  found.log_total = found.posterior->log_total();
  if (found.log_total == GainEvaluator::refused) return found;
  auto edges = found.posterior->edges(jobs, observer);
  if (!edges) return std::nullopt;
  found.edges = std::move(*edges);
  if (score.size() > most_nodes_for_pairs_of_sets) return found;
  auto paths = found.posterior->paths(jobs, observer);
  if (!paths) return std::nullopt;
  found.paths = std::move(*paths);
  return found;
}

void check_posterior(const Score& score, DagPrior prior, const Knowledge* knowledge) {
  const bool is_uniform = prior == DagPrior::uniform;
  if (score.size() > (is_uniform ? most_nodes_for_pairs_of_sets : most_nodes_for_posterior))
    throw nb::value_error("too many nodes for a posterior");
  check_knowledge(score.size(), knowledge, nullptr);
  if (knowledge != nullptr && knowledge->limits_ancestors())
    throw nb::value_error("a posterior takes no statements about ancestors");
}

std::optional<ComputedPosterior> posterior_of(const Score& score, const std::string& prior_name,
                                              std::optional<Node> max_parents,
                                              const Knowledge* knowledge, std::size_t jobs,
                                              std::optional<double> time_limit,
                                              const ShareCallback& progress) {
  const DagPrior prior = prior_named(prior_name);
  check_posterior(score, prior, knowledge);
  auto work = std::make_unique<WorkDone>();
  ShareObserver observer(time_limit, *work, progress);
  const CustomScore::ObserverScope scope(score, observer);
  const ParentRules rules{knowledge, max_parents.value_or(score.size())};
  auto found = [&] {
    nb::gil_scoped_release no_gil;
    return computed(score, prior, rules, jobs, std::move(work), observer);
  }();
  observer.raise_if_failed();
  return found;
}

Pairs pairs_from(const NodePairs& pairs) {
  auto values = std::make_unique<NodePairs>(pairs);
  std::size_t size = 0;
  while (size * size < values->size()) ++size;
  double* data = values->data();
  nb::capsule owner(values.release(), [](void* p) noexcept { delete static_cast<NodePairs*>(p); });
  return Pairs(data, {size, size}, owner);
}

/// The parents of each node of the DAGs drawn; fewer than asked for if it was stopped.
std::vector<std::vector<Mask>> drawn(DagPosterior& posterior, std::size_t count, std::uint64_t seed,
                                     Observer& observer) {
  std::vector<std::vector<Mask>> dags;
  for (std::size_t i = 0; i < count && !observer.should_stop(); ++i) {
    Random random(seed, i);
    dags.push_back(posterior.draw(random));
  }
  return dags;
}

Matrices matrices_from(const std::vector<std::vector<Mask>>& dags, std::size_t d) {
  auto values = std::make_unique<std::vector<std::uint8_t>>(dags.size() * d * d);
  for (std::size_t i = 0; i < dags.size(); ++i)
    for (std::size_t y = 0; y < d; ++y)
      for (std::size_t x = 0; x < d; ++x)
        (*values)[(i * d + x) * d + y] = static_cast<std::uint8_t>(dags[i][y] >> x & 1);
  std::uint8_t* data = values->data();
  nb::capsule owner(values.release(),
                    [](void* p) noexcept { delete static_cast<std::vector<std::uint8_t>*>(p); });
  return Matrices(data, {dags.size(), d, d}, owner);
}

Matrices sample(const ComputedPosterior& found, std::size_t count, std::uint64_t seed,
                std::optional<double> time_limit) {
  SignalObserver observer(time_limit);
  const auto dags = [&] {
    nb::gil_scoped_release no_gil;
    return drawn(*found.posterior, count, seed, observer);
  }();
  observer.raise_if_interrupted();
  return matrices_from(dags, static_cast<std::size_t>(found.posterior->size()));
}

}  // namespace

void register_posterior(nb::module_& m) {
  nb::class_<ComputedPosterior>(m, "Posterior")
      .def_ro("log_total", &ComputedPosterior::log_total)
      .def_ro("log_prior_total", &ComputedPosterior::log_prior_total)
      .def_prop_ro(
          "edges", [](const ComputedPosterior& found) { return pairs_from(found.edges); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "paths", [](const ComputedPosterior& found) { return pairs_from(found.paths); },
          nb::rv_policy::automatic)
      .def("sample", &sample, nb::arg("count"), nb::kw_only(), nb::arg("seed") = 0,
           nb::arg("time_limit") = nb::none(),
           "Draws DAGs, by matrices; fewer where the time limit runs out.");
  m.attr("MOST_POSTERIOR") = most_nodes_for_posterior;
  m.attr("MOST_PAIRS_OF_SETS") = most_nodes_for_pairs_of_sets;
  m.def("posterior", &posterior_of, nb::arg("score"), nb::arg("prior"), nb::kw_only(),
        nb::arg("max_parents") = nb::none(), nb::arg("knowledge") = nb::none(), nb::arg("jobs") = 1,
        nb::arg("time_limit") = nb::none(), nb::arg("progress") = nb::none(),
        "Computes probabilities of edges and of paths, over all DAGs; None where the time limit "
        "runs out. There are no probabilities where no DAG can be scored, and none of paths where "
        "there are too many columns.");
}

}  // namespace greedag::python
