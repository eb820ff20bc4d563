// SPDX-License-Identifier: MIT
// Two passes over a file: the first finds out the types from all rows, the second loads one row
// group after another and encodes it. Both work on all threads, a piece of text each.
#include "presso/compress_table.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "compress/table/csv_loader.h"
#include "compress/table/dialect.h"
#include "compress/table/piece_reader.h"
#include "compress/table/row_group_encoder.h"
#include "compress/table/type_inference.h"
#include "format/columns/table_file.h"
#include "presso/checksum.h"
#include "presso/ordered_pipeline.h"
#include "presso/stopwatch.h"

namespace presso {
namespace {

constexpr std::size_t kMostSniffBytes = std::size_t{1} << 28;
/// A line of so many bytes is a row, not a comment.
constexpr std::size_t kLongLine = std::size_t{1} << 24;

SniffOptions sniff_options(const TableTextOptions& text) {
  return {.delimiter = text.delimiter,
          .quote = text.quote,
          .trailing_delimiter = text.trailing_delimiter,
          .header = text.header,
          .null_text = text.null_text,
          .comment = text.comment,
          .skip_lines = text.skip_lines};
}

class TableCompressor {
 public:
  TableCompressor(ByteSource& source, const RandomAccess* sample, ByteSink& sink,
                  const TableOptions& options)
      : source_(source),
        sample_(sample),
        options_(options),
        writer_(sink),
        threads_(threads_or_all(options.compress.threads)) {}

  Result<TableSummary> run() {
    PRESSO_TRY(sniff_text());
    PRESSO_TRY(find_types());
    PRESSO_TRY(load());
    summary_.compressed_bytes = writer_.bytes_written();
    return std::move(summary_);
  }

 private:
  /// What a thread has made of a piece.
  struct Loaded {
    Status status;
    EncodedRowGroup group;
    std::uint64_t text_bytes = 0;
    std::uint64_t rows = 0;
    std::uint64_t exact_lines = 0;
    TableSeconds seconds;
  };

  Status sniff_text() {
    const SniffOptions how = sniff_options(options_.text);
    for (std::size_t size = kSniffBytes;; size *= 4) {
      const std::size_t before = begun_.size();
      begun_.grow(size);
      PRESSO_ASSIGN(const std::size_t got,
                    read_fully(source_, {begun_.data() + before, size - before}));
      const bool all = got < size - before;
      begun_.grow(before + got);
      auto sniffed = sniff(begun_.bytes(), all, options_.text.name, how);
      if (!sniffed.ok()) {
        const bool more = sniffed.error().code == ErrorCode::kTruncated && size < kMostSniffBytes;
        if (!more) return std::move(sniffed.error());
        continue;
      }
      if (sniffed->names.empty()) {
        return make_error(
            ErrorCode::kInvalidArgument,
            "has no row and no header, so it is no table; compress it without --table");
      }
      text_ = std::move(*sniffed);
      PRESSO_ASSIGN(const bool has_row, finds_row(all));
      if (has_row || all) return {};
      if (size >= kMostSniffBytes) {
        return make_error(ErrorCode::kInvalidArgument, "has no row in its first 256 MiB");
      }
    }
  }

  /// Whether a row follows the head in what was read. Blank lines and comments belong to the row
  /// behind them; where there is none to the text's end, to the head.
  Result<bool> finds_row(bool all) {
    RecordBatch batch;
    const Bytes rest = begun_.bytes().subspan(text_.form.head.size());
    const Dialect dialect = dialect_of(text_.form, options_.text.comment);
    const auto end = tokenize(dialect, rest, 0, 1, all, batch, text_.first_line);
    if (!end.ok() || batch.records() > 0) return true;  // an error is met again with its piece
    if (all) text_.form.head.append(rest.begin(), rest.end());
    // A first row that does not end yet is one, too.
    const bool is_begun = !all && *end < rest.size() && rest.size() - *end > kLongLine;
    return is_begun;
  }

