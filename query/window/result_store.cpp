// SPDX-License-Identifier: MIT
// The two ways of results.
#include "query/window/result_store.h"

#include <algorithm>

#include "query/order/ordering.h"
#include "query/rows/batch_builder.h"
#include "query/run/execution.h"

namespace presso::query {
namespace {

std::vector<Physical> physical_of_schema(const TableSchema& schema) {
  std::vector<Physical> physical;
  for (const ColumnSchema& column : schema.columns) {
    physical.push_back(physical_of_type(column.type));
  }
  return physical;
}

/// Every row's result, at its place.
class PlacedResults final : public ResultStore {
 public:
  PlacedResults(const TableSchema& schema, std::uint64_t rows, std::uint64_t text_bytes)
      : builder_(schema), text_bytes_(text_bytes) {
    for (const Physical physical : physical_of_schema(schema)) {
      Column& column = columns_.emplace_back();
      column.physical = physical;
      column.values.resize_discarding(static_cast<std::size_t>(rows) * physical_bytes(physical));
      std::fill_n(column.values.data(), column.values.size(), Byte{0});
      column.valid.resize(static_cast<std::size_t>(rows));
    }
  }

  Status take(const WindowChunk& chunk, std::span<const WindowResult> results) override {
    return without_bad_alloc([&]() -> Status {
      std::uint64_t text_bytes = 0;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        take_column(chunk, results[i], columns_[i]);
        text_bytes += columns_[i].strings.bytes();
      }
      if (text_bytes <= text_bytes_) return {};
      return make_error(ErrorCode::kOutOfMemory,
                        "the texts of window functions take more than a quarter of the memory; "
                        "--memory permits more");
    });
  }

  Result<ResultBatch> next(std::uint32_t rows) override {
    return without_bad_alloc([&]() -> Result<ResultBatch> {
      std::vector<std::array<std::uint64_t, kBatchWords>> bits(columns_.size());
      std::vector<VectorView> views(columns_.size());
      for (std::uint32_t first = 0; first < rows; first += kBatchRows) {
        const std::uint32_t count = std::min(kBatchRows, rows - first);
        for (std::size_t i = 0; i < columns_.size(); ++i) {
          views[i] = view(columns_[i], next_ + first, count, bits[i]);
        }
        builder_.append(views, count);
      }
      next_ += rows;
      return builder_.take();
    });
  }

 private:
  struct Column {
    Physical physical = Physical::kInt64;
    Buffer values;
    std::vector<Byte> valid;
    StringArena strings;
  };

  /// Neighbours with one string share its copy.
  static void take_column(const WindowChunk& chunk, const WindowResult& result, Column& to) {
    const std::size_t width = physical_bytes(to.physical);
    StringRef known;
    StringRef copy;
    for (std::uint32_t row = 0; row < chunk.count; ++row) {
      if (result.is_null(row)) continue;
      const auto number = static_cast<std::size_t>(chunk.number(row));
      to.valid[number] = 1;
      Byte* const at = to.values.data() + number * width;
      if (to.physical == Physical::kString) {
        const auto text = load<StringRef>(result.value(row));
        if (text.data != known.data || text.size != known.size) copy = to.strings.add(text.bytes());
        known = text;
        store(at, copy);
      } else if (width == 8) {
        std::memcpy(at, result.value(row), 8);
      } else {
        std::memcpy(at, result.value(row), width);
      }
    }
  }
  static VectorView view(const Column& column, std::uint64_t first, std::uint32_t count,
                         std::array<std::uint64_t, kBatchWords>& bits) {
    bits.fill(0);
    bool any_null = false;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t bit = column.valid[first + i];
      bits[i / 64] |= bit << (i % 64);
      any_null = any_null || bit == 0;
    }
    return {column.physical, column.values.data() + first * physical_bytes(column.physical),
            any_null ? bits.data() : nullptr};
  }

  BatchBuilder builder_;
  std::vector<Column> columns_;
  const std::uint64_t text_bytes_;  ///< allowed for strings
  std::uint64_t next_ = 0;
};

