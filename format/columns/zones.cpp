// SPDX-License-Identifier: MIT
// zone_of_rows(): one pass over the rows, by a loop for each type of values. Nulls and NaNs are
// left out of the range and noted in its flags.
#include "format/columns/zones.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "format/columns/zone_image.h"

namespace presso {
namespace {

/// The least and greatest image that image_of(row) returns for rows with values; is_nan(row)
/// tells NaNs, which the range leaves out.
template <class ImageOf, class IsNan>
Zone collect(const ColumnView& column, std::uint64_t first, std::uint64_t rows, ImageOf image_of,
             IsNan is_nan) {
  Zone zone;
  zone.flags = kZoneKnown | kZoneNoValue;
  zone.least = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t row = first; row < first + rows; ++row) {
    if (column.is_null(row)) {
      zone.flags |= kZoneHasNull;
    } else if (is_nan(row)) {
      zone.flags |= kZoneHasNan;
    } else {
      const std::uint64_t image = image_of(row);
      zone.least = std::min(zone.least, image);
      zone.most = std::max(zone.most, image);
      zone.flags &= static_cast<Byte>(~kZoneNoValue);
    }
  }
  // Without values both ends are 0, as FORMAT.md 15.4 has it.
  if ((zone.flags & kZoneNoValue) != 0) zone.least = 0;
  return zone;
}

constexpr auto kNeverNan = [](std::uint64_t) { return false; };

/// Values lie without gaps and need no alignment.
template <class T>
T value_at(const ColumnView& column, std::uint64_t row) {
  return load<T>(column.values + row * sizeof(T));
}

/// Signed values have their top bit flipped in images.
template <class T>
Zone integer_zone(const ColumnView& column, std::uint64_t first, std::uint64_t rows) {
  return collect(
      column, first, rows,
      [&](std::uint64_t row) {
        // Signed images have their top bit flipped, so that they ascend with the values.
        const T value = value_at<T>(column, row);
        if constexpr (std::is_signed_v<T>) {
          return signed_image(value);
        } else {
          return std::uint64_t{value};
        }
      },
      kNeverNan);
}

/// Floats are widened, so that both types have one kind of image.
template <class T>
Zone floating_zone(const ColumnView& column, std::uint64_t first, std::uint64_t rows) {
  return collect(
      column, first, rows,
      [&](std::uint64_t row) { return double_image(double{value_at<T>(column, row)}); },
      [&](std::uint64_t row) { return std::isnan(value_at<T>(column, row)); });
}

}  // namespace

ColumnBlock entry_of_block(ColumnStream stream, std::size_t stored_bytes, std::size_t plain_bytes,
                           std::uint32_t rows, const Zone& zone) {
  return {.stored_bytes = static_cast<std::uint32_t>(stored_bytes),
          .plain_bytes = static_cast<std::uint32_t>(plain_bytes),
          .rows = rows,
          .stream = stream,
          .zone_flags = zone.flags,
          .least = zone.least,
          .most = zone.most,
          .presence = zone.presence};
}

/// Nulls, and for floating types NaNs, are flagged and left out.
Zone zone_of_rows(const ColumnView& column, std::uint64_t first, std::uint64_t rows) {
  switch (column.type) {
    case ColumnType::kBool:
      return collect(
          column, first, rows,
          [&](std::uint64_t row) {
            return std::uint64_t{static_cast<Byte>(column.values[row / 8] >> (row % 8) & 1)};
          },
          kNeverNan);
    case ColumnType::kInt8:
      return integer_zone<std::int8_t>(column, first, rows);
    case ColumnType::kInt16:
      return integer_zone<std::int16_t>(column, first, rows);
    case ColumnType::kInt32:
    case ColumnType::kDate32:
      return integer_zone<std::int32_t>(column, first, rows);
    case ColumnType::kInt64:
    case ColumnType::kTimestamp:
    case ColumnType::kDecimal64:
      return integer_zone<std::int64_t>(column, first, rows);
    case ColumnType::kUint8:
      return integer_zone<std::uint8_t>(column, first, rows);
    case ColumnType::kUint16:
      return integer_zone<std::uint16_t>(column, first, rows);
    case ColumnType::kUint32:
      return integer_zone<std::uint32_t>(column, first, rows);
    case ColumnType::kUint64:
      return integer_zone<std::uint64_t>(column, first, rows);
    case ColumnType::kFloat:
      return floating_zone<float>(column, first, rows);
    case ColumnType::kDouble:
      return floating_zone<double>(column, first, rows);
    case ColumnType::kDecimal128:
      return collect(
          column, first, rows,
          [&](std::uint64_t row) {
            // The high half alone: images have 64 bits.
            return signed_image(load<std::int64_t>(column.values + row * 16 + 8));
          },
          kNeverNan);
    case ColumnType::kUtf8:
    case ColumnType::kBinary:
      return collect(
          column, first, rows, [&](std::uint64_t row) { return string_image(column.string(row)); },
          kNeverNan);
  }
  return {};
}

}  // namespace presso
