// SPDX-License-Identifier: MIT
// ArrowColumn: shows rows of an Arrow array as a ColumnView. Arrays come from other programs: every
// size, offset and code is checked before it is used, as far as the interface tells sizes (it does
// not tell those of the buffers of values and offsets). Tested by
// tests/unit/compress/arrow/compress_arrow_test.cpp.
#include "compress/arrow/arrow_column.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "compress/arrow/array_values.h"
#include "format/columns/bit_copy.h"

namespace presso {
namespace {

/// A dictionary's code. Negative ones become larger than any dictionary, and are refused as
/// such.
std::uint64_t code_at(char format, const Byte* codes, std::uint64_t row) {
  switch (format) {
    case 'c':
      return static_cast<std::uint64_t>(load<std::int8_t>(codes + row));
    case 'C':
      return codes[row];
    case 's':
      return static_cast<std::uint64_t>(load<std::int16_t>(codes + 2 * row));
    case 'S':
      return load<std::uint16_t>(codes + 2 * row);
    case 'i':
      return static_cast<std::uint64_t>(load<std::int32_t>(codes + 4 * row));
    case 'I':
      return load<std::uint32_t>(codes + 4 * row);
    default:
      return load<std::uint64_t>(codes + 8 * row);
  }
}

}  // namespace

/// The value type of a dictionary becomes the column's type; dictionaries of dictionaries work
/// too.
Result<ArrowColumn> ArrowColumn::make(const ArrowSchema& schema) {
  ArrowColumn column;
  const std::string name = schema.name == nullptr ? "" : schema.name;
  PRESSO_ASSIGN(const ArrowType type, arrow_type_of(schema, name));
  column.schema_ = column_of(type);
  const auto kind = *kind_of(type);
  if (kind != ArrowKind::kValues) column.nested_ = NestedValues(type, schema);
  if (is_nested(type)) {
    column.layout_ = Layout::kNested;
  } else if (kind == ArrowKind::kValues) {
    column.layout_ = layout_of(schema.format, column.schema_.type);
    if (is_decimal(column.schema_.type)) column.decimal_bytes_ = decimal_bytes(schema.format);
  } else {
    const bool coded = kind == ArrowKind::kDictionary;
    column.layout_ = coded ? Layout::kDictionary : Layout::kRunEnds;
    column.code_format_ = (coded ? schema : *schema.children[0]).format[0];
    // A borrowed copy, which is never released.
    ArrowSchema values = coded ? *schema.dictionary : *schema.children[1];
    values.name = schema.name;  // for messages
    PRESSO_ASSIGN(ArrowColumn dictionary, make(values));
    column.dictionary_ = std::make_unique<ArrowColumn>(std::move(dictionary));
  }
  const bool is_plain = column.layout_ != Layout::kViews && column.layout_ != Layout::kDate64 &&
                        kind == ArrowKind::kValues;
  if (!is_plain) column.schema_.arrow_type = serialise_arrow_type(type);
  column.type_ = type;
  column.schema_.name = name;
  column.schema_.nullable = (schema.flags & ARROW_FLAG_NULLABLE) != 0;
  return column;
}

void ArrowColumn::keep_entries(const ArrowArray& array) {
  if (kind_of(type_) == ArrowKind::kValues || nested_.begin(array) != nullptr) return;
  nested_.keep_entries(type_);
  schema_.arrow_type = serialise_arrow_type(type_);
}

/// How the values of an array of this format lie.
ArrowColumn::Layout ArrowColumn::layout_of(std::string_view format, ColumnType type) {
  if (type == ColumnType::kBool) return Layout::kBits;
  if (format == "tdm") return Layout::kDate64;
  if (is_decimal(type)) {
    return decimal_bytes(format) == value_bytes(type) ? Layout::kSame : Layout::kDecimals;
  }
  if (!is_string(type)) return Layout::kSame;
  if (format[0] == 'v') return Layout::kViews;
  return format == "u" || format == "z" ? Layout::kOffsets32 : Layout::kOffsets64;
}

/// All faults of a producer are kInvalidArgument, naming the column.
Error ArrowColumn::bad(const char* what) const {
  return make_error(ErrorCode::kInvalidArgument,
                    "column '" + schema_.name + "' of the Arrow stream: " + what);
}

/// `row` counts within `rows`.
Error ArrowColumn::bad_value(const Rows& rows, std::uint64_t row, const char* what) const {
  const std::uint64_t in_array = rows.first + row - static_cast<std::uint64_t>(rows.array.offset);
  const std::string place = "row " + std::to_string(before_ + in_array + 1) + ": ";
  return bad((place + what).c_str());
}

/// How many buffers an array has at least.
std::int64_t ArrowColumn::buffers() const {
  if (layout_ == Layout::kRunEnds) return 0;
  const bool has_offsets = layout_ == Layout::kOffsets32 || layout_ == Layout::kOffsets64;
  return has_offsets || layout_ == Layout::kViews ? 3 : 2;
}

/// Checks the parts that every layout has; `first` and `rows` count without the array's offset.
Status ArrowColumn::check(const ArrowArray& array, std::uint64_t first, std::uint64_t rows) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 56;  // sums of these do not overflow
  const bool lengths_are_sound =
      array.length >= 0 && array.offset >= 0 && array.length < kMost && array.offset < kMost;
  if (!lengths_are_sound) return bad("length or offset");
  const auto length = static_cast<std::uint64_t>(array.length);
  if (first > length || rows > length - first) return bad("has fewer rows than its batch");
  if (layout_ == Layout::kNested) return {};  // begin() has looked
  // Views may have any number of buffers after their own three.
  const std::int64_t least = buffers();
  const bool right =
      layout_ == Layout::kViews ? array.n_buffers >= least : array.n_buffers == least;
  if (!right || (least > 0 && array.buffers == nullptr)) return bad("number of buffers");
  if (rows > 0 && least > 0 && array.buffers[1] == nullptr) return bad("has no values");
  // The array must have one if, and only if, the schema has.
  const bool has_dictionary = array.dictionary != nullptr;
  return has_dictionary == (layout_ == Layout::kDictionary) ? Status{} : bad("dictionary");
}

