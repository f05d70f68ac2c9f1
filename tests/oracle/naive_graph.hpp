// Sets of nodes, graphs, and completion from scratch, for the naive twin of the searches.
// One small function for each symbol of the paper: parents Pa, children Ch, neighbors Ne, adjacent Ad.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace naive {

// ---------------------------------------------------------------- sets of up to 128 nodes

struct NodeSet {
    std::array<std::uint64_t, 2> words{};

    bool contains(int v) const { return words[v / 64] >> (v % 64) & 1; }
    bool empty() const { return (words[0] | words[1]) == 0; }
    bool operator==(const NodeSet&) const = default;

    std::vector<int> nodes() const {
        std::vector<int> listed;
        for (int half : {0, 1})
            for (std::uint64_t rest = words[half]; rest != 0; rest &= rest - 1)
                listed.push_back(64 * half + std::countr_zero(rest));
        return listed;
    }
};

inline NodeSet operator|(NodeSet a, NodeSet b) { return {a.words[0] | b.words[0], a.words[1] | b.words[1]}; }
inline NodeSet operator&(NodeSet a, NodeSet b) { return {a.words[0] & b.words[0], a.words[1] & b.words[1]}; }
inline NodeSet operator-(NodeSet a, NodeSet b) { return {a.words[0] & ~b.words[0], a.words[1] & ~b.words[1]}; }

inline NodeSet only(int v) {
    NodeSet set;
    set.words[v / 64] = std::uint64_t{1} << (v % 64);
    return set;
}

inline bool is_subset(NodeSet a, NodeSet b) { return (a - b).empty(); }

// ---------------------------------------------------------------- graphs

/// `to[i]` is row i of the adjacency matrix, `from[j]` its column j; i - j is in both directions.
struct Pdag {
    int d = 0;
    std::vector<NodeSet> to, from;

    explicit Pdag(int nodes) : d(nodes), to(nodes), from(nodes) {}
    bool operator==(const Pdag&) const = default;

    NodeSet parents(int v) const { return from[v] - to[v]; }
    NodeSet children(int v) const { return to[v] - from[v]; }
    NodeSet neighbors(int v) const { return to[v] & from[v]; }
    NodeSet adjacent(int v) const { return to[v] | from[v]; }

    void add(int a, int b) {
        to[a] = to[a] | only(b);
        from[b] = from[b] | only(a);
    }
    void remove(int a, int b) {
        to[a] = to[a] - only(b);
        from[b] = from[b] - only(a);
    }
    void orient(int a, int b) {
        add(a, b);
        remove(b, a);
    }
    void disconnect(int a, int b) {
        remove(a, b);
        remove(b, a);
    }
};

inline bool is_clique(const Pdag& g, NodeSet set) {
    return std::ranges::all_of(set.nodes(),
                               [&](int v) { return is_subset(set - only(v), g.adjacent(v)); });
}

/// Does every semi-directed path from y to x, the edge y -> x itself aside, meet `blockers`?
inline bool paths_blocked(const Pdag& g, int y, int x, NodeSet blockers) {
    NodeSet seen = blockers | only(y);
    std::vector<int> waiting{y};
    while (!waiting.empty()) {
        int v = waiting.back();
        waiting.pop_back();
        NodeSet next = g.to[v] - seen;
        if (v == y) next = next - only(x);
        if (next.contains(x)) return false;
        seen = seen | next;
        for (int u : next.nodes()) waiting.push_back(u);
    }
    return true;
}

// ---------------------------------------------------------------- completion, from scratch

inline bool is_removable_sink(const Pdag& g, int v) {
    return g.children(v).empty() && std::ranges::all_of(g.neighbors(v).nodes(), [&](int u) {
               return is_subset(g.adjacent(v) - only(u), g.adjacent(u));
           });
}

/// A DAG with the skeleton and the v-structures of g (Dor and Tarsi): take sinks away one by one.
inline Pdag consistent_extension(const Pdag& g) {
    Pdag dag = g, left = g;
    std::vector<int> remaining(g.d);
    for (int v = 0; v < g.d; ++v) remaining[v] = v;
    while (!remaining.empty()) {
        auto sink = std::ranges::find_if(remaining, [&](int v) { return is_removable_sink(left, v); });
        if (sink == remaining.end()) throw std::invalid_argument("no consistent extension");
        for (int u : left.neighbors(*sink).nodes()) dag.orient(u, *sink);
        for (int u : left.adjacent(*sink).nodes()) left.disconnect(u, *sink);
        remaining.erase(sink);
    }
    return dag;
}

/// The skeleton of a DAG with only the edges of its v-structures directed.
inline Pdag pattern(const Pdag& dag) {
    Pdag g = dag;
    for (int v = 0; v < dag.d; ++v)
        for (int a : dag.parents(v).nodes()) {
            bool in_v_structure = !(dag.parents(v) - only(a) - dag.adjacent(a)).empty();
            if (!in_v_structure) g.add(v, a);
        }
    return g;
}

inline bool meek_directs(const Pdag& g, int a, int b) {
    bool rule1 = !(g.parents(a) - g.adjacent(b)).empty();
    bool rule2 = !(g.children(a) & g.parents(b)).empty();
    NodeSet between = g.neighbors(a) & g.parents(b);
    bool rule3 = !is_clique(g, between);
    return rule1 || rule2 || rule3;
}

inline Pdag complete(const Pdag& g) {
    Pdag p = pattern(consistent_extension(g));
    for (bool changed = true; changed;) {
        changed = false;
        for (int a = 0; a < p.d; ++a)
            for (int b : p.neighbors(a).nodes())
                if (meek_directs(p, a, b)) {
                    p.orient(a, b);
                    changed = true;
                }
    }
    return p;
}

}  // namespace naive
