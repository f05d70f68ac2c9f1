#include <algorithm>
#include <functional>

#include "bindings/common.hpp"
#include "core/scores/gaussian/bge.hpp"
#include "core/scores/mixed/conditional_gaussian.hpp"
#include "core/scores/mixed/degenerate_gaussian.hpp"

namespace greedag::python {
namespace {

using Codes = nb::ndarray<const std::int32_t, nb::shape<-1, -1>, nb::c_contig, nb::device::cpu>;

void make_bge(Bge* place, const Doubles& correlation, const Vector& log_variances, double n,
              double alpha_mu, double alpha_w, double t, double edge_penalty, double least_residual,
              bool has_singular_sets) {
  check_correlations(correlation, log_variances);
  const std::size_t size = log_variances.shape(0);
  new (place) Bge({correlation.data(), size * size}, {log_variances.data(), size}, n,
                  {alpha_mu, alpha_w, t, edge_penalty}, least_residual, has_singular_sets);
}

void make_degenerate_gaussian(DegenerateGaussian* place, const Doubles& correlation,
                              const Vector& log_variances, const std::vector<Node>& starts,
                              double n, double alpha, std::optional<std::size_t> rank) {
  check_correlations(correlation, log_variances);
  const std::size_t size = log_variances.shape(0);
  const bool fits =
      std::adjacent_find(starts.begin(), starts.end(), std::greater_equal<>()) == starts.end() &&
      starts.size() > 1 && starts.front() == 0 && starts.back() == static_cast<Node>(size);
  if (!fits) throw nb::value_error("the starts of the nodes do not fit the correlations");
  new (place) DegenerateGaussian({correlation.data(), size * size}, {log_variances.data(), size},
                                 starts, n, alpha, rank.value_or(SingularSets::full_rank));
}

/// The rows of `values` are the real columns and those of `codes` the discrete ones, each in table
/// order; `levels` is 0 for real columns.
MixedColumns columns_from(const Doubles& values, const Codes& codes,
                          const std::vector<Node>& levels, const Vector& log_variances) {
  MixedColumns columns{{}, {}, levels, {}, values.shape(1)};
  std::size_t real = 0;
  std::size_t discrete = 0;
  for (Node count : levels) {
    const bool is_real = count == 0;
    if (is_real ? real >= values.shape(0) : discrete >= codes.shape(0)) break;
    columns.values.push_back(is_real ? values.data() + real * columns.rows : nullptr);
    columns.codes.push_back(is_real ? nullptr : codes.data() + discrete * columns.rows);
    columns.log_variances.push_back(is_real ? log_variances.data()[real] : 0.0);
    ++(is_real ? real : discrete);
  }
  const bool fits = real == values.shape(0) && real == log_variances.shape(0) &&
                    discrete == codes.shape(0) && real + discrete == levels.size() &&
                    codes.shape(1) == columns.rows;
  if (!fits) throw nb::value_error("the values and codes do not fit the levels");
  if (levels.empty() || columns.rows == 0)
    throw nb::value_error("a score needs at least one column and one row");
  for (std::size_t node = 0; node < levels.size(); ++node)
    for (std::size_t row = 0; columns.codes[node] && row < columns.rows; ++row)
      if (columns.codes[node][row] < 0 || columns.codes[node][row] >= levels[node])
        throw nb::value_error("a code is beyond the levels of its column");
  return columns;
}

const double* weights_from(const Vector& weights, std::size_t rows) {
  if (weights.shape(0) != rows) throw nb::value_error("the weights do not fit the rows");
  for (std::size_t row = 0; row < rows; ++row)
    if (!(weights.data()[row] > 0.0) || weights.data()[row] > 1e300)
      throw nb::value_error("a weight is not above 0");
  return weights.data();
}

}  // namespace

void register_mixed(nb::module_& m) {
  // Scores refer to their arguments, which must therefore stay alive and must not be temporary
  // copies.
  nb::class_<Bge, Score>(m, "Bge").def(
      "__init__", &make_bge, nb::arg("correlation").noconvert(), nb::arg("log_variances"),
      nb::arg("n"), nb::kw_only(), nb::arg("alpha_mu"), nb::arg("alpha_w"), nb::arg("t"),
      nb::arg("edge_penalty"), nb::arg("least_residual"), nb::arg("has_singular_sets") = false,
      nb::keep_alive<1, 2>());
  nb::class_<DegenerateGaussian, Score>(m, "DegenerateGaussian")
      .def("__init__", &make_degenerate_gaussian, nb::arg("correlation").noconvert(),
           nb::arg("log_variances"), nb::arg("starts"), nb::arg("n"), nb::arg("alpha"),
           nb::arg("rank") = nb::none(), nb::keep_alive<1, 2>());
  nb::class_<ConditionalGaussian, Score>(m, "ConditionalGaussian")
      .def(
          "__init__",
          [](ConditionalGaussian* place, const Doubles& values, const Codes& codes,
             const std::vector<Node>& levels, const Vector& log_variances, double alpha,
             const std::optional<Vector>& weights) {
            MixedColumns columns = columns_from(values, codes, levels, log_variances);
            if (weights) columns.weights = weights_from(*weights, columns.rows);
            new (place) ConditionalGaussian(std::move(columns), alpha);
          },
          nb::arg("values").noconvert(), nb::arg("codes").noconvert(), nb::arg("levels"),
          nb::arg("log_variances"), nb::arg("alpha"), nb::arg("weights").noconvert() = nb::none(),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 7>(),
          nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace greedag::python
