// SPDX-License-Identifier: MIT
#include "lab/strings/string_column.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace presso::strings {

void StringColumn::append(std::string_view string) {
  bytes_.insert(bytes_.end(), string.begin(), string.end());
  offsets_.push_back(bytes_.size());
}

void StringColumn::reserve(std::uint64_t rows, std::uint64_t bytes) {
  offsets_.reserve(rows + 1);
  bytes_.reserve(bytes);
}

StringColumn column_of_lines(Bytes text) {
  StringColumn column;
  for (auto from = text.begin(); from != text.end();) {
    const auto end = std::find(from, text.end(), Byte{'\n'});
    column.append({reinterpret_cast<const char*>(&*from), static_cast<std::size_t>(end - from)});
    from = end == text.end() ? end : end + 1;
  }
  return column;
}

Bytes PaddedColumnView::row(std::uint64_t i) const {
  const Bytes padded = padded_row(i);
  const auto end = std::find(padded.begin(), padded.end(), pad);
  return padded.first(static_cast<std::size_t>(end - padded.begin()));
}

Result<PaddedColumn> PaddedColumn::make(StringColumnView column, const PaddingOptions& options) {
  std::uint64_t longest = 1;
  for (std::uint64_t i = 0; i < column.rows; ++i) {
    longest = std::max<std::uint64_t>(longest, column.row(i).size());
  }
  std::uint64_t width = std::max<std::uint64_t>(options.width.value_or(longest), 1);
  if (longest > width || longest > 1u << 30) {
    return make_error(ErrorCode::kInvalidArgument,
                      "a string has " + std::to_string(longest) + " bytes");
  }
  if (options.multiple_of_4) width = round_up(width, 4);
  return without_bad_alloc([&]() -> Result<PaddedColumn> {
    PaddedColumn made;
    made.rows_ = column.rows;
    made.width_ = static_cast<std::uint32_t>(width);
    made.pad_ = options.pad;
    made.bytes_.assign(column.rows * width, options.pad);
    for (std::uint64_t i = 0; i < column.rows; ++i) {
      const Bytes row = column.row(i);
      if (std::find(row.begin(), row.end(), options.pad) != row.end()) {
        return make_error(ErrorCode::kInvalidArgument,
                          "row " + std::to_string(i) + " holds the pad byte");
      }
      std::copy(row.begin(), row.end(),
                made.bytes_.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
    return made;
  });
}

std::optional<Byte> unused_byte(StringColumnView column) {
  std::array<bool, 256> used{};
  for (std::uint64_t i = 0; i < column.size_bytes(); ++i) used[column.bytes[i]] = true;
  const auto unused = std::find(used.begin(), used.end(), false);
  if (unused == used.end()) return std::nullopt;
  return static_cast<Byte>(unused - used.begin());
}

}  // namespace presso::strings
