// SPDX-License-Identifier: MIT
// sniff() looks at the first 200 records for the delimiter, at all of the text for quotes and
// comments, and at 500 records for the header. Each rule of dialect.h is a function here; what the
// caller has said is never overruled. Tested by tests/unit/compress/table/dialect_test.cpp.
#include "compress/table/text/dialect.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <utility>

#include "compress/table/text/csv_tokenizer.h"
#include "compress/table/text/header.h"
#include "compress/table/text/hidden_rows.h"
#include "compress/table/text/rough_kind.h"
#include "format/ascii.h"

namespace presso {
namespace {

constexpr std::size_t kDelimiterRecords = 200;
constexpr std::size_t kHeaderRecords = 500;
constexpr std::size_t kAllRecords = ~std::size_t{0};

/// What a name's extension says: tabs, bars, or the form of TPC-H's dbgen, whose records end
/// with a bar and have no header.
enum class FileKind { kOther, kTabs, kBars, kTbl };

/// What the name's extension says, in any letter case.
FileKind kind_of_name(std::string_view name) {
  const std::string lower = ascii::lower(name);
  if (lower.ends_with(".tsv") || lower.ends_with(".tab")) return FileKind::kTabs;
  if (lower.ends_with(".tbl")) return FileKind::kTbl;
  return lower.ends_with(".psv") ? FileKind::kBars : FileKind::kOther;
}

bool is_line_feed(Byte byte) {
  return byte == '\n' || byte == '\r';
}

/// The end of the line at `at`, without its line end.
std::size_t line_end_at(Bytes text, std::size_t at) {
  while (at < text.size() && !is_line_feed(text[at])) ++at;
  return at;
}

/// The begin of the line after the one at `at`.
std::size_t next_line(Bytes text, std::size_t at) {
  at = line_end_at(text, at);
  const bool pair = at + 1 < text.size() && text[at] == '\r' && text[at + 1] == '\n';
  return std::min(at + (pair ? 2 : 1), text.size());
}

/// The byte that a line `sep=;` names, as spreadsheets write it.
std::optional<Byte> named_delimiter(Bytes line) {
  std::string text(line.begin(), line.end());
  if (text.size() == 7 && text.front() == '"' && text.back() == '"') text = text.substr(1, 5);
  if (text.size() != 5 || (!text.starts_with("sep=") && !text.starts_with("SEP="))) return {};
  return static_cast<Byte>(text[4]);
}

/// How alike the records of a sample are.
struct Likeness {
  std::size_t records = 0;  ///< records that have the commonest number of fields
  std::size_t fields = 0;   ///< that number
};

/// The commonest number of fields; of equally common ones the largest.
Likeness likeness_of(const RecordBatch& sample) {
  // Records by their number of fields.
  std::map<std::size_t, std::size_t> counts;
  for (std::size_t r = 0; r < sample.records(); ++r) ++counts[sample.fields_of(r)];
  Likeness best;
  for (const auto& [fields, records] : counts) {
    if (records >= best.records) best = {records, fields};
  }
  return best;
}

/// Whether the last field of every record from `first` on is empty and unquoted.
bool end_with_delimiter(const RecordBatch& sample, std::size_t first) {
  for (std::size_t r = first; r < sample.records(); ++r) {
    const Field& last = sample.fields[sample.first_field[r + 1] - 1];
    if (sample.fields_of(r) < 2 || last.length != 0 || last.quoted) return false;
  }
  return sample.records() > first;
}

std::size_t quoted_fields(const RecordBatch& sample) {
  return static_cast<std::size_t>(std::count_if(sample.fields.begin(), sample.fields.end(),
                                                [](const Field& field) { return field.quoted; }));
}

/// Whether the text is a date with its time, which blanks separate as well.
bool is_moment(Bytes text) {
  const auto separates = [](Byte byte) { return byte == ':' || byte == '/'; };
  return rough_kind_of(text) == RoughKind::kTime &&
         std::any_of(text.begin(), text.end(), separates);
}

/// Finds one property after another; each relies on those before it.
class Sniffer {
 public:
  Sniffer(Bytes head, bool all, std::string_view name, const SniffOptions& options)
      : head_(head), all_(all), kind_(kind_of_name(name)), options_(options) {}