/// Results that are sorted by row number.
class SortedResults final : public ResultStore {
 public:
  SortedResults(const TableSchema& schema, std::unique_ptr<Ordering> ordering)
      : builder_(schema), physical_(physical_of_schema(schema)), ordering_(std::move(ordering)) {}

  Status take(const WindowChunk& chunk, std::span<const WindowResult> results) override {
    std::vector<std::array<std::uint64_t, kBatchWords>> bits(results.size());
    std::vector<VectorView> views(results.size() + 1);
    std::array<std::uint64_t, kBatchRows> numbers;
    for (std::uint32_t first = 0; first < chunk.count; first += kBatchRows) {
      const std::uint32_t count = std::min(kBatchRows, chunk.count - first);
      for (std::uint32_t i = 0; i < count; ++i) {
        numbers[i] = static_cast<std::uint64_t>(chunk.number(first + i));
      }
      for (std::size_t i = 0; i < results.size(); ++i) {
        bits[i].fill(0);
        for (std::uint32_t row = 0; row < count; ++row) {
          const std::uint64_t valid = results[i].is_null(first + row) ? 0 : 1;
          bits[i][row / 64] |= valid << (row % 64);
        }
        views[i] = {physical_[i], results[i].value(first), bits[i].data()};
      }
      views.back() = {Physical::kInt64, numbers.data(), nullptr};
      PRESSO_TRY(ordering_->add(0, numbers_of(numbers), views, count));
    }
    return {};
  }

  Result<ResultBatch> next(std::uint32_t rows) override {
    std::vector<VectorView> views(physical_.size());
    while (rows > 0) {
      if (at_ == sorted_.rows()) {
        PRESSO_ASSIGN(sorted_, ordering_->next());
        at_ = 0;
      }
      // Views begin at multiples of 64 rows, so that a part of a vector is copied first.
      const std::uint64_t left = std::min<std::uint64_t>(sorted_.rows() - at_, rows);
      std::vector<std::uint64_t> picks(static_cast<std::size_t>(left));
      for (std::uint64_t i = 0; i < left; ++i) picks[i] = at_ + i;
      const RowStore part = sorted_.picked(picks);
      for (std::uint64_t first = 0; first < left; first += kBatchRows) {
        for (std::size_t i = 0; i < views.size(); ++i) views[i] = part.view(i, first);
        builder_.append(
            views, static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, left - first)));
      }
      at_ += left;
      rows -= static_cast<std::uint32_t>(left);
    }
    return builder_.take();
  }

 private:
  static RowNumbers numbers_of(const std::array<std::uint64_t, kBatchRows>& numbers) {
    return {0, nullptr, numbers.data()};
  }

  BatchBuilder builder_;
  std::vector<Physical> physical_;
  std::unique_ptr<Ordering> ordering_;
  RowStore sorted_;
  std::uint64_t at_ = 0;
};

}  // namespace

Result<std::unique_ptr<ResultStore>> ResultStore::make(const TableSchema& schema,
                                                       std::uint64_t rows, std::size_t share,
                                                       const QueryOptions& options) {
  std::uint64_t row_bytes = 0;
  OrderingPlan plan;
  plan.columns = physical_of_schema(schema);
  for (const Physical physical : plan.columns) row_bytes += physical_bytes(physical) + 1;
  const std::uint64_t memory_bytes = memory_limit(options) / 4 / share;
  if (rows * row_bytes <= memory_bytes) {
    return without_bad_alloc([&]() -> Result<std::unique_ptr<ResultStore>> {
      return std::unique_ptr<ResultStore>(
          std::make_unique<PlacedResults>(schema, rows, memory_bytes));
    });
  }
  plan.keys.push_back({plan.columns.size(), false, false});
  plan.columns.push_back(Physical::kInt64);
  plan.memory_bytes = memory_bytes;
  plan.temporary_directory = options.temporary_directory;
  PRESSO_ASSIGN(auto ordering, Ordering::make(plan));
  return std::unique_ptr<ResultStore>(std::make_unique<SortedResults>(schema, std::move(ordering)));
}

}  // namespace presso::query
