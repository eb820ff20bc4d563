// SPDX-License-Identifier: MIT
// Makes the keys of table columns and sorts by them. Keys are compared by their first eight
// bytes first; std::sort is used, as a radix sort would not gain on keys that differ late.
#include "format/columns/sort_key.h"

#include <algorithm>

#include "format/columns/bit_copy.h"

namespace presso {
namespace {

/// How many bytes a number has in a key after its mark; floats are widened to doubles, for which
/// there is an image.
std::size_t image_bytes(ColumnType type) {
  if (type == ColumnType::kBool) return 1;
  return type == ColumnType::kFloat ? sizeof(double) : value_bytes(type);
}

/// Appends one column to all keys: sizes first, then bytes.
class ColumnWriter {
  auto is_null() const {
    return [this](std::uint64_t row) { return column_.is_null(row); };
  }
  auto text() const {
    return [this](std::uint64_t row) { return column_.string(row); };
  }

 public:
  ColumnWriter(const ColumnView& column, bool descending, KeyRows& keys)
      : column_(column), marks_(marks(descending)), keys_(keys) {}

  /// Adds the column's bytes to the size of each key.
  void add_size() {
    if (!is_string(column_.type)) return keys_.add_images(image_bytes(column_.type));
    keys_.add_strings(is_null(), text());
  }

  /// Appends the column's image to each key. Images compare as bytes in the order of the
  /// values.
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
            [&](std::uint64_t row) { return ordered_image(double{value_at<float>(row)}); });
      case ColumnType::kDouble:
        return write_images<std::uint64_t>(
            [&](std::uint64_t row) { return ordered_image(value_at<double>(row)); });
      case ColumnType::kDecimal128:
        return write_images<unsigned __int128>([&](std::uint64_t row) {
          return value_at<unsigned __int128>(row) ^ (static_cast<unsigned __int128>(kTopBit) << 64);
        });
      case ColumnType::kUtf8:
      case ColumnType::kBinary:
        return keys_.write_strings(marks_, is_null(), text());
    }
  }

 private:
  /// Where the order is descending, marks are exchanged as well, so that nulls come first.
  static KeyMarks marks(bool descending) {
    return descending ? KeyMarks{0xFF, 0xFE, 0xFF} : KeyMarks{0, 1, 0};
  }

  /// Values need no alignment.
  template <class T>
  T value_at(std::uint64_t row) const {
    return load<T>(column_.values + row * sizeof(T));
  }

  /// Big-endian images, signed ones with their sign flipped.
  template <class T>
  void write_numbers() {
    const T top = is_signed(column_.type) ? static_cast<T>(T{1} << (8 * sizeof(T) - 1)) : T{0};
    write_images<T>([&](std::uint64_t row) { return static_cast<T>(value_at<T>(row) ^ top); });
  }

  template <class T, class ImageOf>
  void write_images(ImageOf image_of) {
    keys_.write_images<T>(marks_, is_null(), image_of);
  }

  const ColumnView& column_;
  const KeyMarks marks_;
  KeyRows& keys_;
};

}  // namespace

// There are two passes over each column: sizes first, so that all keys lie in one piece of memory.
void SortKeys::make(std::span<const ColumnView> columns) {
  keys_.begin(static_cast<std::size_t>(columns.front().rows));
  for (const SortColumn& by : by_) {
    ColumnWriter(columns[by.column], by.descending, keys_).add_size();
  }
  keys_.lay_out();
  for (const SortColumn& by : by_) {
    ColumnWriter(columns[by.column], by.descending, keys_).write();
  }
}

// Whole keys are compared only where their first eight bytes are equal.
int compare(const SortHead& a, const SortHead& b) {
  if (a.begin != b.begin) return a.begin < b.begin ? -1 : 1;
  const std::size_t common = std::min(a.key.size(), b.key.size());
  const int order = common == 0 ? 0 : std::memcmp(a.key.data(), b.key.data(), common);
  if (order != 0) return order;
  return a.key.size() == b.key.size() ? 0 : a.key.size() < b.key.size() ? -1 : 1;
}

/// Rows that are in order already, as those of logs, cost one pass.
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
    // Equal keys stay in the order of their rows, which makes the sort stable.
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