  Result<SniffedText> sniff() {
    find_begin();
    form_.kind = TextKind::kDelimited;
    form_.null_text = options_.null_text;
    rules_.escape = options_.escape.value_or(0);
    begin_comments();
    find_quote_before_delimiter();
    find_delimiter();
    PRESSO_TRY(find_quote());
    find_comments();
    find_title_lines();
    PRESSO_TRY(take_sample(dialect(), kHeaderRecords));
    find_trailing_delimiter();
    PRESSO_TRY(take_sample(dialect(), kHeaderRecords));
    if (sample_.records() == 0 && !all_) {
      return make_error(ErrorCode::kTruncated, "the first record does not end here");
    }
    return finish();
  }

 private:
  /// Finds where the text begins after a byte order mark, skipped lines and the name of the
  /// delimiter.
  void find_begin() {
    // The byte order mark of UTF-8 belongs to the head.
    const bool mark = head_.size() >= 3 && head_[0] == 0xEF && head_[1] == 0xBB && head_[2] == 0xBF;
    begin_ = mark ? 3 : 0;
    for (std::uint64_t i = 0; i < options_.skip_lines; ++i) begin_ = next_line(head_, begin_);
    const std::size_t end = line_end_at(head_, begin_);
    named_delimiter_ = named_delimiter(head_.subspan(begin_, end - begin_));
    if (named_delimiter_) begin_ = next_line(head_, begin_);
  }

  Dialect dialect() const {
    Dialect dialect = dialect_of(form_, 0, rules_);
    dialect.blank_records = false;
    return dialect;
  }

  /// Tokenises the beginning. A cut text may end inside of a record; a whole one may not.
  Status take_sample(const Dialect& dialect, std::size_t records) {
    PRESSO_ASSIGN(sample_end_, tokenize(dialect, head_, begin_, records, all_, sample_));
    return {};
  }
  Status take_sample(Byte delimiter, std::size_t records = kDelimiterRecords) {
    Dialect tried = dialect();
    tried.delimiter = delimiter;
    return take_sample(tried, records);
  }

  /// Lines that begin with '#' before the first row are taken for comments until the number of
  /// fields is known.
  void begin_comments() {
    rules_.comment = options_.comment.value_or(0);
    if (options_.comment) return;
    for (std::size_t at = begin_; at < head_.size() && head_[at] == '#';) {
      last_comment_ = at;
      at = next_line(head_, at);
    }
    if (last_comment_) rules_.comment = '#';
  }

  /// A first assumption, which find_quote() may take back.
  void find_quote_before_delimiter() {
    form_.quote = options_.quote.value_or(kind_ == FileKind::kTbl ? Byte{0} : Byte{'"'});
  }

  /// Takes the caller's delimiter, else that of the name's extension, else finds it by content.
  void find_delimiter() {
    form_.delimiter = ',';
    if (kind_ == FileKind::kTabs) form_.delimiter = '\t';
    if (kind_ == FileKind::kBars || kind_ == FileKind::kTbl) form_.delimiter = '|';
    if (named_delimiter_) form_.delimiter = *named_delimiter_;
    if (options_.delimiter) form_.delimiter = *options_.delimiter;
    if (options_.delimiter || named_delimiter_ || kind_ != FileKind::kOther) {
      if (form_.delimiter == ' ') find_runs_of_blanks();
      return;
    }
    if (!find_delimiter_by_content()) find_blanks();
  }

  /// Every candidate tokenises the sample; the likeness of its records decides. False: none
  /// separates anything.
  bool find_delimiter_by_content() {
    Likeness best;
    for (const Byte delimiter : {Byte{','}, Byte{'\t'}, Byte{';'}, Byte{'|'}}) {
      // If a quote is open at the end, this is not the delimiter, or there will be an error later.
      const bool whole = take_sample(delimiter).ok();
      const Likeness likeness = likeness_of(sample_);
      // Other delimiters may make fewer records of the same text, so parts count.
      if (!whole || likeness.fields < 2 || 2 * likeness.records < sample_.records()) continue;
      const bool better = likeness.records > best.records ||
                          (likeness.records == best.records && likeness.fields > best.fields);
      if (!better) continue;
      best = likeness;
      form_.delimiter = delimiter;
    }
    return best.fields > 1;
  }

