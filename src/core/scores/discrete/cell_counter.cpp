#include "core/scores/discrete/cell_counter.hpp"

#include <algorithm>

namespace greedag {

namespace {

// So few cells need no renumbering: their table is small even if many of them are empty.
constexpr std::uint64_t few_cells = 1024;

/// Sorts in parts that are then merged, so that a long sort can be stopped. No two values are
/// equal.
template <class Value>
void sort_in_parts(std::vector<Value>& values, Observer* observer) {
  in_parts(values.size(), observer, [&](std::size_t begin, std::size_t end) {
    std::sort(values.begin() + static_cast<std::ptrdiff_t>(begin),
              values.begin() + static_cast<std::ptrdiff_t>(end));
  });
  std::vector<Value> merged(values.size() > rows_of_part ? values.size() : 0);
  for (std::size_t width = rows_of_part; width < values.size(); width *= 2) {
    for (std::size_t begin = 0; begin < values.size(); begin += 2 * width) {
      throw_if_stopped(observer);
      const auto at = [&](std::size_t place) {
        return values.begin() + static_cast<std::ptrdiff_t>(std::min(place, values.size()));
      };
      std::merge(at(begin), at(begin + width), at(begin + width), at(begin + 2 * width),
                 merged.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    std::swap(values, merged);
  }
}

bool is_part(const NodeSet& part, std::span<const Node> set) {
  return part.size() <= set.size() &&
         std::includes(set.begin(), set.end(), part.begin(), part.end());
}

}  // namespace

/// Beyond this, tables would take too much memory, and sorting is as fast.
bool CellCounter::has_room_for(std::uint64_t cells) const {
  const std::uint64_t rows = table_->rows();
  return cells <= std::min(64 * rows + 4096, 4 * rows + (std::uint64_t{1} << 22));
}

void CellCounter::keep(std::span<const Node> E, Node y) {
  const NodeSet next(E);
  NodeSet next_and_y = next;
  next_and_y.insert(y);
  if (next != E_) {
    knows_E_ = false;
    E_ = next;
  }
  if (next_and_y != Ey_) {
    knows_Ey_ = false;
    Ey_ = next_and_y;
  }
}

std::span<const double> CellCounter::counts(std::span<const Node> set) {
  try {
    find_counts(set);
  } catch (const Stopped&) {
    start_anew();
    throw;
  }
  return found_;
}

const CellCounter::Partition& CellCounter::cells_of_kept(bool with_y) {
  try {
    return with_y ? refined_by_Ey() : refined_by_E();
  } catch (const Stopped&) {
    start_anew();
    throw;
  }
}

/// After counting was stopped: nothing that was begun is left.
void CellCounter::start_anew() {
  by_cell_.clear();
  numbers_.clear();
  knows_E_ = knows_Ey_ = false;
}

void CellCounter::find_counts(std::span<const Node> set) {
  const bool from_Ey = is_part(Ey_, set);
  const bool from_E = !from_Ey && is_part(E_, set);
  const Partition* from = from_Ey ? &refined_by_Ey() : from_E ? &refined_by_E() : &whole();
  NodeSet rest(set);
  if (from_Ey || from_E)
    for (Node v : from_Ey ? Ey_ : E_) rest.erase(v);
  found_.clear();
  if (rest.empty()) return count(*from);
  for (std::uint32_t i = 0; i + 1 < rest.size(); ++i) {
    Partition& to = scratch_[i % 2];
    refine(*from, rest[i], to);
    from = &to;
  }
  count(*from, rest[rest.size() - 1]);
}

const CellCounter::Partition& CellCounter::whole() {
  whole_.cell.resize(table_->rows(), 0);
  return whole_;
}

const CellCounter::Partition& CellCounter::refined_by_E() {
  if (knows_E_) return in_E_;
  refine_by(E_, whole(), in_E_);
  knows_E_ = true;
  return in_E_;
}

const CellCounter::Partition& CellCounter::refined_by_Ey() {
  if (knows_Ey_) return in_Ey_;
  NodeSet further = Ey_;
  for (Node v : E_) further.erase(v);
  refine_by(further, refined_by_E(), in_Ey_);
  knows_Ey_ = true;
  return in_Ey_;
}

/// Splits the cells of another partition by the levels of a set of columns.
void CellCounter::refine_by(const NodeSet& columns, const Partition& from, Partition& to) {
  if (columns.empty()) to = from;
  const Partition* last = &from;
  for (Node v : columns) {
    refine(*last, v, scratch_[0]);
    std::swap(to, scratch_[0]);
    last = &to;
  }
}

/// Splits every cell by the levels of one more column, and renumbers the cells if there are many.
void CellCounter::refine(const Partition& from, Node v, Partition& to) {
  throw_if_stopped(observer_);
  const std::size_t rows = table_->rows();
  const std::uint64_t cells = from.cells * table_->levels(v);
  to.cell.resize(rows);
  if (!has_room_for(cells)) {
    sort_by_cell(from, v);
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      number += i > 0 && sorted_[i].first != sorted_[i - 1].first;
      to.cell[sorted_[i].second] = number;
    }
    to.cells = number + std::uint64_t{1};
    return;
  }
  table_->visit_column(v, [&](const auto& codes) {
    const std::uint32_t levels = table_->levels(v);
    in_parts(rows, observer_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) to.cell[i] = from.cell[i] * levels + codes[i];
    });
  });
  to.cells = cells;
  if (cells <= few_cells) return;
  if (numbers_.size() < cells) numbers_.resize(cells, 0);
  std::uint32_t last = 0;
  in_parts(rows, observer_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint32_t& number = numbers_[to.cell[i]];
      if (number == 0) number = ++last;
      to.cell[i] = number - 1;
    }
  });
  std::fill_n(numbers_.begin(), cells, 0);
  to.cells = last;
}

