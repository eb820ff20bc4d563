// SPDX-License-Identifier: MIT
#include "format/columns/sort_key.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "format/columns/bit_copy.h"

namespace presso {
namespace {

constexpr Byte kValue = 0;
constexpr Byte kNull = 1;
constexpr Byte kEscape = 0xFF;  ///< behind a 00 that is part of a string

std::size_t image_bytes(ColumnType type) {
  if (type == ColumnType::kBool) return 1;
  return type == ColumnType::kFloat ? sizeof(double) : value_bytes(type);
}

std::size_t string_key_bytes(Bytes text) {
  const auto zeros = static_cast<std::size_t>(std::count(text.begin(), text.end(), Byte{0}));
  return text.size() + zeros + 2;
}

/// The highest byte first.
template <class T>
void store_high_first(Byte* to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    to[i] = static_cast<Byte>(value >> (8 * (sizeof(T) - 1 - i)));
  }
}

std::uint64_t floating_image(double value) {
  return std::isnan(value) ? std::numeric_limits<std::uint64_t>::max() : double_image(value);
}

/// Appends one column to all keys; `ends` are where they end so far.
class ColumnWriter {
 public:
  ColumnWriter(const ColumnView& column, bool descending, Byte* keys,
               std::vector<std::size_t>& ends)
      : column_(column), flip_(descending ? 0xFF : 0), keys_(keys), ends_(ends) {}

  void write() {
    switch (column_.type) {
      case ColumnType::kBool:
        return write_images<Byte>(
            [&](std::uint64_t row) { return Byte{bit_at(column_.values, row)}; });
      case ColumnType::kInt8:
      case ColumnType::kUint8:
        return write_numbers<std::uint8_t>();
      case ColumnType::kInt16:
      case ColumnType::kUint16:
        return write_numbers<std::uint16_t>();
      case ColumnType::kInt32:
      case ColumnType::kDate32:
      case ColumnType::kUint32:
        return write_numbers<std::uint32_t>();
      case ColumnType::kInt64:
      case ColumnType::kTimestamp:
      case ColumnType::kDecimal64:
      case ColumnType::kUint64:
        return write_numbers<std::uint64_t>();
      case ColumnType::kFloat:
        return write_images<std::uint64_t>(
            [&](std::uint64_t row) { return floating_image(double{value_at<float>(row)}); });
      case ColumnType::kDouble:
        return write_images<std::uint64_t>(
            [&](std::uint64_t row) { return floating_image(value_at<double>(row)); });
      case ColumnType::kDecimal128:
        return write_images<unsigned __int128>([&](std::uint64_t row) {
          return value_at<unsigned __int128>(row) ^ (static_cast<unsigned __int128>(kTopBit) << 64);
        });
      case ColumnType::kUtf8:
      case ColumnType::kBinary:
        return write_strings();
    }
  }

 private:
  template <class T>
  T value_at(std::uint64_t row) const {
    return load<T>(column_.values + row * sizeof(T));
  }

  template <class T>
  void write_numbers() {
    const T top = is_signed(column_.type) ? static_cast<T>(T{1} << (8 * sizeof(T) - 1)) : T{0};
    write_images<T>([&](std::uint64_t row) { return static_cast<T>(value_at<T>(row) ^ top); });
  }

  /// Under a null stand zeros.
  template <class T, class ImageOf>
  void write_images(ImageOf image_of) {
    const T flip = flip_ != 0 ? static_cast<T>(~T{0}) : T{0};
    for (std::uint64_t row = 0; row < column_.rows; ++row) {
      const bool null = column_.is_null(row);
      Byte* const to = keys_ + ends_[row];
      *to = static_cast<Byte>((null ? kNull : kValue) ^ flip_);
      store_high_first<T>(to + 1, static_cast<T>((null ? T{0} : T{image_of(row)}) ^ flip));
      ends_[row] += 1 + sizeof(T);
    }
  }

  void write_strings() {
    for (std::uint64_t row = 0; row < column_.rows; ++row) {
      Byte* to = keys_ + ends_[row];
      const bool null = column_.is_null(row);
      *to++ = null ? kNull : kValue;
      if (!null) to = write_string(column_.string(row), to);
      if (flip_ != 0) {
        for (Byte* byte = keys_ + ends_[row]; byte < to; ++byte) *byte ^= flip_;
      }
      ends_[row] = static_cast<std::size_t>(to - keys_);
    }
  }

  static Byte* write_string(Bytes text, Byte* to) {
    while (!text.empty()) {
      const auto zero = std::find(text.begin(), text.end(), Byte{0});
      to = std::copy(text.begin(), zero, to);
      if (zero == text.end()) break;
      *to++ = 0;
      *to++ = kEscape;
      text = text.subspan(static_cast<std::size_t>(zero - text.begin()) + 1);
    }
    *to++ = 0;
    *to++ = 0;
    return to;
  }

  const ColumnView& column_;
  const Byte flip_;
  Byte* const keys_;
  std::vector<std::size_t>& ends_;
};

/// Adds to sizes[row] what the column takes in the row's key.
void add_sizes(const ColumnView& column, std::size_t* sizes) {
  const std::size_t fixed = 1 + image_bytes(column.type);
  for (std::uint64_t row = 0; row < column.rows; ++row) {
    if (!is_string(column.type)) {
      sizes[row] += fixed;
    } else {
      sizes[row] += 1 + (column.is_null(row) ? 0 : string_key_bytes(column.string(row)));
    }
  }
}

}  // namespace

void SortKeys::make(std::span<const ColumnView> columns) {
  const auto rows = static_cast<std::size_t>(columns.front().rows);
  begins_.assign(rows + 1, 0);
  for (const SortColumn& by : by_) add_sizes(columns[by.column], begins_.data() + 1);
  for (std::size_t row = 0; row < rows; ++row) begins_[row + 1] += begins_[row];
  keys_.resize_discarding(begins_[rows]);
  ends_.assign(begins_.begin(), begins_.end() - 1);
  for (const SortColumn& by : by_) {
    ColumnWriter(columns[by.column], by.descending, keys_.data(), ends_).write();
  }
}

int compare(const SortHead& a, const SortHead& b) {
  if (a.begin != b.begin) return a.begin < b.begin ? -1 : 1;
  const std::size_t common = std::min(a.key.size(), b.key.size());
  const int order = common == 0 ? 0 : std::memcmp(a.key.data(), b.key.data(), common);
  if (order != 0) return order;
  return a.key.size() == b.key.size() ? 0 : a.key.size() < b.key.size() ? -1 : 1;
}

std::vector<std::uint32_t> sorted_rows(const SortKeys& keys) {
  struct Entry {
    SortHead head;
    std::uint32_t row;
  };
  std::vector<Entry> entries;
  entries.reserve(keys.rows());
  for (std::size_t row = 0; row < keys.rows(); ++row) {
    entries.push_back({SortHead(keys.key(row)), static_cast<std::uint32_t>(row)});
  }
  const auto less = [](const Entry& a, const Entry& b) {
    const int order = compare(a.head, b.head);
    return order != 0 ? order < 0 : a.row < b.row;
  };
  if (!std::is_sorted(entries.begin(), entries.end(), less)) {
    std::sort(entries.begin(), entries.end(), less);
  }
  std::vector<std::uint32_t> rows;
  rows.reserve(entries.size());
  for (const Entry& entry : entries) rows.push_back(entry.row);
  return rows;
}

}  // namespace presso
