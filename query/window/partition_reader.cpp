// SPDX-License-Identifier: MIT
// Sorts rows and cuts them at the ends of partitions.
#include "query/window/partition_reader.h"

#include <algorithm>
#include <numeric>

#include "format/columns/zone_image.h"
#include "format/threads/parallel.h"
#include "query/order/key_images.h"
#include "query/run/execution.h"

namespace presso::query {
namespace {

/// The rows of a chunk, if partitions are small: enough for all threads, and few enough for caches.
constexpr std::uint64_t kChunkRows = 1u << 18;
constexpr std::uint64_t kMostChunkRows = 0xF0000000u;

template <class From, class To>
void convert(const Byte* from, std::uint64_t rows, Byte* to) {
  for (std::uint64_t row = 0; row < rows; ++row) {
    store(to + row * sizeof(To), static_cast<To>(load<From>(from + row * sizeof(From))));
  }
}

/// The values of a column in their form in memory, with what they refer to.
struct LoadedColumn {
  Physical physical = Physical::kInt64;
  ColumnData stored;  ///< strings refer to it
  Buffer values;
  std::vector<std::uint64_t> validity;

  explicit LoadedColumn(ColumnData column) : stored(std::move(column)) {
    physical = physical_of_type(stored.type);
    values.resize_discarding(static_cast<std::size_t>(stored.rows) * physical_bytes(physical));
    load_values();
    if (stored.validity.empty()) return;
    validity.resize(static_cast<std::size_t>((stored.rows + 63) / 64));
    std::memcpy(validity.data(), stored.validity.data(),
                std::min(stored.validity.size(), validity.size() * 8));
  }
  /// The rows from `first` on, a multiple of 64.
  VectorView view(std::uint64_t first) const {
    return {physical, values.data() + first * physical_bytes(physical),
            validity.empty() ? nullptr : validity.data() + first / 64};
  }

 private:
  void load_values() {
    const Byte* const from = stored.values.data();
    Byte* const to = values.data();
    const std::uint64_t rows = stored.rows;
    switch (stored.type) {
      case ColumnType::kBool:
        for (std::uint64_t row = 0; row < rows; ++row) to[row] = from[row / 8] >> (row % 8) & 1;
        return;
      case ColumnType::kInt8:
        return convert<std::int8_t, std::int64_t>(from, rows, to);
      case ColumnType::kInt16:
        return convert<std::int16_t, std::int64_t>(from, rows, to);
      case ColumnType::kInt32:
      case ColumnType::kDate32:
        return convert<std::int32_t, std::int64_t>(from, rows, to);
      case ColumnType::kUint8:
        return convert<std::uint8_t, std::int64_t>(from, rows, to);
      case ColumnType::kUint16:
        return convert<std::uint16_t, std::int64_t>(from, rows, to);
      case ColumnType::kUint32:
        return convert<std::uint32_t, std::int64_t>(from, rows, to);
      case ColumnType::kUint64:
        return convert<std::uint64_t, Int128>(from, rows, to);
      case ColumnType::kFloat:
        return convert<float, double>(from, rows, to);
      case ColumnType::kUtf8:
      case ColumnType::kBinary:
        for (std::uint64_t row = 0; row < rows; ++row) {
          const auto size =
              static_cast<std::uint64_t>(stored.offsets[row + 1] - stored.offsets[row]);
          store(to + row * sizeof(StringRef), StringRef{from + stored.offsets[row], size});
        }
        return;
      default:
        std::memcpy(to, from, values.size());
    }
  }
};

/// Marks rows from `first` on whose value differs from that of the row before.
void mark_changes(const RowStore& rows, std::size_t column, std::uint64_t first,
                  std::vector<Byte>& changes) {
  const VectorView view = rows.view(column, 0);
  const auto mark = [&](auto differ) {
    for (std::uint64_t row = std::max<std::uint64_t>(first, 1); row < rows.rows(); ++row) {
      const auto at = static_cast<std::uint32_t>(row);
      const bool null = view.is_null(at);
      const bool changed = null != view.is_null(at - 1) || (!null && differ(at));
      changes[row - first] = static_cast<Byte>(changes[row - first] | (changed ? 1 : 0));
    }
  };
  if (view.physical == Physical::kString) {
    const StringRef* const values = view.as<StringRef>();
    return mark([=](std::uint32_t row) { return !(values[row] == values[row - 1]); });
  }
  with_images(view, [&](auto image) {
    mark([&](std::uint32_t row) { return image(row) != image(row - 1); });
  });
}

}  // namespace

PartitionReader::PartitionReader(const Table& table, std::vector<std::size_t> columns,
                                 const std::vector<std::size_t>& partition,
                                 const std::vector<WindowOrder>& order, const QueryOptions& options)
    : table_(table),
      columns_(std::move(columns)),
      options_(options),
      threads_(threads_or_all(options.threads)),
      memory_bytes_(memory_limit(options) / 4) {
  const auto place_of = [&](std::size_t column) {
    return static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), column) -
                                    columns_.begin());
  };
  for (const std::size_t column : columns_) {
    physical_.push_back(physical_of_type(table.schema().columns[column].type));
  }
  physical_.push_back(Physical::kInt64);
  for (const std::size_t column : partition) {
    partition_.push_back(place_of(column));
    keys_.push_back({partition_.back(), false, false});
  }
  for (const WindowOrder& key : order) {
    order_.push_back(place_of(key.column));
    keys_.push_back({order_.back(), key.descending, key.nulls_first});
  }
  rest_ = RowStore(physical_);
  waiting_ = RowStore(physical_);
}