  /// Takes runs of blanks for the delimiter, if they make columns.
  void find_blanks() {
    const Byte before = form_.delimiter;
    form_.delimiter = ' ';
    rules_.merges_delimiters = true;
    if (take_sample(dialect(), kDelimiterRecords).ok() && blanks_make_columns()) return;
    form_.delimiter = before;
    rules_.merges_delimiters = false;
  }

  /// Whether all records have the same number of fields, of which at least half are numbers or
  /// stand in quotes. A header in quotes may have one field less.
  bool blanks_make_columns() const {
    const std::size_t records = sample_.records();
    if (records < 2) return false;
    const std::size_t fields = sample_.fields_of(records - 1);
    const bool fits = sample_.fields_of(0) == fields ||
                      (sample_.fields_of(0) + 1 == fields && sample_.fields[0].quoted);
    if (fields < 2 || !fits || !sample_.all_have(1, fields)) return false;
    std::size_t plain_words = 0;
    for (std::size_t i = sample_.first_field[1]; i < sample_.fields.size(); ++i) {
      const Field& field = sample_.fields[i];
      const Bytes value = head_.subspan(field.begin, field.length);
      plain_words += !field.quoted && rough_kind_of(value) == RoughKind::kText ? 1 : 0;
    }
    const std::size_t begin = sample_.begin[records - 1];
    const std::size_t end = line_end_at(head_, begin);
    return 2 * plain_words <= sample_.fields.size() &&
           !is_moment(head_.subspan(begin, end - begin));
  }

  /// The caller's blanks may stand in runs, too, as in aligned columns.
  void find_runs_of_blanks() {
    const bool alone = take_sample(dialect(), kDelimiterRecords).ok();
    const std::size_t likeness = alone ? likeness_of(sample_).records : 0;
    rules_.merges_delimiters = true;
    const bool merged = take_sample(dialect(), kDelimiterRecords).ok();
    rules_.merges_delimiters = merged && likeness_of(sample_).records > likeness;
  }

  /// Finds the quote, and the escape if there is one. What reads the whole beginning without an
  /// irregular quotation is taken at once.
  Status find_quote() {
    const Status read = take_sample(dialect(), kAllRecords);
    if (options_.quote) return read;
    const bool regular = read.ok() && sample_.is_regular() && ends_well();
    if (regular && quoted_fields(sample_) > 0) return read;
    if (regular) return find_single_quote();
    if (find_escape() || find_text_with_quotes(read.ok() && ends_well())) return {};
    return take_sample(dialect(), kAllRecords);
  }

  /// Whether the sample comes near the end of the text: an open quote makes it end long before.
  bool ends_well() const { return all_ || 2 * sample_end_ > head_.size(); }

  /// Takes the single quote if at least two fields stand in it, and more records are alike.
  Status find_single_quote() {
    const Likeness before = likeness_of(sample_);
    const Byte quote = std::exchange(form_.quote, Byte{'\''});
    const bool read = form_.delimiter != '\'' && take_sample(dialect(), kAllRecords).ok();
    const Likeness likeness = likeness_of(sample_);
    if (read && sample_.is_regular() && ends_well() && quoted_fields(sample_) > 1 &&
        likeness.records >= before.records) {
      return {};
    }
    form_.quote = quote;
    return take_sample(dialect(), kAllRecords);
  }

  /// Takes the backslash as escape if then all quotations are regular.
  bool find_escape() {
    if (options_.escape || form_.delimiter == '\\') return false;
    rules_.escape = '\\';
    if (take_sample(dialect(), kAllRecords).ok() && sample_.is_regular() && ends_well())
      return true;
    rules_.escape = 0;
    return false;
  }

  /// Takes quotes as text in a text with tabs, which often has quotes as data, and where all
  /// records then have the same number of fields, unless a quote is never closed.
  bool find_text_with_quotes(bool all_closed) {
    const Byte quote = std::exchange(form_.quote, Byte{0});
    const bool read = take_sample(dialect(), kAllRecords).ok();
    if (form_.delimiter == '\t') return read;
    if (read && all_closed && sample_.records() > 1 && sample_.fields_of(0) > 1 &&
        sample_.all_have(1, sample_.fields_of(0))) {
      return true;
    }
    form_.quote = quote;
    return false;
  }

