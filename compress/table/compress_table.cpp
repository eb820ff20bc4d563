// SPDX-License-Identifier: MIT
// Two passes over a file: the first finds out the types from all rows, the second loads one row
// group after another and encodes it. Both work on all threads, a piece of text each.
#include "presso/compress_table.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "compress/table/dialect.h"
#include "compress/table/json_inference.h"
#include "compress/table/piece_reader.h"
#include "compress/table/row_group_encoder.h"
#include "compress/table/row_text_kind.h"
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

bool is_json_name(const std::string& name) {
  const std::string_view text(name);
  return text.ends_with(".json") || text.ends_with(".jsonl") || text.ends_with(".ndjson");
}

class TableCompressor {
 public:
  TableCompressor(ByteSource& source, ByteSource* types_from, ByteSink& sink,
                  const TableOptions& options)
      : source_(source),
        types_from_(types_from),
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
    Buffer bad;  ///< rows that were set aside
    std::uint64_t bad_rows = 0;
    std::string first_bad_row;
    TableSeconds seconds;
  };

  Status sniff_text() {
    for (std::size_t size = kSniffBytes;; size *= 4) {
      const std::size_t before = begun_.size();
      begun_.grow(size);
      PRESSO_ASSIGN(const std::size_t got,
                    read_fully(source_, {begun_.data() + before, size - before}));
      const bool all = got < size - before;
      begun_.grow(before + got);
      if (is_json()) return {};  // what stands before its first row belongs to that
      if (options_.text.kind == TextKind::kNone && is_json_name(options_.text.name)) {
        return make_error(ErrorCode::kInvalidArgument,
                          "has not an object on its first line; of other JSON, `jq -c .` or "
                          "`jq -c '.[]'` makes lines of objects");
      }
      auto sniffed = sniff(begun_.bytes(), all, options_.text.name, sniff_options(options_.text));
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
      kind_ = make_delimited_kind(text_.form, text_.names,
                                  {.comment = options_.text.comment, .fill = options_.text.fill});
      if (finds_row(all)) return {};
      if (all) return take_text_without_rows();
      if (size >= kMostSniffBytes) {
        return make_error(ErrorCode::kInvalidArgument, "has no row in its first 256 MiB");
      }
    }
  }

  /// Whether a row follows the head in what was read.
  bool finds_row(bool all) const {
    const Bytes rest = begun_.bytes().subspan(text_.form.head.size());
    std::size_t rows = 0;
    const auto end = kind_->pass_rows(rest, 0, 1, all, rows);
    if (!end.ok() || rows > 0) return true;  // an error is met again with its piece
    return !all && *end < rest.size() && rest.size() - *end > kLongLine;
  }

  /// Blank lines and comments belong to the row behind them; where there is none, to the head.
  Status take_text_without_rows() {
    const Bytes rest = begun_.bytes().subspan(text_.form.head.size());
    text_.form.head.append(rest.begin(), rest.end());
    kind_ = make_delimited_kind(text_.form, text_.names, {});
    return {};
  }

  /// Whether the text is JSON lines, by its first line or because the caller says so.
  bool is_json() {
    if (options_.text.kind == TextKind::kDelimited) return false;
    std::optional<TextForm> form = sniff_json(begun_.bytes());
    if (!form && options_.text.kind == TextKind::kJsonLines) {
      form.emplace();
      form->kind = TextKind::kJsonLines;
    }
    if (!form) return false;
    text_.form = std::move(*form);
    kind_ = make_json_kind(text_.form);
    return true;
  }

  PieceReader pieces_of(ByteSource& rows) const {
    const std::size_t columns = summary_.schema.columns.size();
    return {rows, *kind_, text_.first_line, options_.group_rows, most_group_rows(columns + 1)};
  }

  Status find_types() {
    finder_ = kind_->new_finder();
    if (types_from_ != nullptr) {
      PRESSO_TRY(skip_head(*types_from_));
      PRESSO_TRY(find_in_all(*types_from_, *finder_));
    } else {
      PRESSO_TRY(read_first_piece());
      if (first_piece_) PRESSO_TRY(find_in(*first_piece_, *finder_));
    }
    PRESSO_ASSIGN(summary_.schema, finder_->finish());
    if (!saw_all_) {
      for (ColumnSchema& column : summary_.schema.columns) column.valid_utf8 = false;
    }
    summary_.schema.exact = options_.exact;
    std::vector<ColumnReport> reports = finder_->report();
    for (std::size_t i = 0; i < reports.size(); ++i) {
      summary_.findings.push_back(
          {reports[i].values, reports[i].nulls, reports[i].why(summary_.schema.columns[i])});
    }
    summary_.notes = text_.notes;
    return take_given_types();
  }

  Status skip_head(ByteSource& source) const {
    std::string head(text_.form.head.size(), '\0');
    PRESSO_ASSIGN(const std::size_t got,
                  read_fully(source, {reinterpret_cast<Byte*>(head.data()), head.size()}));
    if (got == head.size() && head == text_.form.head) return {};
    return make_error(ErrorCode::kIo, "the text is another one when read again");
  }

  /// So much of a pipe is held until its types are known: whole rows of 32 MiB, or one that is
  /// longer.
  Status read_first_piece() {
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
      saw_all_ = ended;
      Bytes rows = begun_.bytes().subspan(text_.form.head.size());
      if (!ended) {
        PRESSO_ASSIGN(const std::size_t cut, kind_->last_row_end(rows));
        if (cut == 0 && size < kMaxCsvText) continue;
        rows = rows.first(cut);
      }
      first_piece_.emplace();
      first_piece_->text.append(rows);
      first_piece_->first_line = text_.first_line;
      return {};
    }
  }

  Status find_in_all(ByteSource& rows, ColumnFinder& finder) {
    PieceReader reader = pieces_of(rows);
    struct Part {
      Status status;
      std::unique_ptr<ColumnFinder> finder;
    };
    return run_ordered<TextPiece, Part>(
        {threads_, threads_ + 1}, [&] { return reader.next(); },
        [&](TextPiece piece, unsigned) {
          Part part{{}, kind_->new_finder()};
          part.status = find_in(piece, *part.finder);
          return part;
        },
        [&](Part part) -> Result<bool> {
          if (!part.status.ok()) return std::move(part.status.error());
          finder.merge(*part.finder);
          return true;
        });
  }

  Status find_in(const TextPiece& piece, ColumnFinder& finder) {
    const Stopwatch time;
    PRESSO_TRY(finder.add(piece.text.bytes(), piece.first_line));
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
      if (column == columns.end() && text_.form.kind == TextKind::kJsonLines) {
        columns.push_back(given);
        summary_.findings.emplace_back();
        continue;
      }
      if (column == columns.end()) {
        return make_error(ErrorCode::kInvalidArgument, "has no column `" + given.name + "`");
      }
      take_given_type(given, *column);
    }
    return {};
  }

  /// How values stand in the text is what was found out, as far as the type given has that.
  void take_given_type(const ColumnSchema& given, ColumnSchema& column) const {
    const ColumnSchema inferred = std::exchange(column, given);
    column.quoting = inferred.quoting;
    const bool valid_utf8 = saw_all_ && (!is_string(inferred.type) || inferred.valid_utf8);
    column.valid_utf8 = given.type == ColumnType::kUtf8 && valid_utf8;
    if (given.type == inferred.type) column.text = inferred.text;
    const bool is_json = text_.form.kind == TextKind::kJsonLines;
    const bool in_quotes =
        inferred.type == ColumnType::kDate32 || inferred.type == ColumnType::kTimestamp;
    if (is_json && is_string(given.type) && !is_string(inferred.type) && !in_quotes) {
      column.text = ValueText::kRawJson;
    }
  }

  Status load() {
    PRESSO_TRY(writer_.begin(summary_.schema, options_.compress.metadata));
    summary_.plain_bytes = text_.form.head.size();
    const TableParameters parameters = table_parameters(options_.compress);
    std::vector<RowGroupEncoder> encoders;
    for (unsigned i = 0; i < threads_; ++i) encoders.emplace_back(summary_.schema, parameters);
    PrefixedSource rows(begun_.bytes().subspan(text_.form.head.size()), source_);
    PieceReader reader = pieces_of(rows);
    PRESSO_TRY((run_ordered<TextPiece, Loaded>(
        {threads_, threads_ + 1}, [&] { return reader.next(); },
        [&](TextPiece piece, unsigned worker) {
          return load_piece(std::move(piece), encoders[worker]);
        },
        [&](Loaded loaded) { return write(std::move(loaded)); })));
    return writer_.finish();
  }

  Loaded load_piece(TextPiece piece, RowGroupEncoder& encoder) const {
    Loaded loaded;
    const Stopwatch time;
    auto rows = kind_->load(piece.text.bytes(), summary_.schema, piece.first_line);
    if (!rows.ok() && options_.on_bad_rows && rows.error().code == ErrorCode::kInvalidArgument) {
      loaded.first_bad_row = rows.error().what;
      loaded.status = set_bad_rows_aside(piece.text, loaded);
      if (!loaded.status.ok()) return loaded;
      rows = kind_->load(piece.text.bytes(), summary_.schema, piece.first_line);
    }
    if (!rows.ok() && types_from_ == nullptr) rows.error().what += other_types(piece);
    const Bytes text = piece.text.bytes();
    loaded.seconds.parsing = time.seconds();
    if (!rows.ok()) {
      loaded.status = std::move(rows.error());
      return loaded;
    }
    loaded.rows = rows->rows;
    loaded.text_bytes = text.size();
    loaded.exact_lines = rows->exact.rows.size();
    if (rows->rows == 0) {
      if (loaded.bad_rows > 0) {  // what belongs to no row goes with those that are not taken
        loaded.bad.append(text);
        loaded.text_bytes = 0;
      } else if (options_.exact && !text.empty()) {
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

  /// For rows of a pipe that do not fit the types of its begin: those that they would fit.
  std::string other_types(const TextPiece& piece) const {
    const std::unique_ptr<ColumnFinder> finder = kind_->new_finder();
    finder->merge(*finder_);
    if (!finder->add(piece.text.bytes(), piece.first_line).ok()) return {};
    const Result<TableSchema> schema = finder->finish();
    if (!schema.ok()) return {};
    std::string types;
    for (const ColumnSchema& column : schema->columns) {
      const auto& known = summary_.schema.columns;
      const bool fits = std::any_of(known.begin(), known.end(), [&](const ColumnSchema& other) {
        return other.name == column.name && type_name(other) == type_name(column);
      });
      if (!fits) types += (types.empty() ? "" : ",") + column.name + ":" + type_name(column);
    }
    if (types.empty()) return {};
    return "; types were found out from the pipe's first 32 MiB: --schema '" + types + "'";
  }

  Status set_bad_rows_aside(Buffer& text, Loaded& loaded) const {
    PRESSO_ASSIGN(const std::vector<RowPlace> bad,
                  kind_->find_bad_rows(text.bytes(), summary_.schema));
    Buffer kept;
    std::size_t at = 0;
    for (const RowPlace& row : bad) {
      kept.append(text.bytes().subspan(at, row.begin - at));
      loaded.bad.append(text.bytes().subspan(row.begin, row.end - row.begin));
      at = row.end;
    }
    kept.append(text.bytes().subspan(at));
    loaded.bad_rows = bad.size();
    text = std::move(kept);
    return {};
  }

  Status pass_bad_rows_on(Loaded& loaded) {
    if (loaded.bad_rows == 0) return {};
    if (summary_.bad_rows == 0) summary_.first_bad_row = std::move(loaded.first_bad_row);
    summary_.bad_rows += loaded.bad_rows;
    return options_.on_bad_rows(loaded.bad.bytes());
  }

  Result<bool> write(Loaded loaded) {
    if (!loaded.status.ok()) return std::move(loaded.status.error());
    PRESSO_TRY(pass_bad_rows_on(loaded));
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
  ByteSource* types_from_;
  const TableOptions& options_;
  TableFileWriter writer_;
  unsigned threads_;
  Buffer begun_;  ///< what was read to sniff at
  SniffedText text_;
  std::unique_ptr<RowTextKind> kind_;
  std::unique_ptr<ColumnFinder> finder_;
  std::optional<TextPiece> first_piece_;  ///< of a pipe
  bool saw_all_ = true;                   ///< before the types were settled
  std::mutex mutex_;
  TableSummary summary_;
};

}  // namespace

Result<TableSummary> compress_table(ByteSource& source, ByteSource* types_from, ByteSink& sink,
                                    const TableOptions& options) {
  PRESSO_TRY(validate(options.compress));
  return without_bad_alloc([&]() -> Result<TableSummary> {
    return TableCompressor(source, types_from, sink, options).run();
  });
}

}  // namespace presso
