// SPDX-License-Identifier: MIT
// The values that are there are first laid out as the format stores them, then numbered for a
// dictionary, which is given up as soon as it becomes too large.
#include "tools/parquet/chunk_writer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "tools/parquet/codec.h"
#include "tools/parquet/values.h"

namespace presso::cli {
namespace {

constexpr std::uint64_t kPageBytes = 1u << 20;
constexpr std::uint64_t kMostPageRows = 1u << 17;
constexpr std::size_t kMostDictionaryBytes = 1u << 20;
constexpr std::size_t kMostStatisticBytes = 256;
constexpr std::size_t kDeltaBlock = 128;
constexpr std::size_t kDeltaParts = 4;
/// Differences must be this much smaller than plain values, which are compressed better.
constexpr double kDeltaShare = 0.6;

void append_varint(Buffer& to, std::uint64_t value) {
  Byte bytes[10];
  std::size_t count = 0;
  for (; value >= 0x80; value >>= 7) bytes[count++] = static_cast<Byte>(value | 0x80);
  bytes[count++] = static_cast<Byte>(value);
  to.append({bytes, count});
}

void append_zigzag(Buffer& to, std::int64_t value) {
  append_varint(to,
                static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
}

/// Appends `count` integers of `width` bits, the lowest first; `count` is a multiple of 8.
template <class ValueOf>
void append_packed(Buffer& to, std::size_t count, unsigned width, ValueOf&& value_of) {
  const std::size_t before = to.size();
  const std::size_t bytes = count / 8 * width;
  to.grow(before + bytes);
  Byte* out = to.data() + before;
  std::memset(out, 0, bytes);
  std::size_t bit = 0;
  for (std::size_t i = 0; i < count; ++i, bit += width) {
    const std::uint64_t value = value_of(i);
    // Up to nine bytes, the last of which may lie in the slack and is then 0.
    store<std::uint64_t>(out + bit / 8, load<std::uint64_t>(out + bit / 8) | value << (bit % 8));
    if (bit % 8 + width > 64) out[bit / 8 + 8] = static_cast<Byte>(value >> (64 - bit % 8));
  }
}

/// Appends the hybrid of runs and packed groups of eight.
void append_hybrid(Buffer& to, std::span<const std::uint32_t> values, unsigned width) {
  const auto packed = [&](std::size_t begin, std::size_t end) {
    if (begin == end) return;
    const std::size_t groups = (end - begin + 7) / 8;
    append_varint(to, groups << 1 | 1);
    append_packed(to, 8 * groups, width, [&](std::size_t i) {
      return begin + i < end ? std::uint64_t{values[begin + i]} : 0;
    });
  };
  std::size_t waiting = 0;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i + 1;
    while (end < values.size() && values[end] == values[i]) ++end;
    // A packed group is filled from the run.
    const std::size_t full = waiting + (i - waiting + 7) / 8 * 8;
    if (end >= full + 8) {
      packed(waiting, full);
      append_varint(to, (end - full) << 1);
      const std::uint32_t value = values[i];
      to.append({reinterpret_cast<const Byte*>(&value), (width + 7) / 8});
      waiting = end;
    }
    i = end;
  }
  packed(waiting, values.size());
}

/// Appends DELTA_BINARY_PACKED integers; differences wrap around in the type's width.
template <class T>
void append_deltas(Buffer& to, const Byte* values, std::size_t count) {
  using Unsigned = std::make_unsigned_t<T>;
  append_varint(to, kDeltaBlock);
  append_varint(to, kDeltaParts);
  append_varint(to, count);
  append_zigzag(to, count == 0 ? 0 : load<T>(values));
  constexpr std::size_t kPart = kDeltaBlock / kDeltaParts;
  for (std::size_t first = 1; first < count; first += kDeltaBlock) {
    const std::size_t some = std::min(kDeltaBlock, count - first);
    T deltas[kDeltaBlock];
    for (std::size_t i = 0; i < some; ++i) {
      const Byte* at = values + (first + i) * sizeof(T);
      deltas[i] = static_cast<T>(load<Unsigned>(at) - load<Unsigned>(at - sizeof(T)));
    }
    const T least = *std::min_element(deltas, deltas + some);
    std::fill(deltas + some, deltas + kDeltaBlock, least);
    append_zigzag(to, least);
    const auto over = [&](std::size_t i) {
      return static_cast<Unsigned>(static_cast<Unsigned>(deltas[i]) - static_cast<Unsigned>(least));
    };
    Byte widths[kDeltaParts] = {};
    for (std::size_t i = 0; i < some; ++i) {
      Byte& width = widths[i / kPart];
      width = std::max(width, static_cast<Byte>(std::bit_width(over(i))));
    }
    to.append(widths);
    for (std::size_t part = 0; part * kPart < some; ++part) {
      append_packed(to, kPart, widths[part],
                    [&](std::size_t i) { return std::uint64_t{over(part * kPart + i)}; });
    }
  }
}

/// Numbers different values in the order in which they come. Gives up where there are too many.
class DictionaryMaker {
 public:
  DictionaryMaker(const DenseValues& values, std::size_t width) : values_(values), width_(width) {}

