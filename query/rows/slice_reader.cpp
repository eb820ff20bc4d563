// SPDX-License-Identifier: MIT
// Implements slice_reader.h, one thread's access to the columns of a slice. A vector is decoded as
// a whole in its native width and kept until another vector is asked for; only the conversion to
// the wanted form looks at which rows are selected.
#include "query/rows/slice_reader.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "format/columns/bit_copy.h"

namespace presso::query {
namespace {

/// Converts the selected values from the native type.
template <class From, class To>
void convert(const Byte* native, const Selection& selection, Byte* to) {
  const auto* const from = reinterpret_cast<const From*>(native);
  auto* const values = reinterpret_cast<To*>(to);
  if (!selection.all && selection.runs == 0) {
    for (std::uint32_t i = 0; i < selection.count; ++i) {
      values[i] = static_cast<To>(from[selection.rows[i]]);
    }
    return;
  }
  selection.for_each_run([=](std::uint32_t first, std::uint32_t at, std::uint32_t count) {
    if constexpr (std::is_same_v<From, To>) {
      std::copy_n(from + first, count, values + at);
    } else {
      std::transform(from + first, from + first + count, values + at,
                     [](From value) { return static_cast<To>(value); });
    }
  });
}

/// Picks the conversion by the column's type.
template <class To>
void convert_integers(ColumnType type, const Byte* native, const Selection& selection, Byte* to) {
  switch (type) {
    case ColumnType::kInt8:
      return convert<std::int8_t, To>(native, selection, to);
    case ColumnType::kInt16:
      return convert<std::int16_t, To>(native, selection, to);
    case ColumnType::kInt32:
    case ColumnType::kDate32:
      return convert<std::int32_t, To>(native, selection, to);
    case ColumnType::kUint8:
      return convert<std::uint8_t, To>(native, selection, to);
    case ColumnType::kUint16:
      return convert<std::uint16_t, To>(native, selection, to);
    case ColumnType::kUint32:
      return convert<std::uint32_t, To>(native, selection, to);
    case ColumnType::kUint64:
      return convert<std::uint64_t, To>(native, selection, to);
    case ColumnType::kDecimal128:
      return convert<Int128, To>(native, selection, to);
    default:
      return convert<std::int64_t, To>(native, selection, to);
  }
}

/// Whether the wanted form is the one in which values are decoded, so that nothing need be
/// converted.
bool is_native(ColumnType type, Physical physical) {
  switch (type) {
    case ColumnType::kInt64:
    case ColumnType::kTimestamp:
    case ColumnType::kDecimal64:
      return physical == Physical::kInt64;
    case ColumnType::kDecimal128:
      return physical == Physical::kInt128;
    case ColumnType::kDouble:
      return true;
    default:
      return false;
  }
}

/// One byte for each bit.
void convert_bools(const Byte* bits, const Selection& selection, Byte* to) {
  for (std::uint32_t i = 0; i < selection.count; ++i) {
    const std::uint32_t row = selection.all ? i : selection.rows[i];
    to[i] = bits[row / 8] >> (row % 8) & 1;
  }
}

/// All types except strings.
void convert_numbers(ColumnType type, Physical physical, const Byte* native,
                     const Selection& selection, Byte* to) {
  if (type == ColumnType::kBool) {
    convert_bools(native, selection, to);
  } else if (type == ColumnType::kFloat) {
    convert<float, double>(native, selection, to);
  } else if (type == ColumnType::kDouble) {
    convert<double, double>(native, selection, to);
  } else if (physical == Physical::kInt128) {
    convert_integers<Int128>(type, native, selection, to);
  } else {
    convert_integers<std::int64_t>(type, native, selection, to);
  }
}

}  // namespace

bool select_validity(const std::uint64_t* bits, const Selection& selection, std::uint64_t* to) {
  std::uint64_t missing = 0;
  if (selection.all) {
    for (std::uint32_t i = 0; i < kBatchWords; ++i) to[i] = bits[i];
    for (std::uint32_t i = 0; i < selection.count / 64; ++i) missing |= ~bits[i];
    const std::uint32_t rest = selection.count % 64;
    if (rest != 0) missing |= ~bits[selection.count / 64] & ((std::uint64_t{1} << rest) - 1);
    return missing != 0;
  }
  for (std::uint32_t i = 0; i < kBatchWords; ++i) to[i] = 0;
  for (std::uint32_t i = 0; i < selection.count; ++i) {
    const std::uint32_t row = selection.rows[i];
    const std::uint64_t bit = bits[row / 64] >> (row % 64) & 1;
    to[i / 64] |= bit << (i % 64);
    missing |= bit ^ 1;
  }
  return missing != 0;
}

namespace {

/// For each byte, the numbers of its 1 bits, and how many there are.
struct BitNumbers {
  std::uint16_t at[256][8] = {};
  std::uint8_t count[256] = {};
  constexpr BitNumbers() {
    for (unsigned byte = 0; byte < 256; ++byte) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        if ((byte >> bit & 1) != 0) at[byte][count[byte]++] = static_cast<std::uint16_t>(bit);
      }
    }
  }
};
constexpr BitNumbers kBitNumbers;

