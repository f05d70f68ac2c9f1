#include "core/scores/discrete/discrete_score.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/scores/discrete/cell_counter.hpp"
#include "core/scores/discrete/level_sweep.hpp"

namespace greedag {

namespace {

// Beyond this, products of numbers of levels may depend on their order.
constexpr double most_cells = 0x1p53;

/// The supersets of a set of columns W by one packed column, by band.
struct Supersets {
  explicit Supersets(const PackedRows& rows) : bands(rows.bands()), sums(rows) {}

  /// Leaves out bands with too many cells.
  void find_terms(const LevelTable& table, std::span<const Node> W, TermTables& tables) {
    const double q = cells_of(table, W).q;
    cells.clear();
    terms.clear();
    for (const PackedRows::Band& band : bands) {
      cells.push_back({q * band.levels, std::log(q * band.levels)});
      terms.push_back(q * band.levels > most_cells ? nullptr : &tables.of(cells.back()));
    }
  }

  std::span<const PackedRows::Band> bands;
  std::vector<CellNumber> cells;
  std::vector<TermTable*> terms;
  TermSums sums;
};

struct Sweep {
  Sweep(const LevelTable& table, const PackedRows& rows) : counts(table, rows), E(rows), Ey(rows) {}

  LevelSweep counts;
  Supersets E;
  Supersets Ey;
};

class DiscreteFunction final : public SetFunction {
 public:
  explicit DiscreteFunction(const DiscreteScore& score)
      : score_(&score), counter_(score.table()), tables_(score.terms()) {}

  [[nodiscard]] double of(std::span<const Node> set) override {
    const CellNumber cells = cells_of(score_->table(), set);
    const std::span<const double> counts = counter_.counts(set);
    tables_.make_room();
    TermTable& terms = tables_.of(cells);
    std::int64_t sum = 0;
    in_parts(counts.size(), observer_, [&](std::size_t begin, std::size_t end) {
      for (double count : counts.subspan(begin, end - begin)) sum += terms.of(count);
    });
    return value(sum, static_cast<double>(counts.size()), cells);
  }
  [[nodiscard]] bool finds_supersets() const override {
    return !score_->packed_rows().bands().empty();
  }
  void find_supersets(Node y, std::span<const Node> E, std::span<double> S_Ex,
                      std::span<double> S_Exy) override {
    if (!sweep_) sweep_.emplace(score_->table(), score_->packed_rows());
    counter_.keep(E, y);
    NodeSet Ey(E);
    Ey.insert(y);
    tables_.make_room();
    sweep_->E.find_terms(score_->table(), E, tables_);
    sweep_->Ey.find_terms(score_->table(), Ey.span(), tables_);
    const bool needs_both = !S_Ex.empty() && !S_Exy.empty();
    if (!needs_both || !sum_both(y)) {
      if (!S_Ex.empty()) sum(sweep_->E, counter_.cells_of_kept(false));
      if (!S_Exy.empty()) sum(sweep_->Ey, counter_.cells_of_kept(true));
    }
    if (!S_Ex.empty()) write_values(sweep_->E, S_Ex);
    if (!S_Exy.empty()) write_values(sweep_->Ey, S_Exy);
  }
  void watch(Observer* observer) override {
    observer_ = observer;
    counter_.watch(observer);
  }
  void expect_supersets_of(std::span<const Node> E, Node y) override { counter_.keep(E, y); }
  void drop_losing(Node y, std::span<const Node> E, double local_score,
                   std::vector<Node>& inserts) override {
    score_->drop_losing(y, E, local_score, inserts);
  }

 private:
  /// The value of a set whose cells have this sum of terms.
  [[nodiscard]] double value(std::int64_t sum, double occurring, const CellNumber& cells) const {
    return static_cast<double>(sum) / score_->terms().units_per_one() +
           score_->terms().exact().offset(cells, occurring, score_->table().n());
  }

  /// False if there are too many cells for a table of them.
  [[nodiscard]] bool sum_both(Node y) {
    const CellCounter::Partition& cells = counter_.cells_of_kept(false);
    if (!counter_.has_room_for(cells.cells * score_->table().levels(y))) return false;
    sweep_->counts.run(cells, y, {sweep_->E.terms, sweep_->Ey.terms},
                       {sweep_->E.sums, sweep_->Ey.sums}, observer_);
    return true;
  }
  void sum(Supersets& supersets, const CellCounter::Partition& cells) {
    sweep_->counts.run(cells, supersets.terms, supersets.sums, observer_);
  }
  void write_values(const Supersets& supersets, std::span<double> values) const {
    const std::span<const PackedRows::Band> bands = score_->packed_rows().bands();
    for (std::size_t i = 0; i < bands.size(); ++i) {
      if (supersets.terms[i] == nullptr) continue;
      const std::span<const TermSums::Sum> sums = supersets.sums.of_band(i);
      for (std::size_t j = 0; j < sums.size(); ++j)
        values[static_cast<std::size_t>(bands[i].columns[j])] =
            value(sums[j].terms, sums[j].occurring, supersets.cells[i]);
    }
  }

  const DiscreteScore* score_;
  Observer* observer_ = nullptr;
  CellCounter counter_;
  TermTables tables_;
  std::optional<Sweep> sweep_;
};

}  // namespace

std::unique_ptr<SetFunction> DiscreteScore::function() const {
  return std::make_unique<DiscreteFunction>(*this);
}

const PackedRows& DiscreteScore::packed_rows() const {
  std::call_once(is_packed_, [this] { packed_rows_ = std::make_unique<const PackedRows>(table_); });
  return *packed_rows_;
}

DiscreteBic::DiscreteBic(LevelTable levels, double alpha)
    : DiscreteScore(std::move(levels), std::make_unique<BicTerms>(alpha)),
      penalty_(BicTerms(alpha).penalty(table().n())) {
  CellCounter counter(table());
  const double n_log_n = table().n() * std::log(table().n());
  for (Node v = 0; v < size(); ++v) {
    double entropy = n_log_n;
    for (double count : counter.counts(std::array{v})) entropy -= count * std::log(count);
    entropies_.push_back(entropy);
  }
}

/// Making x and y adjacent given E gains n I(x; y | E) minus the penalty of (r_x - 1)(r_y - 1) q_E,
/// and the mutual information is at most the entropy of y given E and at most that of x.
void DiscreteBic::drop_losing(Node y, std::span<const Node> E, double local_score,
                              std::vector<Node>& inserts) const {
  const double added = penalty_ * cells_of(table(), E).q * (table().levels(y) - 1.0);
  const double of_y = -(local_score + added);
  std::erase_if(inserts, [&](Node x) {
    const double most = std::min(of_y, entropies_[static_cast<std::size_t>(x)]);
    // Far above the rounding of an entropy.
    return most * (1.0 + 1e-9) + min_gain() < added * (table().levels(x) - 1.0);
  });
}

}  // namespace greedag
