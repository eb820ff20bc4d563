// SPDX-License-Identifier: MIT
// compress_table(): makes two passes over a text. The first finds out the types from all rows, the
// second loads one piece of text after another (whole rows of about 32 MiB), each of which becomes
// a row group, and encodes it. Both work on all threads, a piece each. The threads read the pieces
// of a file themselves: the first pass guesses where they end (PieceGuesser), the second one knows
// it. What cannot be read at any place, or was guessed wrong, is read and cut by one thread at a
// time (PieceReader), with the same pieces. A pipe has no first pass: its types come from its first
// piece. Where rows are sorted, the second pass loads and sorts pieces, which are then merged into
// row groups. describe_table_text() loads rows and drops them.
#include "presso/compress_table.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "compress/table/rows/row_sorter.h"
#include "compress/table/text/begun_text.h"
#include "compress/table/text/piece_guess.h"
#include "compress/table/text/piece_reader.h"
#include "compress/table/text/recoded_source.h"
#include "compress/table/text/row_text_kind.h"
#include "compress/table/write/header_reason.h"
#include "compress/table/write/merged_groups.h"
#include "compress/table/write/named_columns.h"
#include "compress/table/write/row_group_encoder.h"
#include "format/columns/table_file.h"
#include "format/columns/text_encoding.h"
#include "format/columns/utf8_check.h"
#include "format/line_facts.h"
#include "presso/checksum.h"
#include "presso/ordered_pipeline.h"
#include "presso/stopwatch.h"

namespace presso {
namespace {

/// Views stay valid as long as `columns` is not changed.
std::vector<ColumnView> views_of(const std::vector<ColumnData>& columns) {
  std::vector<ColumnView> views;
  for (const ColumnData& column : columns) views.push_back(column.view());
  return views;
}

/// For a text that is only described.
class NoSink final : public ByteSink {
 public:
  Status write(Bytes) override { return {}; }
};

/// One run from text to file. Threads get a piece and an encoder each; all other members are
/// changed by one thread at a time, or under mutex_.
class TableCompressor {
 public:
  /// `file`: the text, if it can be read at any place; nullptr: it cannot.
  TableCompressor(ByteSource& source, ByteSource* types_from, const RandomAccess* file,
                  ByteSink& sink, const TableOptions& options)
      : source_(source),
        types_from_(types_from),
        file_(file),
        options_(options),
        writer_(sink, options.packs && !options.quick),
        threads_(threads_or_all(options.compress.threads)) {}

  /// As run(), but nothing is encoded and written.
  Result<TableSummary> describe() {
    writes_ = false;
    return run();
  }

  /// Finds out the dialect, then the types, then loads and writes all rows.
  Result<TableSummary> run() {
    PRESSO_TRY(sniff_text());
    PRESSO_TRY(find_types());
    PRESSO_TRY(load());
    summary_.compressed_bytes = writer_.bytes_written();
    return std::move(summary_);
  }

 private:
  /// The result of one piece, made by any thread, taken in order.
  struct Loaded {
    Status status;
    EncodedRowGroup group;
    RowSorter::SortedRun run;  ///< if rows are sorted, in place of `group`
    std::uint64_t text_bytes = 0;
    std::uint64_t rows = 0;
    std::uint64_t exact_lines = 0;
    Buffer bad;  ///< text of rows that were set aside
    std::uint64_t bad_rows = 0;
    std::string first_bad_row;
    TableSeconds seconds;
  };

  /// Reads the beginning of the text and decides on delimiter, quotes and header, or JSON
  /// lines.
  Status sniff_text() {
    PRESSO_ASSIGN(BegunText begun,
                  sniff_source(source_, options_.text, options_.on_bad_rows != nullptr, file_));
    begun_ = std::move(begun.bytes);
    text_ = std::move(begun.text);
    kind_ = std::move(begun.kind);
    summary_.has_header = text_.has_header;
    summary_.comment = text_.rules.comment;
    summary_.escape = text_.rules.escape;
    summary_.merges_delimiters = text_.rules.merges_delimiters;
    return {};
  }

  /// A piece of a file that PieceReader would have made, too.
  struct KnownPlace {
    PiecePlace place;
    std::uint64_t line = 1;  ///< the first one
    std::uint64_t lines = 0;
    std::uint64_t most_rows = 0;
  };

