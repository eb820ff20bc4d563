// SPDX-License-Identifier: MIT
// TypeInference: runs a check over the values of a column as long as they have its present type,
// and widens the type where one has not. Checks for the commonest types are written out; others go
// through value_parser().
#include "compress/table/text/type_inference.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <tuple>
#include <utility>

#include "compress/table/text/field_reader.h"
#include "compress/table/text/text_checks.h"
#include "format/columns/value_text.h"

namespace presso {
namespace {

constexpr std::size_t kShownBytes = 40;

/// The beginning of a value, for reports; values may be long.
std::string begin_of(Bytes value) {
  return {value.begin(), value.begin() + std::min(value.size(), kShownBytes)};
}

// Checks, one for each candidate: whether a value has the type, and what it tells of wider
// types (type_candidate.h).

/// A check for any type, by its parser.
struct ParsedCheck {
  TypeCandidate& candidate;
  ParseValue parse;

  bool operator()(Bytes value) const {
    Byte parsed[16];
    if (!parse(candidate.column, value, parsed)) return false;
    if (candidate.column.type == ColumnType::kBool) {
      candidate.words |= parsed[0] != 0 ? 2 : 1;
    } else if (is_number()) {
      candidate.negatives |= value[0] == '-';
      if (candidate.doubles != 0) candidate.doubles &= double_forms(value);
    } else if (candidate.column.type == ColumnType::kDouble && candidate.doubles == kAllDoubles) {
      candidate.doubles = double_forms(value);
    }
    return true;
  }
  bool is_number() const {
    return candidate.column.type == ColumnType::kInt64 ||
           candidate.column.type == ColumnType::kUint64 ||
           candidate.column.type == ColumnType::kDecimal64 ||
           candidate.column.type == ColumnType::kDecimal128;
  }
};

/// The check for int64: numbers of up to 18 digits are recognised by their bytes alone.
struct WholeCheck {
  TypeCandidate& candidate;

  bool operator()(Bytes value) const {
    const std::size_t minus = !value.empty() && value[0] == '-' ? 1 : 0;
    const std::size_t digits = value.size() - minus;
    if (digits > 18 || !is_plain_number(value.data() + minus, digits) ||
        (minus != 0 && value[1] == '0')) {
      return ParsedCheck{candidate, value_parser(candidate.column)}(value);
    }
    candidate.negatives |= minus != 0;
    // A whole number prints without a point.
    candidate.doubles &= kPlainDoubles;
    if (digits > 15 && candidate.doubles != 0) candidate.doubles = double_forms(value);
    return true;
  }
};

/// The check for decimals of up to 18 digits, with a point. Only texts that surely are one are
/// recognised by their bytes alone.
struct DecimalCheck {
  TypeCandidate& candidate;

  bool operator()(Bytes value) const {
    if (!is_sure(value)) return ParsedCheck{candidate, value_parser(candidate.column)}(value);
    if (candidate.doubles != 0) {
      // From 0.00001 on doubles are printed without an exponent.
      const bool sure = value.size() <= 16 && candidate.column.scale <= 5 && value.back() != '0';
      if (!sure) candidate.doubles &= double_forms(value);
    }
    return true;
  }
  bool is_sure(Bytes value) const {
    const std::size_t scale = candidate.column.scale;
    if (value.size() < scale + 2 || value.size() > 19) return false;
    // Digits before the point.
    const std::size_t whole = value.size() - 1 - scale;  // negative ones are not sure
    const Byte* const digits = value.data();
    return digits[whole] == '.' && is_plain_number(digits, whole) &&
           all_digits(digits + whole + 1, scale);
  }
};

/// The check for columns with values in unusual spellings, and for dates that can still be read in
/// two ways: it fails at the first value that changes the type. Where spellings are stored for each
/// row in any case, it need not be known which one the value has.
class JoinCheck {
 public:
  explicit JoinCheck(TypeCandidate& candidate)
      : candidate_(candidate),
        reader_(candidate.column),
        is_known_(!candidate.is_ambiguous() && !candidate.commas &&
                  candidate.column.type != ColumnType::kBool) {}

  bool operator()(Bytes value) {
    if (is_null_word(value, candidate_.column.type)) return false;
    if (is_known_ && is_like_others(value)) return true;
    const TypeCandidate both = join(candidate_, candidate_of(value));
    const bool same = both.same_type(candidate_);
    if (same) candidate_ = both;
    return same;
  }

 private:
  /// Whether nothing that is known of the column changes.
  bool is_like_others(Bytes value) {
    if (!candidate_.negatives && value[0] == '-') return false;
    if (candidate_.is_spelled()) return reader_.accepts(value);
    Byte parsed[16];
    return reader_.read(value, parsed) && reader_.spelling() == candidate_.spelling;
  }