  /// Lines that begin with '#' are comments if none of them has the number of fields of the rows,
  /// apart from a header in the last comment before the first row.
  void find_comments() {
    if (options_.comment || form_.delimiter == '#') return;
    const std::size_t begin = begin_;
    rules_.comment = '#';
    if (last_comment_) begin_ = next_line(head_, *last_comment_);
    const bool read = take_sample(dialect(), kAllRecords).ok();
    const std::size_t columns = likeness_of(sample_).fields;
    const bool has_later = read && columns > 1 && has_comments();
    const bool are_rows = has_later && !later_comments_fit(columns);
    if (!has_later || are_rows) rules_.comment = 0;
    if (!last_comment_) return;
    if (!are_rows && find_header_in_comment(columns)) return;
    if (are_rows || sample_.records() == 0 || !first_lines_are_remarks(begin, columns)) {
      begin_ = begin;
    }
  }

  /// Whether a comment precedes some record of the sample.
  bool has_comments() const {
    for (std::size_t r = 0; r < sample_.records(); ++r) {
      if (head_[sample_.begin[r]] == '#') return true;
    }
    return false;
  }

  /// Whether no comment of the sample has the fields of a row.
  bool later_comments_fit(std::size_t columns) const {
    const RowTest test{columns, true, [](const RecordBatch&, Bytes, std::size_t) { return true; }};
    return refuse_rows_in_comments(dialect(), head_, sample_, sample_end_, test, 1).ok();
  }

  /// Whether the lines from `at` on, which begin with '#', are no rows up to the first row: a blank
  /// or another '#' follows, or they have another number of fields.
  bool first_lines_are_remarks(std::size_t at, std::size_t columns) const {
    Dialect rows = dialect();
    rows.comment = 0;
    RecordBatch line;
    for (; at < begin_; at = next_line(head_, at)) {
      const Bytes text = head_.subspan(at, line_end_at(head_, at) - at);
      if (text.size() < 2 || text[1] == ' ' || text[1] == '#' || text[1] == '\t') continue;
      const bool read = tokenize(rows, text, 0, 1, true, line).ok() && line.records() == 1;
      if (!read || columns == 1 || line.fields_of(0) == columns) return false;
    }
    return true;
  }

  /// Takes the last comment before the first row as the header, if its fields fit the rows as
  /// names and the first row is no header itself.
  bool find_header_in_comment(std::size_t columns) {
    if (columns < 2 || (options_.header && !*options_.header)) return false;
    const bool has_own = header_kind(sample_, head_) != HeaderKind::kNone;
    const bool is_rare_in_prose = form_.delimiter == '\t' || form_.delimiter == '|';
    if (has_own && (!is_rare_in_prose || has_names_above_types(sample_, head_))) return false;
    const std::size_t rows = std::exchange(begin_, *last_comment_);
    while (begin_ < rows && (head_[begin_] == '#' || head_[begin_] == ' ')) ++begin_;
    const bool read = take_sample(dialect(), kHeaderRecords).ok();
    if (read && sample_.records() > 1 && sample_.fields_of(0) == columns &&
        header_kind(sample_, head_) == HeaderKind::kNames) {
      return true;
    }
    begin_ = rows;
    return false;
  }

  /// Passes over lines before a table of at least three columns that would be an error as rows: of
  /// one field before a header, such as a title, and of several fields that are fewer than those of
  /// the rows, such as a station's place before its measurements. A header that only lacks the name
  /// of its first column is none.
  void find_title_lines() {
    constexpr std::size_t kMostLines = 20;
    if (options_.header || options_.skip_lines > 0 || kind_ == FileKind::kTbl) return;
    if (!take_sample(dialect(), kHeaderRecords).ok() || sample_.records() < 3) return;
    const std::size_t columns = likeness_of(sample_).fields;
    std::size_t lines = 0;
    bool several = false;
    for (; lines < sample_.records() && sample_.fields_of(lines) + 1 < columns; ++lines) {
      several |= sample_.fields_of(lines) > 1;
    }
    const bool fits = columns > 2 && lines > 0 && lines <= kMostLines &&
                      sample_.records() >= lines + 2 && sample_.all_have(lines, columns);
    if (!fits) return;
    const std::size_t before = std::exchange(begin_, sample_.text_begin(lines));
    if (take_sample(dialect(), kHeaderRecords).ok() && follows_title(several)) {
      title_lines_ = lines;
    } else {
      begin_ = before;
    }
  }