  /// Whether the dictionary and its codes are smaller than the values.
  bool make() {
    slots_.assign(1024, kEmpty);
    codes_.reserve(values_.count);
    for (std::size_t i = 0; i < values_.count; ++i) {
      codes_.push_back(code_of(value(i)));
      if (bytes_ > kMostDictionaryBytes) return false;
      // Values that hardly repeat are noticed early.
      if (i == 1u << 14 && entries_.size() > i / 2) return false;
    }
    return bytes_ + codes_.size() * width_of_codes() / 8 < plain_bytes();
  }

  std::span<const std::uint32_t> codes() const { return codes_; }
  unsigned width_of_codes() const {
    return std::max(1u, static_cast<unsigned>(std::bit_width(entries_.size() - 1)));
  }
  std::size_t size() const { return entries_.size(); }
  /// The entries as plain values.
  void append_plain(Buffer& to) const {
    for (const std::uint32_t entry : entries_) {
      const Bytes bytes = value(entry);
      const auto length = static_cast<std::uint32_t>(bytes.size());
      if (width_ == 0) to.append({reinterpret_cast<const Byte*>(&length), sizeof length});
      to.append(bytes);
    }
  }

 private:
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

  Bytes value(std::size_t i) const {
    if (width_ == 0) return values_.string(i);
    return values_.values.bytes().subspan(i * width_, width_);
  }
  std::size_t plain_bytes() const {
    return values_.values.size() + (width_ == 0 ? 4 * values_.count : 0);
  }

  static std::uint64_t hash(Bytes bytes) {
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15u;
    std::uint64_t sum = bytes.size();
    // The bytes after the value belong to a buffer's slack or to other values, so they are cut off.
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      std::uint64_t word = load<std::uint64_t>(bytes.data() + at);
      const std::size_t rest = bytes.size() - at;
      if (rest < 8) word &= (std::uint64_t{1} << (8 * rest)) - 1;
      sum = (std::rotl(sum, 23) ^ word) * kFactor;
    }
    return sum ^ sum >> 32;
  }

  std::uint32_t code_of(Bytes bytes) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash(bytes) & mask;; slot = (slot + 1) & mask) {
      const std::uint32_t code = slots_[slot];
      if (code == kEmpty) {
        slots_[slot] = static_cast<std::uint32_t>(entries_.size());
        return add(bytes);
      }
      const Bytes known = value(entries_[code]);
      if (std::equal(known.begin(), known.end(), bytes.begin(), bytes.end())) return code;
    }
  }

  std::uint32_t add(Bytes bytes) {
    const auto code = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back(static_cast<std::uint32_t>(codes_.size()));
    bytes_ += bytes.size() + (width_ == 0 ? 4 : 0);
    if (2 * entries_.size() > slots_.size()) rehash();
    return code;
  }

  void rehash() {
    slots_.assign(2 * slots_.size(), kEmpty);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t code = 0; code < entries_.size(); ++code) {
      std::size_t slot = hash(value(entries_[code])) & mask;
      while (slots_[slot] != kEmpty) slot = (slot + 1) & mask;
      slots_[slot] = static_cast<std::uint32_t>(code);
    }
  }

  const DenseValues& values_;
  std::size_t width_;
  std::vector<std::uint32_t> slots_;    ///< codes
  std::vector<std::uint32_t> entries_;  ///< by code: the first value's number
  std::vector<std::uint32_t> codes_;
  std::size_t bytes_ = 0;
};

