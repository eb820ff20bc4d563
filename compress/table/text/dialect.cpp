// SPDX-License-Identifier: MIT
// sniff() looks at the first 200 records. Each rule of dialect.h is a function here; what the
// caller has said is never overruled. Tested by tests/unit/compress/table/dialect_test.cpp.
#include "compress/table/text/dialect.h"

#include <algorithm>
#include <initializer_list>
#include <map>

#include "compress/table/text/csv_tokenizer.h"
#include "compress/table/text/header.h"
#include "compress/table/text/rough_kind.h"

namespace presso {
namespace {

constexpr std::size_t kSampleRecords = 200;

/// What a name's extension says: tabs, bars, or the form of TPC-H's dbgen, whose records end
/// with a bar and have no header.
enum class FileKind { kOther, kTabs, kBars, kTbl };

/// What the name's extension says, in any letter case.
FileKind kind_of_name(std::string_view name) {
  std::string lower(name);
  for (char& letter : lower) letter = letter >= 'A' && letter <= 'Z' ? letter + 32 : letter;
  if (lower.ends_with(".tsv") || lower.ends_with(".tab")) return FileKind::kTabs;
  if (lower.ends_with(".tbl")) return FileKind::kTbl;
  return lower.ends_with(".psv") ? FileKind::kBars : FileKind::kOther;
}

/// The place after `lines` lines from `at` on.
std::size_t skip_lines(Bytes text, std::size_t at, std::uint64_t lines) {
  for (; lines > 0 && at < text.size(); --lines) {
    while (at < text.size() && text[at] != '\n' && text[at] != '\r') ++at;
    const bool pair = at + 1 < text.size() && text[at] == '\r' && text[at + 1] == '\n';
    at = std::min(at + (pair ? 2 : 1), text.size());
  }
  return at;
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

/// Whether the last field of every record is empty and unquoted.
bool all_end_with_delimiter(const RecordBatch& sample) {
  for (std::size_t r = 0; r < sample.records(); ++r) {
    const Field& last = sample.fields[sample.first_field[r + 1] - 1];
    if (sample.fields_of(r) < 2 || last.length != 0 || last.quoted) return false;
  }
  return sample.records() > 0;
}

/// Finds one property after another; each relies on those before it.
class Sniffer {
 public:
  Sniffer(Bytes head, bool all, std::string_view name, const SniffOptions& options)
      : head_(head), all_(all), kind_(kind_of_name(name)), options_(options) {}

  Result<SniffedText> sniff() {
    PRESSO_TRY(find_begin());
    form_.kind = TextKind::kDelimited;
    form_.null_text = options_.null_text;
    find_quote_before_delimiter();
    find_delimiter();
    PRESSO_TRY(find_quote());
    find_trailing_delimiter();
    PRESSO_TRY(take_sample(form_.delimiter, form_.quote, form_.trailing_delimiter));
    if (sample_.records() == 0 && !all_) {
      return make_error(ErrorCode::kTruncated, "the first record does not end here");
    }
    return finish();
  }

 private:
  /// Finds where the text begins after a byte order mark and skipped lines. UTF-16 is recognised by
  /// its mark and refused.
  Status find_begin() {
    if (head_.size() >= 2 &&
        ((head_[0] == 0xFF && head_[1] == 0xFE) || (head_[0] == 0xFE && head_[1] == 0xFF))) {
      return make_error(ErrorCode::kUnsupported, "text in UTF-16: convert it to UTF-8");
    }
    // The byte order mark of UTF-8 belongs to the head.
    const bool mark = head_.size() >= 3 && head_[0] == 0xEF && head_[1] == 0xBB && head_[2] == 0xBF;
    begin_ = skip_lines(head_, mark ? 3 : 0, options_.skip_lines);
    return {};
  }

  /// Tokenises the beginning. A cut text may end inside of a record; a whole one may not.
  Status take_sample(Byte delimiter, Byte quote, bool trailing) {
    const Dialect dialect{delimiter, quote, options_.comment, trailing};
    PRESSO_TRY(tokenize(dialect, head_, begin_, kSampleRecords, all_, sample_));
    return {};
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
    if (options_.delimiter) form_.delimiter = *options_.delimiter;
    if (!options_.delimiter && kind_ == FileKind::kOther) find_delimiter_by_content();
  }

  /// Every candidate tokenises the sample; the likeness of its records decides.
  void find_delimiter_by_content() {
    Likeness best;
    for (const Byte delimiter : {Byte{','}, Byte{'\t'}, Byte{';'}, Byte{'|'}}) {
      // If a quote is open at the end, this is not the delimiter, or there will be an error later.
      const bool whole = take_sample(delimiter, form_.quote, false).ok();
      const Likeness likeness = likeness_of(sample_);
      // Other delimiters may make fewer records of the same text, so parts count.
      if (!whole || likeness.fields < 2 || 2 * likeness.records < sample_.records()) continue;
      const bool better = likeness.records > best.records ||
                          (likeness.records == best.records && likeness.fields > best.fields);
      if (!better) continue;
      best = likeness;
      form_.delimiter = delimiter;
    }
  }

  /// Text with tabs often has quotes as data, so quotes are given up if one is irregular.
  Status find_quote() {
    const Status read = take_sample(form_.delimiter, form_.quote, false);
    if (options_.quote || form_.delimiter != '\t') return read;
    const bool regular =
        read.ok() && std::none_of(sample_.fields.begin(), sample_.fields.end(),
                                  [](const Field& field) { return field.irregular; });
    if (!regular) form_.quote = 0;
    return take_sample(form_.delimiter, form_.quote, false);
  }

  /// Only bars end records in practice; other delimiters there mean an empty last field.
  void find_trailing_delimiter() {
    form_.trailing_delimiter = options_.trailing_delimiter.value_or(
        form_.delimiter == '|' && all_end_with_delimiter(sample_));
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
      append_value_text(sample_.fields[i], head_, form_.quote, name);
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
    }
    form_.head.assign(head_.begin(), head_.begin() + static_cast<std::ptrdiff_t>(end));
    text.first_line = 1 + count_lines(head_.first(end));
    text.form = std::move(form_);
    return text;
  }

  Bytes head_;
  bool all_;
  FileKind kind_;
  const SniffOptions& options_;
  std::size_t begin_ = 0;  ///< after byte order mark and skipped lines
  TextForm form_;
  RecordBatch sample_;
};

}  // namespace

Result<SniffedText> sniff(Bytes head, bool all, std::string_view name,
                          const SniffOptions& options) {
  return without_bad_alloc([&] { return Sniffer(head, all, name, options).sniff(); });
}

}  // namespace presso
