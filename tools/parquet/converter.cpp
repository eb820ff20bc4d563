// SPDX-License-Identifier: MIT
// Chooses the type of a column and makes its values. Types that tables lack become text where that
// is how people write them (times of day, UUIDs, intervals), decimals of more than 38 digits become
// doubles.
#include <cmath>
#include <cstdio>

#include "tools/parquet/value_forms.h"
#include "tools/parquet/values.h"

namespace presso::cli {
namespace {

using Int128 = __int128;

constexpr std::int64_t kJulianOfEpoch = 2440588;
constexpr std::int64_t kMicrosOfDay = std::int64_t{86400} * 1000000;

/// A big-endian number of two's complement; false if it does not fit into 128 bits.
bool load_big_number(Bytes bytes, Int128& value) {
  const bool negative = !bytes.empty() && (bytes[0] & 0x80) != 0;
  unsigned __int128 bits = negative ? ~static_cast<unsigned __int128>(0) : 0;
  const Byte sign = negative ? 0xFF : 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool is_extra = i + 16 < bytes.size();
    if (is_extra && bytes[i] != sign) return false;
    bits = bits << 8 | bytes[i];
  }
  value = static_cast<Int128>(bits);
  return bytes.size() <= 16 || (value < 0) == negative;
}

/// A big-endian number of any length as the nearest double, or nearly so.
double double_of_big(Bytes bytes, int scale) {
  double value = !bytes.empty() && (bytes[0] & 0x80) != 0 ? -1 : 0;
  for (const Byte byte : bytes) value = value * 256 + byte;
  return value / std::pow(10.0, scale);
}

/// Appends a string that was made.
void add_text(const std::string& text, DenseValues& to) {
  to.add_string({reinterpret_cast<const Byte*>(text.data()), text.size()});
}

}  // namespace

/// The steps; `c` has the column's type and the stored width.
struct ConverterSteps {
  /// Integers in fewer bits; false where one does not fit.
  template <class To>
  static bool narrow(const ValueConverter&, const DenseValues& from, DenseValues& to) {
    Byte* out = to.extend(from.count * sizeof(To));
    bool fits = true;
    for (std::size_t i = 0; i < from.count; ++i) {
      const auto value = load<std::int32_t>(from.values.data() + 4 * i);
      fits = fits && static_cast<std::int32_t>(static_cast<To>(value)) == value;
      store<To>(out + i * sizeof(To), static_cast<To>(value));
    }
    to.count += from.count;
    return fits;
  }

  static bool widen(const ValueConverter&, const DenseValues& from, DenseValues& to) {
    Byte* out = to.extend(from.count * 8);
    for (std::size_t i = 0; i < from.count; ++i) {
      store<std::int64_t>(out + 8 * i, load<std::int32_t>(from.values.data() + 4 * i));
    }
    to.count += from.count;
    return true;
  }

  static Bytes stored(const ValueConverter& c, const DenseValues& from, std::size_t i) {
    if (c.stored_width_ == 0) return from.string(i);
    return from.values.bytes().subspan(i * c.stored_width_, c.stored_width_);
  }

  static bool big_decimal(const ValueConverter& c, const DenseValues& from, DenseValues& to) {
    const bool is_wide = c.schema_.type == ColumnType::kDecimal128;
    Byte* out = to.extend(from.count * (is_wide ? 16 : 8));
    for (std::size_t i = 0; i < from.count; ++i) {
      Int128 value = 0;
      if (!load_big_number(stored(c, from, i), value)) return false;
      if (is_wide) {
        store<Int128>(out + 16 * i, value);
      } else if (value == static_cast<std::int64_t>(value)) {
        store<std::int64_t>(out + 8 * i, static_cast<std::int64_t>(value));
      } else {
        return false;
      }
    }
    to.count += from.count;
    return true;
  }

  /// An integer that is stored as a number becomes a wide decimal.
  template <class From>
  static bool wide_decimal(const ValueConverter&, const DenseValues& from, DenseValues& to) {
    Byte* out = to.extend(from.count * 16);
    for (std::size_t i = 0; i < from.count; ++i) {
      store<Int128>(out + 16 * i, load<From>(from.values.data() + sizeof(From) * i));
    }
    to.count += from.count;
    return true;
  }

  static bool double_decimal(const ValueConverter& c, const DenseValues& from, DenseValues& to) {
    Byte* out = to.extend(from.count * 8);
    for (std::size_t i = 0; i < from.count; ++i) {
      store<double>(out + 8 * i, double_of_big(stored(c, from, i), c.schema_.scale));
    }
    to.count += from.count;
    return true;
  }