  TypeCandidate& candidate_;
  FieldReader reader_;
  bool is_known_;
};

/// The check for strings, which every value passes; notes whether all are UTF-8.
struct StringCheck {
  bool& valid_utf8;

  bool operator()(Bytes value) const {
    if (valid_utf8) valid_utf8 = is_valid_utf8(value);
    return true;
  }
};

/// Whether the report lists this type already.
bool is_given_up(const ColumnReport& report, const ColumnSchema& type) {
  return std::any_of(report.given_up.begin(), report.given_up.end(),
                     [&type](const GivenUpType& other) { return other.type == type; });
}

/// For the report of a part whose types were joined with `before`: the value that broke that
/// type first. If the part's first value has the type and the part never gave it up, no single
/// value broke it.
void note_break(ColumnReport& report, const ColumnSchema& before, const ColumnReport& later) {
  const auto* first = reinterpret_cast<const Byte*>(later.first_value.data());
  Byte parsed[16];
  if (is_given_up(later, before)) return;
  if (parse_value(before, {first, later.first_value.size()}, parsed)) return;
  report.given_up.push_back({before, later.first_value, later.first_line});
}

/// Counts, lengths and first values; `later` is a later part of the text.
void merge_counts(ColumnReport& report, const ColumnReport& later) {
  if (report.other_line == 0) {
    report.other_line = later.other_line;
    report.other_value = later.other_value;
  }
  if (report.values == 0) {
    report.first_value = later.first_value;
    report.first_line = later.first_line;
    report.least_length = later.least_length;
  } else if (later.values != 0) {
    report.least_length = std::min(report.least_length, later.least_length);
  }
  report.most_length = std::max(report.most_length, later.most_length);
  report.values += later.values;
  report.nulls += later.nulls;
}

}  // namespace

// The records that are being added, for all columns.
struct TypeInference::Part {
  const RecordBatch& batch;
  Bytes text;
  std::uint64_t first_line;
  bool even;  ///< every record has a field for each column

  /// The line of each record's first field; filled when the first is asked for, which few
  /// batches do.
  std::vector<std::uint64_t> lines = {};

