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

#include "format/columns/arrow_format.h"
#include "format/columns/bit_copy.h"

namespace presso {
namespace {

/// Bytes of a string view (Arrow's layouts "vu" and "vz"); up to 12 bytes of a string stand in
/// the view itself.
constexpr std::uint32_t kViewBytes = 16;
constexpr std::uint32_t kInlineBytes = 12;

/// Buffer 0 is the validity bitmap, buffer 1 values or offsets, buffer 2 the bytes of strings.
const Byte* buffer_of(const ArrowArray& array, std::int64_t index) {
  return static_cast<const Byte*>(array.buffers[index]);
}

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

/// Whether a format is one of integers, which alone can be a dictionary's codes.
bool is_code_format(std::string_view format) {
  constexpr std::string_view kIntegers = "cCsSiIlL";
  return format.size() == 1 && kIntegers.find(format[0]) != kIntegers.npos;
}

}  // namespace

/// The value type of a dictionary becomes the column's type; dictionaries of dictionaries work
/// too.
Result<ArrowColumn> ArrowColumn::make(const ArrowSchema& schema) {
  ArrowColumn column;
  const std::string_view format = schema.format == nullptr ? "" : schema.format;
  const std::string name = schema.name == nullptr ? "" : schema.name;
  const auto known = column_of_arrow_format(format);
  if (!known || (schema.dictionary != nullptr && !is_code_format(format))) {
    return make_error(ErrorCode::kUnsupported, "column '" + name + "': the Arrow type `" +
                                                   std::string(format) +
                                                   "` cannot be stored in a table");
  }
  column.schema_ = *known;
  if (schema.dictionary != nullptr) {
    // A borrowed copy, which is never released.
    ArrowSchema values = *schema.dictionary;
    values.name = schema.name;  // for messages
    PRESSO_ASSIGN(ArrowColumn dictionary, make(values));
    column.schema_ = dictionary.schema_;
    column.layout_ = Layout::kDictionary;
    column.code_format_ = format[0];
    column.dictionary_ = std::make_unique<ArrowColumn>(std::move(dictionary));
  } else if (known->type == ColumnType::kBool) {
    column.layout_ = Layout::kBits;
  } else if (known->type == ColumnType::kDecimal64) {
    column.layout_ = Layout::kNarrowDecimal;
  } else if (is_string(known->type)) {
    column.layout_ = format[0] == 'v'                 ? Layout::kViews
                     : format == "u" || format == "z" ? Layout::kOffsets32
                                                      : Layout::kOffsets64;
  }
  column.schema_.name = name;
  column.schema_.nullable = (schema.flags & ARROW_FLAG_NULLABLE) != 0;
  return column;
}

/// All faults of a producer are kInvalidArgument, naming the column.
Error ArrowColumn::bad(const char* what) const {
  return make_error(ErrorCode::kInvalidArgument,
                    "column '" + schema_.name + "' of the Arrow stream: " + what);
}

/// Checks the parts that every layout has; `first` and `rows` count without the array's offset.
Status ArrowColumn::check(const ArrowArray& array, std::uint64_t first, std::uint64_t rows) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 56;  // sums of these do not overflow
  const bool lengths_are_sound =
      array.length >= 0 && array.offset >= 0 && array.length < kMost && array.offset < kMost;
  if (!lengths_are_sound) return bad("length or offset");
  const auto length = static_cast<std::uint64_t>(array.length);
  if (first > length || rows > length - first) return bad("has fewer rows than its batch");
  // Views may have any number of buffers after their own three.
  const bool has_offsets = layout_ == Layout::kOffsets32 || layout_ == Layout::kOffsets64;
  const std::int64_t buffers = has_offsets || layout_ == Layout::kViews ? 3 : 2;
  const bool right =
      layout_ == Layout::kViews ? array.n_buffers >= buffers : array.n_buffers == buffers;
  if (!right || array.buffers == nullptr) return bad("number of buffers");
  if (rows > 0 && array.buffers[1] == nullptr) return bad("has no values");
  // The array must have one if, and only if, the schema has.
  const bool has_dictionary = array.dictionary != nullptr;
  return has_dictionary == (layout_ == Layout::kDictionary) ? Status{} : bad("dictionary");
}

