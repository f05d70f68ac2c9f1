#include "core/scores/gaussian/dependence_bound.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>
#include <vector>

namespace greedag {
namespace {

// More are seldom needed, and each doubles the number of cases.
constexpr std::size_t most_decided = 30;
constexpr std::size_t most_parts = 1000;
// Far above the rounding of a residual covariance.
constexpr double rounding = 1e-9;

/// A rough measure of how much eliminating f may change the dependence of x and y.
double influence_of(double fx, double fy, double ff, double xx, double yy) {
  if (ff <= GaussianBic::zero_variance) return 0.0;
  const double on_x = fx * fx / (ff * xx);
  const double on_y = fy * fy / (ff * yy);
  return std::sqrt(on_x * on_y) + 0.1 * (on_x + on_y);
}

/// A symmetric matrix on a few nodes, the first two of which are x and y.
class Block {
 public:
  Block(const double* rows, std::size_t stride, std::span<const std::size_t> nodes)
      : size_(nodes.size()), values_(size_ * size_) {
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j < size_; ++j)
        values_[i * size_ + j] = rows[nodes[i] * stride + nodes[j]];
  }
  [[nodiscard]] double operator()(std::size_t i, std::size_t j) const {
    return values_[i * size_ + j];
  }
  /// Conditions covariances on a node, or marginalizes it out of a precision matrix.
  void eliminate(std::size_t f) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (i == f) continue;
      const double weight = values_[i * size_ + f] / values_[f * size_ + f];
      for (std::size_t j = 0; j < size_; ++j)
        if (j != f) values_[i * size_ + j] -= weight * values_[f * size_ + j];
    }
  }
  [[nodiscard]] double influence(std::size_t f) const {
    const auto& M = *this;
    return influence_of(M(f, 0), M(f, 1), M(f, f), M(0, 0), M(1, 1));
  }
  /// The squared correlation of x and y.
  [[nodiscard]] double r2() const {
    const auto& M = *this;
    return M(0, 1) * M(0, 1) / (M(0, 0) * M(1, 1));
  }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

/// All sets S that contain certain nodes and exclude certain others.
struct Part {
  Block covariance;  ///< given the nodes that every S contains
  Block precision;   ///< given everything that S may contain
  std::vector<std::size_t> undecided;
  double least_r2 = 0.0;  ///< a lower bound on r² for every S

  /// What S takes from the covariance of x and y is a product of two projections. With the
  /// projections a and b on everything S may contain, it lies between (a·b - |a||b|) / 2 and (a·b +
  /// |a||b|) / 2 for every S.
  void find_least_r2() {
    least_r2 = 0.0;
    const double xx = covariance(0, 0);
    const double yy = covariance(1, 1);
    const double xy = covariance(0, 1);
    const double det = precision(0, 0) * precision(1, 1) - precision(0, 1) * precision(0, 1);
    if (!(det > 0.0)) return;  // rounding: no bound is known
    const double aa = std::max(0.0, xx - precision(1, 1) / det);
    const double bb = std::max(0.0, yy - precision(0, 0) / det);
    const double ab = xy + precision(0, 1) / det;
    const double middle = std::abs(xy - 0.5 * ab);
    const double nearest = middle - 0.5 * std::sqrt(aa * bb) - rounding * std::sqrt(xx * yy);
    least_r2 = nearest > 0.0 ? nearest * nearest / (xx * yy) : 0.0;
  }
  /// The smaller r² of two of the S: the smallest and the largest.
  [[nodiscard]] double some_r2() const { return std::min(covariance.r2(), precision.r2()); }

  /// The most influential undecided node, or the end.
  [[nodiscard]] std::vector<std::size_t>::const_iterator most_influential() const {
    const auto influence = [&](std::size_t f) {
      return covariance.influence(f) + precision.influence(f);
    };
    auto best = undecided.end();
    double most = 0.0;
    for (auto f = undecided.begin(); f != undecided.end(); ++f) {
      if (influence(*f) <= most || covariance(*f, *f) <= GaussianBic::zero_variance) continue;
      most = influence(*f);
      best = f;
    }
    return best;
  }
};

struct IsMoreDependent {
  bool operator()(const Part& a, const Part& b) const { return a.least_r2 > b.least_r2; }
};

/// x, y and the most influential other nodes, which are decided one by one.
std::vector<std::size_t> chosen_nodes(const double* covariance, const double* precision,
                                      std::size_t d, std::size_t x, std::size_t y) {
  const auto influence = [&](const double* M, std::size_t f) {
    return influence_of(M[x * d + f], M[y * d + f], M[f * d + f], M[x * d + x], M[y * d + y]);
  };
  std::vector<std::pair<double, std::size_t>> others;
  for (std::size_t f = 0; f < d; ++f)
    if (f != x && f != y)
      others.emplace_back(-influence(covariance, f) - influence(precision, f), f);
  const std::size_t kept = std::min(most_decided, others.size());
  std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(kept),
                    others.end());
  std::vector<std::size_t> chosen{x, y};
  for (std::size_t i = 0; i < kept; ++i) chosen.push_back(others[i].second);
  return chosen;
}

Part all_sets(const Correlations& given, std::size_t x, std::size_t y) {
  const double* covariance = given.matrix.data();
  const double* precision = given.precision.data();
  const auto nodes = chosen_nodes(covariance, precision, given.size, x, y);
  Part all{Block(covariance, given.size, nodes), Block(precision, given.size, nodes), {}};
  for (std::size_t f = 2; f < nodes.size(); ++f) all.undecided.push_back(f);
  all.find_least_r2();
  return all;
}

}  // namespace

/// Branch and bound: the part with the lowest bound is split in two, by whether S contains a node,
/// until that bound is high enough, or attained, or no longer worth the work.
double least_dependence(const Correlations& correlations, double n, std::size_t x, std::size_t y,
                        double enough) {
  const auto dependence = [&](double r2) {
    return r2 < 1.0 ? std::min(enough, -0.5 * n * std::log1p(-r2)) : enough;
  };
  std::priority_queue<Part, std::vector<Part>, IsMoreDependent> parts;
  parts.push(all_sets(correlations, x, y));
  double attained = parts.top().some_r2();
  for (std::size_t count = 1; count < most_parts; count += 2) {
    const double least = parts.top().least_r2;
    if (dependence(least) >= enough || least >= attained * (1.0 - 1e-6)) break;
    if (dependence(attained) < 0.02 * enough) return 0.0;
    Part with = parts.top();
    const auto place = with.most_influential();
    if (place == with.undecided.end()) break;
    const std::size_t f = *place;
    with.undecided.erase(place);
    parts.pop();
    Part without = with;
    with.covariance.eliminate(f);
    without.precision.eliminate(f);
    for (Part* part : {&with, &without}) {
      part->find_least_r2();
      attained = std::min(attained, part->some_r2());
      parts.push(std::move(*part));
    }
  }
  return dependence(parts.top().least_r2);
}

}  // namespace greedag