/// Dictionaries may change from batch to batch, so they are viewed anew for each.
Status ArrowColumn::begin(const ArrowArray& array, std::uint64_t before) {
  before_ = before;
  if (layout_ == Layout::kNested) {
    const char* const problem = nested_.begin(array);
    return problem == nullptr ? Status{} : bad(problem);
  }
  const bool has_runs = layout_ == Layout::kRunEnds;
  // Other layouts keep nothing from batch to batch.
  if ((layout_ != Layout::kDictionary && !has_runs) || array.length <= 0) return {};
  PRESSO_TRY(check(array, 0, 0));
  if (has_runs) PRESSO_TRY(check_runs(array));
  const ArrowArray& values = has_runs ? *array.children[1] : *array.dictionary;
  if (values.length < 0) return bad("dictionary");
  PRESSO_TRY(dictionary_->begin(values, 0));
  PRESSO_ASSIGN(entries_, dictionary_->view(values, 0, static_cast<std::uint64_t>(values.length),
                                            std::numeric_limits<std::uint64_t>::max()));
  return {};
}

/// There must be an end and a value for each run.
Status ArrowColumn::check_runs(const ArrowArray& array) const {
  if (array.n_children != 2 || array.children == nullptr || array.children[0] == nullptr ||
      array.children[1] == nullptr) {
    return bad("number of children");
  }
  const ArrowArray& ends = *array.children[0];
  const bool sound = ends.length >= 0 && ends.offset >= 0 && ends.n_buffers == 2 &&
                     ends.buffers != nullptr && ends.length <= array.children[1]->length &&
                     (ends.length == 0 || ends.buffers[1] != nullptr);
  return sound ? Status{} : bad("ends of runs");
}

/// The array's own offset is added here; everything after counts with it.
Result<ColumnView> ArrowColumn::view(const ArrowArray& array, std::uint64_t first,
                                     std::uint64_t rows, std::uint64_t bytes) {
  PRESSO_TRY(check(array, first, rows));
  ColumnView view;
  view.type = schema_.type;
  view.rows = rows;
  if (rows == 0) return view;
  // The schema's type decides what the buffers mean.
  const Rows wanted{array, first + static_cast<std::uint64_t>(array.offset), rows, bytes};
  PRESSO_TRY(take_validity(wanted, view));
  PRESSO_TRY(take_values(wanted, view));
  return view;
}

/// A bitmap that begins inside of a byte is shifted into a buffer, since a ColumnView begins with
/// bit 0; another one is borrowed.
Status ArrowColumn::take_validity(const Rows& rows, ColumnView& view) {
  if (layout_ == Layout::kRunEnds || layout_ == Layout::kNested) return {};
  const Byte* const bits = buffer_of(rows.array, 0);
  if (bits == nullptr) {
    return rows.array.null_count > 0 ? bad("has nulls but does not say where") : Status{};
  }
  if (rows.array.null_count == 0) return {};
  if (rows.first % 8 == 0) {
    view.validity = bits + rows.first / 8;
    return {};
  }
  validity_.assign(static_cast<std::size_t>((rows.count + 7) / 8), 0);
  copy_bits(bits, rows.first, rows.count, validity_.data(), 0);
  view.validity = validity_.data();
  return {};
}