void CellCounter::sort_by_cell(const Partition& partition, Node v) {
  sorted_.resize(table_->rows());
  table_->visit_column(v, [&](const auto& codes) {
    const std::uint64_t levels = table_->levels(v);
    for (std::size_t i = 0; i < sorted_.size(); ++i)
      sorted_[i] = {partition.cell[i] * levels + codes[i], static_cast<std::uint32_t>(i)};
  });
  // Rows keep their order within a cell, so that weights are always added in the same order.
  sort_in_parts(sorted_, observer_);
}

void CellCounter::take_cell(std::size_t cell) {
  if (by_cell_[cell] == 0.0) return;
  found_.push_back(by_cell_[cell]);
  by_cell_[cell] = 0.0;
}

void CellCounter::count(const Partition& partition) {
  if (by_cell_.size() < partition.cells) by_cell_.resize(partition.cells, 0.0);
  const std::span<const double> weights = table_->counts();
  in_parts(weights.size(), observer_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) by_cell_[partition.cell[i]] += weights[i];
  });
  for (std::size_t cell = 0; cell < partition.cells; ++cell) take_cell(cell);
}

void CellCounter::count(const Partition& partition, Node v) {
  const std::uint64_t cells = partition.cells * table_->levels(v);
  if (!has_room_for(cells)) {
    sort_by_cell(partition, v);
    return count_sorted();
  }
  if (by_cell_.size() < cells) by_cell_.resize(cells, 0.0);
  table_->visit_column(v, [&](const auto& codes) {
    const std::uint32_t levels = table_->levels(v);
    const std::span<const double> weights = table_->counts();
    const auto cell_of = [&](std::size_t i) { return partition.cell[i] * levels + codes[i]; };
    in_parts(weights.size(), observer_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) by_cell_[cell_of(i)] += weights[i];
    });
    if (cells <= 2 * weights.size())
      for (std::size_t cell = 0; cell < cells; ++cell) take_cell(cell);
    else
      in_parts(weights.size(), observer_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) take_cell(cell_of(i));
      });
  });
}

void CellCounter::count_sorted() {
  const std::span<const double> weights = table_->counts();
  for (std::size_t i = 0; i < sorted_.size(); ++i) {
    const double weight = weights[sorted_[i].second];
    if (i > 0 && sorted_[i].first == sorted_[i - 1].first)
      found_.back() += weight;
    else
      found_.push_back(weight);
  }
}

}  // namespace greedag