  /// Nanoseconds of a day and the day, as Impala and old versions of Spark write them.
  static bool int96(const ValueConverter&, const DenseValues& from, DenseValues& to) {
    constexpr std::int64_t kMostDays = INT64_MAX / kMicrosOfDay - 1;
    Byte* out = to.extend(from.count * 8);
    for (std::size_t i = 0; i < from.count; ++i) {
      const Byte* at = from.values.data() + 12 * i;
      const std::int64_t days = std::int64_t{load<std::int32_t>(at + 8)} - kJulianOfEpoch;
      const auto nanos = load<std::int64_t>(at);
      if (days > kMostDays || days < -kMostDays) return false;
      if (nanos < 0 || nanos / 1000 > kMicrosOfDay) return false;
      store<std::int64_t>(out + 8 * i, days * kMicrosOfDay + nanos / 1000);
    }
    to.count += from.count;
    return true;
  }

  static bool half(const ValueConverter&, const DenseValues& from, DenseValues& to) {
    Byte* out = to.extend(from.count * 4);
    for (std::size_t i = 0; i < from.count; ++i) {
      store<float>(out + 4 * i, float_of_half(load<std::uint16_t>(from.values.data() + 2 * i)));
    }
    to.count += from.count;
    return true;
  }

  template <class From, std::int64_t kPerSecond>
  static bool time(const ValueConverter&, const DenseValues& from, DenseValues& to) {
    for (std::size_t i = 0; i < from.count; ++i) {
      std::string text;
      const auto value = load<From>(from.values.data() + sizeof(From) * i);
      if (!append_time(value, kPerSecond, text)) return false;
      add_text(text, to);
    }
    return true;
  }

  static bool uuid(const ValueConverter&, const DenseValues& from, DenseValues& to) {
    for (std::size_t i = 0; i < from.count; ++i) {
      std::string text;
      append_uuid(from.values.data() + 16 * i, text);
      add_text(text, to);
    }
    return true;
  }

  /// Months, days and milliseconds, as ISO 8601 writes a duration.
  static bool interval(const ValueConverter&, const DenseValues& from, DenseValues& to) {
    for (std::size_t i = 0; i < from.count; ++i) {
      const Byte* at = from.values.data() + 12 * i;
      const auto millis = load<std::uint32_t>(at + 8);
      char text[64];
      const int length =
          std::snprintf(text, sizeof text, "P%uM%uDT%u.%03uS", load<std::uint32_t>(at),
                        load<std::uint32_t>(at + 4), millis / 1000, millis % 1000);
      to.add_string({reinterpret_cast<const Byte*>(text), static_cast<std::size_t>(length)});
    }
    return true;
  }

  /// Bytes of one length become strings.
  static bool fixed(const ValueConverter& c, const DenseValues& from, DenseValues& to) {
    for (std::size_t i = 0; i < from.count; ++i) to.add_string(stored(c, from, i));
    return true;
  }
};

std::size_t ValueConverter::width() const {
  return schema_.type == ColumnType::kBool ? 1 : value_bytes(schema_.type);
}

Status ValueConverter::set_integer(const ParquetNode& leaf) {
  const bool is_wide = leaf.type == ParquetType::kInt64;
  schema_.type = is_wide ? ColumnType::kInt64 : ColumnType::kInt32;
  if (leaf.meaning != ParquetMeaning::kInteger) return {};
  if (!leaf.is_signed) schema_.type = is_wide ? ColumnType::kUint64 : ColumnType::kUint32;
  if (is_wide || leaf.bits == 32) return {};
  if (leaf.bits != 8 && leaf.bits != 16) {
    return make_error(ErrorCode::kUnsupported,
                      "has integers of " + std::to_string(leaf.bits) + " bits");
  }
  const bool is_byte = leaf.bits == 8;
  if (leaf.is_signed) {
    schema_.type = is_byte ? ColumnType::kInt8 : ColumnType::kInt16;
    step_ = is_byte ? ConverterSteps::narrow<std::int8_t> : ConverterSteps::narrow<std::int16_t>;
  } else {
    schema_.type = is_byte ? ColumnType::kUint8 : ColumnType::kUint16;
    step_ = is_byte ? ConverterSteps::narrow<std::uint8_t> : ConverterSteps::narrow<std::uint16_t>;
  }
  return {};
}