void append_reversed(Byte* out, const Byte* from, std::size_t width) {
  std::reverse_copy(from, from + width, out);
}

/// The bytes of the stored least and greatest value: of numbers as they are stored.
class Extremes {
 public:
  Extremes(const ColumnSchema& schema, const ColumnView& column)
      : schema_(schema), column_(column) {}

  void find(WrittenChunk& chunk) {
    switch (schema_.type) {
      case ColumnType::kBool:
        return find_truths(chunk);
      case ColumnType::kInt8:
        return find_numbers<std::int8_t, std::int32_t>(chunk);
      case ColumnType::kInt16:
        return find_numbers<std::int16_t, std::int32_t>(chunk);
      case ColumnType::kInt32:
      case ColumnType::kDate32:
        return find_numbers<std::int32_t, std::int32_t>(chunk);
      case ColumnType::kUint8:
        return find_numbers<std::uint8_t, std::int32_t>(chunk);
      case ColumnType::kUint16:
        return find_numbers<std::uint16_t, std::int32_t>(chunk);
      case ColumnType::kUint32:
        return find_numbers<std::uint32_t, std::uint32_t>(chunk);
      case ColumnType::kUint64:
        return find_numbers<std::uint64_t, std::uint64_t>(chunk);
      case ColumnType::kFloat:
        return find_reals<float>(chunk);
      case ColumnType::kDouble:
        return find_reals<double>(chunk);
      case ColumnType::kDecimal128:
        return find_wide(chunk);
      case ColumnType::kUtf8:
      case ColumnType::kBinary:
        return find_strings(chunk);
      default:
        return find_numbers<std::int64_t, std::int64_t>(chunk);
    }
  }

 private:
  template <class Use>
  void for_values(Use&& use) const {
    for (std::uint64_t row = 0; row < column_.rows; ++row) {
      if (!column_.is_null(row)) use(row);
    }
  }
  template <class T>
  static std::string bytes_of(T value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }

  template <class T>
  std::optional<std::pair<T, T>> range() const {
    std::optional<std::pair<T, T>> found;
    for_values([&](std::uint64_t row) {
      const T value = load<T>(column_.values + row * sizeof(T));
      if (!found) found.emplace(value, value);
      found->first = std::min(found->first, value);
      found->second = std::max(found->second, value);
    });
    return found;
  }

  template <class T, class Stored>
  void find_numbers(WrittenChunk& chunk) const {
    const auto found = range<T>();
    if (!found) return;
    // Seconds are stored as milliseconds.
    const bool seconds =
        schema_.type == ColumnType::kTimestamp && schema_.unit == TimeUnit::kSecond;
    const Stored factor = seconds ? 1000 : 1;
    chunk.least = bytes_of(static_cast<Stored>(static_cast<Stored>(found->first) * factor));
    chunk.greatest = bytes_of(static_cast<Stored>(static_cast<Stored>(found->second) * factor));
  }

  /// Readers do not agree upon where NaN stands, so with one there is no range. Zeros have the sign
  /// that includes the other one.
  template <class T>
  void find_reals(WrittenChunk& chunk) const {
    bool has_nan = false;
    for_values([&](std::uint64_t row) {
      has_nan = has_nan || std::isnan(load<T>(column_.values + row * sizeof(T)));
    });
    const auto found = has_nan ? std::nullopt : range<T>();
    if (!found) return;
    chunk.least = bytes_of(found->first == 0 ? -T{0} : found->first);
    chunk.greatest = bytes_of(found->second == 0 ? T{0} : found->second);
  }