  bool is_sorted() const { return !options_.sort.by.empty(); }

  /// Rows that a piece is to have; 0: those of PieceReader::kPieceBytes.
  std::uint32_t piece_rows() const {
    return is_sorted() ? options_.sort.run_rows : options_.group_rows;
  }
  /// Rows that a piece may have. Before the columns are known, those of a table of one column.
  std::uint32_t piece_row_limit() const {
    return most_group_rows(summary_.schema.columns.size() + 1 + spelled_columns(summary_.schema));
  }
  PieceReader pieces_of(ByteSource& rows, std::uint64_t first_line) const {
    return {rows, *kind_, first_line, piece_rows(), piece_row_limit()};
  }

  /// Finds the types from all rows of a file, or from the first piece of a pipe, and then applies
  /// what the user has said.
  Status find_types() {
    finder_ = kind_->new_finder();
    if (file_ != nullptr) {
      PRESSO_TRY(find_in_file());
    } else if (types_from_ != nullptr) {
      PRESSO_TRY(skip_head(*types_from_));
      PRESSO_TRY(find_in_all(*types_from_, text_.first_line));
    } else {
      PRESSO_TRY(read_first_piece());
      if (first_piece_) {
        PRESSO_TRY(find_in(first_piece_->text.bytes(), first_piece_->first_line, *finder_));
      }
    }
    if (saw_all_) PRESSO_TRY(finder_->check_end());
    PRESSO_ASSIGN(summary_.schema, finder_->finish());
    // UTF-8 was checked only as far as the first piece goes.
    if (!saw_all_) {
      for (ColumnSchema& column : summary_.schema.columns) column.valid_utf8 = false;
    }
    summary_.schema.exact = options_.exact && !is_sorted();
    summary_.schema.text.encoding = options_.text.encoding.value_or(TextEncoding::kUtf8);
    // What follows in a pipe may be written in other ways than its beginning.
    for (ColumnSchema& column : summary_.schema.columns) {
      column.spelled =
          summary_.schema.exact && (column.spelled || (!saw_all_ && !is_string(column.type)));
    }
    if (!summary_.schema.exact) leave_out_array();
    std::vector<ColumnReport> reports = finder_->report();
    for (std::size_t i = 0; i < reports.size(); ++i) {
      summary_.findings.push_back(
          {reports[i].values, reports[i].nulls, reports[i].why(summary_.schema.columns[i])});
    }
    summary_.notes = text_.notes;
    add_note_of_encoding(reports);
    add_notes_of_types(reports);
    summary_.header_why = header_reason(options_.text, summary_);
    return take_given_types(options_.types, saw_all_, text_.form.kind, text_.rules, summary_);
  }

  /// Notes the first line that is not UTF-8, unless it has control characters, as binary data have.
  void add_note_of_encoding(const std::vector<ColumnReport>& reports) {
    std::uint64_t line = line_of_other_head();
    const ColumnReport* first = nullptr;
    for (const ColumnReport& report : reports) {
      if (report.other_line == 0) continue;
      if (first == nullptr || report.other_line < first->other_line) first = &report;
    }
    if (line == 0 && first != nullptr) {
      const bool is_text = std::none_of(
          first->other_value.begin(), first->other_value.end(),
          [](char byte) { return static_cast<Byte>(byte) < ' ' && byte != '\t' && byte != '\n'; });
      if (is_text) line = first->other_line;
    }
    if (line == 0) return;
    summary_.notes.push_back("line " + grouped(line) +
                             " is not UTF-8; if the text is Latin-1 or Windows-1252, "
                             "--encoding windows-1252 reads it");
  }

  /// The line of the header, or before it, that is not UTF-8; 0: there is none.
  std::uint64_t line_of_other_head() const {
    const std::string& head = text_.form.head;
    const Bytes bytes(reinterpret_cast<const Byte*>(head.data()), head.size());
    const std::size_t valid = utf8_prefix(bytes);
    return valid == bytes.size() ? 0 : 1 + count_lines(bytes.first(valid));
  }

