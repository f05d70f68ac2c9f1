// Every score of the engine, searched and refined on one and on several threads, and sums over all
// DAGs, to be run under sanitizers.
//
// `make sanitize` builds it with AddressSanitizer and UndefinedBehaviorSanitizer, and with
// ThreadSanitizer. Exits with 1 if an outcome depends on the number of threads.

#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <string_view>

#include "core/graph/completion.hpp"
#include "core/scores/additive/additive_bic.hpp"
#include "core/scores/by_column_score.hpp"
#include "core/scores/callback_score.hpp"
#include "core/scores/discrete/discrete_score.hpp"
#include "core/scores/discrete/testwise_score.hpp"
#include "core/scores/gaussian/bge.hpp"
#include "core/scores/gaussian/gaussian_gains.hpp"
#include "core/scores/mixed/conditional_gaussian.hpp"
#include "core/scores/mixed/degenerate_gaussian.hpp"
#include "core/search/dag_margins.hpp"
#include "core/search/open_margins.hpp"
#include "core/search/posterior.hpp"
#include "core/search/search.hpp"

namespace {

using greedag::Node;

constexpr std::size_t rows = 600;
constexpr std::size_t d = 16;
constexpr std::uint32_t levels = 3;

/// Columns that depend on up to two earlier ones, as real numbers and cut into levels.
struct Table {
  std::vector<double> values;        ///< column after column, mean 0 and variance 1
  std::vector<std::uint32_t> codes;  ///< column after column
  std::vector<double> correlation;
  std::vector<double> log_variances = std::vector<double>(d, 0.0);

  Table() : values(rows * d), codes(rows * d), correlation(d * d) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> noise;
    for (std::size_t v = 0; v < d; ++v) {
      for (std::size_t i = 0; i < rows; ++i) {
        double& value = values[v * rows + i] = noise(random);
        if (v > 0) value += 0.8 * values[(random() % 2 ? v - 1 : v / 2) * rows + i];
      }
      standardise({values.data() + v * rows, rows});
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      codes[i] = values[i] < -0.5 ? 0 : values[i] < 0.5 ? 1 : 2;
    for (std::size_t v = 0; v < d; ++v)
      for (std::size_t u = 0; u < d; ++u)
        correlation[v * d + u] =
            std::inner_product(values.data() + v * rows, values.data() + (v + 1) * rows,
                               values.data() + u * rows, 0.0) /
            rows;
    for (std::size_t v = 0; v < d; ++v) correlation[v * d + v] = 1.0;
  }

  static void standardise(std::span<double> column) {
    const double mean = std::accumulate(column.begin(), column.end(), 0.0) / rows;
    double squares = 0.0;
    for (double& value : column) {
      value -= mean;
      squares += value * value;
    }
    for (double& value : column) value /= std::sqrt(squares / rows);
  }
  [[nodiscard]] greedag::LevelTable level_table(bool with_missing = false) const {
    std::vector<std::uint32_t> all = codes;
    if (with_missing)
      for (std::size_t i = 0; i < all.size(); i += 11) all[i] = levels;
    return {all, std::vector<std::uint32_t>(d, levels), std::vector<double>(rows, 1.0)};
  }
};

/// The columns of an additive score: of a continuous node itself, two powers and two steps, and of
/// every fifth node, a discrete one, two indicators.
struct Blocks {
  std::vector<double> gram;
  std::vector<Node> starts{0};
  std::vector<Node> steps;
  std::vector<Node> responses;