  void find_wide(WrittenChunk& chunk) const {
    const auto found = range<__int128>();
    if (!found) return;
    const auto stored = [](__int128 value) {
      std::string bytes = bytes_of(value);
      std::reverse(bytes.begin(), bytes.end());
      return bytes;
    };
    chunk.least = stored(found->first);
    chunk.greatest = stored(found->second);
  }

  void find_truths(WrittenChunk& chunk) const {
    bool any[2] = {};
    for_values([&](std::uint64_t row) { any[column_.values[row / 8] >> (row % 8) & 1] = true; });
    if (!any[0] && !any[1]) return;
    chunk.least = std::string(1, any[0] ? '\0' : '\1');
    chunk.greatest = std::string(1, any[1] ? '\1' : '\0');
  }

  void find_strings(WrittenChunk& chunk) const {
    std::optional<std::pair<std::string_view, std::string_view>> found;
    for_values([&](std::uint64_t row) {
      const Bytes bytes = column_.string(row);
      const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      if (!found) found.emplace(text, text);
      if (text < found->first) found->first = text;
      if (found->second < text) found->second = text;
    });
    if (!found || std::max(found->first.size(), found->second.size()) > kMostStatisticBytes) return;
    chunk.least = found->first;
    chunk.greatest = found->second;
  }

  const ColumnSchema& schema_;
  const ColumnView& column_;
};

/// Writes the pages of one chunk.
class ChunkWriter {
 public:
  ChunkWriter(const ColumnSchema& schema, const ColumnView& column)
      : schema_(schema), column_(column), stored_(stored_type(schema)) {}

  Result<WrittenChunk> write() {
    chunk_.values = column_.rows;
    PRESSO_TRY(lay_out());
    Extremes(schema_, column_).find(chunk_);
    chunk_.nulls = column_.rows - values_.count;
    DictionaryMaker dictionary(values_, stored_.width);
    const bool is_bool = schema_.type == ColumnType::kBool;
    if (!is_bool && values_.count > 0 && dictionary.make()) {
      PRESSO_TRY(write_dictionary(dictionary));
    } else if (deltas_are_small()) {
      chunk_.encoding = ParquetEncoding::kDeltaBinary;
    }
    PRESSO_TRY(write_pages());
    return std::move(chunk_);
  }

 private:
  /// Copies the values that are there, in the layout of the format.
  Status lay_out() {
    if (is_string(schema_.type)) {
      for (std::uint64_t row = 0; row < column_.rows; ++row) {
        if (!column_.is_null(row)) values_.add_string(column_.string(row));
      }
      return {};
    }
    const bool is_bool = schema_.type == ColumnType::kBool;
    Byte* out = values_.extend(column_.rows * (is_bool ? 1 : stored_.width));
    for (std::uint64_t row = 0; row < column_.rows; ++row) {
      if (column_.is_null(row)) continue;
      if (!store_value(row, out)) {
        return make_error(ErrorCode::kInvalidArgument,
                          "column '" + schema_.name +
                              "' has a time in seconds that Parquet cannot hold in milliseconds");
      }
      out += is_bool ? 1 : stored_.width;
      ++values_.count;
    }
    values_.values.grow(static_cast<std::size_t>(out - values_.values.data()));
    return {};
  }

  bool store_value(std::uint64_t row, Byte* out) const {
    const Byte* at = column_.values + row * value_bytes(schema_.type);
    switch (schema_.type) {
      case ColumnType::kBool:
        *out = column_.values[row / 8] >> (row % 8) & 1;
        return true;
      case ColumnType::kInt8:
        store<std::int32_t>(out, load<std::int8_t>(at));
        return true;
      case ColumnType::kInt16:
        store<std::int32_t>(out, load<std::int16_t>(at));
        return true;
      case ColumnType::kUint8:
        store<std::int32_t>(out, *at);
        return true;
      case ColumnType::kUint16:
        store<std::int32_t>(out, load<std::uint16_t>(at));
        return true;
      case ColumnType::kDecimal128:
        append_reversed(out, at, 16);
        return true;
      default:
        std::memcpy(out, at, stored_.width);
        break;
    }
    if (schema_.type != ColumnType::kTimestamp || schema_.unit != TimeUnit::kSecond) return true;
    std::int64_t millis = 0;
    const bool fits = !__builtin_mul_overflow(load<std::int64_t>(at), std::int64_t{1000}, &millis);
    store<std::int64_t>(out, millis);
    return fits;
  }

