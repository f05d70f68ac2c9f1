#pragma once

#include <optional>
#include <vector>

#include "core/gain_cache/gain_cache.hpp"
#include "core/graph/completion.hpp"
#include "core/operators/candidate_list.hpp"
#include "core/operators/operators.hpp"
#include "core/util/observer.hpp"

namespace greedag {

struct EnumerateOptions {
  /// Where there are more sets S than this, a polynomial family replaces the full enumeration; 0
  /// for no limit.
  std::size_t clique_cap = 64;
  /// fGES: one insert per pair, the best over all T, whether or not (Ne(y) ∩ Ad(x)) ∪ T is a
  /// clique.
  bool one_insert_per_pair = false;
  /// Keep every operator, whatever its gain.
  bool keep_losses = false;
  /// Leave out deletes of required edges, and inserts of forbidden arcs. If the class that one
  /// leads to has members without the arc, it has the edge undirected, and the insert from the
  /// other end leads there, too.
  const Knowledge* knowledge = nullptr;
};

/// Finds the operators that meet all conditions except those on paths, with their gains.
///
/// Inserts on one y are found for all x together: the sets (Ne(y) ∩ Ad(x)) ∪ T are cliques of
/// Ne(y), enumerated once while a Sweep scores every x. Deletes on one y are found together, too.
/// Reversals, and inserts where there are too many cliques, are found pair by pair.
class Enumerator {
 public:
  Enumerator(const Pdag& graph, const Score& score, const EnumerateOptions& options,
             Observer& observer);

  /// Appends to `out` the operators of a kind on y that gain.
  void find(Kind kind, Node y, CandidateList& out);
  /// Appends to `out` those with one x.
  void find(Kind kind, Node x, Node y, CandidateList& out);
  /// Appends every delete on y, whatever its gain.
  void find_all_deletes(Node y, CandidateList& out) {
    cliques_only_ = true;
    find_deletes(y, out, false);
  }
  /// Must be called when the graph has changed.
  void forget_member() { member_.reset(); }

  /// The counters since the last call.
  [[nodiscard]] Counters take_counters();
  /// Adds the counters of another enumerator.
  void add_counters(const Counters& counters) { counters_.add(counters); }
  [[nodiscard]] GainCache& gain_cache() { return gains_; }
  /// How often, since `take_counters`, not all sets were enumerated. The candidates then depend on
  /// the whole graph.
  [[nodiscard]] std::size_t capped_families() const { return counters_.capped_families; }
  /// Rebinds to another graph of the same size.
  void use(const Pdag& graph, Observer& observer) {
    graph_ = &graph;
    observer_ = &observer;
    gains_.watch(&observer);
  }

 private:
  struct BestInsert {
    double gain = GainEvaluator::refused;
    NodeSet S;
    NodeSet E;
  };

  void find_inserts_by_sweep(Node y, CandidateList& out);
  void sweep_cliques(Node y, std::size_t depth, CandidateList& out);
  bool collect_inserts(Node y, CandidateList& out);
  void mark_adjacent(Node u, std::int32_t step, std::vector<std::int32_t>& counts) const;

  void find_inserts(Node x, Node y, CandidateList& out);
  void find_reverses(Node y, CandidateList& out);
  void find_reverses(Node x, Node y, CandidateList& out);
  void add_reverse(Node x, Node y, const NodeSet& S, const NodeSet& E, double gain_of_removal,
                   CandidateList& out);
  void find_deletes(Node y, CandidateList& out, bool gains_only);
  void find_deletes(Node x, Node y, CandidateList& out);
  [[nodiscard]] bool can_delete(Node x, const NodeSet& Q) const;
  [[nodiscard]] bool is_required(Node x, Node y) const {
    return options_.knowledge != nullptr &&
           (options_.knowledge->is_required(x, y) || options_.knowledge->is_required(y, x));
  }
  void add_delete(Node x, double gain, const NodeSet& Q, CandidateList& out) const;

  /// Fills family_ with the sets S that an operator on y may use: the cliques with base ⊆ S ⊆ base
  /// ∪ pool.
  void collect_family(Node y, const NodeSet& base, const std::vector<Node>& pool);
  [[nodiscard]] bool can_join(Node u, const NodeSet& S) const;
  bool collect_all(const std::vector<Node>& pool);
  void collect_capped(Node y, const NodeSet& base, const std::vector<Node>& pool);
  void collect_small(const std::vector<Node>& pool, std::size_t most);
  void collect_fewer(const NodeSet& chain, const NodeSet& base);
  [[nodiscard]] const Pdag& member();

  [[nodiscard]] bool has_many_cliques(Node y);
  [[nodiscard]] std::size_t cliques_up_to_cap(const std::vector<Node>& pool, std::size_t from,
                                              NodeSet& S) const;
  [[nodiscard]] bool is_gain(double gain) const { return options_.keep_losses || gain > min_gain_; }
  void add(CandidateList& out, Node x, double gain, const NodeSet& S, const NodeSet& E,
           const NodeSet& F) const;
  void keep_best_insert(Node x, double gain, const NodeSet& S);
  void add_best(Node x, CandidateList& out);

  const Pdag* graph_;
  EnumerateOptions options_;
  Observer* observer_;
  double min_gain_;
  bool cliques_only_ = true;  ///< false only for the inserts of fGES
  GainCache gains_;
  NodeSet S_;
  NodeSet E_;
  std::vector<std::vector<Node>> pools_;  ///< by depth: nodes that may still be added to S
  std::vector<Node> pool_;
  std::vector<std::int32_t> needed_;   ///< |Ne(y) ∩ Ad(x)|, below 0 where x cannot be inserted
  std::vector<std::int32_t> present_;  ///< |S ∩ Ad(x)|
  std::vector<double> removal_gains_;  ///< by index of x in Ch(y)
  std::vector<NodeSet> family_;
  std::vector<std::size_t> first_;   ///< first node of the pool that may extend a set of family_
  std::optional<Pdag> member_;       ///< a DAG of the class, computed on demand
  std::vector<BestInsert> best_of_;  ///< by x, for fGES only
  Counters counters_;
};

}  // namespace greedag
