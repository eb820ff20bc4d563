// SPDX-License-Identifier: MIT
// Aggregates over frames. A frame moves by adding and, where the aggregate can, removing rows;
// where it cannot, it begins anew, and minima and moments then take whole parts of the frame from a
// tree. Tested through tests/unit/query/window/window_test.cpp.
#pragma once

#include <memory>

#include "query/window/window_call.h"

namespace presso::query {

/// The state of an aggregate over some rows of a partition. Not thread-safe.
class WindowAggregate {
 public:
  virtual ~WindowAggregate() = default;
  /// Prepares for a partition. `constant`: it is added as a whole, once.
  virtual Status begin(RowRange32 partition, bool constant) {
    static_cast<void>(partition);
    static_cast<void>(constant);
    return {};
  }
  /// Empties the state.
  virtual void clear() = 0;
  /// Adds the rows [first, end), which come after all that were added since clear().
  virtual void add(std::uint32_t first, std::uint32_t end) = 0;
  /// Whether remove() may be called, and add() in any order.
  virtual bool removes() const { return false; }
  virtual void remove(std::uint32_t first, std::uint32_t end) {
    static_cast<void>(first);
    static_cast<void>(end);
  }
  /// Sets the row's result, or leaves it null. Errors: kInvalidArgument.
  virtual Status write(std::uint32_t row, WindowResult& result) = 0;
};

/// Numbers equal values of a partition's rows from 0 on in their order, nulls last.
std::vector<std::uint32_t> numbers_of_values(const WindowColumn& column, RowRange32 partition);
/// Whether value `a` comes before value `b` of the column; both are not null. NaN comes last.
bool comes_before(const VectorView& view, std::uint32_t a, std::uint32_t b);

// By file: sums.cpp, extremes.cpp (also kFirstValue to kNthValue), moments.cpp, quantiles.cpp,
// texts.cpp.
std::unique_ptr<WindowAggregate> make_sum_aggregate(const WindowInput& input);
std::unique_ptr<WindowAggregate> make_extreme_aggregate(const WindowInput& input);
std::unique_ptr<WindowAggregate> make_place_aggregate(const WindowInput& input);
std::unique_ptr<WindowAggregate> make_moment_aggregate(const WindowInput& input);
std::unique_ptr<WindowAggregate> make_quantile_aggregate(const WindowInput& input);
std::unique_ptr<WindowAggregate> make_text_aggregate(const WindowInput& input,
                                                     StringArena& strings);

/// A tree over the rows of a partition, whose leaves are states of kLeafRows rows. `Rows` has a
/// type State and the functions add(State&, first, end) and merge(State&, const State&).
template <class Rows>
class WindowTree {
 public:
  using State = typename Rows::State;
  static constexpr std::uint32_t kLeafRows = 16;

  void begin(RowRange32 partition) {
    partition_ = partition;
    nodes_.clear();
    large_adds_ = 0;
  }
  /// Adds rows to a state. The tree is built when many rows are added for the third time.
  void add(const Rows& rows, State& state, std::uint32_t first, std::uint32_t end) {
    if (end - first < 4 * kLeafRows) return rows.add(state, first, end);
    if (nodes_.empty() && ++large_adds_ < 3) return rows.add(state, first, end);
    if (nodes_.empty()) build(rows);
    const std::uint32_t first_leaf = (first - partition_.begin + kLeafRows - 1) / kLeafRows;
    const std::uint32_t end_leaf = (end - partition_.begin) / kLeafRows;
    rows.add(state, first, partition_.begin + first_leaf * kLeafRows);
    std::vector<std::uint32_t> right;
    std::size_t low = first_leaf + leaves_;
    std::size_t high = end_leaf + leaves_;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) rows.merge(state, nodes_[low++]);
      if (high % 2 == 1) right.push_back(static_cast<std::uint32_t>(--high));
    }
    for (std::size_t i = right.size(); i-- > 0;) rows.merge(state, nodes_[right[i]]);
    rows.add(state, partition_.begin + end_leaf * kLeafRows, end);
  }

 private:
  void build(const Rows& rows) {
    leaves_ = (partition_.end - partition_.begin + kLeafRows - 1) / kLeafRows;
    // A power of two keeps neighbours beside each other on all levels.
    std::size_t size = 1;
    while (size < leaves_) size *= 2;
    const std::size_t used = leaves_;
    leaves_ = size;
    nodes_.assign(2 * size, State{});
    for (std::size_t i = 0; i < used; ++i) {
      const auto first = partition_.begin + static_cast<std::uint32_t>(i) * kLeafRows;
      rows.add(nodes_[size + i], first, std::min(partition_.end, first + kLeafRows));
    }
    for (std::size_t i = size; i-- > 1;) {
      nodes_[i] = nodes_[2 * i];
      rows.merge(nodes_[i], nodes_[2 * i + 1]);
    }
  }

  RowRange32 partition_;
  std::vector<State> nodes_;
  std::size_t leaves_ = 0;
  int large_adds_ = 0;
};

/// An aggregate by a tree; `Rows` as above, with write(State, row, result) besides.
template <class Rows>
class TreeAggregate final : public WindowAggregate {
 public:
  explicit TreeAggregate(const WindowInput& input) : rows_(input) {}
  Status begin(RowRange32 partition, bool) override {
    tree_.begin(partition);
    return {};
  }
  void clear() override { state_ = {}; }
  void add(std::uint32_t first, std::uint32_t end) override {
    tree_.add(rows_, state_, first, end);
  }
  Status write(std::uint32_t row, WindowResult& result) override {
    rows_.write(state_, row, result);
    return {};
  }

 private:
  Rows rows_;
  WindowTree<Rows> tree_;
  typename Rows::State state_{};
};

}  // namespace presso::query
