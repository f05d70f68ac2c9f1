#include "core/scores/discrete/testwise_score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/graph/set_map.hpp"
#include "core/scores/discrete/row_partition.hpp"

namespace greedag {

namespace {

/// The score of a set of columns on some rows, summed while its cells are found.
class SetSum {
 public:
  SetSum(const LevelTable& table, const NodeSet& set, TermTables& tables)
      : cells_(cells_of(table, set.span())), terms_(&tables.of(cells_)) {}

  /// Adds a cell that has not been added yet, and clears its count.
  void take(double& count) {
    if (count == 0.0) return;
    sum_ += terms_->of(count);
    ++occurring_;
    count = 0.0;
  }
  [[nodiscard]] double score(const RoundedTerms& terms, double n) const {
    return static_cast<double>(sum_) / terms.units_per_one() +
           terms.exact().offset(cells_, static_cast<double>(occurring_), n);
  }

 private:
  CellNumber cells_;
  TermTable* terms_;
  std::int64_t sum_ = 0;
  std::size_t occurring_ = 0;
};

/// Counts by a bounded key, all 0 except while a cell is being counted.
class PairCounts {
 public:
  /// For keys below `bound`, at most `rows` of them at a time.
  void make_room(std::uint64_t bound, std::size_t rows) {
    is_sparse_ = bound > most_dense;
    if (is_sparse_) sparse_.make_room(rows);
    if (!is_sparse_ && dense_.size() < bound) dense_.resize(bound, 0.0);
  }
  [[nodiscard]] double& at(std::uint64_t key) {
    return is_sparse_ ? sparse_.at(key, 0.0) : dense_[key];
  }
  void clear() { dense_.clear(); }

 private:
  static constexpr std::uint64_t most_dense = std::uint64_t{1} << 20;

  bool is_sparse_ = false;
  std::vector<double> dense_;
  KeyMap<double> sparse_;
};

class TestwiseGains final : public GainEvaluator {
 public:
  explicit TestwiseGains(const TestwiseScore& score)
      : score_(&score),
        tables_(score.terms()),
        all_(static_cast<std::size_t>(score.size())),
        cells_(score.table().rows()) {
    std::iota(all_.begin(), all_.end(), 0);
  }

  [[nodiscard]] std::unique_ptr<GainEvaluator> copy() const override {
    auto twin = std::make_unique<TestwiseGains>(*score_);
    twin->known_ = known_;
    return twin;
  }
  void watch(Observer* observer) override {
    observer_ = observer;
    cells_.watch(observer);
  }
  void condition(Node y, std::span<const Node> E) override {
    y_ = y;
    E_ = NodeSet(E);
  }
  [[nodiscard]] double of_insert(Node x) override { return gain(x, y_, E_); }
  [[nodiscard]] double local_score() override {
    double total = alone(y_);
    NodeSet before;
    for (Node x : E_) {
      total += gain(x, y_, before);
      before.insert(x);
    }
    return total;
  }
  [[nodiscard]] std::span<const Node> worth_inserting() override { return all_; }
  void find_worth_removing(Node, std::span<const Node> E, std::vector<bool>& may_gain) override {
    may_gain.assign(E.size(), true);
  }

 private:
  static constexpr std::size_t most_values = std::size_t{1} << 20;

  [[nodiscard]] const LevelTable& table() const { return score_->table(); }

  [[nodiscard]] double gain(Node x, Node y, const NodeSet& E) {
    const SetKey key(std::min(x, y), std::max(x, y), E.span());
    if (const double* known = known_.find(key)) return *known;
    try {
      throw_if_stopped(observer_);
      group_rows(y, E);
      return known_.add(key, measured(x));
    } catch (const Stopped&) {
      is_grouped_ = false;
      pairs_.clear();
      throw;
    }
  }

  /// Finds the rows in which neither y nor a member of E is missing, cell by cell of E and
  /// ascending within each. The order of cells does not depend on y, so that weights add up to the
  /// same from either end.
  void group_rows(Node y, const NodeSet& E) {
    if (is_grouped_ && grouped_y_ == y && grouped_E_ == E) return;
    is_grouped_ = true;
    grouped_y_ = y;
    grouped_E_ = E;
    cells_.reset();
    for (Node v : E)
      table().visit_column(
          v, [&](const auto& codes) { cells_.split(codes.data(), table().levels(v) + 1); });
    const std::span<const std::uint32_t> order = cells_.grouped();
    rows_.clear();
    codes_of_y_.clear();
    groups_.assign(1, 0);
    std::size_t looked_at = 0;
    table().visit_column(y, [&](const auto& codes) {
      for (std::size_t cell = 0; cell < cells_.count(); ++cell) {
        const std::size_t begin = cells_.start(cell);
        if (!has_all(order[begin], E)) continue;
        if (rows_.size() - looked_at >= rows_of_part) {
          throw_if_stopped(observer_);
          looked_at = rows_.size();
        }
        const std::size_t end = cell + 1 < cells_.count() ? cells_.start(cell + 1) : order.size();
        for (std::uint32_t row : order.subspan(begin, end - begin)) {
          if (codes[row] == table().levels(y)) continue;
          rows_.push_back(row);
          codes_of_y_.push_back(codes[row]);
        }
        groups_.push_back(rows_.size());
      }
    });
  }
  [[nodiscard]] bool has_all(std::uint32_t row, const NodeSet& E) const {
    return std::all_of(E.begin(), E.end(), [&](Node v) {
      return table().visit_column(
          v, [&](const auto& codes) { return codes[row] != table().levels(v); });
    });
  }