  const Field& first_field(std::size_t record) const {
    return batch.fields[batch.first_field[record]];
  }
};

/// The line in which the record's first field begins. Counting goes on from the place that was
/// last asked for in the same text, so a text is counted once, not once a column.
std::uint64_t TypeInference::line_of(Part& part, std::size_t record) {
  if (part.lines.empty()) {
    LineCount& count = counted_;
    const bool same = count.text == part.text.data() && count.first_line == part.first_line &&
                      count.at <= part.first_field(0).begin;
    if (!same) count = {part.text.data(), part.first_line, 0, part.first_line};
    for (std::size_t r = 0; r < part.batch.records(); ++r) {
      const std::size_t begin = part.first_field(r).begin;
      count.line += count_lines(part.text.subspan(count.at, begin - count.at));
      count.at = begin;
      part.lines.push_back(count.line);
    }
  }
  return part.lines[record];
}

// A sentence for people, or nothing where the type is no surprise.
std::string ColumnReport::why(const ColumnSchema& column) const {
  if (ambiguous_date) return "every date can be read in two orders of day, month and year";
  if (given_up.empty() && !(is_string(column.type) && values != 0)) return {};
  const bool first = given_up.empty();
  return "value `" + (first ? first_value : given_up.back().value) + "` at line " +
         grouped(first ? first_line : given_up.back().line) + " keeps it a " +
         (is_string(column.type) ? "string" : type_name(column));
}

TypeInference::TypeInference(std::size_t columns, TextForm form, ReadingRules rules)
    : form_(std::move(form)), rules_(std::move(rules)), columns_(columns) {}

/// Quotes are needless around a value that would be read the same without them.
bool TypeInference::needs_quotes(const Field& field, Bytes value) const {
  if (field.escaped) return true;
  const Byte delimiter = form_.delimiter;
  if (std::any_of(value.begin(), value.end(), [delimiter](Byte byte) {
        return byte == delimiter || byte == '\n' || byte == '\r';
      })) {
    return true;
  }
  return std::equal(value.begin(), value.end(), form_.null_text.begin(), form_.null_text.end());
}

// Needless quotes are looked for until there are any: then they are a matter of how many.
inline void TypeInference::note_value(Column& column, const Field& field, Bytes value) const {
  ColumnReport& report = column.report;
  report.least_length =
      report.values == 0 ? field.length : std::min(report.least_length, field.length);
  report.most_length = std::max(report.most_length, field.length);
  ++report.values;
  column.quoted_values += field.quoted ? 1 : 0;
  if (field.quoted && !column.needless_quotes) [[unlikely]] {
    column.needless_quotes = !needs_quotes(field, value);
  }
}

/// Looks at rows from `row` on, up to the first whose value the check refuses; returns that
/// row.
template <class Check>
std::size_t TypeInference::pass(const Part& part, std::size_t index, std::size_t row,
                                Check&& check) {
  Column& column = columns_[index];
  const RecordBatch& batch = part.batch;
  const std::size_t records = batch.records();
  const bool has_words = !rules_.null_words.empty();
  for (; row < records; ++row) {
    const std::size_t at = batch.first_field[row] + index;
    if (!part.even && at >= batch.first_field[row + 1]) continue;
    const Field& field = batch.fields[at];
    if (is_null(field, part.text, form_.null_text)) {
      ++column.report.nulls;
      continue;
    }
    if (has_words && is_null_by(rules_.null_words, field, part.text)) {
      ++column.report.nulls;
      column.several_nulls = true;
      continue;
    }
    const Bytes value = part.text.subspan(field.begin, field.length);
    if (!check(value)) return row;
    note_value(column, field, value);
  }
  return row;
}

/// Picks the loop for the present candidate.
std::size_t TypeInference::add_while_fitting(const Part& part, std::size_t index, std::size_t row) {
  Column& column = columns_[index];
  TypeCandidate& candidate = column.candidate;
  if (!candidate.seen || candidate.only_nan)
    return pass(part, index, row, [](Bytes) { return false; });
  const bool is_string = candidate.column.type == ColumnType::kUtf8;
  if (!is_string && (candidate.unusual || candidate.is_ambiguous())) {
    return pass(part, index, row, JoinCheck{candidate});
  }
  switch (candidate.column.type) {
    case ColumnType::kUtf8:
      return pass(part, index, row, StringCheck{column.valid_utf8});
    case ColumnType::kInt64:
      return pass(part, index, row, WholeCheck{candidate});
    case ColumnType::kDecimal64:
      return pass(part, index, row, DecimalCheck{candidate});
    default:
      return pass(part, index, row, ParsedCheck{candidate, value_parser(candidate.column)});
  }
}

/// Counts a word for a missing value. What it is in the end depends on the column: among strings it
/// is one of them.
bool TypeInference::note_null_word(Column& column, const Field& field, Bytes value) {
  const bool open = !column.candidate.seen || column.candidate.only_nan;
  const ColumnType type = open ? ColumnType::kDate32 : column.candidate.column.type;
  if (!is_null_word(value, type)) return false;
  // As long as there is nothing else, NaN is a number as well.
  const bool is_nan = open && !is_null_word(value, ColumnType::kInt64);
  ++null_word(is_nan ? column.nan_words : column.null_words, value).count;
  column.quoted_nulls |= field.quoted;
  if (is_nan) column.candidate = join(column.candidate, candidate_of(value));
  return true;
}

/// The entry for the word; the words are few.
TypeInference::NullWord& TypeInference::null_word(std::vector<NullWord>& words, Bytes text) {
  for (NullWord& word : words) {
    if (std::equal(text.begin(), text.end(), word.text.begin(), word.text.end())) return word;
  }
  return words.emplace_back(NullWord{{text.begin(), text.end()}, 0});
}

/// The words that stand for missing values if the column has this type.
std::vector<TypeInference::NullWord> TypeInference::null_words(const Column& column,
                                                               ColumnType type) {
  std::vector<NullWord> words = column.null_words;
  for (const NullWord& word : column.nan_words) {
    if (is_null_word(bytes_of(word.text), type))
      null_word(words, bytes_of(word.text)).count += word.count;
  }
  return words;
}

// Joins the candidate with the value that did not fit, and reports what it gave up.
void TypeInference::widen(Column& column, Bytes value, std::uint64_t line) {
  const TypeCandidate before = column.candidate;
  column.candidate = join(before, candidate_of(value));
  // If the candidate did not change, the loop would never end. That cannot be as long as checks
  // take what candidate_of() takes; a string is right in any case.
  if (column.candidate == before) column.candidate.column = ColumnSchema{};
  if (!before.seen) {
    column.report.first_value = begin_of(value);
    column.report.first_line = line;
  } else if (!before.same_type(column.candidate) && !before.lacks_word()) {
    column.report.given_up.push_back({before.column, begin_of(value), line});
  }
}

/// Finds out which of the caller's date formats read the values of this part.
void TypeInference::note_dates(const Part& part, std::size_t index) {
  Column& column = columns_[index];
  for (std::size_t row = 0; row < part.batch.records() && column.date_formats != 0; ++row) {
    if (index >= part.batch.fields_of(row)) continue;
    const Field& field = part.batch.fields[part.batch.first_field[row] + index];
    if (is_null(field, part.text, form_.null_text)) continue;
    if (is_null_by(rules_.null_words, field, part.text)) continue;
    const Bytes value = part.text.subspan(field.begin, field.length);
    if (is_null_word(value, ColumnType::kDate32)) {
      ++column.date_nulls;
      continue;
    }
    ++column.dates;
    for (std::size_t i = 0; i < 8; ++i) {
      const bool reads =
          i < rules_.date_formats.size() && rules_.date_formats[i].read(text_of(value)).has_value();
      if (!reads) column.date_formats &= static_cast<Byte>(~(1u << i));
    }
  }
}

/// Looks for the first value that is not UTF-8, which is among the values of this part.
void TypeInference::note_other_encoding(Part& part, std::size_t index) {
  for (std::size_t row = 0; row < part.batch.records(); ++row) {
    if (index >= part.batch.fields_of(row)) continue;
    const Field& field = part.batch.fields[part.batch.first_field[row] + index];
    const Bytes value = part.text.subspan(field.begin, field.length);
    if (is_valid_utf8(value)) continue;
    columns_[index].report.other_line = line_of(part, row);
    columns_[index].report.other_value = begin_of(value);
    return;
  }
}

/// Alternates between a loop for the present type and widening it.
void TypeInference::add_column(Part& part, std::size_t index) {
  const bool was_utf8 = columns_[index].valid_utf8;
  std::size_t row = 0;
  while ((row = add_while_fitting(part, index, row)) < part.batch.records()) {
    const Field& field = part.batch.fields[part.batch.first_field[row] + index];
    const Bytes value = part.text.subspan(field.begin, field.length);
    if (note_null_word(columns_[index], field, value)) {
      ++row;
    } else {
      widen(columns_[index], value, line_of(part, row));
    }
  }
  if (!rules_.date_formats.empty()) note_dates(part, index);
  if (was_utf8 && !columns_[index].valid_utf8) note_other_encoding(part, index);
}

/// Counts records with another number of fields than there are columns, for the report.
void TypeInference::count_ragged(Part& part) {
  for (std::size_t row = 0; row < part.batch.records(); ++row) {
    if (part.batch.fields_of(row) == columns_.size()) continue;
    if (ragged_.count++ == 0) ragged_.first_line = line_of(part, row);
  }
}

// Goes column by column, so that each check's loop runs over a whole batch.
void TypeInference::add(const RecordBatch& batch, Bytes text, std::uint64_t first_line) {
  Part part{batch, text, first_line, true};
  for (std::size_t row = 0; row < batch.records(); ++row) {
    part.even = part.even && batch.fields_of(row) == columns_.size();
  }
  if (!part.even) count_ragged(part);
  rows_ += batch.records();
  for (std::size_t index = 0; index < columns_.size(); ++index) add_column(part, index);
}

void TypeInference::move_lines(std::uint64_t lines) {
  for (Column& column : columns_) {
    ColumnReport& report = column.report;
    if (report.values != 0) report.first_line += lines;
    if (report.other_line != 0) report.other_line += lines;
    for (GivenUpType& type : report.given_up) type.line += lines;
  }
  if (ragged_.count != 0) ragged_.first_line += lines;
}

void TypeInference::merge_column(Column& column, const Column& later) {
  const TypeCandidate before = column.candidate;
  ColumnReport& report = column.report;
  column.candidate = join(before, later.candidate);
  if (before.seen && !before.same_type(column.candidate) && !before.lacks_word()) {
    note_break(report, before.column, later.report);
  }
  // What values of the later part took away from it counts only if the column had a type so far.
  const bool was_string = before.seen && before.column.type == ColumnType::kUtf8;
  for (const GivenUpType& type : later.report.given_up) {
    if (!was_string && !is_given_up(report, type.type)) report.given_up.push_back(type);
  }
  merge_counts(report, later.report);
  column.valid_utf8 = column.valid_utf8 && later.valid_utf8;
  column.quoted_values += later.quoted_values;
  column.quoted_nulls |= later.quoted_nulls;
  column.needless_quotes |= later.needless_quotes;
  column.several_nulls |= later.several_nulls;
  column.date_formats &= later.date_formats;
  column.dates += later.dates;
  column.date_nulls += later.date_nulls;
  for (const NullWord& word : later.null_words) {
    null_word(column.null_words, bytes_of(word.text)).count += word.count;
  }
  for (const NullWord& word : later.nan_words) {
    null_word(column.nan_words, bytes_of(word.text)).count += word.count;
  }
}

void TypeInference::merge(const TypeInference& later) {
  std::vector<std::uint32_t> columns(columns_.size());
  std::iota(columns.begin(), columns.end(), 0u);
  merge(later, columns);
}

// A report says the earliest line for each type that was given up.
void TypeInference::merge(const TypeInference& later, const std::vector<std::uint32_t>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    merge_column(columns_[columns[i]], later.columns_[i]);
  }
  if (ragged_.count == 0) ragged_.first_line = later.ragged_.first_line;
  ragged_.count += later.ragged_.count;
  rows_ += later.rows_;
}