/// Dictionaries may change from batch to batch, so they are viewed anew for each.
Status ArrowColumn::begin(const ArrowArray& array) {
  // Other layouts keep nothing from batch to batch.
  if (layout_ != Layout::kDictionary || array.length <= 0) return {};
  PRESSO_TRY(check(array, 0, 0));
  const ArrowArray& values = *array.dictionary;
  if (values.length < 0) return bad("dictionary");
  PRESSO_TRY(dictionary_->begin(values));
  PRESSO_ASSIGN(entries_, dictionary_->view(values, 0, static_cast<std::uint64_t>(values.length),
                                            std::numeric_limits<std::uint64_t>::max()));
  return {};
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
    case Layout::kNarrowDecimal:
      return narrow_decimals(rows, view);
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
  const Byte* const views = buffer_of(rows.array, 1) + rows.first * kViewBytes;
  // Values are copied row by row: they lie wherever their views point.
  values_.clear();
  offsets_.assign(1, 0);
  std::uint64_t row = 0;
  for (; row < rows.count && (row == 0 || values_.size() < rows.bytes); ++row) {
    if (!view.is_null(row)) PRESSO_TRY(append_view(rows.array, views + row * kViewBytes));
    offsets_.push_back(static_cast<std::int64_t>(values_.size()));
  }
  view.rows = row;
  view.offsets = offsets_.data();
  view.values = values_.data();
  return {};
}

/// Appends the string of one view. The array's last buffer has the sizes of the buffers between it
/// and the views.
Status ArrowColumn::append_view(const ArrowArray& array, const Byte* view) {
  const auto length = load<std::uint32_t>(view);
  // A short string stands in the view, a longer one in one of the array's buffers.
  if (length <= kInlineBytes) {
    values_.append({view + 4, length});
    return {};
  }
  const auto buffer = load<std::int32_t>(view + 8);
  const auto offset = load<std::uint32_t>(view + 12);
  // Without these sizes nothing could be checked.
  const Byte* const sizes = buffer_of(array, array.n_buffers - 1);
  if (buffer < 0 || buffer >= array.n_buffers - 3 || sizes == nullptr) return bad("views");
  const auto size = load<std::uint64_t>(sizes + 8 * static_cast<std::size_t>(buffer));
  if (length > size || offset > size - length) return bad("views");
  values_.append({buffer_of(array, 2 + buffer) + offset, length});
  return {};
}

// Arrow has 128 bits for each decimal; up to 18 digits fit into 64.
Status ArrowColumn::narrow_decimals(const Rows& rows, ColumnView& view) {
  const Byte* const wide = buffer_of(rows.array, 1) + rows.first * 16;
  values_.resize_discarding(static_cast<std::size_t>(rows.count) * 8);
  for (std::uint64_t row = 0; row < rows.count; ++row) {
    const auto low = load<std::int64_t>(wide + 16 * row);
    const auto high = load<std::int64_t>(wide + 16 * row + 8);
    // The upper half must be the sign of the lower one.
    if (high != (low < 0 ? -1 : 0) && !view.is_null(row)) {
      return bad("a decimal has more digits than its type");
    }
    store(values_.data() + 8 * row, low);
  }
  view.values = values_.data();
  return {};
}

/// Replaces codes by the dictionary's values. A null of the dictionary is a null of the column.
Status ArrowColumn::look_up(const Rows& rows, ColumnView& view) {
  const Byte* const codes = buffer_of(rows.array, 1);
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
      const std::uint64_t code = code_at(code_format_, codes, rows.first + row);
      // Codes under nulls are not looked at: they may be anything.
      if (code >= entries_.rows) return bad("a code beyond the dictionary");
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