  /// The gain of x, given what the rows are grouped by.
  [[nodiscard]] double measured(Node x) {
    const Node y = grouped_y_;
    NodeSet Ex = grouped_E_;
    Ex.insert(x);
    NodeSet Ey = grouped_E_;
    Ey.insert(y);
    NodeSet Exy = Ex;
    Exy.insert(y);
    tables_.make_room();
    SetSum of_E(table(), grouped_E_, tables_);
    SetSum of_Ex(table(), Ex, tables_);
    SetSum of_Ey(table(), Ey, tables_);
    SetSum of_Exy(table(), Exy, tables_);
    const double m = table().visit_column(
        x, [&](const auto& codes) { return count(x, codes, of_E, of_Ex, of_Ey, of_Exy); });
    const double n = table().n();
    const auto S = [&](const SetSum& sum) { return sum.score(score_->terms(), n); };
    const std::array values{S(of_E), S(x < y ? of_Ex : of_Ey), S(x < y ? of_Ey : of_Ex), S(of_Exy)};
    if (std::find(values.begin(), values.end(), refused) != values.end()) return refused;
    const double gain = (values[3] - values[2]) - (values[1] - values[0]);
    // Scaled by n/m, rounding could pass for a gain.
    return std::abs(gain) <= score_->min_gain() ? 0.0 : gain * (m > 0.0 ? n / m : 1.0);
  }

  /// Counts the cells of the four sets, and returns the total weight of the rows.
  template <class Codes>
  [[nodiscard]] double count(Node x, const Codes& codes, SetSum& of_E, SetSum& of_Ex, SetSum& of_Ey,
                             SetSum& of_Exy) {
    const std::span<const double> weights = table().counts();
    const std::uint64_t levels_of_x = table().levels(x);
    pairs_.make_room(levels_of_x * table().levels(grouped_y_), rows_.size());
    by_x_.assign(levels_of_x, 0.0);
    by_y_.assign(table().levels(grouped_y_), 0.0);
    double m = 0.0;
    std::size_t looked_at = 0;
    for (std::size_t group = 0; group + 1 < groups_.size(); ++group) {
      if (groups_[group] - looked_at >= rows_of_part) {
        throw_if_stopped(observer_);
        looked_at = groups_[group];
      }
      double in_E = 0.0;
      const std::size_t first = groups_[group];
      const std::size_t size = groups_[group + 1] - first;
      in_parts(size, observer_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = first + begin; i < first + end; ++i) {
          const std::uint32_t code = codes[rows_[i]];
          if (code == levels_of_x) continue;
          const double weight = weights[rows_[i]];
          in_E += weight;
          by_x_[code] += weight;
          by_y_[codes_of_y_[i]] += weight;
          pairs_.at(codes_of_y_[i] * levels_of_x + code) += weight;
        }
      });
      m += in_E;
      of_E.take(in_E);
      in_parts(size, observer_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = first + begin; i < first + end; ++i) {
          const std::uint32_t code = codes[rows_[i]];
          if (code == levels_of_x) continue;
          of_Ex.take(by_x_[code]);
          of_Ey.take(by_y_[codes_of_y_[i]]);
          of_Exy.take(pairs_.at(codes_of_y_[i] * levels_of_x + code));
        }
      });
    }
    return m;
  }

  /// The score of a single column, on the rows where it is not missing.
  [[nodiscard]] double alone(Node y) {
    const SetKey key(y, y, {});
    if (const double* known = known_.find(key)) return *known;
    const std::uint32_t levels = table().levels(y);
    by_y_.assign(levels, 0.0);
    table().visit_column(y, [&](const auto& codes) {
      for (std::size_t row = 0; row < codes.size(); ++row)
        if (codes[row] < levels) by_y_[codes[row]] += table().counts()[row];
    });
    const double m = std::accumulate(by_y_.begin(), by_y_.end(), 0.0);
    NodeSet set;
    tables_.make_room();
    SetSum of_none(table(), set, tables_);
    double all = m;
    of_none.take(all);
    set.insert(y);
    SetSum of_y(table(), set, tables_);
    for (double& count : by_y_) of_y.take(count);
    const RoundedTerms& terms = score_->terms();
    return known_.add(key, (of_y.score(terms, m) - of_none.score(terms, m)) * (table().n() / m));
  }

  const TestwiseScore* score_;
  Observer* observer_ = nullptr;
  TermTables tables_;
  std::vector<Node> all_;
  SetMap<double> known_{most_values};
  Node y_ = 0;
  NodeSet E_;
  RowPartition cells_;
  bool is_grouped_ = false;
  Node grouped_y_ = 0;
  NodeSet grouped_E_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> codes_of_y_;  ///< of rows_
  std::vector<std::size_t> groups_;        ///< where the rows of each cell of E start, and the end
  std::vector<double> by_x_;
  std::vector<double> by_y_;
  PairCounts pairs_;
};

}  // namespace

std::unique_ptr<GainEvaluator> TestwiseScore::evaluator(bool /*with_losses*/) const {
  return std::make_unique<TestwiseGains>(*this);
}

}  // namespace greedag