  /// Notes of columns that are text although their values, or the first of them, have a type, since
  /// comparing and sorting them then goes by letters.
  void add_notes_of_types(const std::vector<ColumnReport>& reports) {
    std::size_t count = 0;
    std::string first;
    for (std::size_t i = 0; i < reports.size(); ++i) {
      const ColumnSchema& column = summary_.schema.columns[i];
      if (!is_string(column.type) || !reports[i].had_type()) continue;
      if (reports[i].ambiguous_date) {
        summary_.notes.push_back("column '" + column.name + "' is text, because " +
                                 reports[i].why(column) + "; --date-format says which");
        continue;
      }
      if (count++ == 0) first = "column '" + column.name + "': " + reports[i].why(column);
    }
    if (count == 0) return;
    summary_.notes.push_back(grouped(count) + " of " + grouped(reports.size()) +
                             (count == 1 ? " columns is" : " columns are") +
                             " text because of single values; " + first);
  }

  /// The '[' before the rows of JSON is not stored without the ',' and ']' that follow them.
  void leave_out_array() {
    TextForm& form = summary_.schema.text;
    if (form.kind != TextKind::kJsonLines) return;
    form.head.resize(std::min(form.head.size(), form.head.find('[')));
    form.json_spacing = form.json_spacing.as_lines();
  }

  /// The second reading of a file must show the same head.
  Status skip_head(ByteSource& source) const {
    std::string head(text_.form.head.size(), '\0');
    PRESSO_ASSIGN(const std::size_t got,
                  read_fully(source, {reinterpret_cast<Byte*>(head.data()), head.size()}));
    // The loader skips as many bytes, so they must be the same ones.
    if (got == head.size() && head == text_.form.head) return {};
    return make_error(ErrorCode::kIo, "the text is another one when read again");
  }

