// SPDX-License-Identifier: MIT
// check_zones(): a pass over the decoded rows of each block, one comparison with the block's zone
// for each row that is not null.
#include "decompress/table/zone_check.h"

#include <cmath>
#include <type_traits>

#include "format/columns/table_index_layout.h"
#include "format/columns/zone_image.h"
#include "presso/checksum.h"

namespace presso {
namespace {

/// The image of a value, as zone_image.h defines it for the type.
template <class T>
std::uint64_t image_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return double_image(double{value});
  } else if constexpr (std::is_signed_v<T>) {
    return signed_image(value);
  } else {
    return value;
  }
}

/// Compares the rows of one block with what its entry in the directory says.
class ZoneCheck {
 public:
  ZoneCheck(const ColumnView& data, const ColumnBlock& block, std::uint64_t first, bool dictionary)
      : data_(data), block_(block), first_(first), dictionary_(dictionary) {}

  /// Looks at every row of the block.
  bool holds() const {
    switch (data_.type) {
      case ColumnType::kBool:
        return all([&](std::uint64_t row) {
          return within(static_cast<Byte>(data_.values[row / 8] >> (row % 8) & 1));
        });
      case ColumnType::kInt8:
        return values_hold<std::int8_t>();
      case ColumnType::kInt16:
        return values_hold<std::int16_t>();
      case ColumnType::kInt32:
      case ColumnType::kDate32:
        return values_hold<std::int32_t>();
      case ColumnType::kInt64:
      case ColumnType::kTimestamp:
      case ColumnType::kDecimal64:
        return values_hold<std::int64_t>();
      case ColumnType::kUint8:
        return values_hold<std::uint8_t>();
      case ColumnType::kUint16:
        return values_hold<std::uint16_t>();
      case ColumnType::kUint32:
        return values_hold<std::uint32_t>();
      case ColumnType::kUint64:
        return values_hold<std::uint64_t>();
      case ColumnType::kFloat:
        return values_hold<float>();
      case ColumnType::kDouble:
        return values_hold<double>();
      case ColumnType::kDecimal128:
        return all([&](std::uint64_t row) {
          return within(image_of(load<std::int64_t>(data_.values + row * 16 + 8)));
        });
      case ColumnType::kUtf8:
      case ColumnType::kBinary:
        return all([&](std::uint64_t row) { return string_holds(data_.string(row)); });
    }
    return false;
  }

 private:
  bool has(Byte flag) const { return (block_.zone_flags & flag) != 0; }

  /// Whether `holds(row)` is true for all rows that are not null, and nulls are told.
  template <class Holds>
  bool all(Holds holds) const {
    for (std::uint64_t row = first_; row < first_ + block_.rows; ++row) {
      if (data_.is_null(row) ? !has(kZoneHasNull) : !holds(row)) return false;
    }
    return true;
  }

  /// A block that says it has no value may have none.
  bool within(std::uint64_t image) const {
    return !has(kZoneNoValue) && image >= block_.least && image <= block_.most;
  }

  /// NaNs lie outside of every range and have a flag of their own.
  template <class T>
  bool values_hold() const {
    return all([&](std::uint64_t row) {
      const T value = load<T>(data_.values + row * sizeof(T));
      if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(value)) return has(kZoneHasNan);
      }
      return within(image_of(value));
    });
  }

  /// Strings of dictionary columns must also have their bit in the block's presence mask.
  bool string_holds(Bytes text) const {
    if (!within(string_image(text))) return false;
    return !dictionary_ || (block_.presence >> (checksum64(text) >> 58) & 1) != 0;
  }

  const ColumnView& data_;
  const ColumnBlock& block_;
  std::uint64_t first_;
  bool dictionary_;
};

}  // namespace

/// Stops at the first block whose range is wrong; blocks without a known range are skipped.
Status check_zones(const RowGroup& group, std::size_t column, const ColumnView& data) {
  // Blocks of ranged streams follow each other and cover all rows.
  const ColumnChunk& chunk = group.columns[column];
  const bool dictionary = chunk.representation == Representation::kDictionary;
  std::uint64_t first = 0;
  for (std::uint32_t i = chunk.first_block; i < chunk.first_block + chunk.blocks; ++i) {
    const ColumnBlock& block = group.blocks[i];
    // Only blocks that have a row for each of the column's rows carry ranges.
    if (!holds_zones(block.stream)) continue;
    const bool known = (block.zone_flags & kZoneKnown) != 0;
    if (known && !ZoneCheck(data, block, first, dictionary).holds()) {
      Error error = make_error(ErrorCode::kBadRowGroup, "a value outside of its block's zone");
      error.block = i;
      return error;
    }
    first += block.rows;
  }
  return {};
}

}  // namespace presso
