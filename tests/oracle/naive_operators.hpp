// Insert, Delete and Reverse: conditions I1-I5, D1-D4, R1-R6, and what applying one does.

#pragma once

#include "naive_graph.hpp"

#include <functional>

namespace naive {

enum Kind { Delete, Reverse, Insert };  // in the order in which equal gains are taken

/// T is the paper's T of Insert and Reverse and its C of Delete; F is for Reverse alone.
struct Operator {
    Kind kind;
    int x, y;
    NodeSet T, E, F;
    double gain = 0.0;
};

inline bool is_better(const Operator& a, const Operator& b) {
    if (a.gain != b.gain) return a.gain > b.gain;
    if (a.kind != b.kind) return a.kind < b.kind;
    if (a.y != b.y) return a.y < b.y;
    if (a.x != b.x) return a.x < b.x;
    return a.E.nodes() < b.E.nodes();
}

using Visit = std::function<void(const Operator&)>;
using VisitSet = std::function<void(NodeSet)>;

/// Every clique that holds `clique` and otherwise only nodes of `pool`.
inline void for_each_clique(const Pdag& g, NodeSet clique, NodeSet pool, const VisitSet& visit) {
    visit(clique);
    for (int v : pool.nodes()) {
        pool = pool - only(v);
        if (is_subset(clique, g.adjacent(v))) for_each_clique(g, clique | only(v), pool, visit);
    }
}

inline void for_each_subset(NodeSet set, NodeSet pool, const VisitSet& visit) {
    visit(set);
    for (int v : pool.nodes()) {
        pool = pool - only(v);
        for_each_subset(set | only(v), pool, visit);
    }
}

/// Ne(y) ∩ Ad(x), which a new edge x -> y must find among the parents of y.
inline NodeSet shared(const Pdag& g, int x, int y) { return g.neighbors(y) & g.adjacent(x); }

/// Insert and Reverse alike: T within Ne(y) \ Ad(x) such that (Ne(y) ∩ Ad(x)) ∪ T is a clique.
inline void for_each_T(const Pdag& g, int x, int y, const VisitSet& visit) {
    NodeSet base = shared(g, x, y), pool = g.neighbors(y) - g.adjacent(x);
    if (is_clique(g, base))
        for_each_clique(g, base, pool, [&](NodeSet clique) { visit(clique - base); });
}

inline bool satisfies_I4(const Pdag& g, const Operator& o) {
    return paths_blocked(g, o.y, o.x, shared(g, o.x, o.y) | o.T);
}

inline bool satisfies_R4(const Pdag& g, const Operator& o) {
    return paths_blocked(g, o.y, o.x, shared(g, o.x, o.y) | o.T | g.neighbors(o.x));
}

inline bool satisfies_path_condition(const Pdag& g, const Operator& o) {
    return o.kind == Delete || (o.kind == Insert ? satisfies_I4(g, o) : satisfies_R4(g, o));
}

inline bool is_valid_delete(const Pdag& g, const Operator& o) {
    return g.to[o.x].contains(o.y)                                // D1
           && is_subset(o.T, shared(g, o.x, o.y))                 // D2
           && is_clique(g, o.T)                                   // D3
           && o.E == ((o.T | g.parents(o.y)) - only(o.x));        // D4
}

inline void for_each_insert_of_pair(const Pdag& g, int x, int y, const Visit& visit) {
    for_each_T(g, x, y, [&](NodeSet T) {
        visit({Insert, x, y, T, shared(g, x, y) | T | g.parents(y), {}});
    });
}

inline void for_each_delete_of_pair(const Pdag& g, int x, int y, const Visit& visit) {
    for_each_clique(g, {}, shared(g, x, y), [&](NodeSet C) {
        visit({Delete, x, y, C, (C | g.parents(y)) - only(x), {}});
    });
}

inline void for_each_reverse_of_pair(const Pdag& g, int x, int y, const Visit& visit) {
    for_each_T(g, x, y, [&](NodeSet T) {
        visit({Reverse, x, y, T, shared(g, x, y) | T | g.parents(y), g.parents(x)});
    });
}

/// Every operator of a kind that meets all its conditions, those on paths (I4, R4) aside.
inline void for_each_operator(const Pdag& g, Kind kind, const Visit& visit) {
    for (int y = 0; y < g.d; ++y)
        for (int x = 0; x < g.d; ++x) {
            if (x == y) continue;
            if (kind == Insert && !g.adjacent(x).contains(y)) for_each_insert_of_pair(g, x, y, visit);
            if (kind == Delete && g.to[x].contains(y)) for_each_delete_of_pair(g, x, y, visit);
            if (kind == Reverse && g.parents(x).contains(y)) for_each_reverse_of_pair(g, x, y, visit);
        }
}

inline Pdag apply(const Pdag& g, const Operator& o) {
    Pdag p = g;
    if (o.kind == Delete) {
        p.disconnect(o.x, o.y);
        for (int h : (shared(g, o.x, o.y) - o.T).nodes()) {
            p.orient(o.y, h);
            if (g.neighbors(o.x).contains(h)) p.orient(o.x, h);
        }
    } else {
        p.orient(o.x, o.y);
        for (int t : o.T.nodes()) p.orient(t, o.y);
    }
    return complete(p);
}

}  // namespace naive