  /// Holds the beginning of a pipe until its types are known: whole rows of 32 MiB, or a longer
  /// row.
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
        if (cut == 0 && size < kMaxRowBytes) continue;
        rows = rows.first(cut);
      }
      first_piece_.emplace();
      first_piece_->text.append(rows);
      first_piece_->first_line = text_.first_line;
      return {};
    }
  }

  /// The types and counts found in one piece of a file.
  struct FoundPart {
    PiecePlace place;
    bool is_right = false;  ///< the piece was read and ends where it was guessed to end
    std::uint64_t lines = 0;
    std::uint64_t most_rows = 0;
    std::unique_ptr<ColumnFinder> finder;
  };

  /// Finds the types, and where the pieces are as far as they can be guessed.
  Status find_in_file() {
    const std::uint64_t begin = text_.form.head.size();
    std::uint64_t line = text_.first_line;
    PieceGuesser guesser(*file_, begin, *kind_);
    make_texts();
    if (piece_rows() == 0) {
      PRESSO_TRY((run_ordered<PiecePlace, FoundPart>(
          {threads_, 2 * threads_}, [&] { return guesser.next(); },
          [&](PiecePlace place, unsigned worker) {
            return find_in_place(guesser, place, texts_[worker].text);
          },
          [&](FoundPart part) -> Result<bool> {
            if (!part.is_right) return false;
            part.finder->move_lines(line - 1);
            finder_->merge(*part.finder);
            places_.push_back({part.place, line, part.lines, part.most_rows});
            line += part.lines;
            return true;
          })));
    }
    const std::uint64_t end = places_end();
    if (end == file_->size()) return {};
    RangeSource rest(*file_, end, file_->size());
    return find_in_all(rest, line);
  }

  /// A piece's memory serves all pieces of a thread, in both passes.
  void make_texts() {
    texts_.resize(threads_);
    for (TextPiece& piece : texts_) piece.text.use_large_pages();
  }

  /// Lines are counted from 1 on. An error is left to find_in_all(), which knows the line.
  FoundPart find_in_place(const PieceGuesser& guesser, const PiecePlace& place, Buffer& text) {
    FoundPart part{place, false, 0, 0, kind_->new_finder()};
    const Result<bool> right = guesser.read(place, text);
    if (!right.ok() || !*right) return part;
    part.lines = count_lines(text.bytes());
    part.most_rows = kind_->most_rows(text.bytes(), part.lines);
    part.is_right =
        part.most_rows < piece_row_limit() && find_in(text.bytes(), 1, *part.finder).ok();
    return part;
  }

  std::uint64_t places_end() const {
    if (places_.empty()) return text_.form.head.size();
    return places_.back().place.begin + places_.back().place.bytes;
  }

  Status find_in_all(ByteSource& rows, std::uint64_t first_line) {
    PieceReader reader = pieces_of(rows, first_line);
    struct Part {
      Status status;
      std::unique_ptr<ColumnFinder> finder;
    };
    return run_ordered<TextPiece, Part>(
        {threads_, threads_ + 1}, [&] { return reader.next(); },
        [&](TextPiece piece, unsigned) {
          Part part{{}, kind_->new_finder()};
          part.status = find_in(piece.text.bytes(), piece.first_line, *part.finder);
          return part;
        },
        [&](Part part) -> Result<bool> {
          if (!part.status.ok()) return std::move(part.status.error());
          finder_->merge(*part.finder);
          return true;
        });
  }

  Status find_in(Bytes text, std::uint64_t first_line, ColumnFinder& finder) {
    const Stopwatch time;
    PRESSO_TRY(finder.add(text, first_line));
    const std::lock_guard lock(mutex_);
    summary_.seconds.inferring += time.seconds();
    return {};
  }

  /// The second pass: every piece is loaded, checked against the types and encoded by one
  /// thread.
  Status load() {
    PRESSO_TRY(start_sorting());
    if (writes_) PRESSO_TRY(writer_.begin(summary_.schema, options_.compress.metadata));
    summary_.plain_bytes = text_.form.head.size();
    TableParameters parameters = table_parameters(options_.compress, options_.quick);
    parameters.packs = options_.packs && !options_.quick;
    for (unsigned i = 0; i < threads_; ++i) encoders_.emplace_back(summary_.schema, parameters);
    if (file_ != nullptr) {
      PRESSO_TRY(load_file());
    } else {
      PrefixedSource rows(begun_.bytes().subspan(text_.form.head.size()), source_);
      PRESSO_TRY(load_all(rows, text_.first_line));
    }
    if (sorter_) PRESSO_TRY(write_sorted());
    return writes_ ? writer_.finish() : Status();
  }

  /// Loads the pieces whose places are known, and then what is left of the file. Encoded row groups
  /// may wait for one that takes longer, so that no thread waits; runs of rows take more memory.
  Status load_file() {
    drop_long_places();
    auto next = places_.begin();
    PRESSO_TRY((run_ordered<KnownPlace, Loaded>(
        {threads_, is_sorted() ? threads_ + 1 : 2 * threads_},
        [&]() -> Result<std::optional<KnownPlace>> {
          return next == places_.end() ? std::nullopt : std::optional(*next++);
        },
        [&](const KnownPlace& known, unsigned worker) {
          return load_place(known, texts_[worker], encoders_[worker]);
        },
        [&](Loaded loaded) { return write(std::move(loaded)); })));
    const std::uint64_t end = places_end();
    if (end == file_->size()) return {};
    RangeSource rest(*file_, end, file_->size());
    const bool none = places_.empty();
    return load_all(rest, none ? text_.first_line : places_.back().line + places_.back().lines);
  }

  /// A table of many columns may have shorter row groups than was known when pieces were guessed.
  void drop_long_places() {
    const auto is_long = [&](const KnownPlace& known) {
      return known.most_rows >= piece_row_limit();
    };
    places_.erase(std::find_if(places_.begin(), places_.end(), is_long), places_.end());
  }

  Loaded load_place(const KnownPlace& known, TextPiece& piece, RowGroupEncoder& encoder) {
    Loaded loaded;
    piece.first_line = known.line;
    piece.text.resize_discarding(static_cast<std::size_t>(known.place.bytes));
    loaded.status = file_->read_at(known.place.begin, piece.text.mutable_bytes());
    return loaded.status.ok() ? load_piece(piece, encoder) : std::move(loaded);
  }

  Status load_all(ByteSource& rows, std::uint64_t first_line) {
    PieceReader reader = pieces_of(rows, first_line);
    return run_ordered<TextPiece, Loaded>(
        {threads_, threads_ + 1}, [&] { return reader.next(); },
        [&](TextPiece piece, unsigned worker) { return load_piece(piece, encoders_[worker]); },
        [&](Loaded loaded) { return write(std::move(loaded)); });
  }

  Status start_sorting() {
    if (!is_sorted()) return {};
    PRESSO_ASSIGN(auto columns, sort_columns(options_.sort.by, summary_.schema));
    sorter_.emplace(summary_.schema, std::move(columns),
                    SorterLimits{options_.sort.memory_bytes, options_.sort.temporary_directory});
    return {};
  }

  /// `piece` loses its bad rows where these are set aside.
  Loaded load_piece(TextPiece& piece, RowGroupEncoder& encoder) {
    Loaded loaded;
    const Stopwatch time;
    auto rows = kind_->load(piece.text.bytes(), summary_.schema, piece.first_line);
    if (!rows.ok() && options_.on_bad_rows && rows.error().code == ErrorCode::kInvalidArgument) {
      loaded.first_bad_row = rows.error().what;
      loaded.status = set_bad_rows_aside(piece, loaded);
      if (!loaded.status.ok()) return loaded;
      rows = kind_->load(piece.text.bytes(), summary_.schema, piece.first_line);
    }
    if (!rows.ok() && !options_.on_bad_rows) rows.error().what += kind_->advice();
    // Types of a pipe come from its beginning, so a hint helps.
    if (!rows.ok() && !saw_all_) rows.error().what += other_types(piece);
    const Bytes text = piece.text.bytes();
    loaded.seconds.parsing = time.seconds();
    if (!rows.ok()) {
      loaded.status = std::move(rows.error());
      return loaded;
    }
    loaded.rows = rows->rows;
    loaded.text_bytes = text.size();
    // Counts are noted even if the piece has no row.
    loaded.exact_lines = rows->exact.rows.size();
    if (rows->rows == 0) {
      if (loaded.bad_rows > 0) {  // what belongs to no row goes with those that are not taken
        loaded.bad.append(text);
        loaded.text_bytes = 0;
      } else if (summary_.schema.exact && !text.empty()) {
        loaded.status = error_in_line(piece.first_line, "no row follows, only other text");
      }
      return loaded;
    }
    if (!writes_) return loaded;
    if (sorter_) {
      loaded.run = sorter_->sort(views_of(rows->columns));
      loaded.seconds.sorting = time.seconds() - loaded.seconds.parsing;
      return loaded;
    }
    // What the directory says of the text, for tables that give it back byte for byte.
    GroupText about;
    if (summary_.schema.exact) {
      about.bytes = text.size();
      about.lines = line_feeds_in(text);
      about.checksum = checksum64(text);
      about.exact = &rows->exact;
      about.plain = text;
    }
    loaded.group = encoder.encode(views_of(rows->columns), about, blocks_.take());
    loaded.seconds.coding = time.seconds() - loaded.seconds.parsing;
    return loaded;
  }

  /// For rows of a pipe that do not fit the types of its beginning: the --schema with which
  /// they would.
  std::string other_types(const TextPiece& piece) const {
    const std::unique_ptr<ColumnFinder> finder = kind_->new_finder();
    // What the beginning has shown, and now this piece.
    finder->merge(*finder_);
    if (!finder->add(piece.text.bytes(), piece.first_line).ok()) return {};
    const Result<TableSchema> schema = finder->finish();
    if (!schema.ok()) return {};
    std::string types;
    for (const ColumnSchema& column : schema->columns) {
      const auto& known = summary_.schema.columns;
      // Only columns whose type would change are named in the message.
      const bool fits = std::any_of(known.begin(), known.end(), [&](const ColumnSchema& other) {
        return other.name == column.name && type_name(other) == type_name(column);
      });
      const auto& given = options_.types;
      const bool is_given = std::any_of(given.begin(), given.end(), [&](const ColumnSchema& other) {
        return other.name == column.name;
      });
      if (!fits && !is_given)
        types += (types.empty() ? "" : ",") + column.name + ":" + type_name(column);
    }
    if (types.empty()) return {};
    return "; types were found out from the pipe's first 32 MiB: --schema '" + types + "'";
  }

  /// Cuts the bad rows out of the text and keeps them for the callback.
  Status set_bad_rows_aside(TextPiece& piece, Loaded& loaded) const {
    Buffer& text = piece.text;
    PRESSO_ASSIGN(const std::vector<RowPlace> bad,
                  kind_->find_bad_rows(text.bytes(), summary_.schema));
    if (!bad.empty()) {
      // The error of all rows need not be that of the first bad one.
      auto first =
          kind_->load(text.bytes().first(bad.front().end), summary_.schema, piece.first_line);
      if (!first.ok()) loaded.first_bad_row = std::move(first.error().what);
    }
    Buffer kept;
    std::size_t at = 0;
    // Places are in order and do not overlap.
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

  /// Calls on_bad_rows, in the order of the text. The first row's error is kept for the
  /// summary.
  Status pass_bad_rows_on(Loaded& loaded) {
    if (loaded.bad_rows == 0) return {};
    if (summary_.bad_rows == 0) summary_.first_bad_row = std::move(loaded.first_bad_row);
    summary_.bad_rows += loaded.bad_rows;
    return options_.on_bad_rows(loaded.bad.bytes());
  }

  /// Takes what became of a piece, in the order of the text, by one thread at a time.
  Result<bool> write(Loaded loaded) {
    if (!loaded.status.ok()) return std::move(loaded.status.error());
    PRESSO_TRY(pass_bad_rows_on(loaded));
    summary_.plain_bytes += loaded.text_bytes;
    summary_.rows += loaded.rows;
    summary_.exact_lines += loaded.exact_lines;
    summary_.seconds.parsing += loaded.seconds.parsing;
    summary_.seconds.sorting += loaded.seconds.sorting;
    summary_.seconds.coding += loaded.seconds.coding;
    if (loaded.rows == 0 || !writes_) return report_progress();
    if (!sorter_) return write_group(std::move(loaded.group));
    const Stopwatch time;
    PRESSO_TRY(sorter_->add(std::move(loaded.run)));
    summary_.seconds.sorting += time.seconds();
    return report_progress();
  }

  /// Merges the runs and encodes row groups on all threads.
  Status write_sorted() {
    using Group = std::vector<ColumnData>;
    PRESSO_ASSIGN(RunMerger merger, sorter_->merge());
    // All runs are there now, so the count is final.
    summary_.spilled_bytes = sorter_->spilled_bytes();
    MergedGroups groups(summary_.schema, std::move(merger),
                        sorted_group_limits(summary_.schema, options_.group_rows, summary_.rows,
                                            summary_.plain_bytes - text_.form.head.size()));
    return run_ordered<Group, Loaded>(
        {threads_, threads_ + 1},
        [&] {
          const Stopwatch time;
          auto group = groups.next();
          const std::lock_guard lock(mutex_);
          summary_.seconds.sorting += time.seconds();
          return group;
        },
        [&](const Group& group, unsigned worker) {
          Loaded coded;
          const Stopwatch time;
          coded.group = encoders_[worker].encode(views_of(group), {}, blocks_.take());
          coded.seconds.coding = time.seconds();
          return coded;
        },
        [&](Loaded coded) {
          summary_.seconds.coding += coded.seconds.coding;
          return write_group(std::move(coded.group));
        });
  }

  Result<bool> write_group(EncodedRowGroup group) {
    ++summary_.row_groups;
    PRESSO_TRY(writer_.add_row_group(group.directory, group.blocks.bytes()));
    blocks_.give_back(std::move(group.blocks));
    return report_progress();
  }

  /// False from the callback cancels.
  Result<bool> report_progress() const {
    const auto& progress = options_.compress.on_progress;
    if (progress && !progress(summary_.plain_bytes, writer_.bytes_written())) {
      return make_error(ErrorCode::kCancelled);
    }
    return true;
  }

  ByteSource& source_;
  ByteSource* types_from_;
  const RandomAccess* file_;  ///< the text; nullptr: it cannot be read at any place
  const TableOptions& options_;
  TableFileWriter writer_;
  unsigned threads_;
  Buffer begun_;  ///< bytes that were read for sniffing
  SniffedText text_;
  std::unique_ptr<RowTextKind> kind_;
  std::unique_ptr<ColumnFinder> finder_;
  std::optional<TextPiece> first_piece_;  ///< of a pipe
  std::vector<KnownPlace> places_;        ///< of a file's pieces, from its first row on
  std::vector<TextPiece> texts_;          ///< of each thread
  bool writes_ = true;
  bool saw_all_ = true;                    ///< before the types were settled
  std::vector<RowGroupEncoder> encoders_;  ///< of each thread
  BufferPool blocks_;                      ///< memory of row groups that were written
  std::optional<RowSorter> sorter_;        ///< where rows are sorted
  std::mutex mutex_;
  TableSummary summary_;
};