  explicit Blocks(const Table& table) {
    std::vector<std::vector<double>> columns;
    for (std::size_t v = 0; v < d; ++v) {
      const bool is_discrete = v % 5 == 4;
      const auto value = [&](std::size_t i) { return table.values[v * rows + i]; };
      const auto code = [&](std::size_t i) { return table.codes[v * rows + i]; };
      const auto add = [&](auto of) {
        std::vector<double>& column = columns.emplace_back(rows);
        for (std::size_t i = 0; i < rows; ++i) column[i] = static_cast<double>(of(i));
        Table::standardise(column);
      };
      const std::size_t count = is_discrete ? levels - 1 : 3;
      for (std::size_t c = 0; c < count; ++c)
        if (is_discrete)
          add([&](std::size_t i) { return code(i) == c; });
        else
          add([&](std::size_t i) { return std::pow(value(i), 1.0 + double(c)); });
      steps.push_back(is_discrete ? 0 : 2);
      for (Node step = 0; step < steps.back(); ++step)
        add([&](std::size_t i) { return value(i) > step; });
      starts.push_back(static_cast<Node>(columns.size()));
      responses.push_back(is_discrete ? static_cast<Node>(count) : 1);
    }
    for (const auto& a : columns)
      for (const auto& b : columns)
        gram.push_back(std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / rows);
  }
};

/// The Gaussian BIC behind callbacks, as a user's own score would be.
class CallbackTwin final : public greedag::CallbackScore {
 public:
  explicit CallbackTwin(const greedag::Score& score)
      : CallbackScore(score.size(), score.min_gain()), score_(&score) {}

 protected:
  [[nodiscard]] double compute(Node y, std::span<const Node> E) const override {
    const auto gains = score_->evaluator(false);
    gains->condition(y, E);
    return gains->local_score();
  }
  [[nodiscard]] std::optional<double> compute_unless_stopped(
      Node y, std::span<const Node> E) const override {
    return compute(y, E);
  }

 private:
  const greedag::Score* score_;
};

bool is_same_on_threads(std::string_view name, const greedag::Score& score) {
  const auto run = [&](std::size_t jobs) {
    greedag::SearchOptions options;
    options.jobs = jobs;
    options.effort = 2.0;
    greedag::Observer observer(std::nullopt);
    return greedag::search(score, greedag::Algorithm::xges, options, observer);
  };
  const greedag::Outcome one = run(1);
  const greedag::Outcome four = run(4);
  const bool is_same = one.score == four.score && one.trace.size() == four.trace.size() &&
                       one.trials.tried == four.trials.tried &&
                       one.refinement->round == four.refinement->round;
  std::printf("%.*s: %zu steps, %zu trials, %zu rounds, score %.6f%s\n",
              static_cast<int>(name.size()), name.data(), one.trace.size(), one.trials.tried,
              static_cast<std::size_t>(one.refinement->round), one.score,
              is_same ? "" : ", and another on four threads");
  return is_same && !one.trace.empty() && one.refinement->round > 0;
}

greedag::Outcome found_dag(const greedag::Score& score, std::size_t jobs,
                           const greedag::Knowledge* knowledge, const greedag::Pdag* start) {
  greedag::SearchOptions options;
  options.jobs = jobs;
  options.effort = 0.5;
  options.knowledge = knowledge;
  greedag::Observer observer(std::nullopt);
  return greedag::search(score, greedag::Algorithm::orders, options, observer, start);
}

/// Measures every arc of a DAG in every way. Returns how many members of its class were compared.
std::size_t measure_all(const greedag::Score& score, const greedag::Pdag& dag,
                        const greedag::Knowledge* knowledge) {
  std::vector<greedag::Arc> arcs;
  for (Node y = 0; y < dag.size(); ++y)
    for (Node x : dag.parents(y)) arcs.push_back({x, y});
  greedag::Observer observer(std::nullopt);
  const auto removed = gains_of_removing(score, dag, arcs, observer);
  const auto turned = gains_of_turning(score, dag, arcs, knowledge, observer);
  const auto members = find_open_margins(score, cpdag_of_dag(dag), dag, 10.0, observer);
  return removed.size() + turned.size() + members.margins.size();
}

bool is_same_dag_on_threads(std::string_view name, const greedag::Score& score,
                            const greedag::Knowledge* knowledge = nullptr) {
  const greedag::Outcome one = found_dag(score, 1, knowledge, nullptr);
  const greedag::Outcome four = found_dag(score, 4, knowledge, nullptr);
  const greedag::Outcome again = found_dag(score, 2, knowledge, &one.graph);
  const bool is_same = one.score == four.score && one.graph == four.graph &&
                       one.refinement->round == four.refinement->round;
  std::printf("DAGs, %.*s: %zu arcs, %zu rounds, %zu margins, score %.6f%s\n",
              static_cast<int>(name.size()), name.data(), one.graph.edges(),
              static_cast<std::size_t>(one.refinement->round),
              measure_all(score, one.graph, knowledge), one.score,
              is_same ? "" : ", and another on four threads");
  return is_same && again.score >= one.score && one.refinement->round > 0 &&
         (knowledge == nullptr || knowledge->admits(one.graph));
}

bool are_same_dags_on_threads(const Table& table, const greedag::GaussianBic& gaussian) {
  const auto n = static_cast<double>(rows);
  const Blocks blocks(table);
  const greedag::AdditiveBic additive(blocks.gram, blocks.starts, blocks.steps, blocks.responses,
                                      table.log_variances, n, 2.0);
  std::vector<Node> tiers(d, -1);
  for (std::size_t v = 0; v < d; v += 3) tiers[v] = static_cast<Node>(v % 4);
  const std::vector<greedag::Arc> required{{1, 2}};
  const std::vector<greedag::Arc> forbidden{{3, 4}, {4, 3}};
  const std::vector<greedag::Arc> before{{5, 7}, {7, 8}};
  const greedag::Knowledge knowledge(static_cast<Node>(d), required, forbidden, tiers, before);
  std::vector<std::size_t> part_of(d);
  for (std::size_t v = 0; v < d; ++v) part_of[v] = v % 2;
  bool ok = is_same_dag_on_threads("additive BIC", additive);
  ok &= is_same_dag_on_threads("additive BIC with knowledge", additive, &knowledge);
  ok &= is_same_dag_on_threads("Gaussian BIC", gaussian);
  ok &=
      is_same_dag_on_threads("by column", greedag::ByColumnScore({&additive, &gaussian}, part_of));
  ok &= is_same_dag_on_threads("callback", CallbackTwin(additive));
  return ok;
}

/// What is computed of a posterior, and the parents in DAGs drawn from it.
struct Probabilities {
  double log_total;
  double log_prior_total;
  greedag::NodePairs edges;
  greedag::NodePairs paths;
  std::vector<std::vector<greedag::Mask>> dags;