/// The commonest word is the column's; others, and quotes around some fields alone, are spellings.
/// In JSON lines the column's is always null, without quotes.
void TypeInference::take_null_words(const Column& from, ColumnSchema& column) const {
  const std::vector<NullWord> words = null_words(from, column.type);
  if (words.empty()) return;
  const NullWord& most =
      *std::max_element(words.begin(), words.end(), [](const NullWord& a, const NullWord& b) {
        return std::tie(a.count, b.text) < std::tie(b.count, a.text);
      });
  const bool is_own = most.count > from.report.nulls;
  if (is_own && form_.kind != TextKind::kJsonLines) column.null_text = most.text;
  column.spelled |= words.size() > 1 || !is_own || from.report.nulls > 0;
}

/// The number of the first date format that reads all values, from 1 on; 0: there is none, or the
/// values have another type than text, dates and times.
std::size_t TypeInference::date_format_of(const Column& column, ColumnType type) const {
  if (rules_.date_formats.empty() || column.dates == 0 || column.date_formats == 0) return 0;
  if (!is_string(type) && !is_date_or_time(type)) return 0;
  return 1 + static_cast<std::size_t>(std::countr_zero(column.date_formats));
}

/// The type that all values of the column have, with what is known of how they are written.
ColumnSchema TypeInference::found_type(const Column& column) const {
  ColumnSchema type = column.candidate.type(form_.delimiter == ',', rules_.decimal);
  const std::size_t format = date_format_of(column, type.type);
  if (format == 0) return type;
  type = rules_.date_formats[format - 1].type();
  type.date_format = static_cast<Byte>(format);
  type.spelled = true;
  return type;
}

