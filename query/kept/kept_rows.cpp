// SPDX-License-Identifier: MIT
// Large batches become row groups of their own, which the query's threads encode; rows of small
// ones are collected first.
#include "query/kept/kept_rows.h"

#include "query/run/execution.h"

namespace presso::query {
namespace {

/// A batch of this number of rows is a row group.
constexpr std::uint64_t kOwnGroupRows = 16'384;
/// Rows and bytes of a row group of collected rows.
constexpr CollectorLimits kCollected{65'536, 64u << 20};
/// A batch with more bytes of strings is cut by the collector: a row group may have 4 GiB.
constexpr std::int64_t kMostStringBytes = std::int64_t{1} << 30;
/// The part of the query's memory that kept rows may take.
constexpr std::uint64_t kMemoryShare = 4;

std::vector<ColumnView> views_of(const std::vector<ColumnData>& columns) {
  std::vector<ColumnView> views;
  views.reserve(columns.size());
  for (const ColumnData& column : columns) views.push_back(column.view());
  return views;
}

bool is_own_group(std::span<const ColumnView> columns) {
  if (columns.front().rows < kOwnGroupRows || columns.front().rows > kCollected.rows) return false;
  return std::all_of(columns.begin(), columns.end(), [](const ColumnView& column) {
    return !is_string(column.type) || column.offsets[column.rows] <= kMostStringBytes;
  });
}

/// The schema of the stored table: it is read by values alone, and outer joins may have added nulls
/// to columns that had none.
TableSchema stored_schema(const TableSchema& schema, const std::string& row_number) {
  TableSchema stored;
  stored.columns = schema.columns;
  for (ColumnSchema& column : stored.columns) {
    column.nullable = true;
    column.spelled = false;
  }
  if (row_number.empty()) return stored;
  ColumnSchema& number = stored.columns.emplace_back();
  number.name = row_number;
  number.type = ColumnType::kInt64;
  number.nullable = false;
  return stored;
}

}  // namespace

KeepingSink::KeepingSink(const QueryOptions& options, std::string row_number)
    : row_number_(std::move(row_number)),
      file_(std::make_shared<KeptFile>(memory_limit(options) / kMemoryShare,
                                       options.temporary_directory)),
      writer_(*file_) {}

Status KeepingSink::begin(const TableSchema& schema) {
  schema_.columns = schema.columns;
  collector_.emplace(schema_, kCollected);
  dictionary_lost_ = std::make_unique<std::atomic<bool>[]>(schema.columns.size());
  return writer_.begin(stored_schema(schema, row_number_), {});
}

std::unique_ptr<PlainRowGroup> KeepingSink::encoded(std::span<const ColumnView> columns) {
  auto group = std::make_unique<PlainRowGroup>(static_cast<std::uint32_t>(columns.front().rows));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool won = group->add(columns[i], !dictionary_lost_[i].load(std::memory_order_relaxed));
    if (!won) dictionary_lost_[i].store(true, std::memory_order_relaxed);
  }
  return group;
}

/// Returns a buffer of one byte, whose address stands for the row group.
Result<Buffer> KeepingSink::encode(const ResultBatch& batch) {
  Buffer token;
  const std::vector<ColumnView> views = views_of(batch);
  if (views.empty() || !is_own_group(views)) return token;
  std::unique_ptr<PlainRowGroup> group = encoded(views);
  token.grow(1);
  const std::lock_guard lock(mutex_);
  encoded_[token.data()] = std::move(group);
  return token;
}

Result<bool> KeepingSink::write(ResultBatch batch, Buffer token) {
  if (token.empty()) {
    PRESSO_TRY(add(views_of(batch)));
    return true;
  }
  PRESSO_TRY(write_collected());
  std::unique_lock lock(mutex_);
  const auto node = encoded_.extract(token.data());
  lock.unlock();
  PRESSO_TRY(add_group(*node.mapped()));
  return true;
}

Status KeepingSink::add(std::span<const ColumnView> columns) {
  const std::uint64_t rows = columns.empty() ? 0 : columns.front().rows;
  for (std::uint64_t row = 0; row < rows;) {
    row += collector_->take(columns, row);
    if (collector_->full()) PRESSO_TRY(write_collected());
  }
  return {};
}

Status KeepingSink::add_extended(PlainRowGroup& stored, std::span<const ColumnData> columns) {
  for (const ColumnData& column : columns) {
    const std::size_t at = stored.directory().columns.size();
    const bool won = stored.add(column.view(), !dictionary_lost_[at].load());
    if (!won) dictionary_lost_[at].store(true);
  }
  return add_group(stored);
}

Status KeepingSink::write_collected() {
  if (collector_->rows() == 0) return {};
  const std::vector<ColumnData> columns = collector_->finish();
  return add_group(*encoded(views_of(columns)));
}

Status KeepingSink::add_group(PlainRowGroup& group) {
  if (!row_number_.empty()) group.add_numbers(static_cast<std::int64_t>(rows_));
  rows_ += group.directory().rows;
  return writer_.add_row_group(group.directory(), group.blocks());
}

/// Checksums are not compared when the table is read: nobody else writes to its memory and file.
Result<KeptRows> KeepingSink::finish() {
  PRESSO_TRY(write_collected());
  PRESSO_TRY(writer_.finish());
  DecodeOptions decoding;
  decoding.verify = false;
  PRESSO_ASSIGN(Table table, Table::open(*file_, decoding));
  return KeptRows{file_, std::move(table), {}};
}

Result<KeptRows> keep(const PreparedQuery& query, const QueryOptions& options,
                      std::string row_number) {
  KeepingSink sink(options, std::move(row_number));
  PRESSO_ASSIGN(const QuerySummary summary, query.run(sink));
  PRESSO_ASSIGN(KeptRows rows, sink.finish());
  rows.summary = summary;
  return rows;
}

Result<KeptRows> keep(const Query& query, const QueryOptions& options, std::string row_number) {
  QueryOptions keeping = options;
  keeping.keeps_answer = true;
  PRESSO_ASSIGN(const PreparedQuery prepared, query.prepare(keeping));
  return keep(prepared, keeping, std::move(row_number));
}

}  // namespace presso::query