Status PartitionReader::check_cancelled() const {
  if (options_.cancelled == nullptr || !options_.cancelled->load()) return {};
  return make_error(ErrorCode::kCancelled);
}

Status PartitionReader::open() {
  if (keys_.empty()) return {};
  OrderingPlan plan;
  plan.columns = physical_;
  plan.keys = keys_;
  plan.threads = threads_;
  plan.memory_bytes = memory_bytes_;
  plan.temporary_directory = options_.temporary_directory;
  PRESSO_ASSIGN(ordering_, Ordering::make(plan));
  return for_each_in_parallel(
      static_cast<std::size_t>(table_.row_groups()), threads_,
      [&](std::size_t group, unsigned worker) {
        return read_group(group, [&](std::uint64_t number, std::span<const VectorView> views,
                                     std::uint32_t count) {
          return ordering_->add(worker, number, nullptr, views, count);
        });
      });
}

/// Reads a row group and gives its rows to `take`, a vector at a time.
template <class Take>
Status PartitionReader::read_group(std::uint64_t group, const Take& take) const {
  PRESSO_TRY(check_cancelled());
  const RowGroupSummary place = table_.row_group(group);
  std::vector<LoadedColumn> columns;
  if (!columns_.empty()) {
    PRESSO_ASSIGN(std::vector<ColumnData> read, table_.read(group, columns_, 0, place.rows));
    for (ColumnData& column : read) columns.emplace_back(std::move(column));
  }
  std::vector<std::int64_t> numbers(kBatchRows);
  std::vector<VectorView> views(physical_.size());
  for (std::uint32_t first = 0; first < place.rows; first += kBatchRows) {
    const std::uint32_t count = std::min(kBatchRows, place.rows - first);
    const std::uint64_t number = place.first_row + first;
    std::iota(numbers.begin(), numbers.end(), static_cast<std::int64_t>(number));
    for (std::size_t i = 0; i < columns.size(); ++i) views[i] = columns[i].view(first);
    views.back() = {Physical::kInt64, numbers.data(), nullptr};
    PRESSO_TRY(take(number, views, count));
  }
  return {};
}

/// The next rows in order; none at the end.
Result<RowStore> PartitionReader::next_rows() {
  PRESSO_TRY(check_cancelled());
  if (ordering_ != nullptr) return ordering_->next();
  RowStore rows(physical_);
  if (next_group_ == table_.row_groups()) return rows;
  PRESSO_TRY(read_group(
      next_group_++,
      [&](std::uint64_t, std::span<const VectorView> views, std::uint32_t count) -> Status {
        rows.append(views, count);
        return {};
      }));
  return rows;
}