  /// Whether the sample begins with a header, which after lines of several fields has names above
  /// types, or is of many rows without one.
  bool follows_title(bool several) const {
    constexpr std::size_t kManyRows = 10;
    const HeaderKind kind = header_kind(sample_, head_);
    if (kind == HeaderKind::kNone) return sample_.records() >= kManyRows;
    return kind == HeaderKind::kNames && (!several || has_names_above_types(sample_, head_));
  }

  /// Bars end records in practice. Other delimiters there mean an empty last field, unless the
  /// first record has none.
  void find_trailing_delimiter() {
    const bool first_lacks = sample_.records() > 1 && end_with_delimiter(sample_, 1) &&
                             sample_.all_have(1, sample_.fields_of(0) + 1);
    form_.trailing_delimiter = options_.trailing_delimiter.value_or(
        first_lacks || (form_.delimiter == '|' && end_with_delimiter(sample_, 0)));
  }

  /// What the first record is: as the caller says, or by header_kind(); `.tbl` has no header.
  HeaderKind find_header() const {
    if (options_.header ? !*options_.header : kind_ == FileKind::kTbl) return HeaderKind::kNone;
    const HeaderKind kind = header_kind(sample_, head_);
    return options_.header && kind == HeaderKind::kNone ? HeaderKind::kNames : kind;
  }

  /// The first record's fields, without quotes and the blanks around them.
  std::vector<std::string> names_of_header(HeaderKind kind) const {
    std::vector<std::string> names(kind == HeaderKind::kOneShort ? 1 : 0);
    for (std::size_t i = 0; i < sample_.fields_of(0); ++i) {
      std::vector<Byte> name;
      append_value_text(sample_.fields[i], head_, dialect(), name);
      const Bytes trimmed = without_blanks(name);
      names.emplace_back(trimmed.begin(), trimmed.end());
    }
    return names;
  }

  /// Splits the text into head and rows.
  SniffedText finish() {
    SniffedText text;
    std::size_t end = sample_.records() > 0 ? begin_ : head_.size();
    if (sample_.records() > 0) {
      const std::size_t behind = sample_.begin[1];
      form_.carriage_return = behind >= 2 && head_[behind - 2] == '\r' && head_[behind - 1] == '\n';
      const HeaderKind header = find_header();
      text.has_header = header != HeaderKind::kNone;
      if (text.has_header) end = behind;
      ColumnNames names = usable_names(text.has_header ? names_of_header(header)
                                                       : numbered_names(sample_.fields_of(0)));
      text.names = std::move(names.names);
      text.notes = std::move(names.notes);
      if (title_lines_ > 0) {
        text.notes.push_back(
            (text.has_header ? "the header is in line " : "the rows begin in line ") +
            grouped(count_lines(head_.first(begin_)) + 1) + "; what stands before it is no row");
      }
    }
    form_.head.assign(head_.begin(), head_.begin() + static_cast<std::ptrdiff_t>(end));
    text.first_line = 1 + count_lines(head_.first(end));
    text.form = std::move(form_);
    text.rules = rules_;
    return text;
  }

  Bytes head_;
  bool all_;
  FileKind kind_;
  const SniffOptions& options_;
  std::size_t begin_ = 0;                    ///< of the first record
  std::optional<Byte> named_delimiter_;      ///< by a line `sep=;`
  std::optional<std::size_t> last_comment_;  ///< the last one before the first row
  TextForm form_;
  ReadingRules rules_;
  RecordBatch sample_;
  std::size_t sample_end_ = 0;
  std::size_t title_lines_ = 0;  ///< passed over before the header
};

}  // namespace

Result<SniffedText> sniff(Bytes head, bool all, std::string_view name,
                          const SniffOptions& options) {
  return without_bad_alloc([&] { return Sniffer(head, all, name, options).sniff(); });
}

}  // namespace presso
