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
  [[nodiscard]] std::span<const Superset> of_supersets(Node y, std::span<const Node> E) override {
    supersets_.clear();
    const PackedRows& rows = score_->packed_rows();
    if (rows.bands().empty()) return {};
    const CellNumber cells = cells_of(score_->table(), E);
    if (!find_terms(y, cells)) return {};
    if (!sweep_) sweep_.emplace(score_->table(), rows);
    counter_.keep(E, y);
    const CellCounter::Partition& partition = counter_.cells_of_E();
    if (!counter_.has_room_for(partition.cells * score_->table().levels(y))) return {};
    const auto sums = sweep_->run(partition, y, band_terms_, observer_);
    for (std::size_t i = 0; i < sums.size(); ++i) add_supersets(rows.bands()[i], sums[i], i);
    return supersets_;
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
  struct BandCells {
    CellNumber Ex;
    CellNumber Exy;
  };

  /// The value of a set whose cells have this sum of terms.
  [[nodiscard]] double value(std::int64_t sum, double occurring, const CellNumber& cells) const {
    return static_cast<double>(sum) / score_->terms().units_per_one() +
           score_->terms().exact().offset(cells, occurring, score_->table().n());
  }

  /// Finds the terms of E ∪ x and E ∪ xy by band; false if these have too many cells.
  [[nodiscard]] bool find_terms(Node y, const CellNumber& of_E) {
    band_cells_.clear();
    band_terms_.clear();
    tables_.make_room();
    for (const PackedRows::Band& band : score_->packed_rows().bands()) {
      const double q_Ex = of_E.q * band.levels;
      const double q_Exy = q_Ex * score_->table().levels(y);
      if (q_Exy > most_cells) return false;
      band_cells_.push_back({{q_Ex, std::log(q_Ex)}, {q_Exy, std::log(q_Exy)}});
      band_terms_.push_back(
          {&tables_.of(band_cells_.back().Ex), &tables_.of(band_cells_.back().Exy)});
    }
    return true;
  }

  void add_supersets(const PackedRows::Band& band, const LevelSweep::BandSums& sums,
                     std::size_t i) {
    for (std::size_t j = 0; j < band.columns.size(); ++j)
      supersets_.push_back({band.columns[j],
                            value(sums.Ex[j].terms, sums.Ex[j].occurring, band_cells_[i].Ex),
                            value(sums.Exy[j].terms, sums.Exy[j].occurring, band_cells_[i].Exy)});
  }

  const DiscreteScore* score_;
  Observer* observer_ = nullptr;
  CellCounter counter_;
  TermTables tables_;
  std::optional<LevelSweep> sweep_;
  std::vector<BandCells> band_cells_;
  std::vector<LevelSweep::BandTerms> band_terms_;
  std::vector<Superset> supersets_;
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