/// Whether the table is written, or the text only described.
enum class Work { kCompress, kDescribe };

/// The arguments of a TableCompressor.
Result<TableSummary> make_table(ByteSource& source, ByteSource* types_from,
                                const RandomAccess* file, ByteSink& sink,
                                const TableOptions& options, Work work) {
  TableCompressor compressor(source, types_from, file, sink, options);
  return work == Work::kCompress ? compressor.run() : compressor.describe();
}

/// Options for a text that is converted: rows that are set aside become again what they were.
TableOptions options_of_recoded(TextEncoding encoding, const TableOptions& options) {
  TableOptions recoded = options;
  recoded.text.encoding = encoding;
  if (options.on_bad_rows) {
    recoded.on_bad_rows = [encoding, &options](Bytes rows) -> Status {
      Buffer stood;
      PRESSO_TRY(append_encoded(encoding, rows, stood));
      return options.on_bad_rows(stood.bytes());
    };
  }
  return recoded;
}

/// Reads a text of another encoding as UTF-8.
Result<TableSummary> run_recoded(TextEncoding encoding, ByteSource& source, ByteSource* types_from,
                                 ByteSink& sink, const TableOptions& options, Work work) {
  RecodedSource text(source, encoding);
  std::optional<RecodedSource> types;
  if (types_from != nullptr) types.emplace(*types_from, encoding);
  const TableOptions recoded = options_of_recoded(encoding, options);
  return make_table(text, types ? &*types : nullptr, nullptr, sink, recoded, work);
}

