// A naive twin of the six searches. Every step looks at every operator afresh; nothing is kept from
// one step to the next but the graph.

#include "naive_operators.hpp"
#include "naive_score.hpp"

#include <string_view>

namespace naive {

// ---------------------------------------------------------------- the searches

/// Far beyond any search that ends; rounding can make one accept the same detour for ever.
std::size_t longest_trace(int d) { return 100 * static_cast<std::size_t>(d); }

struct Search {
    const Score& score;
    Pdag graph;
    std::vector<Operator> trace{};
    std::vector<std::pair<int, int>> forbidden{};
    bool keep_forbidden = false;

    double gain(const Operator& o) const {
        if (o.kind == Insert) return score.insert_gain(o.x, o.y, o.E);
        if (o.kind == Delete) return score.delete_gain(o.x, o.y, o.E);
        return score.reverse_gain(o.x, o.y, o.E, o.F);
    }

    bool is_forbidden(const Operator& o) const {
        return o.kind != Delete && std::ranges::count(forbidden, std::pair{o.x, o.y}) > 0;
    }

    /// Paths are walked only for an operator that would win.
    void keep_better(std::optional<Operator>& best, const Operator& o) const {
        bool wins = o.gain > score.min_gain() && (!best || is_better(o, *best));
        if (wins && satisfies_path_condition(graph, o)) best = o;
    }

    std::optional<Operator> best(Kind kind) const {
        std::optional<Operator> found;
        for_each_operator(graph, kind, [&](Operator o) {
            if (is_forbidden(o)) return;
            o.gain = gain(o);
            keep_better(found, o);
        });
        return found;
    }

    void step(const Operator& o) {
        graph = apply(graph, o);
        trace.push_back(o);
        if (trace.size() > longest_trace(graph.d)) throw std::runtime_error("the search goes in circles");
    }

    bool step_best(Kind kind) {
        std::optional<Operator> o = best(kind);
        if (o) step(*o);
        return o.has_value();
    }

    void xges0() {
        while (step_best(Delete) || step_best(Reverse) || step_best(Insert)) {}
    }

    void ges() {
        while (step_best(Insert)) {}
        while (step_best(Delete)) {}
    }

    void ges_r() {
        for (std::size_t before = trace.size() + 1; before != trace.size();) {
            before = trace.size();
            ges();
            while (step_best(Reverse)) {}
        }
    }

    void ops() {
        while (true) {
            std::optional<Operator> winner;
            for (Kind kind : {Delete, Reverse, Insert})
                if (auto o = best(kind); o && (!winner || is_better(*o, *winner))) winner = o;
            if (!winner) return;
            step(*winner);
        }
    }

    /// The one Insert of (x, y) that fGES looks at: the best of all T, clique or not.
    Operator fges_insert(int x, int y) const {
        std::optional<Operator> found;
        NodeSet base = shared(graph, x, y), pool = graph.neighbors(y) - graph.adjacent(x);
        for_each_subset(base, pool, [&](NodeSet S) {
            Operator o{Insert, x, y, S - base, S | graph.parents(y), {}};
            o.gain = gain(o);
            if (!found || is_better(o, *found)) found = o;
        });
        return *found;
    }

    bool step_fges_insert() {
        std::optional<Operator> best;
        for (int y = 0; y < graph.d; ++y)
            for (int x = 0; x < graph.d; ++x) {
                if (x == y || graph.adjacent(x).contains(y)) continue;
                Operator o = fges_insert(x, y);
                if (is_clique(graph, shared(graph, x, y) | o.T)) keep_better(best, o);
            }
        if (best) step(*best);
        return best.has_value();
    }

    void fges() {
        while (step_fges_insert()) {}
        while (step_best(Delete)) {}
    }

    std::vector<Operator> deletes_best_first() const {
        std::vector<Operator> deletes;
        for_each_operator(graph, Delete, [&](Operator o) {
            o.gain = gain(o);
            deletes.push_back(o);
        });
        std::ranges::sort(deletes, is_better);
        return deletes;
    }