  bool operator==(const Probabilities&) const = default;
};

Probabilities probabilities(const greedag::Score& score, greedag::DagPrior prior,
                            const greedag::ParentRules& rules, std::size_t jobs) {
  greedag::Observer observer(std::nullopt);
  greedag::WorkDone work;
  const auto of_prior =
      greedag::log_prior_total(score.size(), prior, rules, work, jobs, observer).value();
  const auto posterior = greedag::dag_posterior(score, prior, rules, work, jobs, observer);
  Probabilities found{posterior->log_total(),
                      of_prior,
                      posterior->edges(jobs, observer).value(),
                      posterior->paths(jobs, observer).value(),
                      {}};
  for (std::uint64_t i = 0; i < 50; ++i) {
    greedag::Random random(1, i);
    found.dags.push_back(posterior->draw(random));
  }
  return found;
}

bool is_same_posterior_on_threads(std::string_view name, const greedag::Score& score,
                                  greedag::DagPrior prior, const greedag::ParentRules& rules = {}) {
  const Probabilities one = probabilities(score, prior, rules, 1);
  const bool is_same = one == probabilities(score, prior, rules, 4);
  const double edges = std::accumulate(one.edges.begin(), one.edges.end(), 0.0);
  std::printf("posterior, %.*s: %.6f edges on average, log total %.6f%s\n",
              static_cast<int>(name.size()), name.data(), edges, one.log_total,
              is_same ? "" : ", and others on four threads");
  return is_same && edges > 0.0;
}

bool are_same_posteriors_on_threads(const Table& table) {
  constexpr std::size_t few = 8;
  std::vector<double> correlation;
  for (std::size_t v = 0; v < few; ++v)
    for (std::size_t u = 0; u < few; ++u) correlation.push_back(table.correlation[v * d + u]);
  const greedag::GaussianBic gaussian(correlation, std::vector<double>(few, 0.0),
                                      static_cast<double>(rows), 1.0);
  const std::vector<std::uint32_t> codes(table.codes.begin(), table.codes.begin() + few * rows);
  const greedag::BDeu bdeu(
      {codes, std::vector<std::uint32_t>(few, levels), std::vector<double>(rows, 1.0)}, 1.0);
  const std::vector<greedag::Arc> required{{1, 2}};
  const std::vector<greedag::Arc> forbidden{{3, 4}, {4, 3}};
  const greedag::Knowledge knowledge(static_cast<Node>(few), required, forbidden,
                                     std::vector<Node>(few, -1), {});
  const greedag::ParentRules limited{&knowledge, 3};
  bool ok = true;
  for (const auto prior : {greedag::DagPrior::orders, greedag::DagPrior::uniform}) {
    ok &= is_same_posterior_on_threads("Gaussian BIC", gaussian, prior);
    ok &= is_same_posterior_on_threads("Gaussian BIC with knowledge", gaussian, prior, limited);
    ok &= is_same_posterior_on_threads("BDeu", bdeu, prior);
    ok &= is_same_posterior_on_threads("callback", CallbackTwin(gaussian), prior);
  }
  return ok;
}

}  // namespace