/// Dispatches by layout; each function fills in view.values and, for strings, view.offsets.
Status ArrowColumn::take_values(const Rows& rows, ColumnView& view) {
  switch (layout_) {
    case Layout::kSame:
      view.values = buffer_of(rows.array, 1) + rows.first * value_bytes(schema_.type);
      return {};
    case Layout::kBits:
      take_bits(rows, view);
      return {};
    case Layout::kOffsets32:
      return take_offsets<std::int32_t>(rows, view);
    case Layout::kOffsets64:
      return take_offsets<std::int64_t>(rows, view);
    case Layout::kViews:
      return take_views(rows, view);
    case Layout::kDecimals:
      return take_decimals(rows, view);
    case Layout::kDate64:
      return take_dates(rows, view);
    case Layout::kNested:
      return take_nested(rows, view);
    default:
      return look_up(rows, view);
  }
}

/// Bools: borrowed if they begin with a byte, otherwise shifted into a buffer.
void ArrowColumn::take_bits(const Rows& rows, ColumnView& view) {
  const Byte* const bits = buffer_of(rows.array, 1);
  view.values = bits + rows.first / 8;
  if (rows.first % 8 == 0) return;
  const auto bytes = static_cast<std::size_t>((rows.count + 7) / 8);
  values_.resize_discarding(bytes);
  std::fill_n(values_.data(), bytes, Byte{0});
  copy_bits(bits, rows.first, rows.count, values_.data(), 0);
  view.values = values_.data();
}

/// Offsets must not descend; they are copied so that the first one is 0.
template <class Offset>
Status ArrowColumn::take_offsets(const Rows& rows, ColumnView& view) {
  // Offsets may lie at any address.
  const Byte* const stored = buffer_of(rows.array, 1) + rows.first * sizeof(Offset);
  // One more than rows, for the end of the last.
  const auto count = static_cast<std::size_t>(rows.count) + 1;
  const auto begin = static_cast<std::int64_t>(load<Offset>(stored));
  // The first offset need not be 0: arrays may be slices of others.
  if (begin < 0) return bad("offsets");
  // 64 bits in any case, as ColumnView has them.
  offsets_.resize(count);
  std::int64_t before = begin;
  for (std::size_t i = 0; i < count; ++i) {
    const auto offset = static_cast<std::int64_t>(load<Offset>(stored + i * sizeof(Offset)));
    if (offset < before) return bad("offsets");
    offsets_[i] = offset - begin;
    before = offset;
  }
  const Byte* const values = buffer_of(rows.array, 2);
  if (values == nullptr && offsets_.back() > 0) return bad("has no values");
  view.offsets = offsets_.data();
  view.values = values == nullptr ? nullptr : values + begin;
  return {};
}

// Strings are copied one after another until `bytes` are exceeded; view.rows tells how many
// rows.
Status ArrowColumn::take_views(const Rows& rows, ColumnView& view) {
  // Values are copied row by row: they lie wherever their views point.
  values_.clear();
  offsets_.assign(1, 0);
  std::uint64_t row = 0;
  for (; row < rows.count && (row == 0 || values_.size() < rows.bytes); ++row) {
    if (!view.is_null(row)) {
      Bytes string;
      if (!string_of_view(rows.array, rows.first + row, string)) return bad("views");
      values_.append(string);
    }
    offsets_.push_back(static_cast<std::int64_t>(values_.size()));
  }
  view.rows = row;
  view.offsets = offsets_.data();
  view.values = values_.data();
  return {};
}

/// Up to 18 digits fit into 64 bits, all others into 128.
Status ArrowColumn::take_decimals(const Rows& rows, ColumnView& view) {
  const Byte* from = buffer_of(rows.array, 1) + rows.first * decimal_bytes_;
  const std::size_t width = value_bytes(schema_.type);
  values_.resize_discarding(static_cast<std::size_t>(rows.count) * width);
  for (std::uint64_t row = 0; row < rows.count; ++row, from += decimal_bytes_) {
    Byte wide[16];
    const bool fits = as_decimal128(from, decimal_bytes_, wide);
    // The upper half must be the sign of the lower one.
    const auto low = load<std::int64_t>(wide);
    const bool narrow = load<std::int64_t>(wide + 8) == (low < 0 ? -1 : 0);
    if ((!fits || (width == 8 && !narrow)) && !view.is_null(row)) {
      return bad_value(rows, row, "a decimal has more digits than its type");
    }
    std::memcpy(values_.data() + width * row, wide, width);
  }
  view.values = values_.data();
  return {};
}