/// Lists set bits one by one; for few rows.
void list_few(const std::uint64_t* bits, std::uint16_t* to) {
  for (std::uint32_t word = 0; word < kBatchWords; ++word) {
    for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      *to++ = static_cast<std::uint16_t>(64 * word +
                                         static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
  }
}

/// Writes eight numbers for each byte of the bitmap; surplus ones are overwritten by the next
/// byte's. Without branches.
void list_many(const std::uint64_t* bits, std::uint16_t* to) {
  for (std::uint32_t word = 0; word < kBatchWords; ++word) {
    for (std::uint32_t byte = 0; byte < 8; ++byte) {
      const auto value = static_cast<Byte>(bits[word] >> (8 * byte));
      const auto first = static_cast<std::uint16_t>(64 * word + 8 * byte);
      for (std::uint32_t i = 0; i < 8; ++i) {
        to[i] = static_cast<std::uint16_t>(kBitNumbers.at[value][i] + first);
      }
      to += kBitNumbers.count[value];
    }
  }
}

}  // namespace

/// The way of listing depends on how many rows are set.
void Selection::set(const std::uint64_t* bits, std::uint32_t in_vector) {
  count = 0;
  for (std::uint32_t word = 0; word < kBatchWords; ++word) count += ones_of(bits[word]);
  all = count == in_vector;
  runs = 0;
  constexpr std::uint32_t kFew = 128;
  if (all) return;
  if (count < kFew) return list_few(bits, rows);
  list_many(bits, rows);
  find_runs(bits);
}

/// Used to bring answers about selected rows back to the rows of the vector.
void Selection::spread(const std::uint64_t* bits, std::uint64_t* to) const {
  if (all) {
    std::copy_n(bits, kBatchWords, to);
    return;
  }
  std::fill_n(to, kBatchWords, std::uint64_t{0});
  for (std::uint32_t word = 0; word < (count + 63) / 64; ++word) {
    for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      const std::uint32_t row =
          rows[64 * word + static_cast<std::uint32_t>(std::countr_zero(rest))];
      to[row / 64] |= std::uint64_t{1} << (row % 64);
    }
  }
}