  PieceReader pieces_of(ByteSource& rows) const {
    std::uint32_t most_rows = options_.group_rows;
    if (options_.text.fill) {  // short rows of many columns: more values than bytes
      const std::uint32_t most = most_group_rows(text_.names.size() + 1);
      most_rows = most_rows == 0 ? most : std::min(most_rows, most);
    }
    return {rows, dialect_of(text_.form, options_.text.comment), text_.first_line, most_rows};
  }

  Status find_types() {
    TypeInference inference(text_.names.size(), text_.form);
    if (sample_ != nullptr) {
      RangeSource rows(*sample_, text_.form.head.size(), sample_->size());
      PRESSO_TRY(infer_all(rows, inference));
    } else {
      PRESSO_TRY(read_first_piece());
      if (first_piece_) PRESSO_TRY(infer(*first_piece_, inference));
    }
    summary_.schema = inference.finish(text_.names);
    summary_.schema.text = text_.form;
    summary_.schema.exact = options_.exact;
    std::vector<ColumnReport> reports = inference.report();
    for (std::size_t i = 0; i < reports.size(); ++i) {
      summary_.findings.push_back(
          {reports[i].values, reports[i].nulls, reports[i].why(summary_.schema.columns[i])});
    }
    summary_.notes = text_.notes;
    return take_given_types();
  }

  /// So much of a pipe is held until its types are known: whole rows of 32 MiB, or one that is
  /// longer.
  Status read_first_piece() {
    const Dialect dialect = dialect_of(text_.form, options_.text.comment);
    for (std::size_t size = PieceReader::kPieceBytes;; size *= 2) {
      const std::size_t before = begun_.size();
      bool ended = false;
      if (before < size) {
        begun_.grow(size);
        PRESSO_ASSIGN(const std::size_t got,
                      read_fully(source_, {begun_.data() + before, size - before}));
        ended = got < size - before;
        begun_.grow(before + got);
      }
      Bytes rows = begun_.bytes().subspan(text_.form.head.size());
      if (!ended) {
        PRESSO_ASSIGN(const std::size_t cut, last_record_end(dialect, rows));
        if (cut == 0 && size < kMaxCsvText) continue;
        rows = rows.first(cut);
      }
      first_piece_.emplace();
      first_piece_->text.append(rows);
      first_piece_->first_line = text_.first_line;
      return {};
    }
  }

  Status infer_all(ByteSource& rows, TypeInference& inference) {
    PieceReader reader = pieces_of(rows);
    using Part = std::pair<Status, TypeInference>;
    return run_ordered<TextPiece, Part>(
        {threads_, threads_ + 1}, [&] { return reader.next(); },
        [&](TextPiece piece, unsigned) {
          TypeInference part(text_.names.size(), text_.form);
          Status done = infer(piece, part);
          return Part{std::move(done), std::move(part)};
        },
        [&](Part part) -> Result<bool> {
          if (!part.first.ok()) return std::move(part.first.error());
          inference.merge(part.second);
          return true;
        });
  }

  Status infer(const TextPiece& piece, TypeInference& inference) {
    const Stopwatch time;
    const Dialect dialect = dialect_of(text_.form, options_.text.comment);
    RecordBatch batch;
    for (std::size_t at = 0; at < piece.text.size();) {
      PRESSO_ASSIGN(at, tokenize(dialect, piece.text.bytes(), at, kBatchRecords, true, batch,
                                 piece.first_line));
      inference.add(batch, piece.text.bytes(), piece.first_line);
    }
    const std::lock_guard lock(mutex_);
    summary_.seconds.inferring += time.seconds();
    return {};
  }

  Status take_given_types() {
    for (const ColumnSchema& given : options_.types) {
      auto& columns = summary_.schema.columns;
      const auto column = std::find_if(columns.begin(), columns.end(), [&](const auto& inferred) {
        return inferred.name == given.name;
      });
      if (column == columns.end()) {
        return make_error(ErrorCode::kInvalidArgument, "has no column `" + given.name + "`");
      }
      const Quoting quoting = column->quoting;
      *column = given;
      column->quoting = quoting;
    }
    return {};
  }

