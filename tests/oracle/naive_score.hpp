// The gains of operators, by the Gaussian BIC from correlations alone, or by a local score or gains
// given as functions.

#pragma once

#include "naive_graph.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

namespace naive {

struct Question {
    int a, b;
    NodeSet E;
    bool operator==(const Question&) const = default;
};

struct QuestionHash {
    std::size_t operator()(const Question& q) const {
        std::uint64_t mixed = std::uint64_t(q.a * 128 + q.b);
        for (std::uint64_t word : q.E.words) {
            mixed = (mixed ^ word) * 0x9E3779B97F4A7C15u;
            mixed ^= mixed >> 29;
        }
        return mixed;
    }
};

using Local = double (*)(int y, const std::uint64_t* parents);
using Gain = double (*)(int x, int y, const std::uint64_t* E);

struct Score {
    const double* correlation;
    const double* variances;
    int d;
    double n, alpha;
    Local given = nullptr;  // in place of the Gaussian BIC
    Gain given_gain = nullptr;  // where gains are no differences of local scores
    mutable std::unordered_map<Question, std::optional<double>, QuestionHash> seen{};

    static constexpr double singular_below = 1e-12;

    double r(int a, int b) const { return correlation[a * d + b]; }
    double penalty() const { return 0.5 * alpha * std::log(n); }
    double min_gain() const { return std::max(1e-7, 1e-13 * n); }

    /// Rows of the Cholesky factor of the correlations of E, and the inverse of its diagonal.
    struct Factor {
        std::vector<int> nodes;
        std::vector<std::vector<double>> rows;
        std::vector<double> inverse;
    };

    std::optional<Factor> factor(NodeSet E) const {
        Factor f{E.nodes(), {}, {}};
        for (int e : f.nodes) {
            std::vector<double> row = solved(f, e);
            double rest = residual(row);
            if (rest <= singular_below) return std::nullopt;
            f.rows.push_back(row);
            f.inverse.push_back(1.0 / std::sqrt(rest));
        }
        return f;
    }

    /// L^-1 R[E, u], for as many rows as f has.
    std::vector<double> solved(const Factor& f, int u) const {
        std::vector<double> l;
        for (std::size_t j = 0; j < f.rows.size(); ++j) {
            double rest = r(u, f.nodes[j]);
            for (std::size_t m = 0; m < j; ++m) rest -= l[m] * f.rows[j][m];
            l.push_back(rest * f.inverse[j]);
        }
        return l;
    }

    static double residual(const std::vector<double>& l) {
        double rest = 1.0;
        for (double value : l) rest -= value * value;
        return rest;
    }

    /// Squared partial correlation of a and b given E; nothing where a regression would be singular.
    std::optional<double> partial(int a, int b, NodeSet E) const {
        if (a > b) std::swap(a, b);
        std::optional<Factor> f = factor(E);
        if (!f) return std::nullopt;
        std::vector<double> l_a = solved(*f, a), l_b = solved(*f, b);
        double v_a = residual(l_a), v_b = residual(l_b);
        if (v_a <= singular_below || v_b <= singular_below) return std::nullopt;
        double c = r(a, b);
        for (std::size_t m = 0; m < l_a.size(); ++m) c -= l_a[m] * l_b[m];
        double r2 = (c * c) / (v_a * v_b), rest = 1 - r2;
        if (rest <= singular_below || v_a * rest <= singular_below || v_b * rest <= singular_below)
            return std::nullopt;
        return r2;
    }

    /// What the edge x -> y is worth beside E; remembered, since a search asks again and again.
    std::optional<double> edge_gain(int x, int y, NodeSet E) const {
        auto [place, is_unseen] = seen.try_emplace(Question{std::min(x, y), std::max(x, y), E});
        if (is_unseen && given_gain) {
            place->second = given_gain(x, y, E.words.data());
        } else if (is_unseen && given) {
            auto [a, b] = std::minmax(x, y);
            place->second = local(b, E | only(a)) - local(b, E);
        } else if (is_unseen)
            if (std::optional<double> r2 = partial(x, y, E))
                place->second = -0.5 * n * std::log1p(-*r2) - penalty();
        return place->second;
    }

    double insert_gain(int x, int y, NodeSet E) const {
        return edge_gain(x, y, E).value_or(-std::numeric_limits<double>::infinity());
    }

    double delete_gain(int x, int y, NodeSet E) const {
        return -edge_gain(x, y, E).value_or(std::numeric_limits<double>::infinity());
    }

    double reverse_gain(int x, int y, NodeSet E, NodeSet F) const {
        return insert_gain(x, y, E) + delete_gain(y, x, F - only(y));
    }

    double local(int y, NodeSet parents) const {
        if (given) return given(y, parents.words.data());
        std::optional<Factor> f = factor(parents);
        if (!f) throw std::invalid_argument("singular parent set");
        double variance = variances[y] * residual(solved(*f, y));
        return -0.5 * n * (1.0 + std::log(variance)) - penalty() * (double(f->nodes.size()) + 1.0);
    }

    double total(const Pdag& g) const {
        Pdag dag = consistent_extension(g);
        double sum = 0.0;
        for (int y = 0; y < d; ++y) sum += local(y, dag.parents(y));
        return sum;
    }
};

}  // namespace naive
