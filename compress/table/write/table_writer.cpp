// SPDX-License-Identifier: MIT
// TableWriter: row groups wait until there is one for each thread; then run_ordered() encodes them
// together and writes them in order. Nothing runs between two calls, so a caller may stop at any
// time. Every error but that of a refused batch makes the writer useless, and every later call
// returns it. Tested by tests/unit/compress/table/table_writer_test.cpp.
#include "presso/table_writer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compress/table/write/row_group_encoder.h"
#include "format/columns/group_collector.h"
#include "format/columns/header_line.h"
#include "format/columns/table_file.h"
#include "presso/ordered_pipeline.h"

namespace presso {
namespace {

// The bytes in memory with which a row group is full: usually, and where the caller has asked for a
// number of rows.
constexpr std::uint64_t kWrittenGroupBytes = 32u << 20;
constexpr std::uint64_t kMostWrittenGroupBytes = 1u << 30;

/// Adds the form in which such a table is printed and searched; delimited text gets a header.
TableSchema with_text_form(const TableSchema& schema) {
  TableSchema made;
  made.columns = schema.columns;
  made.text = schema.text;
  // Facts of some other text do not belong to this table.
  made.text.head.clear();
  made.text.json_orders.clear();
  made.text.json_spacing = schema.text.json_spacing.as_lines();
  if (made.text.kind == TextKind::kNone) made.text.kind = TextKind::kDelimited;
  if (made.text.kind == TextKind::kDelimited) made.text.head = header_line(made);
  return made;
}

/// A row group is full by rows if the caller has asked for a number, otherwise by 32 MiB of values.
CollectorLimits limits_of(const TableSchema& schema, const TableWriterOptions& options) {
  const std::uint32_t most = most_group_rows(stored_columns(schema));
  if (options.group_rows == 0) return {most, kWrittenGroupBytes};
  return {std::min(options.group_rows, most), kMostWrittenGroupBytes};
}

}  // namespace

/// The implementation of the public class: gathers rows into groups and writes them. For one
/// thread, which may differ from call to call.
class TableWriter::Body {
 public:
  Body(ByteSink& sink, const TableSchema& schema, const TableWriterOptions& options)
      : schema_(with_text_form(schema)),
        options_(options),
        writer_(sink),
        collector_(schema_, limits_of(schema_, options)),
        threads_(threads_or_all(options.compress.threads)) {}

  Status begin() {
    PRESSO_TRY(writer_.begin(schema_, options_.compress.metadata));
    // An encoder for each thread, kept until close().
    const TableParameters parameters = table_parameters(options_.compress, options_.quick);
    for (unsigned i = 0; i < threads_; ++i) encoders_.emplace_back(schema_, parameters);
    return {};
  }

  /// kInvalidArgument for a batch that does not fit the schema leaves the table as it was: more
  /// may follow.
  Status append(std::span<const ColumnView> columns) {
    PRESSO_TRY(check_open());
    PRESSO_TRY(check_batch(schema_, columns, summary_.rows));
    return remember(without_bad_alloc([&] { return take(columns); }));
  }

  /// May be called once; a table that was not closed has no index and no trailer.
  Result<TableWriterSummary> close() {
    PRESSO_TRY(check_open());
    closed_ = true;
    PRESSO_TRY(remember(without_bad_alloc([&] { return finish(); })));
    summary_.compressed_bytes = writer_.bytes_written();
    return summary_;
  }

 private:
  using Group = std::vector<ColumnData>;

  /// The first error, again and again, or that the table is closed.
  Status check_open() const {
    if (failure_) return *failure_;
    if (closed_) return make_error(ErrorCode::kInvalidArgument, "the table is closed");
    return {};
  }

  // Keeps the first error, as the file is not complete after it.
  Status remember(Status status) {
    if (!status.ok()) failure_ = status.error();
    return status;
  }

  /// Splits the batch over row groups.
  Status take(std::span<const ColumnView> columns) {
    const std::uint64_t rows = columns.front().rows;
    for (std::uint64_t row = 0; row < rows;) {
      const std::uint64_t taken = collector_.take(columns, row);
      row += taken;
      summary_.rows += taken;
      if (!collector_.full()) continue;
      take_group();
      // Memory: a row group for each thread.
      if (groups_.size() == threads_) PRESSO_TRY(write_groups());
    }
    return {};
  }

  /// Writes the rest of the rows, then index and trailer.
  Status finish() {
    if (collector_.rows() > 0) take_group();
    PRESSO_TRY(write_groups());
    return writer_.finish();
  }

  /// Moves the collected rows to those that wait to be encoded.
  void take_group() {
    group_bytes_.push_back(collector_.bytes());
    groups_.push_back(collector_.finish());
  }

  /// Encodes the waiting row groups on as many threads.
  Status write_groups() {
    std::size_t next = 0;
    std::size_t written = 0;
    const Status done = run_ordered<Group, EncodedRowGroup>(
        {static_cast<unsigned>(std::max<std::size_t>(groups_.size(), 1)), 0},
        [&]() -> Result<std::optional<Group>> {
          if (next == groups_.size()) return std::optional<Group>();
          return std::optional(std::move(groups_[next++]));
        },
        [&](Group group, unsigned worker) {
          std::vector<ColumnView> views;
          for (const ColumnData& column : group) views.push_back(column.view());
          return encoders_[worker].encode(views, {});
        },
        [&](EncodedRowGroup encoded) { return write(encoded, group_bytes_[written++]); });
    groups_.clear();
    group_bytes_.clear();
    return done;
  }

  /// kCancelled if on_progress says so.
  Result<bool> write(const EncodedRowGroup& encoded, std::uint64_t value_bytes) {
    PRESSO_TRY(writer_.add_row_group(encoded.directory, encoded.blocks.bytes()));
    ++summary_.row_groups;
    summary_.value_bytes += value_bytes;
    const auto& progress = options_.compress.on_progress;
    if (progress && !progress(summary_.value_bytes, writer_.bytes_written())) {
      return make_error(ErrorCode::kCancelled);
    }
    return true;
  }

  const TableSchema schema_;
  const TableWriterOptions options_;
  TableFileWriter writer_;
  GroupCollector collector_;
  unsigned threads_;
  std::vector<RowGroupEncoder> encoders_;
  std::vector<Group> groups_;  ///< row groups that wait
  std::vector<std::uint64_t> group_bytes_;
  TableWriterSummary summary_;
  std::optional<Error> failure_;
  bool closed_ = false;
};

TableWriter::TableWriter(std::unique_ptr<Body> body) : body_(std::move(body)) {}
TableWriter::TableWriter(TableWriter&&) noexcept = default;
TableWriter& TableWriter::operator=(TableWriter&&) noexcept = default;
TableWriter::~TableWriter() = default;

/// Writes the file's front at once, so that errors of the sink show here.
Result<TableWriter> TableWriter::open(ByteSink& sink, const TableSchema& schema,
                                      const TableWriterOptions& options) {
  PRESSO_TRY(validate(options.compress));
  return without_bad_alloc([&]() -> Result<TableWriter> {
    // On the heap, since the collector keeps a reference to the body's schema.
    auto body = std::make_unique<Body>(sink, schema, options);
    PRESSO_TRY(body->begin());
    return TableWriter(std::move(body));
  });
}

// Rows are copied: the batch may go as soon as this returns.
Status TableWriter::append(std::span<const ColumnView> columns) {
  return body_->append(columns);
}

Result<TableWriterSummary> TableWriter::close() {
  return body_->close();
}

}  // namespace presso