  bool deltas_are_small() const {
    Buffer deltas;
    append_deltas_of(0, values_.count, deltas);
    return !deltas.empty() && static_cast<double>(deltas.size()) <
                                  kDeltaShare * static_cast<double>(values_.values.size());
  }

  void append_deltas_of(std::size_t first, std::size_t end, Buffer& to) const {
    const Byte* from = values_.values.data() + first * stored_.width;
    if (stored_.type == ParquetType::kInt32) append_deltas<std::int32_t>(to, from, end - first);
    if (stored_.type == ParquetType::kInt64) append_deltas<std::int64_t>(to, from, end - first);
  }

  Status write_dictionary(const DictionaryMaker& dictionary) {
    Buffer plain;
    dictionary.append_plain(plain);
    codes_.assign(dictionary.codes().begin(), dictionary.codes().end());
    code_width_ = dictionary.width_of_codes();
    chunk_.encoding = ParquetEncoding::kRleDictionary;
    PRESSO_TRY(append_page(
        plain.bytes(),
        [&](ThriftWriter& out) {
          out.struct_field(7);
          out.int_field(1, static_cast<std::int64_t>(dictionary.size()));
          out.int_field(2, static_cast<int>(ParquetEncoding::kPlain));
          out.end_struct();
        },
        ParquetPage::kDictionary));
    chunk_.dictionary_bytes = chunk_.bytes.size();
    return {};
  }

  std::uint64_t page_rows() const {
    if (code_width_ > 0) return kMostPageRows;
    const std::uint64_t each =
        std::max<std::uint64_t>(values_.values.size() / std::max<std::size_t>(values_.count, 1), 1);
    return std::clamp<std::uint64_t>(kPageBytes / each, 1, kMostPageRows);
  }

  Status write_pages() {
    std::size_t value = 0;
    const std::uint64_t at_once = page_rows();
    for (std::uint64_t row = 0; row < column_.rows; row += at_once) {
      const std::uint64_t end = std::min(column_.rows, row + at_once);
      Buffer page;
      const std::size_t value_end = value + append_levels(row, end, page);
      append_values(value, value_end, page);
      value = value_end;
      PRESSO_TRY(append_page(
          page.bytes(),
          [&](ThriftWriter& out) {
            out.struct_field(5);
            out.int_field(1, static_cast<std::int64_t>(end - row));
            out.int_field(2, static_cast<int>(chunk_.encoding));
            out.int_field(3, static_cast<int>(ParquetEncoding::kRle));
            out.int_field(4, static_cast<int>(ParquetEncoding::kRle));
            out.end_struct();
          },
          ParquetPage::kData));
    }
    return {};
  }

  /// Appends the definition levels, after their length; returns how many values there are.
  std::size_t append_levels(std::uint64_t row, std::uint64_t end, Buffer& to) {
    std::vector<std::uint32_t> levels;
    levels.reserve(end - row);
    std::size_t present = 0;
    for (; row < end; ++row) {
      levels.push_back(column_.is_null(row) ? 0 : 1);
      present += levels.back();
    }
    to.grow(4);
    append_hybrid(to, levels, 1);
    store<std::uint32_t>(to.data(), static_cast<std::uint32_t>(to.size() - 4));
    return present;
  }