/// Runs of fewer than 16 rows on average do not pay. Beginnings and ends of runs are found by
/// shifted bitmaps.
void Selection::find_runs(const std::uint64_t* bits) {
  std::uint64_t first[kBatchWords];  // rows whose predecessor is not selected
  std::uint32_t found = 0;
  for (std::uint32_t word = 0; word < kBatchWords; ++word) {
    const std::uint64_t before = word == 0 ? 0 : bits[word - 1] >> 63;
    first[word] = bits[word] & ~(bits[word] << 1 | before);
    found += ones_of(first[word]);
  }
  if (found > kMostRuns || count < 16 * found) return;
  for (std::uint32_t word = 0; word < kBatchWords; ++word) {
    for (std::uint64_t rest = first[word]; rest != 0; rest &= rest - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(rest));
      run[runs++].first = static_cast<std::uint16_t>(64 * word + bit);
    }
  }
  std::uint32_t ended = 0;
  for (std::uint32_t word = 0; word < kBatchWords; ++word) {
    const std::uint64_t after = word + 1 == kBatchWords ? 0 : bits[word + 1] << 63;
    for (std::uint64_t last = bits[word] & ~(bits[word] >> 1 | after); last != 0;
         last &= last - 1) {
      const std::uint32_t end = 64 * word + static_cast<std::uint32_t>(std::countr_zero(last)) + 1;
      run[ended].count = static_cast<std::uint16_t>(end - run[ended].first);
      ++ended;
    }
  }
}

SliceReader::SliceReader(std::vector<Physical> physical)
    : physical_(std::move(physical)), columns_(physical_.size()) {}

/// Buffers stay; only what belongs to the last slice is forgotten.
void SliceReader::open(const Slice& slice) {
  slice_ = &slice;
  whole_texts_ = true;
  for (auto& column : columns_) {
    if (column == nullptr) continue;
    column->open = false;
    column->text.reset();
    column->native_vector = ~std::uint32_t{0};
  }
}

/// Opening a column's slice reads nothing; blocks are read when values are asked for.
ColumnSlice& SliceReader::column(std::size_t number) {
  auto& column = columns_[number];
  if (column == nullptr) column = std::make_unique<Column>();
  if (!column->open) {
    column->slice.open(*slice_->group->reader, number, slice_->first, slice_->rows);
    column->open = true;
  }
  return column->slice;
}

/// A whole slice's text is decoded once and then cut.
Result<SliceText> SliceReader::text(std::size_t number, std::uint32_t vector) {
  ColumnSlice& slice = column(number);
  Column& column = *columns_[number];
  if (!column.text && whole_texts_) {
    PRESSO_ASSIGN(column.text, slice.text());
  }
  if (!column.text) return slice.text(vector);
  SliceText part = *column.text;
  part.offsets += vector * kBatchRows;
  part.rows = slice_->vector_rows(vector);
  return part;
}

Status SliceReader::load_numbers(Column& column, std::size_t number, std::uint32_t vector,
                                 const Selection& selection) {
  const ColumnType type = slice_->group->reader->schema().columns[number].type;
  const Physical physical = physical_[number];
  if (column.native_vector != vector) {
    column.native.resize_discarding(kBatchRows * 16);
    PRESSO_TRY(column.slice.numbers(vector, column.native.data()));
    column.native_vector = vector;
  }
  column.values.resize_discarding(kBatchRows * 16);
  convert_numbers(type, physical, column.native.data(), selection, column.values.data());
  return {};
}

Status SliceReader::load_runs(std::size_t number, std::uint32_t vector, std::uint32_t most,
                              Runs& runs) {
  ColumnSlice& slice = this->column(number);
  Column& column = *columns_[number];
  column.runs.resize_discarding(2 * kBatchRows * 16);
  Byte* const native = column.runs.data();
  Byte* const values = native + kBatchRows * 16;
  PRESSO_ASSIGN(runs.count, slice.run_numbers(vector, most, native, runs.starts));
  const ColumnType type = slice_->group->reader->schema().columns[number].type;
  runs.values = VectorView();
  runs.values.physical = physical_[number];
  runs.values.values = native;
  if (runs.count == 0 || is_native(type, runs.values.physical)) return {};
  Selection all;
  all.set_all(runs.count);
  convert_numbers(type, runs.values.physical, native, all, values);
  runs.values.values = values;
  return {};
}