bool PartitionReader::has_room(const WindowChunk& chunk) const {
  return chunk.rows.bytes() + waiting_.bytes() <= memory_bytes_ &&
         chunk.rows.rows() + waiting_.rows() <= kMostChunkRows;
}

/// Appends the waiting rows to the chunk, and notes where partitions begin.
Status PartitionReader::append_waiting(WindowChunk& chunk) {
  if (!has_room(chunk)) {
    return make_error(ErrorCode::kOutOfMemory,
                      "a partition of a window function takes more than a quarter of the memory (" +
                          grouped(chunk.rows.rows()) + " rows so far); --memory permits more");
  }
  const std::uint64_t before = chunk.rows.rows();
  std::vector<VectorView> views(physical_.size());
  for (std::uint64_t first = 0; first < waiting_.rows(); first += kBatchRows) {
    for (std::size_t i = 0; i < views.size(); ++i) views[i] = waiting_.view(i, first);
    const std::uint64_t left = waiting_.rows() - first;
    chunk.rows.append(views, static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, left)));
  }
  waiting_ = RowStore(physical_);
  note_partitions(chunk, before);
  return {};
}

/// Notes the partitions that begin at `first` or after it.
void PartitionReader::note_partitions(WindowChunk& chunk, std::uint64_t first) const {
  std::vector<Byte> changes(static_cast<std::size_t>(chunk.rows.rows() - first), 0);
  for (const std::size_t column : partition_) mark_changes(chunk.rows, column, first, changes);
  for (std::uint64_t row = first; row < chunk.rows.rows(); ++row) {
    if (row == 0 || changes[row - first] != 0) {
      chunk.partitions.push_back(static_cast<std::uint32_t>(row));
    }
  }
}

/// Reads until there is at least one whole partition and, if partitions are small, many rows. What
/// follows the last whole one is left for the next chunk.
Result<std::unique_ptr<WindowChunk>> PartitionReader::next() {
  return without_bad_alloc([&]() -> Result<std::unique_ptr<WindowChunk>> {
    auto chunk = std::make_unique<WindowChunk>();
    chunk->rows = std::exchange(rest_, RowStore(physical_));
    note_partitions(*chunk, 0);
    for (;;) {
      if (waiting_.rows() == 0) {
        PRESSO_ASSIGN(waiting_, next_rows());
      }
      if (waiting_.rows() == 0) break;
      const bool has_whole = chunk->partitions.size() > 1;
      if (has_whole && (chunk->rows.rows() >= kChunkRows || !has_room(*chunk))) break;
      PRESSO_TRY(append_waiting(*chunk));
    }
    if (chunk->rows.rows() == 0) return std::unique_ptr<WindowChunk>();
    std::uint64_t count = chunk->rows.rows();
    if (waiting_.rows() > 0) {
      count = chunk->partitions.back();
      chunk->partitions.pop_back();
      std::vector<std::uint64_t> rest(static_cast<std::size_t>(chunk->rows.rows() - count));
      std::iota(rest.begin(), rest.end(), count);
      rest_ = chunk->rows.picked(rest);
    }
    chunk->count = static_cast<std::uint32_t>(count);
    chunk->partitions.push_back(chunk->count);
    find_groups(*chunk);
    return chunk;
  });
}

void PartitionReader::find_groups(WindowChunk& chunk) const {
  std::vector<Byte> changes(static_cast<std::size_t>(chunk.rows.rows()), 0);
  for (const std::size_t column : order_) mark_changes(chunk.rows, column, 0, changes);
  for (const std::uint32_t start : chunk.partitions) {
    if (start < chunk.count) changes[start] = 1;
  }
  chunk.group_of.resize(chunk.count);
  for (std::uint32_t row = 0; row < chunk.count; ++row) {
    if (changes[row] != 0) chunk.groups.push_back(row);
    chunk.group_of[row] = static_cast<std::uint32_t>(chunk.groups.size() - 1);
  }
  chunk.groups.push_back(chunk.count);
}

}  // namespace presso::query