int main() {
  const Table table;
  const auto n = static_cast<double>(rows);
  std::vector<Node> starts(d + 1);
  std::iota(starts.begin(), starts.end(), 0);
  std::vector<std::int32_t> codes(table.codes.begin(), table.codes.end());
  std::vector<double> weights(rows, 1.5);
  greedag::MixedColumns mixed{{}, {}, {}, std::vector<double>(d, 0.0), rows, weights.data()};
  for (std::size_t v = 0; v < d; ++v) {
    const bool is_real = v % 2 == 0;
    mixed.values.push_back(is_real ? table.values.data() + v * rows : nullptr);
    mixed.codes.push_back(is_real ? nullptr : codes.data() + v * rows);
    mixed.levels.push_back(is_real ? 0 : levels);
  }
  const greedag::GaussianBic gaussian(table.correlation, table.log_variances, n, 1.0);
  bool ok = is_same_on_threads("Gaussian BIC", gaussian);
  ok &= is_same_on_threads("callback", CallbackTwin(gaussian));
  const greedag::GaussianBic few(table.correlation, table.log_variances, n, 1.0, 0.0, 4);
  ok &= is_same_on_threads("Gaussian BIC of few rows", few);
  const greedag::Bge bge(table.correlation, table.log_variances, n, {1.0, d + 2.0, 0.5, 1.0}, 1e-3);
  ok &= is_same_on_threads("BGe", bge);
  const greedag::DegenerateGaussian degenerate(table.correlation, table.log_variances, starts, n,
                                               1.0);
  ok &= is_same_on_threads("degenerate Gaussian", degenerate);
  const greedag::ConditionalGaussian conditional(mixed, 1.0);
  ok &= is_same_on_threads("conditional Gaussian", conditional);
  ok &= is_same_on_threads("discrete BIC", greedag::DiscreteBic(table.level_table(), 1.0));
  ok &= is_same_on_threads("BDeu", greedag::BDeu(table.level_table(), 1.0));
  const greedag::TestwiseScore testwise_bdeu(table.level_table(true),
                                             std::make_unique<greedag::BDeuTerms>(1.0));
  ok &= is_same_on_threads("BDeu, test-wise", testwise_bdeu);
  const greedag::TestwiseScore testwise_bic(table.level_table(true),
                                            std::make_unique<greedag::BicTerms>(1.0));
  ok &= is_same_on_threads("discrete BIC, test-wise", testwise_bic);
  ok &= are_same_dags_on_threads(table, gaussian);
  ok &= are_same_posteriors_on_threads(table);
  return ok ? 0 : 1;
}
