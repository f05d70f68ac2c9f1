#include "core/search/open_margins.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/gain_cache/gain_cache.hpp"
#include "core/graph/completion.hpp"
#include "core/graph/mpdag.hpp"
#include "core/graph/set_map.hpp"

namespace greedag {
namespace {

constexpr std::size_t at(Node node) { return static_cast<std::size_t>(node); }
constexpr double infinity = std::numeric_limits<double>::infinity();

/// A search that takes more branches ends without a proof.
constexpr std::size_t most_branches = 2000;
/// The same for a node with more sets of neighbours that may be its parents.
constexpr std::size_t most_sets = 4096;

/// Nodes that undirected edges connect, as a graph of their own. Nodes outside that are parents of
/// one end of an undirected edge are parents of the other as well, so they limit no direction.
struct Component {
  std::vector<Node> nodes;
  Pdag graph;
  std::vector<NodeSet> outside;  ///< by node: its parents beyond the component
};

Component component_of(const Pdag& mpdag, std::vector<Node> nodes) {
  std::sort(nodes.begin(), nodes.end());
  Component component{nodes, Pdag(static_cast<Node>(nodes.size())), {}};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    NodeSet outside = mpdag.parents(nodes[i]);
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      outside.erase(nodes[j]);
      if (j < i)
        component.graph.set_edge(static_cast<Node>(j), static_cast<Node>(i),
                                 mpdag.edge(nodes[j], nodes[i]));
    }
    component.outside.push_back(std::move(outside));
  }
  return component;
}

std::vector<Component> components_of(const Pdag& mpdag) {
  std::vector<Component> components;
  std::vector<bool> seen(at(mpdag.size()));
  for (Node first = 0; first < mpdag.size(); ++first) {
    if (seen[at(first)] || mpdag.neighbors(first).empty()) continue;
    std::vector<Node> nodes{first};
    seen[at(first)] = true;
    for (std::size_t done = 0; done < nodes.size(); ++done)
      for (Node v : mpdag.neighbors(nodes[done])) {
        if (!seen[at(v)]) nodes.push_back(v);
        seen[at(v)] = true;
      }
    components.push_back(component_of(mpdag, std::move(nodes)));
  }
  return components;
}

/// Local scores, each computed once.
class KnownScores {
 public:
  KnownScores(const Score& score, Observer& observer)
      : gains_(GainCache::directed(score, nullptr)) {
    gains_.watch(&observer);
  }

  [[nodiscard]] double of(Node y, const NodeSet& parents) {
    const SetKey key(y, y, parents.span());
    if (const double* known = known_.find(key)) return *known;
    return known_.add(key, gains_.local_score(y, parents));
  }

 private:
  GainCache gains_;
  SetMap<double> known_{std::size_t{1} << 20};
};

/// A member, given by the parents of each node within the component, and its score.
struct Member {
  std::vector<NodeSet> parents;
  double score = -infinity;
};

/// Searches among the members of one component.
class MemberSearch {
 public:
  MemberSearch(const Component& component, KnownScores& scores, double min_gain, Observer& observer)
      : component_(&component), scores_(&scores), min_gain_(min_gain), observer_(&observer) {}

  /// Called with each member that is better than all before it.
  template <class Found>
  void search(const Pdag& graph, double enough, Member& best, Found found) {
    enough_ = enough;
    left_ = most_branches;
    unexplored_ = -infinity;
    if (auto first = bounded(graph)) branch(*first, best, found);
  }
  /// No member that the last search has not looked at scores higher.
  [[nodiscard]] double unexplored() const { return unexplored_; }

  [[nodiscard]] double score_of(const std::vector<NodeSet>& parents) {
    double total = 0.0;
    for (Node y = 0; y < component_->graph.size(); ++y) total += local_score(y, parents[at(y)]);
    return total;
  }

 private:
  struct Branch {
    Pdag graph;
    Member ideal;  ///< each node with the parents that suit it best
  };

  [[nodiscard]] double local_score(Node y, const NodeSet& within) {
    NodeSet parents = component_->outside[at(y)];
    for (Node x : within) parents.insert(component_->nodes[at(x)]);
    return scores_->of(component_->nodes[at(y)], parents);
  }

  /// None if some node has too many sets of neighbours, or if the search should stop.
  [[nodiscard]] std::optional<Branch> bounded(Pdag graph) {
    Branch branch{std::move(graph), {}};
    branch.ideal.score = 0.0;
    for (Node y = 0; y < branch.graph.size(); ++y) {
      Ideal ideal{branch.graph.parents(y), -infinity};
      sets_left_ = most_sets;
      find_ideal(branch.graph, y, branch.graph.parents(y), 0, ideal);
      if (sets_left_ == 0) {
        unexplored_ = infinity;
        return std::nullopt;
      }
      branch.ideal.score += ideal.score;
      branch.ideal.parents.push_back(std::move(ideal.parents));
    }
    return branch;
  }

  struct Ideal {
    NodeSet parents;
    double score;
  };

  /// Tries all sets of neighbours of y, from the given index on, that are adjacent to each other.
  void find_ideal(const Pdag& graph, Node y, const NodeSet& parents, std::uint32_t from,
                  Ideal& ideal) {
    if (sets_left_ == 0 || --sets_left_ == 0) return;
    if (observer_->should_stop_now()) {
      sets_left_ = 0;
      return;
    }
    if (const double score = local_score(y, parents); score > ideal.score) ideal = {parents, score};
    const NodeSet& neighbors = graph.neighbors(y);
    for (std::uint32_t i = from; i < neighbors.size(); ++i) {
      const Node x = neighbors[i];
      const auto suits = [&](Node other) { return graph.are_adjacent(x, other); };
      if (!std::all_of(parents.begin(), parents.end(), suits)) continue;
      NodeSet more = parents;
      more.insert(x);
      find_ideal(graph, y, more, i + 1, ideal);
    }
  }