  Status load() {
    PRESSO_TRY(writer_.begin(summary_.schema, options_.compress.metadata));
    summary_.plain_bytes = text_.form.head.size();
    const EncoderParameters parameters = parameters_of(with_goal(options_.compress));
    std::vector<RowGroupEncoder> encoders;
    for (unsigned i = 0; i < threads_; ++i) encoders.emplace_back(summary_.schema, parameters);
    PrefixedSource rows(begun_.bytes().subspan(text_.form.head.size()), source_);
    PieceReader reader = pieces_of(rows);
    PRESSO_TRY((run_ordered<TextPiece, Loaded>(
        {threads_, threads_ + 1}, [&] { return reader.next(); },
        [&](TextPiece piece, unsigned worker) { return load_piece(piece, encoders[worker]); },
        [&](Loaded loaded) { return write(std::move(loaded)); })));
    return writer_.finish();
  }

  Loaded load_piece(const TextPiece& piece, RowGroupEncoder& encoder) const {
    Loaded loaded;
    const Stopwatch time;
    const Bytes text = piece.text.bytes();
    auto rows = load_rows(text, summary_.schema, piece.first_line,
                          {.comment = options_.text.comment, .fill = options_.text.fill});
    loaded.seconds.parsing = time.seconds();
    if (!rows.ok()) {
      loaded.status = std::move(rows.error());
      return loaded;
    }
    loaded.rows = rows->rows;
    loaded.text_bytes = text.size();
    loaded.exact_lines = rows->exact.rows.size();
    if (rows->rows == 0) {
      if (options_.exact && !text.empty()) {
        loaded.status = error_in_line(piece.first_line, "no row follows, only other text");
      }
      return loaded;
    }
    GroupText about;
    if (options_.exact) {
      about.bytes = text.size();
      about.lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
      about.checksum = checksum64(text);
      about.exact = &rows->exact;
    }
    std::vector<ColumnView> views;
    for (const ColumnData& column : rows->columns) views.push_back(column.view());
    loaded.group = encoder.encode(views, about);
    loaded.seconds.coding = time.seconds() - loaded.seconds.parsing;
    return loaded;
  }

  Result<bool> write(Loaded loaded) {
    if (!loaded.status.ok()) return std::move(loaded.status.error());
    summary_.plain_bytes += loaded.text_bytes;
    summary_.rows += loaded.rows;
    summary_.exact_lines += loaded.exact_lines;
    summary_.seconds.parsing += loaded.seconds.parsing;
    summary_.seconds.coding += loaded.seconds.coding;
    if (loaded.rows > 0) {
      ++summary_.row_groups;
      PRESSO_TRY(writer_.add_row_group(loaded.group.directory, loaded.group.blocks.bytes()));
    }
    const auto& progress = options_.compress.on_progress;
    if (progress && !progress(summary_.plain_bytes, writer_.bytes_written())) {
      return make_error(ErrorCode::kCancelled);
    }
    return true;
  }

  ByteSource& source_;
  const RandomAccess* sample_;
  const TableOptions& options_;
  TableFileWriter writer_;
  unsigned threads_;
  Buffer begun_;  ///< what was read to sniff at
  SniffedText text_;
  std::optional<TextPiece> first_piece_;  ///< of a pipe
  std::mutex mutex_;
  TableSummary summary_;
};

}  // namespace

Result<TableSummary> compress_table(ByteSource& source, const RandomAccess* sample, ByteSink& sink,
                                    const TableOptions& options) {
  PRESSO_TRY(validate(options.compress));
  return without_bad_alloc([&]() -> Result<TableSummary> {
    return TableCompressor(source, sample, sink, options).run();
  });
}

}  // namespace presso