Status ValueConverter::set_decimal(const ParquetNode& leaf) {
  const bool is_bytes = leaf.type == ParquetType::kByteArray || leaf.type == ParquetType::kFixed;
  const bool is_int = leaf.type == ParquetType::kInt32 || leaf.type == ParquetType::kInt64;
  if (leaf.precision < 1 || leaf.scale < 0 || leaf.scale > leaf.precision ||
      (!is_bytes && !is_int)) {
    return make_error(ErrorCode::kUnsupported, "is a decimal of " + std::to_string(leaf.precision) +
                                                   " digits, " + std::to_string(leaf.scale) +
                                                   " of them after the point");
  }
  if (leaf.precision > 38) {
    if (!is_bytes || leaf.scale > 255) {
      return make_error(ErrorCode::kUnsupported, "is a decimal of too many digits");
    }
    schema_.type = ColumnType::kDouble;
    schema_.scale = static_cast<Byte>(leaf.scale);  // make() drops it
    step_ = ConverterSteps::double_decimal;
    return {};
  }
  const bool is_wide = leaf.precision > 18;
  schema_.type = is_wide ? ColumnType::kDecimal128 : ColumnType::kDecimal64;
  schema_.precision = static_cast<Byte>(leaf.precision);
  schema_.scale = static_cast<Byte>(leaf.scale);
  if (is_bytes) {
    step_ = ConverterSteps::big_decimal;
  } else if (leaf.type == ParquetType::kInt32) {
    step_ = is_wide ? ConverterSteps::wide_decimal<std::int32_t> : ConverterSteps::widen;
  } else if (is_wide) {
    step_ = ConverterSteps::wide_decimal<std::int64_t>;
  }
  return {};
}

void ValueConverter::set_time(const ParquetNode& leaf) {
  if (leaf.meaning == ParquetMeaning::kTimestamp) {
    schema_.type = ColumnType::kTimestamp;
    schema_.unit = leaf.unit;
    if (leaf.utc) schema_.zone = "UTC";
    return;
  }
  schema_.type = ColumnType::kUtf8;
  schema_.valid_utf8 = true;
  step_ = leaf.type == ParquetType::kInt32 ? ConverterSteps::time<std::int32_t, 1000>
          : leaf.unit == TimeUnit::kNano   ? ConverterSteps::time<std::int64_t, 1000000000>
          : leaf.unit == TimeUnit::kMilli  ? ConverterSteps::time<std::int64_t, 1000>
                                           : ConverterSteps::time<std::int64_t, 1000000>;
}

void ValueConverter::set_bytes(const ParquetNode& leaf) {
  using M = ParquetMeaning;
  const bool is_fixed = leaf.type == ParquetType::kFixed;
  schema_.type = ColumnType::kBinary;
  if (is_fixed) step_ = ConverterSteps::fixed;
  if (leaf.meaning == M::kString || leaf.meaning == M::kEnum || leaf.meaning == M::kJson) {
    schema_.type = ColumnType::kUtf8;
    schema_.valid_utf8 = true;
    if (leaf.meaning == M::kJson) schema_.text = ValueText::kRawJson;
  } else if (is_fixed && leaf.meaning == M::kUuid && leaf.width == 16) {
    schema_.type = ColumnType::kUtf8;
    schema_.valid_utf8 = true;
    step_ = ConverterSteps::uuid;
  } else if (is_fixed && leaf.meaning == M::kInterval && leaf.width == 12) {
    schema_.type = ColumnType::kUtf8;
    schema_.valid_utf8 = true;
    step_ = ConverterSteps::interval;
  } else if (is_fixed && leaf.meaning == M::kHalf && leaf.width == 2) {
    schema_.type = ColumnType::kFloat;
    step_ = ConverterSteps::half;
  }
}

Result<ValueConverter> ValueConverter::make(const ParquetNode& leaf) {
  using M = ParquetMeaning;
  ValueConverter made;
  made.stored_width_ = stored_width(leaf);
  const bool is_int = leaf.type == ParquetType::kInt32 || leaf.type == ParquetType::kInt64;
  if (leaf.meaning == M::kDecimal) {
    PRESSO_TRY(made.set_decimal(leaf));
  } else if (is_int && leaf.meaning == M::kTime) {
    made.set_time(leaf);
  } else if (leaf.type == ParquetType::kInt64 && leaf.meaning == M::kTimestamp) {
    made.set_time(leaf);
  } else if (leaf.type == ParquetType::kInt32 && leaf.meaning == M::kDate) {
    made.schema_.type = ColumnType::kDate32;
  } else if (is_int) {
    PRESSO_TRY(made.set_integer(leaf));
  } else if (leaf.type == ParquetType::kInt96) {
    made.schema_.type = ColumnType::kTimestamp;
    made.schema_.unit = TimeUnit::kMicro;
    made.step_ = ConverterSteps::int96;
  } else if (leaf.type == ParquetType::kBoolean) {
    made.schema_.type = ColumnType::kBool;
  } else if (leaf.type == ParquetType::kFloat || leaf.type == ParquetType::kDouble) {
    made.schema_.type = leaf.type == ParquetType::kFloat ? ColumnType::kFloat : ColumnType::kDouble;
  } else {
    made.set_bytes(leaf);
  }
  // Values that are taken as they are stored must have the column's width.
  if (made.is_same() && made.stored_width_ != made.width()) {
    return make_error(ErrorCode::kUnsupported, "has a type and a meaning that do not fit together");
  }
  made.schema_.nullable = leaf.def_level > 0;
  return made;
}

}  // namespace presso::cli