/// `types_from` is a second reading of the same file, or nullptr for a pipe.
Result<TableSummary> run_stream(ByteSource& source, ByteSource* types_from, ByteSink& sink,
                                const TableOptions& options, Work work) {
  std::vector<Byte> begun(kEncodingBytes);
  PRESSO_ASSIGN(const std::size_t got, read_fully(source, begun));
  begun.resize(got);
  PRESSO_ASSIGN(const TextEncoding encoding, encoding_of_text(begun, options.text.encoding));
  PrefixedSource text(begun, source);
  if (encoding != TextEncoding::kUtf8) {
    return run_recoded(encoding, text, types_from, sink, options, work);
  }
  return make_table(text, types_from, nullptr, sink, options, work);
}

/// A text in UTF-8 is read by all threads, any other front to back, twice.
Result<TableSummary> run_file(const RandomAccess& file, ByteSink& sink, const TableOptions& options,
                              Work work) {
  std::vector<Byte> begun(std::min<std::uint64_t>(kEncodingBytes, file.size()));
  PRESSO_TRY(file.read_at(0, begun));
  PRESSO_ASSIGN(const TextEncoding encoding, encoding_of_text(begun, options.text.encoding));
  RangeSource text(file, 0, file.size());
  if (encoding == TextEncoding::kUtf8) return make_table(text, nullptr, &file, sink, options, work);
  RangeSource again(file, 0, file.size());
  return run_recoded(encoding, text, &again, sink, options, work);
}

}  // namespace

Result<TableSummary> compress_table(ByteSource& source, ByteSource* types_from, ByteSink& sink,
                                    const TableOptions& options) {
  PRESSO_TRY(validate(options.compress));
  return without_bad_alloc(
      [&] { return run_stream(source, types_from, sink, options, Work::kCompress); });
}

Result<TableSummary> compress_table(const RandomAccess& text, ByteSink& sink,
                                    const TableOptions& options) {
  PRESSO_TRY(validate(options.compress));
  return without_bad_alloc([&] { return run_file(text, sink, options, Work::kCompress); });
}

Result<TableSummary> describe_table_text(ByteSource& source, ByteSource* types_from,
                                         const TableOptions& options) {
  NoSink none;
  return without_bad_alloc(
      [&] { return run_stream(source, types_from, none, options, Work::kDescribe); });
}

Result<TableSummary> describe_table_text(const RandomAccess& text, const TableOptions& options) {
  NoSink none;
  return without_bad_alloc([&] { return run_file(text, none, options, Work::kDescribe); });
}

}  // namespace presso