/// Strings of a dictionary refer to its entries, others to the decoded text; neither is copied.
Status SliceReader::load_strings(Column& column, std::size_t number, std::uint32_t vector,
                                 const Selection& selection) {
  column.values.resize_discarding(kBatchRows * sizeof(StringRef));
  auto* const to = reinterpret_cast<StringRef*>(column.values.data());
  const Representation representation = column.slice.representation();
  if (representation == Representation::kNull) {
    for (std::uint32_t i = 0; i < selection.count; ++i) to[i] = {};
    return {};
  }
  if (representation == Representation::kDictionary) {
    PRESSO_ASSIGN(const DictionaryEntries* entries, slice_->group->reader->dictionary(number));
    column.native.resize_discarding(kBatchRows * 4);
    auto* const codes = reinterpret_cast<std::uint32_t*>(column.native.data());
    PRESSO_TRY(column.slice.codes(vector, codes));
    for (std::uint32_t i = 0; i < selection.count; ++i) {
      const Bytes entry = entries->entry(codes[selection.all ? i : selection.rows[i]]);
      to[i] = {entry.data(), entry.size()};
    }
    return {};
  }
  PRESSO_ASSIGN(const SliceText text, this->text(number, vector));
  for (std::uint32_t i = 0; i < selection.count; ++i) {
    const std::uint32_t row = selection.all ? i : selection.rows[i];
    to[i] = {text.text.data() + text.offsets[row],
             static_cast<std::uint64_t>(text.offsets[row + 1] - text.offsets[row])};
  }
  return {};
}

/// Returns a view that has only the validity of the selected rows.
Result<VectorView> SliceReader::load_nulls(Column& column, std::uint32_t vector,
                                           const Selection& selection) {
  VectorView view;
  if (!column.slice.has_nulls()) return view;
  std::uint64_t bits[kBatchWords];
  PRESSO_TRY(column.slice.validity(vector, bits));
  if (select_validity(bits, selection, column.validity)) view.validity = column.validity;
  return view;
}

Result<VectorView> SliceReader::load_codes(std::size_t number, std::uint32_t vector,
                                           const Selection& selection) {
  this->column(number);
  Column& column = *columns_[number];
  PRESSO_ASSIGN(VectorView view, load_nulls(column, vector, selection));
  column.native.resize_discarding(kBatchRows * 4);
  auto* const codes = reinterpret_cast<std::uint32_t*>(column.native.data());
  const Representation stored = column.slice.representation();
  if (stored == Representation::kNull) {
    std::fill_n(codes, kBatchRows, 0u);
  } else if (stored == Representation::kDictionary) {
    PRESSO_TRY(column.slice.codes(vector, codes));
  } else {
    return make_error(ErrorCode::kInvalidArgument,
                      "column '" + slice_->group->reader->schema().columns[number].name +
                          "' is not stored as a dictionary in all row groups");
  }
  column.codes.resize_discarding(kBatchRows * 8);
  convert<std::uint32_t, std::int64_t>(column.native.data(), selection, column.codes.data());
  view.physical = Physical::kInt64;
  view.values = column.codes.data();
  return view;
}

/// Values under nulls are made empty strings, as vectors promise.
Result<VectorView> SliceReader::load(std::size_t number, std::uint32_t vector,
                                     const Selection& selection) {
  this->column(number);
  Column& column = *columns_[number];
  PRESSO_ASSIGN(VectorView view, load_nulls(column, vector, selection));
  view.physical = physical_[number];
  const ColumnType type = slice_->group->reader->schema().columns[number].type;
  if (is_string(type)) {
    PRESSO_TRY(load_strings(column, number, vector, selection));
    if (view.validity != nullptr) {
      auto* const values = reinterpret_cast<StringRef*>(column.values.data());
      for (std::uint32_t i = 0; i < selection.count; ++i) {
        if (view.is_null(i)) values[i] = {};
      }
    }
  } else if (selection.all && is_native(type, view.physical)) {
    if (column.native_vector != vector) {
      column.native.resize_discarding(kBatchRows * 16);
      PRESSO_TRY(column.slice.numbers(vector, column.native.data()));
      column.native_vector = vector;
    }
    view.values = column.native.data();
    return view;
  } else {
    PRESSO_TRY(load_numbers(column, number, vector, selection));
  }
  view.values = column.values.data();
  return view;
}

}  // namespace presso::query