/// The findings on the column; words for missing values are values where the column has no type.
ColumnReport TypeInference::report_of(const Column& column) const {
  ColumnReport report = column.report;
  const ColumnSchema found = found_type(column);
  const ColumnType type = found.type;
  if (found.date_format != 0) {
    report.nulls += column.date_nulls;
    report.values = column.dates;
    report.given_up.clear();
    return report;
  }
  for (const NullWord& word : null_words(column, type)) {
    (is_string(type) ? report.values : report.nulls) += word.count;
  }
  for (const NullWord& word : column.nan_words) {
    if (!is_null_word(bytes_of(word.text), type)) report.values += word.count;
  }
  report.ambiguous_date = column.candidate.seen && column.candidate.is_ambiguous();
  return report;
}

/// Values that can be read in two ways become strings. Quoting is "always" if some quotes were
/// needless and most values had them.
TableSchema TypeInference::finish(const std::vector<std::string>& names) const {
  TableSchema schema;
  schema.text = form_;
  schema.exact = true;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& from = columns_[i];
    ColumnSchema column = found_type(from);
    if (i < names.size()) column.name = names[i];
    if (!is_string(column.type) && column.date_format == 0) take_null_words(from, column);
    column.spelled |= from.several_nulls;
    column.valid_utf8 = is_string(column.type) && from.valid_utf8;
    const bool delimited = form_.kind == TextKind::kDelimited;
    column.spelled |= from.quoted_nulls && (delimited || !is_string(column.type));
    // The rule is that of most fields; the others have spellings.
    if (from.needless_quotes) {
      // It is not known whether words such as NaN had quotes.
      const std::uint64_t values = report_of(from).values;
      if (2 * from.quoted_values > values) column.quoting = Quoting::kAlways;
      column.spelled |= from.quoted_values < values && delimited;
    }
    schema.columns.push_back(column);
  }
  return schema;
}

std::vector<ColumnReport> TypeInference::report() const {
  std::vector<ColumnReport> reports;
  for (const Column& column : columns_) reports.push_back(report_of(column));
  return reports;
}

}  // namespace presso
