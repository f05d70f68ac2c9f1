#include "core/operators/enumerate.hpp"

#include <limits>
#include <utility>

namespace greedag {
namespace {

constexpr std::size_t at(Node node) { return static_cast<std::size_t>(node); }

void assign_union(NodeSet& out, const NodeSet& first, const NodeSet& second) {
  out = first;
  for (Node node : second) out.insert(node);
}

}  // namespace

Enumerator::Enumerator(const Pdag& graph, const Score& score, const EnumerateOptions& options,
                       Observer& observer)
    : graph_(&graph),
      options_(options),
      observer_(&observer),
      min_gain_(score.min_gain()),
      gains_(score, options.keep_losses, options.knowledge),
      needed_(at(graph.size())),
      present_(at(graph.size())),
      best_of_(options.one_insert_per_pair ? at(graph.size()) : 0) {
  gains_.watch(&observer);
}

Counters Enumerator::take_counters() {
  counters_.add(gains_.take_counters());
  return std::exchange(counters_, {});
}

void Enumerator::find(Kind kind, Node y, CandidateList& out) {
  cliques_only_ = !options_.one_insert_per_pair || kind != Kind::Insert;
  if (kind == Kind::Insert) {
    if (!has_many_cliques(y)) return find_inserts_by_sweep(y, out);
    for (Node x = 0; x < graph_->size() && !observer_->should_stop(); ++x)
      if (x != y && !graph_->are_adjacent(x, y)) find_inserts(x, y, out);
  } else if (kind == Kind::Reverse) {
    find_reverses(y, out);
  } else {
    find_deletes(y, out, !options_.keep_losses);
  }
}

void Enumerator::find(Kind kind, Node x, Node y, CandidateList& out) {
  cliques_only_ = !options_.one_insert_per_pair || kind != Kind::Insert;
  if (kind == Kind::Insert) {
    if (!graph_->are_adjacent(x, y)) find_inserts(x, y, out);
  } else if (kind == Kind::Delete) {
    if (graph_->can_step(x, y)) find_deletes(x, y, out);
  } else if (graph_->is_parent(y, x)) {
    find_reverses(x, y, out);
  }
}

void Enumerator::add(CandidateList& out, Node x, double gain, const NodeSet& S, const NodeSet& E,
                     const NodeSet& F) const {
  out.add_context(S, E, F);
  out.add(x, gain);
}

// ---- all x at once

void Enumerator::mark_adjacent(Node u, std::int32_t step, std::vector<std::int32_t>& counts) const {
  for (Node z : graph_->adjacent(u)) counts[at(z)] += step;
}

void Enumerator::find_inserts_by_sweep(Node y, CandidateList& out) {
  ++counters_.sweeps;
  for (Node u : graph_->neighbors(y)) mark_adjacent(u, 1, needed_);
  const auto shift = static_cast<std::int32_t>(graph_->size()) + 1;
  needed_[at(y)] -= shift;
  for (Node z : graph_->adjacent(y)) needed_[at(z)] -= shift;

  if (pools_.empty()) pools_.emplace_back();
  pools_[0].assign(graph_->neighbors(y).begin(), graph_->neighbors(y).end());
  S_.clear();
  E_ = graph_->parents(y);
  sweep_cliques(y, 0, out);

  needed_[at(y)] += shift;
  for (Node z : graph_->adjacent(y)) needed_[at(z)] += shift;
  for (Node u : graph_->neighbors(y)) mark_adjacent(u, -1, needed_);
  if (options_.one_insert_per_pair)
    for (Node x = 0; x < graph_->size(); ++x) add_best(x, out);
}

void Enumerator::sweep_cliques(Node y, std::size_t depth, CandidateList& out) {
  if (!collect_inserts(y, out)) return;  // no superset can be scored
  if (pools_.size() == depth + 1) pools_.emplace_back();
  for (std::size_t i = 0; i < pools_[depth].size() && !observer_->should_stop(); ++i) {
    const Node u = pools_[depth][i];
    S_.insert(u);
    E_.insert(u);
    mark_adjacent(u, 1, present_);
    pools_[depth + 1].clear();
    for (std::size_t j = i + 1; j < pools_[depth].size(); ++j)
      if (!cliques_only_ || graph_->are_adjacent(u, pools_[depth][j]))
        pools_[depth + 1].push_back(pools_[depth][j]);
    sweep_cliques(y, depth + 1, out);
    mark_adjacent(u, -1, present_);
    E_.erase(u);
    S_.erase(u);
  }
}

/// Collects the inserts for the current S and E; false if E contains a linear combination, so that
/// nothing can be scored.
bool Enumerator::collect_inserts(Node y, CandidateList& out) {
  const auto gains = gains_.inserts(y, E_);
  if (!gains) return false;
  bool recorded = false;
  for (GainCache::Gain& found : *gains) {
    const Node x = found.x;
    if (present_[at(x)] != needed_[at(x)]) continue;  // adjacent, or Ne(y) ∩ Ad(x) not in S
    const double gain = gains_.of(found);
    if (!is_gain(gain)) continue;
    if (options_.one_insert_per_pair) {
      keep_best_insert(x, gain, S_);
      continue;
    }
    if (!recorded) out.add_context(S_, E_, {});
    recorded = true;
    out.add(x, gain);
  }
  return true;
}

/// For fGES: keeps the best insert of each x, by gain, then by the smaller E.
void Enumerator::keep_best_insert(Node x, double gain, const NodeSet& S) {
  BestInsert& best = best_of_[at(x)];
  if (gain > best.gain || (gain == best.gain && E_ < best.E)) best = {gain, S, E_};
}

void Enumerator::add_best(Node x, CandidateList& out) {
  BestInsert& best = best_of_[at(x)];
  if (is_gain(best.gain)) {
    const bool shared = !out.contexts.empty() && out.contexts.back().E == best.E;
    if (shared)
      out.add(x, best.gain);
    else
      add(out, x, best.gain, best.S, best.E, {});
  }
  best.gain = GainEvaluator::refused;
}

// ---- pair by pair

void Enumerator::find_inserts(Node x, Node y, CandidateList& out) {
  if (options_.knowledge != nullptr && !options_.knowledge->allows(x, y)) return;
  const NodeSet base = neighbors_y_adjacent_x(*graph_, y, x);
  if (cliques_only_ && !is_clique(*graph_, base)) return;
  pool_.clear();
  for (Node t : graph_->neighbors(y))
    if (!graph_->are_adjacent(t, x) && can_join(t, base)) pool_.push_back(t);
  collect_family(y, base, pool_);
  for (const NodeSet& S : family_) {
    if (observer_->should_stop()) return;
    assign_union(E_, graph_->parents(y), S);
    gains_.condition(y, E_);
    const double gain = gains_.of_insert(x);
    if (options_.one_insert_per_pair)
      keep_best_insert(x, gain, S);
    else if (is_gain(gain))
      add(out, x, gain, S, E_, {});
  }
  if (options_.one_insert_per_pair) add_best(x, out);
}

/// For all x, conditioning on each set S once.
void Enumerator::find_reverses(Node y, CandidateList& out) {
  const NodeSet& sources = graph_->children(y);
  if (has_many_cliques(y)) {
    for (Node x : sources) find_reverses(x, y, out);
    return;
  }
  removal_gains_.clear();
  for (Node x : sources) removal_gains_.push_back(gains_.of_removal(y, x, graph_->parents(x)));
  pool_.assign(graph_->neighbors(y).begin(), graph_->neighbors(y).end());
  collect_family(y, {}, pool_);
  for (const NodeSet& S : family_) {
    if (observer_->should_stop()) return;
    bool conditioned = false;
    for (std::uint32_t i = 0; i < sources.size(); ++i) {
      const Node x = sources[i];
      if (!contains_neighbors_y_adjacent_x(*graph_, S, y, x)) continue;
      if (!conditioned) {
        assign_union(E_, graph_->parents(y), S);
        gains_.condition(y, E_);
        conditioned = true;
      }
      const double gain = gains_.of_insert(x) + removal_gains_[i];
      if (is_gain(gain)) add(out, x, gain, S, E_, graph_->parents(x));
    }
  }
}

void Enumerator::find_reverses(Node x, Node y, CandidateList& out) {
  if (graph_->neighbors(y).empty()) {
    const double gain_of_removal = gains_.of_removal(y, x, graph_->parents(x));
    return add_reverse(x, y, {}, graph_->parents(y), gain_of_removal, out);
  }
  const NodeSet base = neighbors_y_adjacent_x(*graph_, y, x);
  if (!is_clique(*graph_, base)) return;
  const double gain_of_removal = gains_.of_removal(y, x, graph_->parents(x));
  pool_.clear();
  for (Node t : graph_->neighbors(y))
    if (!graph_->are_adjacent(t, x) && can_join(t, base)) pool_.push_back(t);
  collect_family(y, base, pool_);
  for (const NodeSet& S : family_) {
    if (observer_->should_stop()) return;
    assign_union(E_, graph_->parents(y), S);
    add_reverse(x, y, S, E_, gain_of_removal, out);
  }
}

/// Adds a reversal if it gains.
void Enumerator::add_reverse(Node x, Node y, const NodeSet& S, const NodeSet& E,
                             double gain_of_removal, CandidateList& out) {
  gains_.condition(y, E);
  const double gain = gains_.of_insert(x) + gain_of_removal;
  if (is_gain(gain)) add(out, x, gain, S, E, graph_->parents(x));
}

// ---- deletes, all x at once

/// Delete(x, y, C) scores y on Pa(y) ∪ C ∪ {x}. With Q = C ∪ {x} for a neighbor x, and Q = C for a
/// parent, every Q is a clique of Ne(y), and one factor gives the gains for all x in Pa(y) ∪ Q.
void Enumerator::find_deletes(Node y, CandidateList& out, bool gains_only) {
  pool_.assign(graph_->neighbors(y).begin(), graph_->neighbors(y).end());
  collect_family(y, {}, pool_);
  for (const NodeSet& Q : family_) {
    if (observer_->should_stop()) return;
    assign_union(E_, graph_->parents(y), Q);
    if (gains_only) {
      for (const auto& [x, gain] : gains_.removals(y, E_, min_gain_))
        if (can_delete(x, Q) && !is_required(x, y)) add_delete(x, gain, Q, out);
      continue;
    }
    for (Node x : E_) {
      if (!can_delete(x, Q) || is_required(x, y)) continue;
      const double gain = gains_.of_removal(x, y, E_);
      if (gain != GainEvaluator::refused) add_delete(x, gain, Q, out);
    }
  }
}

/// For one x, C is a subset of Ne(y) ∩ Ad(x): fewer sets than for all x, so the cap is reached
/// later.
void Enumerator::find_deletes(Node x, Node y, CandidateList& out) {
  if (is_required(x, y)) return;
  const NodeSet near = neighbors_y_adjacent_x(*graph_, y, x);
  pool_.assign(near.begin(), near.end());
  collect_family(y, {}, pool_);
  for (const NodeSet& C : family_) {
    if (observer_->should_stop()) return;
    assign_union(E_, graph_->parents(y), C);
    E_.insert(x);
    const double gain = gains_.of_removal(x, y, E_);
    if (!is_gain(gain)) continue;
    E_.erase(x);
    add(out, x, gain, C, E_, {});
  }
}

bool Enumerator::can_delete(Node x, const NodeSet& Q) const {
  return Q.contains(x) || graph_->adjacent(x).contains_all(Q);
}

/// Adds the delete of x from E_.
void Enumerator::add_delete(Node x, double gain, const NodeSet& Q, CandidateList& out) const {
  NodeSet C = Q;
  NodeSet E = E_;
  C.erase(x);
  E.erase(x);
  add(out, x, gain, C, E, {});
}

// ---- families of sets

bool Enumerator::can_join(Node u, const NodeSet& S) const {
  if (!cliques_only_) return true;
  for (Node s : S)
    if (!graph_->are_adjacent(u, s)) return false;
  return true;
}

bool Enumerator::has_many_cliques(Node y) {
  if (options_.clique_cap == 0) return false;
  const std::uint32_t most = graph_->neighbors(y).size();
  if (most < 64 && std::uint64_t{1} << most <= options_.clique_cap) return false;  // all subsets
  pool_.assign(graph_->neighbors(y).begin(), graph_->neighbors(y).end());
  S_.clear();
  return cliques_up_to_cap(pool_, 0, S_) > options_.clique_cap;
}

/// The number of allowed sets S ∪ subset of pool[from …]; counting stops just past the cap.
std::size_t Enumerator::cliques_up_to_cap(const std::vector<Node>& pool, std::size_t from,
                                          NodeSet& S) const {
  std::size_t count = 1;
  for (std::size_t i = from; i < pool.size() && count <= options_.clique_cap; ++i) {
    if (!can_join(pool[i], S)) continue;
    S.insert(pool[i]);
    count += cliques_up_to_cap(pool, i + 1, S);
    S.erase(pool[i]);
  }
  return count;
}

void Enumerator::collect_family(Node y, const NodeSet& base, const std::vector<Node>& pool) {
  family_.resize(1);
  family_.front() = base;
  if (pool.empty() || collect_all(pool)) return;
  counters_.capped_targets.insert(y);
  ++counters_.capped_families;
  collect_capped(y, base, pool);
}

/// Adds all allowed sets to the only one in family_, extending each by the nodes of the pool after
/// its last; false once past the cap.
bool Enumerator::collect_all(const std::vector<Node>& pool) {
  for (Node u : pool) {
    for (std::size_t i = 0, count = family_.size(); i < count; ++i) {
      if (observer_->should_stop()) return true;
      if (!can_join(u, family_[i])) continue;
      if (options_.clique_cap != 0 && family_.size() == options_.clique_cap) return false;
      family_.push_back(family_[i]);
      family_.back().insert(u);
    }
  }
  return true;
}

/// A polynomial family of about as many sets as the cap: the smallest sets, up to half of the cap;
/// the sets along one chain; the set that a fixed member DAG induces; a maximal set around each
/// node; and the end of the chain without one or two nodes.
void Enumerator::collect_capped(Node y, const NodeSet& base, const std::vector<Node>& pool) {
  family_.assign(1, base);
  collect_small(pool, options_.clique_cap / 2);
  NodeSet chain = base;
  for (Node u : pool)
    if (can_join(u, chain)) {
      chain.insert(u);
      family_.push_back(chain);
    }
  family_.push_back(base);
  for (Node u : pool)
    if (member().is_parent(u, y)) family_.back().insert(u);
  for (Node u : pool) {
    if (family_.size() >= options_.clique_cap) break;
    family_.push_back(base);
    family_.back().insert(u);
    for (Node v : pool)
      if (v != u && can_join(v, family_.back())) family_.back().insert(v);
  }
  collect_fewer(chain, base);
  std::sort(family_.begin(), family_.end());
  family_.erase(std::unique(family_.begin(), family_.end()), family_.end());
}

/// Extends the sets in family_, smallest first, until there are `most`.
void Enumerator::collect_small(const std::vector<Node>& pool, std::size_t most) {
  first_.assign(family_.size(), 0);
  for (std::size_t i = 0; i < family_.size(); ++i)
    for (std::size_t j = first_[i]; j < pool.size() && family_.size() < most; ++j) {
      if (!can_join(pool[j], family_[i])) continue;
      family_.push_back(family_[i]);
      family_.back().insert(pool[j]);
      first_.push_back(j + 1);
    }
}

/// Adds `chain` without one or two of the nodes that are not in `base`.
void Enumerator::collect_fewer(const NodeSet& chain, const NodeSet& base) {
  for (Node u : chain)
    for (Node v : chain) {
      if (v < u || base.contains(u) || base.contains(v)) continue;
      if (family_.size() >= options_.clique_cap) return;
      family_.push_back(chain);
      family_.back().erase(u);
      family_.back().erase(v);
    }
}

const Pdag& Enumerator::member() {
  if (!member_) member_ = dag_of_cpdag(*graph_);
  return *member_;
}

}  // namespace greedag