    /// Delete, forbid the reinsertion, search on; kept only if the whole detour gains.
    bool try_delete(const Operator& o) {
        Search trial{score, graph, {}, forbidden};
        trial.step(o);
        trial.forbidden.emplace_back(o.x, o.y);
        trial.xges0();
        // Gains that cancel exactly need not cancel in floating point.
        if (trial.graph == graph) return false;
        double total = 0.0;
        for (const Operator& applied : trial.trace) total += applied.gain;
        if (!(total > score.min_gain())) return false;
        graph = trial.graph;
        trace.insert(trace.end(), trial.trace.begin(), trial.trace.end());
        if (keep_forbidden) forbidden = trial.forbidden;
        else xges0();
        return true;
    }

    void xges() {
        xges0();
        for (bool accepted = true; accepted;) {
            accepted = false;
            for (const Operator& o : deletes_best_first())
                if (is_valid_delete(graph, o) && try_delete(o)) accepted = true;
        }
    }

    void run(std::string_view name) {
        if (name == "xges0") xges0();
        else if (name == "xges") xges();
        else if (name == "ges") ges();
        else if (name == "ges-r") ges_r();
        else if (name == "ops") ops();
        else if (name == "fges") fges();
        else throw std::invalid_argument("unknown search");
    }
};

// ---------------------------------------------------------------- matrices in and out

Pdag from_matrix(const std::uint8_t* matrix, int d) {
    Pdag g(d);
    for (int a = 0; a < d; ++a)
        for (int b = 0; b < d; ++b)
            if (matrix[a * d + b]) g.add(a, b);
    return g;
}

void to_matrix(const Pdag& g, std::uint8_t* matrix) {
    for (int a = 0; a < g.d; ++a)
        for (int b = 0; b < g.d; ++b) matrix[a * g.d + b] = g.to[a].contains(b);
}

NodeSet from_words(const std::uint64_t* words) { return {{words[0], words[1]}}; }

}  // namespace naive

// ---------------------------------------------------------------- C interface; sets are two words

using namespace naive;

extern "C" {

using Emit = void (*)(int kind, int x, int y, const std::uint64_t* T, const std::uint64_t* E,
                      const std::uint64_t* F, double gain);

static void emit_one(Emit emit, const Operator& o) {
    emit(o.kind, o.x, o.y, o.T.words.data(), o.E.words.data(), o.F.words.data(), o.gain);
}

static int run_search(const Score& score, const char* search, int keep_forbidden,
                      std::uint8_t* adjacency, double* total, Emit emit) {
    try {
        Search state{score, Pdag(score.d)};
        state.keep_forbidden = keep_forbidden != 0;
        state.run(search);
        to_matrix(state.graph, adjacency);
        *total = score.total(state.graph);
        for (const Operator& o : state.trace) emit_one(emit, o);
        return 0;
    } catch (const std::exception&) {
        return 1;
    }
}

/// Runs a search; returns 0, or 1 where the search fails.
int naive_search(const double* correlation, const double* variances, int d, double n, double alpha,
                 const char* search, int keep_forbidden, std::uint8_t* adjacency, double* total,
                 Emit emit) {
    Score score{correlation, variances, d, n, alpha};
    return run_search(score, search, keep_forbidden, adjacency, total, emit);
}

/// The same by a local score, and by gains that need not be its differences, if they are given.
int naive_search_by(Local local, Gain gain, int d, double n, const char* search,
                    std::uint8_t* adjacency, double* total, Emit emit) {
    Score score{nullptr, nullptr, d, n, 0.0, local, gain};
    return run_search(score, search, 0, adjacency, total, emit);
}

/// Emits every valid operator of a kind.
void naive_operators(const std::uint8_t* adjacency, int d, int kind, Emit emit) {
    Pdag g = from_matrix(adjacency, d);
    for_each_operator(g, static_cast<Kind>(kind), [&](const Operator& o) {
        if (satisfies_path_condition(g, o)) emit_one(emit, o);
    });
}

/// Applies a valid operator in place; returns 0, or 1 where the outcome has no member DAG.
int naive_apply(std::uint8_t* adjacency, int d, int kind, int x, int y, const std::uint64_t* T) {
    try {
        Operator o{static_cast<Kind>(kind), x, y, from_words(T), {}, {}};
        to_matrix(apply(from_matrix(adjacency, d), o), adjacency);
        return 0;
    } catch (const std::exception&) {
        return 1;
    }
}
}
