// SPDX-License-Identifier: MIT
// Functions that give the value of one row of the frame: the least, the greatest, the first, the
// n-th, the last.
#include <algorithm>

#include "query/window/aggregates.h"

namespace presso::query {
namespace {

constexpr std::uint32_t kNoRow = ~std::uint32_t{0};

template <class T>
bool is_less(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, double>) {
    if (a != a || b != b) return a == a && b != b;
  }
  if constexpr (std::is_same_v<T, StringRef>) {
    const std::size_t most = static_cast<std::size_t>(std::min(a.size, b.size));
    const int order = most == 0 ? 0 : std::memcmp(a.data, b.data, most);
    return order != 0 ? order < 0 : a.size < b.size;
  } else {
    return a < b;
  }
}

/// The row with the least or greatest value; of equal ones the first.
template <class T>
class ExtremeRows {
 public:
  struct State {
    std::uint32_t row = kNoRow;
  };
  explicit ExtremeRows(const WindowInput& input)
      : input_(input),
        keys_(input.arguments.back().view.as<T>()),
        greatest_(input.call->kind == WindowKind::kMax || input.call->kind == WindowKind::kArgMax) {
  }
  void add(State& state, std::uint32_t first, std::uint32_t end) const {
    for (std::uint32_t row = first; row < end; ++row) {
      if (input_.sees_all || input_.sees(row)) take(state, row);
    }
  }
  void merge(State& state, const State& other) const {
    if (other.row != kNoRow) take(state, other.row);
  }
  void write(const State& state, std::uint32_t row, WindowResult& result) const {
    if (state.row != kNoRow) result.set_from(row, input_.arguments[0].view, state.row);
  }

 private:
  void take(State& state, std::uint32_t row) const {
    if (state.row == kNoRow || (greatest_ ? is_less(keys_[state.row], keys_[row])
                                          : is_less(keys_[row], keys_[state.row]))) {
      state.row = row;
    }
  }

  const WindowInput& input_;
  const T* const keys_;
  const bool greatest_;
};

/// The first, the n-th or the last row that is seen. A frame is at most a few pieces of the
/// partition.
class PlaceAggregate final : public WindowAggregate {
 public:
  explicit PlaceAggregate(const WindowInput& input) : input_(input) {}

  Status begin(RowRange32 partition, bool) override {
    partition_ = partition;
    clear();
    if (input_.sees_all) return {};
    seen_.clear();
    before_.assign(1, 0);
    for (std::uint32_t row = partition.begin; row < partition.end; ++row) {
      if (input_.sees(row)) seen_.push_back(row);
      before_.push_back(static_cast<std::uint32_t>(seen_.size()));
    }
    return {};
  }
  void clear() override { pieces_.clear(); }
  void add(std::uint32_t first, std::uint32_t end) override {
    if (first == end) return;
    if (!pieces_.empty() && pieces_.back().end == first) {
      pieces_.back().end = end;
    } else {
      pieces_.push_back({first, end});
    }
  }
  Status write(std::uint32_t row, WindowResult& result) override {
    const std::uint32_t found = find(row);
    if (found != kNoRow) result.set_from(row, input_.arguments[0].view, found);
    return {};
  }

 private:
  /// The numbers of the rows of a piece among those of the partition that are seen.
  RowRange32 places(const RowRange32& piece) const {
    const RowRange32 rows{piece.begin - partition_.begin, piece.end - partition_.begin};
    if (input_.sees_all) return rows;
    return {before_[rows.begin], before_[rows.end]};
  }
  std::uint32_t row_at(std::uint32_t place) const {
    return input_.sees_all ? partition_.begin + place : seen_[place];
  }
  std::uint32_t find(std::uint32_t row) const {
    const WindowKind kind = input_.call->kind;
    if (kind == WindowKind::kLast || kind == WindowKind::kLastValue) return last();
    Int128 left = 1;
    if (kind == WindowKind::kNthValue) {
      if (input_.arguments[1].is_null(row)) return kNoRow;
      left = input_.arguments[1].integer(row);
    }
    for (const RowRange32& piece : pieces_) {
      const RowRange32 at = places(piece);
      if (left < 1) return kNoRow;
      if (left <= at.end - at.begin) return row_at(at.begin + static_cast<std::uint32_t>(left) - 1);
      left -= at.end - at.begin;
    }
    return kNoRow;
  }
  std::uint32_t last() const {
    for (std::size_t i = pieces_.size(); i-- > 0;) {
      const RowRange32 at = places(pieces_[i]);
      if (at.begin < at.end) return row_at(at.end - 1);
    }
    return kNoRow;
  }

  const WindowInput& input_;
  RowRange32 partition_;
  std::vector<RowRange32> pieces_;
  std::vector<std::uint32_t> seen_;
  std::vector<std::uint32_t> before_;  ///< by row of the partition: rows before it that are seen
};

}  // namespace

bool comes_before(const VectorView& view, std::uint32_t a, std::uint32_t b) {
  switch (view.physical) {
    case Physical::kBool:
      return view.as<Byte>()[a] < view.as<Byte>()[b];
    case Physical::kInt64:
      return view.as<std::int64_t>()[a] < view.as<std::int64_t>()[b];
    case Physical::kInt128:
      return view.as<Int128>()[a] < view.as<Int128>()[b];
    case Physical::kDouble:
      return is_less(view.as<double>()[a], view.as<double>()[b]);
    case Physical::kString:
      return is_less(view.as<StringRef>()[a], view.as<StringRef>()[b]);
  }
  return false;
}

std::vector<std::uint32_t> numbers_of_values(const WindowColumn& column, RowRange32 partition) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = partition.begin; row < partition.end; ++row) {
    if (!column.is_null(row)) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(),
            [&](std::uint32_t a, std::uint32_t b) { return comes_before(column.view, a, b); });
  std::vector<std::uint32_t> numbers(partition.end - partition.begin);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && comes_before(column.view, rows[i - 1], rows[i])) ++next;
    numbers[rows[i] - partition.begin] = next;
  }
  next += rows.empty() ? 0 : 1;
  for (std::uint32_t row = partition.begin; row < partition.end; ++row) {
    if (column.is_null(row)) numbers[row - partition.begin] = next;
  }
  return numbers;
}

std::unique_ptr<WindowAggregate> make_extreme_aggregate(const WindowInput& input) {
  switch (input.arguments.back().view.physical) {
    case Physical::kBool:
      return std::make_unique<TreeAggregate<ExtremeRows<Byte>>>(input);
    case Physical::kInt64:
      return std::make_unique<TreeAggregate<ExtremeRows<std::int64_t>>>(input);
    case Physical::kInt128:
      return std::make_unique<TreeAggregate<ExtremeRows<Int128>>>(input);
    case Physical::kDouble:
      return std::make_unique<TreeAggregate<ExtremeRows<double>>>(input);
    case Physical::kString:
      return std::make_unique<TreeAggregate<ExtremeRows<StringRef>>>(input);
  }
  return nullptr;
}

std::unique_ptr<WindowAggregate> make_place_aggregate(const WindowInput& input) {
  return std::make_unique<PlaceAggregate>(input);
}

}  // namespace presso::query