  void append_values(std::size_t first, std::size_t end, Buffer& to) {
    if (code_width_ > 0) {
      const auto width = static_cast<Byte>(code_width_);
      to.append({&width, 1});
      append_hybrid(to, std::span(codes_).subspan(first, end - first), code_width_);
    } else if (chunk_.encoding == ParquetEncoding::kDeltaBinary) {
      append_deltas_of(first, end, to);
    } else if (schema_.type == ColumnType::kBool) {
      const std::size_t before = to.size();
      to.grow(before + (end - first + 7) / 8);
      std::memset(to.data() + before, 0, to.size() - before);
      for (std::size_t i = first; i < end; ++i) {
        to.data()[before + (i - first) / 8] |=
            static_cast<Byte>(values_.values.data()[i] << ((i - first) % 8));
      }
    } else if (stored_.width > 0) {
      to.append(
          values_.values.bytes().subspan(first * stored_.width, (end - first) * stored_.width));
    } else {
      for (std::size_t i = first; i < end; ++i) {
        const Bytes text = values_.string(i);
        const auto length = static_cast<std::uint32_t>(text.size());
        to.append({reinterpret_cast<const Byte*>(&length), sizeof length});
        to.append(text);
      }
    }
  }

  template <class AddHeader>
  Status append_page(Bytes plain, AddHeader&& add_header, ParquetPage type) {
    if (plain.size() > INT32_MAX) {
      return make_error(ErrorCode::kUnsupported,
                        "column '" + schema_.name + "' has a value of more than 2 GiB");
    }
    PRESSO_TRY(compress_page(plain, compressed_));
    std::vector<Byte> header;
    ThriftWriter out(header);
    out.begin_struct();
    out.int_field(1, static_cast<int>(type));
    out.int_field(2, static_cast<std::int64_t>(plain.size()));
    out.int_field(3, static_cast<std::int64_t>(compressed_.size()));
    if (const auto checksum = page_checksum(compressed_.bytes())) {
      out.int_field(4, static_cast<std::int32_t>(*checksum));
    }
    add_header(out);
    out.end_struct();
    chunk_.bytes.append(header);
    chunk_.bytes.append(compressed_.bytes());
    chunk_.plain_bytes += header.size() + plain.size();
    return {};
  }

  const ColumnSchema& schema_;
  const ColumnView& column_;
  StoredType stored_;
  WrittenChunk chunk_;
  DenseValues values_;
  std::vector<std::uint32_t> codes_;
  unsigned code_width_ = 0;
  Buffer compressed_;
};

}  // namespace

StoredType stored_type(const ColumnSchema& column) {
  using T = ColumnType;
  switch (column.type) {
    case T::kBool:
      return {ParquetType::kBoolean, 0, -1};
    case T::kInt8:
      return {ParquetType::kInt32, 4, 15};
    case T::kInt16:
      return {ParquetType::kInt32, 4, 16};
    case T::kInt32:
      return {ParquetType::kInt32, 4, 17};
    case T::kUint8:
      return {ParquetType::kInt32, 4, 11};
    case T::kUint16:
      return {ParquetType::kInt32, 4, 12};
    case T::kUint32:
      return {ParquetType::kInt32, 4, 13};
    case T::kInt64:
      return {ParquetType::kInt64, 8, 18};
    case T::kUint64:
      return {ParquetType::kInt64, 8, 14};
    case T::kFloat:
      return {ParquetType::kFloat, 4, -1};
    case T::kDouble:
      return {ParquetType::kDouble, 8, -1};
    case T::kDate32:
      return {ParquetType::kInt32, 4, 6};
    case T::kTimestamp:
      // Nanoseconds have no converted type, and times without a zone have none either.
      return {ParquetType::kInt64, 8, -1};
    case T::kDecimal64:
      return {ParquetType::kInt64, 8, 5};
    case T::kDecimal128:
      return {ParquetType::kFixed, 16, 5};
    case T::kUtf8:
      return {ParquetType::kByteArray, 0, column.valid_utf8 ? 0 : -1};
    default:
      return {ParquetType::kByteArray, 0, -1};
  }
}

Result<WrittenChunk> write_chunk(const ColumnSchema& schema, const ColumnView& column) {
  return ChunkWriter(schema, column).write();
}

}  // namespace presso::cli