  template <class Found>
  void branch(const Branch& now, Member& best, Found& found) {
    if (now.ideal.score <= best.score + min_gain_) return;
    if (left_ == 0 || best.score >= enough_ || observer_->should_stop()) {
      unexplored_ = std::max(unexplored_, now.ideal.score);
      return;
    }
    --left_;
    const auto edge = edge_to_direct(now);
    if (!edge) {
      best = now.ideal;
      found(best);
      return;
    }
    auto one = directed(now.graph, edge->tail, edge->head);
    auto other = directed(now.graph, edge->head, edge->tail);
    if (one && other && other->ideal.score > one->ideal.score) std::swap(one, other);
    if (one) branch(*one, best, found);
    if (other) branch(*other, best, found);
  }

  /// An undirected edge whose ends disagree on it, or any that is left if following all would lead
  /// in a cycle; none if there is neither.
  [[nodiscard]] std::optional<Arc> edge_to_direct(const Branch& now) const {
    std::optional<Arc> any;
    Pdag dag = now.graph;
    for (Node b = 0; b < now.graph.size(); ++b)
      for (Node a : now.graph.neighbors(b)) {
        if (a > b) break;
        const bool into_b = now.ideal.parents[at(b)].contains(a);
        if (into_b == now.ideal.parents[at(a)].contains(b)) return Arc{a, b};
        dag.set_edge(a, b, into_b ? Edge::forward : Edge::backward);
        any = Arc{a, b};
      }
    return any && !topological_order(dag) ? any : std::nullopt;
  }

  [[nodiscard]] std::optional<Branch> directed(const Pdag& graph, Node tail, Node head) {
    Pdag next = graph;
    if (!closure_.direct(next, tail, head)) return std::nullopt;
    return bounded(std::move(next));
  }

  const Component* component_;
  KnownScores* scores_;
  double min_gain_;
  Observer* observer_;
  MeekClosure closure_;
  double enough_ = infinity;  ///< a member that scores so much ends the search
  std::size_t left_ = 0;      ///< how many branches may still be looked at
  std::size_t sets_left_ = 0;
  double unexplored_ = -infinity;
};

/// Finds the best member of a component, and its margins.
class ComponentMargins {
 public:
  ComponentMargins(const Component& component, KnownScores& scores, double min_gain, double least,
                   Observer& observer)
      : component_(&component),
        search_(component, scores, min_gain, observer),
        least_(least),
        observer_(&observer) {}

  void run(BestMember& whole) {
    Member best;
    for (std::size_t i = 0; i < component_->nodes.size(); ++i)
      best.parents.push_back(within(whole.dag.parents(component_->nodes[i])));
    best.score = search_.score_of(best.parents);
    search_.search(component_->graph, infinity, best, [](const Member&) {});
    direct(whole.dag, best);
    for (Node y = 0; y < component_->graph.size(); ++y)
      for (Node x : best.parents[at(y)])
        if (component_->graph.are_neighbors(x, y)) edges_.push_back({x, y, -infinity});
    for (Turned& edge : edges_) whole.margins.push_back(margin_of(edge, best));
  }

 private:
  struct Turned {
    Node tail;
    Node head;
    double score;  ///< of the best member found so far with the edge turned
  };

  /// Members of a set that are in the component, by their place there.
  [[nodiscard]] NodeSet within(const NodeSet& nodes) const {
    NodeSet places;
    for (std::size_t i = 0; i < component_->nodes.size(); ++i)
      if (nodes.contains(component_->nodes[i])) places.insert(static_cast<Node>(i));
    return places;
  }

  void direct(Pdag& dag, const Member& member) const {
    for (std::size_t y = 0; y < member.parents.size(); ++y)
      for (Node x : member.parents[y])
        dag.set_edge(component_->nodes[at(x)], component_->nodes[y], Edge::forward);
  }

  [[nodiscard]] OpenMargin margin_of(Turned& edge, const Member& best) {
    const double enough = best.score - least_;
    bool is_proven = false;
    double highest = edge.score;
    Pdag graph = component_->graph;
    if (edge.score < enough && closure_.direct(graph, edge.head, edge.tail)) {
      Member turned;
      turned.score = edge.score;
      search_.search(graph, enough, turned, [&](const Member& member) { note(member); });
      is_proven = search_.unexplored() <= turned.score && observer_->stop() == Stop::no;
      highest = std::max(turned.score, turned.score < enough ? search_.unexplored() : -infinity);
    }
    // What has not been scored may score anything.
    if (observer_->stop() != Stop::no && !(highest > -infinity && highest >= enough))
      highest = infinity;
    return {component_->nodes[at(edge.tail)], component_->nodes[at(edge.head)],
            best.score - highest, is_proven};
  }

  /// What is found for one edge counts for all that it turns.
  void note(const Member& member) {
    for (Turned& edge : edges_)
      if (member.parents[at(edge.tail)].contains(edge.head))
        edge.score = std::max(edge.score, member.score);
  }

  const Component* component_;
  MemberSearch search_;
  MeekClosure closure_;
  double least_;
  Observer* observer_;
  std::vector<Turned> edges_;
};

}  // namespace

BestMember find_open_margins(const Score& score, const Pdag& mpdag, const Pdag& dag, double least,
                             Observer& observer) {
  BestMember best{dag, {}};
  KnownScores scores(score, observer);
  for (const Component& component : components_of(mpdag)) {
    static_cast<void>(observer.should_stop_now());
    ComponentMargins(component, scores, score.min_gain(), least, observer).run(best);
  }
  return best;
}

}  // namespace greedag