/// Dates in milliseconds become days.
Status ArrowColumn::take_dates(const Rows& rows, ColumnView& view) {
  const Byte* const from = buffer_of(rows.array, 1) + rows.first * 8;
  values_.resize_discarding(static_cast<std::size_t>(rows.count) * 4);
  for (std::uint64_t row = 0; row < rows.count; ++row) {
    const bool whole = as_days(load<std::int64_t>(from + 8 * row), values_.data() + 4 * row);
    if (!whole && !view.is_null(row)) return bad_value(rows, row, "a date64 is no whole day");
  }
  view.values = values_.data();
  return {};
}

/// Nested values become text until `bytes` are exceeded; view.rows tells how many rows.
Status ArrowColumn::take_nested(const Rows& rows, ColumnView& view) {
  text_.clear();
  offsets_.assign(1, 0);
  validity_.assign(static_cast<std::size_t>((rows.count + 7) / 8), 0);
  std::uint64_t row = 0;
  for (; row < rows.count && (row == 0 || text_.size() < rows.bytes); ++row) {
    if (!nested_.is_null(rows.first + row)) {
      validity_[row / 8] |= static_cast<Byte>(1u << (row % 8));
      if (!nested_.append(rows.first + row, text_)) {
        return bad_value(rows, row, nested_.problem());
      }
    }
    offsets_.push_back(static_cast<std::int64_t>(text_.size()));
  }
  view.rows = row;
  view.validity = count_bits(validity_.data(), row) == row ? nullptr : validity_.data();
  view.values = reinterpret_cast<const Byte*>(text_.data());
  view.offsets = offsets_.data();
  return {};
}

/// The number of the row's entry among entries_. Runs are passed in the order of the rows.
Result<std::uint64_t> ArrowColumn::entry_at(const Rows& rows, std::uint64_t row) {
  if (layout_ == Layout::kDictionary) {
    // Negative codes become larger than any dictionary.
    const auto code = code_at(code_format_, buffer_of(rows.array, 1), rows.first + row);
    if (code >= entries_.rows) return bad("a code beyond the dictionary");
    return code;
  }
  const ArrowArray& ends = *rows.array.children[0];
  const auto first = static_cast<std::uint64_t>(ends.offset);
  const auto count = static_cast<std::uint64_t>(ends.length);
  if (row == 0) run_ = 0;
  const auto is_before = [&](std::uint64_t run) {
    return code_at(code_format_, buffer_of(ends, 1), first + run) <= rows.first + row;
  };
  while (run_ < count && is_before(run_)) ++run_;
  if (run_ == count) return bad("runs end before the rows");
  return run_;
}

/// Replaces codes by the dictionary's values, and runs by theirs. A null of the dictionary is a
/// null of the column.
Status ArrowColumn::look_up(const Rows& rows, ColumnView& view) {
  const bool strings = is_string(schema_.type);
  const auto bitmap_bytes = static_cast<std::size_t>((rows.count + 7) / 8);
  std::vector<Byte> validity(bitmap_bytes, 0);  // validity_ may be the codes' own
  values_.clear();
  offsets_.assign(1, 0);
  // Rows that stay null must have defined values.
  if (!strings) {
    const std::size_t width = value_bytes(schema_.type);
    values_.grow(width == 0 ? bitmap_bytes : static_cast<std::size_t>(rows.count) * width);
    std::fill_n(values_.data(), values_.size(), Byte{0});
  }
  std::uint64_t row = 0;
  for (; row < rows.count && (row == 0 || !strings || values_.size() < rows.bytes); ++row) {
    if (!view.is_null(row)) {
      // Codes under nulls are not looked at: they may be anything.
      PRESSO_ASSIGN(const std::uint64_t code, entry_at(rows, row));
      if (!entries_.is_null(code)) {
        validity[row / 8] |= static_cast<Byte>(1u << (row % 8));
        take_entry(code, row);
      }
    }
    if (strings) offsets_.push_back(static_cast<std::int64_t>(values_.size()));
  }
  view.rows = row;
  // Without nulls on either side there is no bitmap.
  const bool has_nulls = view.validity != nullptr || entries_.validity != nullptr;
  validity_ = std::move(validity);
  view.validity = has_nulls ? validity_.data() : nullptr;
  view.values = values_.data();
  view.offsets = strings ? offsets_.data() : nullptr;
  return {};
}

/// Copies one entry of the dictionary to the place of row `row`.
void ArrowColumn::take_entry(std::uint64_t code, std::uint64_t row) {
  const std::size_t width = value_bytes(schema_.type);
  if (is_string(schema_.type)) {
    values_.append(entries_.string(code));
  } else if (width == 0) {
    copy_bits(entries_.values, code, 1, values_.data(), row);
  } else {
    std::memcpy(values_.data() + row * width, entries_.values + code * width, width);
  }
}

}  // namespace presso
