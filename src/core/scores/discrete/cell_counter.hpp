#pragma once

#include <utility>

#include "core/scores/discrete/level_table.hpp"
#include "core/util/observer.hpp"

namespace greedag {

/// Counts how often each combination of levels (*cell*) of a set of columns occurs. For one thread;
/// its tables are allocated once and reused.
///
/// Rows are assigned to cells column by column. The cells of E and of E ∪ y are kept, because the
/// next sets to be counted have one more column, which takes one pass over the rows.
class CellCounter {
 public:
  explicit CellCounter(const LevelTable& table) : table_(&table) {}

  /// Counting throws `Stopped` once this observer, if any, says to stop.
  void watch(Observer* observer) { observer_ = observer; }
  /// Sets that contain E, or E and y, are counted from the cells of these.
  void keep(std::span<const Node> E, Node y);
  /// The cell of each row, numbered below `cells`.
  struct Partition {
    std::vector<std::uint32_t> cell;
    std::uint64_t cells = 1;
  };
  /// The cells of E, or of E ∪ y. Valid until the next call.
  [[nodiscard]] const Partition& cells_of_kept(bool with_y);
  /// Whether so many cells should be counted in a table.
  [[nodiscard]] bool has_room_for(std::uint64_t cells) const;
  /// How often each non-empty cell of an ascending set occurs, in no particular order. Valid until
  /// the next call.
  [[nodiscard]] std::span<const double> counts(std::span<const Node> set);

 private:
  using Key = std::pair<std::uint64_t, std::uint32_t>;  ///< a cell and a row in it

  void find_counts(std::span<const Node> set);
  void start_anew();
  [[nodiscard]] const Partition& whole();
  [[nodiscard]] const Partition& refined_by_E();
  [[nodiscard]] const Partition& refined_by_Ey();
  void refine_by(const NodeSet& columns, const Partition& from, Partition& to);
  void refine(const Partition& from, Node v, Partition& to);
  void sort_by_cell(const Partition& partition, Node v);
  void count(const Partition& partition);
  void count(const Partition& partition, Node v);
  void count_sorted();
  void take_cell(std::size_t cell);

  const LevelTable* table_;
  Observer* observer_ = nullptr;
  NodeSet E_;
  NodeSet Ey_;
  bool knows_E_ = false;
  bool knows_Ey_ = false;
  Partition whole_;
  Partition in_E_;
  Partition in_Ey_;
  Partition scratch_[2];
  std::vector<double> found_;
  std::vector<double> by_cell_;  ///< all zero except while counting
  std::vector<std::uint32_t>
      numbers_;  ///< new number + 1 of each cell, all zero except while refining
  std::vector<Key> sorted_;
};

}  // namespace greedag
