// SPDX-License-Identifier: MIT
// Looks at growing beginnings of the text (256 KiB, then four times as much) until its dialect is
// known (dialect.h, json_inference.h) and its first row was seen. Bytes that were read are kept for
// the loader, so that pipes work.
#include "compress/table/text/begun_text.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "compress/table/text/json_inference.h"
#include "compress/table/text/piece_reader.h"

namespace presso {
namespace {

/// A line of at least this number of bytes is a row and not a comment.
constexpr std::size_t kLongLine = std::size_t{1} << 24;

/// The part of the options that concerns the dialect.
SniffOptions sniff_options(const TableTextOptions& text) {
  return {.delimiter = text.delimiter,
          .quote = text.quote,
          .trailing_delimiter = text.trailing_delimiter,
          .header = text.header,
          .null_text = text.null_text,
          .comment = text.comment,
          .escape = text.escape,
          .skip_lines = text.skip_lines};
}

/// Whether a file name promises JSON, for a better error if the text is something else.
bool is_json_name(const std::string& name) {
  const std::string_view text(name);
  return text.ends_with(".json") || text.ends_with(".jsonl") || text.ends_with(".ndjson");
}

bool is_zero(Bytes bytes) {
  return bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

/// Whether lines around some places of the file show that quotes are text: read with quotes, they
/// have irregular quotations or too few records, and without them all have `columns` fields.
bool quotes_are_text(const RandomAccess& file, const Dialect& dialect, std::size_t columns) {
  constexpr std::uint64_t kPlaces = 8;
  constexpr std::size_t kPlaceBytes = 64u << 10;
  Dialect no_quotes = dialect;
  no_quotes.quote = no_quotes.escape = 0;
  std::vector<Byte> text(kPlaceBytes);
  RecordBatch quoted;
  RecordBatch plain;
  for (std::uint64_t i = 1; i <= kPlaces && file.size() > kPlaceBytes; ++i) {
    const std::uint64_t at = (file.size() - kPlaceBytes) / kPlaces * i;
    if (!file.read_at(at, text).ok()) return false;
    const auto line_end = std::find(text.begin(), text.end(), Byte{'\n'});
    if (line_end == text.end()) continue;
    const Bytes lines = Bytes(text).subspan(static_cast<std::size_t>(line_end - text.begin()) + 1);
    const auto end = tokenize(dialect, lines, 0, lines.size() + 1, false, quoted);
    if (!end.ok() || !tokenize(no_quotes, lines, 0, lines.size() + 1, false, plain).ok()) continue;
    if (quoted.is_regular() && 2 * *end > lines.size()) continue;
    if (plain.records() > 1 && plain.all_have(0, columns)) return true;
  }
  return false;
}

/// One call of sniff_source().
class TextSniffer {
 public:
  TextSniffer(ByteSource& source, const TableTextOptions& options, bool leave_out_bad_rows,
              const RandomAccess* file)
      : source_(source), options_(options), leave_out_bad_rows_(leave_out_bad_rows), file_(file) {}

  Result<BegunText> run() {
    PRESSO_TRY(compile_formats());
    PRESSO_TRY(sniff_text());
    return std::move(begun_);
  }

 private:
  Status compile_formats() {
    for (const std::string& text : options_.date_formats) {
      PRESSO_ASSIGN(TimeFormat format, TimeFormat::compile(text));
      formats_.push_back(std::move(format));
    }
    return {};
  }

  bool is_empty_array() const {
    std::string text;
    for (const Byte byte : begun_.bytes.bytes()) {
      const bool is_blank = byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
      if (!is_blank) text += static_cast<char>(byte);
      if (text.size() > 2) return false;
    }
    return text == "[]";
  }

  /// Reads until the first row is seen, the source ends or 256 MiB were read.
  Status sniff_text() {
    for (std::size_t size = kSniffBytes;; size *= 4) {
      const std::size_t before = begun_.bytes.size();
      begun_.bytes.grow(size);
      PRESSO_ASSIGN(const std::size_t got,
                    read_fully(source_, {begun_.bytes.data() + before, size - before}));
      const bool all = got < size - before;
      begun_.bytes.grow(before + got);
      if (!all && is_zero(begun_.bytes.bytes())) {
        return make_error(ErrorCode::kInvalidArgument,
                          "begins with " + grouped(size) + " NUL bytes, so it is not a table");
      }
      if (is_json()) return {};  // what stands before its first row belongs to that
      if (options_.kind == TextKind::kNone && is_json_name(options_.name)) {
        if (all && is_empty_array()) {
          return make_error(ErrorCode::kInvalidArgument, "is an empty array, which has no columns");
        }
        return make_error(ErrorCode::kInvalidArgument,
                          "is neither JSON objects nor an array of them; `jq -c` makes lines of "
                          "objects from other JSON");
      }
      auto sniffed = sniff(begun_.bytes.bytes(), all, options_.name, sniff_options(options_));
      if (!sniffed.ok()) {
        if (sniffed.error().code != ErrorCode::kTruncated) return std::move(sniffed.error());
        if (size >= kMaxRowBytes) return no_row();
        continue;
      }
      if (sniffed->names.empty()) {
        return make_error(ErrorCode::kInvalidArgument,
                          "has no row and no header, so it is not a table");
      }
      begun_.text = std::move(*sniffed);
      if (has_doubtful_quotes(all)) {
        SniffOptions no_quotes = sniff_options(options_);
        no_quotes.quote = Byte{0};
        PRESSO_ASSIGN(begun_.text, sniff(begun_.bytes.bytes(), all, options_.name, no_quotes));
      }
      begun_.text.rules.null_words = options_.null_words;
      begun_.text.rules.date_formats = formats_;
      begun_.text.rules.decimal = options_.decimal.value_or(0);
      begun_.kind = make_delimited_kind(begun_.text.form, begun_.text.names,
                                        {.rules = begun_.text.rules,
                                         .fill = options_.fill,
                                         .leave_out_bad_rows = leave_out_bad_rows_,
                                         .doubts_quotes = !options_.quote,
                                         .doubts_comments = !options_.comment});
      if (finds_row(all)) return {};
      if (all) return take_text_without_rows();
      if (size >= kMaxRowBytes) return no_row();
    }
  }

  /// Whether quotes are text in the rest of the file. The beginning must not speak against it by
  /// quotes, unless tabs separate fields: such texts often have quotes as data.
  bool has_doubtful_quotes(bool all) const {
    const TextForm& form = begun_.text.form;
    if (all || file_ == nullptr || options_.quote || form.quote == 0) return false;
    const Bytes begun = begun_.bytes.bytes();
    const bool has_quotes = std::find(begun.begin(), begun.end(), form.quote) != begun.end();
    if ((has_quotes && form.delimiter != '\t') || begun_.text.names.size() < 2) return false;
    const std::size_t columns = begun_.text.names.size();
    return quotes_are_text(*file_, dialect_of(form, columns, begun_.text.rules), columns);
  }

  static Error no_row() {
    return make_error(ErrorCode::kInvalidArgument,
                      "has no row in its first 256 MiB, so it is not a table");
  }

  /// Whether a row follows the head in what was read.
  bool finds_row(bool all) const {
    const Bytes rest = begun_.bytes.bytes().subspan(begun_.text.form.head.size());
    std::size_t rows = 0;
    const auto end = begun_.kind->pass_rows(rest, 0, 1, all, rows);
    if (!end.ok() || rows > 0) return true;  // an error is met again with its piece
    return !all && *end < rest.size() && rest.size() - *end > kLongLine;
  }

  /// For a text that has a header and no row: blank lines and comments, which else belong to the
  /// row that follows them, belong to the head.
  Status take_text_without_rows() {
    const Bytes rest = begun_.bytes.bytes().subspan(begun_.text.form.head.size());
    begun_.text.form.head.append(rest.begin(), rest.end());
    begun_.kind = make_delimited_kind(begun_.text.form, begun_.text.names, {});
    return {};
  }

  /// Whether the text is JSON, by its first bytes, its name, or because the caller says so. The
  /// name .json alone does not make it JSON lines, as its text may be any value.
  bool is_json() {
    if (options_.kind == TextKind::kDelimited) return false;
    const bool surely =
        options_.kind == TextKind::kJsonLines ||
        (is_json_name(options_.name) && (!options_.name.ends_with(".json") || begins_with_brace()));
    std::optional<JsonText> json = sniff_json(begun_.bytes.bytes(), surely);
    if (!json) return false;
    if (json->layout == JsonLayout::kArray && leave_out_bad_rows_) {
      json->layout = JsonLayout::kLooseArray;
    }
    begun_.text.first_line = 1 + count_lines(begun_.bytes.bytes().first(json->form.head.size()));
    json->rules.date_formats = begun_.text.rules.date_formats = formats_;
    begun_.kind = make_json_kind(*json);
    begun_.text.form = std::move(json->form);
    return true;
  }
  bool begins_with_brace() const {
    const Bytes text = begun_.bytes.bytes();
    const auto first = std::find_if(text.begin(), text.end(), [](Byte byte) { return byte > ' '; });
    return first != text.end() && *first == '{';
  }

  ByteSource& source_;
  const TableTextOptions& options_;
  bool leave_out_bad_rows_;
  const RandomAccess* file_;
  BegunText begun_;
  std::vector<TimeFormat> formats_;
};

}  // namespace

/// The source stands after the bytes that were read.
Result<BegunText> sniff_source(ByteSource& source, const TableTextOptions& options,
                               bool leave_out_bad_rows, const RandomAccess* file) {
  return TextSniffer(source, options, leave_out_bad_rows, file).run();
}

}  // namespace presso
