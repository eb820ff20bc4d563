// SPDX-License-Identifier: MIT
// Looks at every value of every row, since one value can decide a column's type. What may be
// written in different ways, such as spaces and escapes, is decided by majority; rows that differ
// keep their text (ExactLines).
#include "compress/table/text/json_inference.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "compress/table/text/text_checks.h"
#include "format/columns/schema.h"

namespace presso {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// In the first kSlashRows rows all strings are searched for '/'; later only those with escapes.
constexpr std::uint64_t kSlashRows = 4096;

/// Limits for columns times rows: kMostValuesPerByte for each byte of text, and kFreeValues in any
/// case. Every one of these values is looked at, whether the text has it or not, so keys that are
/// data would make the time grow with the square of the text.
constexpr std::uint64_t kMostValuesPerByte = 64;
constexpr std::uint64_t kFreeValues = std::uint64_t{1} << 22;

/// The end of messages that refuse a text.
constexpr char kKeysAreData[] =
    ": where keys are data, put such objects one level deeper, or compress the text without "
    "--table";

/// The bit of a kind in a set of kinds.
constexpr Byte bit_of(JsonKind kind) {
  return static_cast<Byte>(1u << static_cast<unsigned>(kind));
}

bool is_blank(Byte byte) {
  return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/// Whether an escape stands for a character that is not ASCII.
bool escapes_characters(std::string_view string) {
  for (std::size_t at = 0; (at = string.find('\\', at)) != string.npos; at += 2) {
    if (string[at + 1] != 'u') continue;
    if (string.substr(at + 2, 2) != "00" || string[at + 4] > '7') return true;
  }
  return false;
}

}  // namespace

namespace {

/// The layout of a text whose first object is at `at`. One with a mistake is taken for a line if
/// the mistake is in the first line, or if another object begins the second one.
JsonLayout layout_of(Bytes head, std::size_t at) {
  JsonBatch batch;
  const std::size_t end = tokenize_json(head, at, 1, JsonLayout::kSpread, batch);
  const std::string_view rest = text_of(head.subspan(at));
  const std::size_t line = rest.find('\n');
  if (batch.rows() == 0) {
    const bool is_line = batch.faults.front().at - at < line || rest.substr(line + 1, 1) == "{";
    return is_line ? JsonLayout::kLines : JsonLayout::kSpread;
  }
  if (line < end - at - 1) return JsonLayout::kSpread;
  return end < head.size() && head[end] == '{' && head[end - 1] != '\n' ? JsonLayout::kSpread
                                                                        : JsonLayout::kLines;
}

}  // namespace

/// An object is known by its '{' and a quote or '}' after it, even if it does not end in `head`.
std::optional<JsonText> sniff_json(Bytes head, bool surely) {
  JsonText json;
  json.form.kind = TextKind::kJsonLines;
  const auto skip_blank = [&](std::size_t at) {
    while (at < head.size() && is_blank(head[at])) ++at;
    return at;
  };
  const bool marked = text_of(head).starts_with(kByteOrderMark);
  const std::size_t at = skip_blank(marked ? kByteOrderMark.size() : 0);
  if (marked) json.form.head = kByteOrderMark;
  const auto is_object = [&](std::size_t begin) {
    if (begin == head.size() || head[begin] != '{') return false;
    const std::size_t inner = skip_blank(begin + 1);
    return surely || inner == head.size() || head[inner] == '"' || head[inner] == '}';
  };
  if (at < head.size() && head[at] == '[' && is_object(skip_blank(at + 1))) {
    // The white space of the first row's line belongs to the row, as it does in all other rows.
    const std::string_view before = text_of(head.first(skip_blank(at + 1)));
    const std::size_t line = before.rfind('\n');
    json.form.head = line == before.npos || line < at ? before : before.substr(0, line + 1);
    json.layout = JsonLayout::kArray;
    return json;
  }
  if (is_object(at)) {
    json.layout = layout_of(head, at);
    return json;
  }
  return surely ? std::optional(json) : std::nullopt;
}

JsonInference::JsonInference(const JsonText& text)
    : form_(text.form), layout_(text.layout), types_(0, text.form) {
  form_.null_text.clear();
  types_ = TypeInference(0, form_, text.rules);
}

// If a batch brings new keys, rows times columns may become too many for the cache: then a smaller
// batch is read again.
void JsonInference::add(Bytes text, std::uint64_t first_line) {
  JsonBatch batch;
  choice_.reset();
  for (std::size_t at = 0; at < text.size() && !too_many_ && !sparse_;) {
    const std::size_t begin = at;
    at = tokenize_json(text, begin, json_batch_rows(keys_.names().size()), layout_, batch);
    keys_.resolve(batch, text, true, columns_);
    too_many_ = keys_.names().size() > kMaxColumns;
    if (too_many_) return;
    const std::size_t most_rows = 2 * json_batch_rows(keys_.names().size());
    if (batch.rows() > most_rows) {  // there are many new columns
      at = tokenize_json(text, begin, most_rows, layout_, batch);
      keys_.resolve(batch, text, true, columns_);
    }
    bytes_ += at - begin;
    if (note_sparse(rows_ + batch.rows())) return;
    add_batch(batch, text, first_line);
  }
}

/// Returns true, and remembers it, if there are too many keys for rows that have few each: the text
/// is refused then.
bool JsonInference::note_sparse(std::uint64_t rows) {
  const std::size_t keys = keys_.names().size();
  if (keys * rows > kMostValuesPerByte * bytes_ + kFreeValues) sparse_ = {keys, rows};
  return sparse_.has_value();
}

/// Types are inferred by TypeInference, from members spread over columns.
void JsonInference::add_batch(const JsonBatch& batch, Bytes text, std::uint64_t first_line) {
  closed_ |= batch.closed;
  add_faults(batch, text, first_line);
  if (batch.rows() == 0) return;
  extend_columns();
  const std::size_t begin = batch.begin.front();
  fields_.begin(text.subspan(begin, batch.begin.back() - begin));
  for (std::size_t row = 0; row < batch.rows(); ++row) add_row(batch, text, row);
  fields_.end();
  spread_members(batch, columns_, raw_, records_);
  types_.add(records_, text, first_line);
}

/// Grows the tables to the keys known by now.
void JsonInference::extend_columns() {
  // New columns were absent in all earlier rows, which needs no entry.
  const std::size_t columns = keys_.names().size();
  types_.add_columns(columns - kinds_.size());
  kinds_.resize(columns, 0);
  seen_.resize(columns, 0);
  raw_.resize(columns, false);
}

// Faults are left to the loader, as they may be set aside. The first one is kept for a text that
// has no row.
void JsonInference::add_faults(const JsonBatch& batch, Bytes text, std::uint64_t first_line) {
  if (batch.faults.empty()) return;
  if (ragged_.count == 0) {
    const JsonFault& first = batch.faults.front();
    ragged_.first_line = first_line + count_lines(text.first(first.at));
    first_fault_ = fault_text(first, text, layout_);
  }
  ragged_.count += batch.faults.size();
}

// Notes the order of the row's keys, the kinds of its values and how it is written.
void JsonInference::add_row(const JsonBatch& batch, Bytes text, std::size_t row) {
  ++rows_;
  bool twice = false;
  shape_.clear();
  for (std::size_t m = batch.first_member[row]; m < batch.first_member[row + 1]; ++m) {
    const JsonMember& member = batch.members[m];
    const std::uint32_t column = columns_[m];
    twice |= seen_[column] == rows_;
    seen_[column] = rows_;
    if (member.kind == JsonKind::kString) add_string(member, text);
    if (member.kind == JsonKind::kNested) {
      fields_.add(column, member.begin - batch.begin.front());
    }
    if (member.kind != JsonKind::kNull) kinds_[column] |= bit_of(member.kind);
    shape_.push_back(member.kind == JsonKind::kNull ? column | kJsonNull : column);
  }
  if (!twice) order_.add(shape_);
  if (!shape_.empty()) spacing_.add(batch, text, row);
}

/// Votes on escapes, for strings that show them.
void JsonInference::add_string(const JsonMember& member, Bytes text) {
  const std::string_view string = text_of(text.subspan(member.begin, member.length));
  if (member.non_ascii) {
    ascii_.add(false);
  } else if (member.escaped && escapes_characters(string)) {
    ascii_.add(true);
  }
  if (!member.escaped && rows_ > kSlashRows) return;
  const std::size_t slash = string.find('/');
  if (slash != string.npos) slashes_.add(slash != 0 && string[slash - 1] == '\\');
}

void JsonInference::move_lines(std::uint64_t lines) {
  types_.move_lines(lines);
  if (ragged_.count != 0) ragged_.first_line += lines;
}

void JsonInference::merge(const JsonInference& later) {
  choice_.reset();
  if (!sparse_) sparse_ = later.sparse_;
  if (sparse_) return;
  std::vector<std::uint32_t> columns;
  for (const std::string& name : later.keys_.names()) {
    columns.push_back(keys_.find_or_add(name, true));
  }
  too_many_ |= later.too_many_ || keys_.names().size() > kMaxColumns;
  bytes_ += later.bytes_;
  if (too_many_ || note_sparse(rows_ + later.rows_)) return;
  extend_columns();
  types_.merge(later.types_, columns);
  for (std::size_t i = 0; i < columns.size(); ++i) kinds_[columns[i]] |= later.kinds_[i];
  fields_.merge(later.fields_, columns);
  order_.merge(later.order_, columns);
  spacing_.merge(later.spacing_);
  ascii_.merge(later.ascii_);
  slashes_.merge(later.slashes_);
  closed_ |= later.closed_;
  if (ragged_.count == 0) {
    ragged_.first_line = later.ragged_.first_line;
    first_fault_ = later.first_fault_;
  }
  ragged_.count += later.ragged_.count;
  rows_ += later.rows_;
}

/// The column's final schema. `inferred` comes from TypeInference, which sees texts only and
/// does not know whether they stood in quotes.
ColumnSchema JsonInference::column(std::size_t index, const ColumnSchema& inferred) const {
  ColumnSchema string;
  string.name = inferred.name;
  string.valid_utf8 = kinds_[index] != 0;
  ColumnSchema typed = inferred;
  typed.quoting = Quoting::kNeeded;
  const bool is_time = is_date_or_time(inferred.type);
  const Byte kinds = kinds_[index];
  if (kinds == 0) return string;
  if (kinds == bit_of(JsonKind::kString)) return is_time ? typed : string;
  if (kinds == bit_of(JsonKind::kBool)) return typed;
  if (kinds == bit_of(JsonKind::kNumber) && !is_string(inferred.type)) return typed;
  string.text = ValueText::kRawJson;
  string.fields = fields_.of(index);
  return string;
}

/// Choosing takes long if there are many keys, and both finish() and report() need the choice.
const JsonKeyOrder::Choice& JsonInference::choice() const {
  if (!choice_) choice_ = order_.choose(kinds_.size());
  return *choice_;
}

/// Refuses texts whose keys are data, as such a table would mostly be nulls.
Result<TableSchema> JsonInference::finish() const {
  if (too_many_) {
    return make_error(ErrorCode::kInvalidArgument,
                      std::string("more than 65,535 different keys") + kKeysAreData);
  }
  if (sparse_) {
    return make_error(ErrorCode::kInvalidArgument,
                      grouped(sparse_->keys) + " different keys in the " + grouped(sparse_->rows) +
                          " rows looked at, each of which has few" + kKeysAreData);
  }
  if (keys_.names().empty()) {
    if (ragged_.count != 0) return error_in_line(ragged_.first_line, first_fault_);
    return make_error(ErrorCode::kInvalidArgument, "has no JSON object that has a key");
  }
  const TableSchema inferred = types_.finish(keys_.names());
  TableSchema schema;
  schema.text = form_;
  schema.text.json_spacing = spacing_.winner();
  schema.text.json_ascii = ascii_.won();
  schema.text.json_slashes = slashes_.won();
  schema.text.json_omits_nulls = choice().omits_nulls;
  schema.text.json_orders = choice().orders;
  schema.exact = true;
  std::size_t path_bytes = 0;
  for (const std::uint32_t index : choice().columns) {
    schema.columns.push_back(column(index, inferred.columns[index]));
    NestedFields& fields = schema.columns.back().fields;
    path_bytes += bytes_of_paths(fields);
    if (path_bytes > kMaxPathBytes) fields = {};
  }
  PRESSO_TRY(check_schema(schema));
  return schema;
}

// A row without the key counts as a null.
std::vector<ColumnReport> JsonInference::report() const {
  const std::vector<ColumnReport> found = types_.report();
  std::vector<ColumnReport> reports;
  for (const std::uint32_t index : choice().columns) {
    reports.push_back(found[index]);
    reports.back().nulls = rows_ - found[index].values;
  }
  return reports;
}

}  // namespace presso
