// SPDX-License-Identifier: MIT
// Columns of strings in memory: bytes with offsets (source L1), and rows padded to one length
// (S6.5). Strings may be empty and hold any byte; no terminators. Views are flat and trivially
// copyable, so that the same structs can describe columns in device memory.
// Tested by lab/tests/string_column_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso::strings {

/// Row i is bytes[offsets[i], offsets[i + 1]). Nothing outside bytes[0, offsets[rows]) is readable.
struct StringColumnView {
  const Byte* bytes = nullptr;
  const std::uint64_t* offsets = nullptr;  ///< [rows + 1], ascending, the first one 0
  std::uint64_t rows = 0;

  Bytes row(std::uint64_t i) const { return {bytes + offsets[i], offsets[i + 1] - offsets[i]}; }
  std::uint64_t size_bytes() const { return rows == 0 ? 0 : offsets[rows]; }
};

/// Owns one; grows by appending.
class StringColumn {
 public:
  void append(std::string_view string);
  void reserve(std::uint64_t rows, std::uint64_t bytes);
  StringColumnView view() const { return {bytes_.data(), offsets_.data(), offsets_.size() - 1}; }

 private:
  std::vector<Byte> bytes_;
  std::vector<std::uint64_t> offsets_ = {0};
};

/// One string a line; the last one with or without its '\n'.
StringColumn column_of_lines(Bytes text);

/// Row i begins at bytes[i * width]. What is shorter is filled up with `pad`, a byte that no string
/// holds: a string ends before its first pad byte. Readable: bytes[0, rows * width).
struct PaddedColumnView {
  const Byte* bytes = nullptr;
  std::uint64_t rows = 0;
  std::uint32_t width = 0;
  Byte pad = 0;

  Bytes padded_row(std::uint64_t i) const { return {bytes + i * width, width}; }
  Bytes row(std::uint64_t i) const;
};

struct PaddingOptions {
  /// The length of all rows; nullopt: of the longest string. At least 1.
  std::optional<std::uint32_t> width = std::nullopt;
  /// Rounds the width up to a multiple of 4, so that rows begin at multiples of 4.
  bool multiple_of_4 = true;
  Byte pad = 0;
};

class PaddedColumn {
 public:
  /// kInvalidArgument: a string is longer than the width, or holds the pad byte.
  static Result<PaddedColumn> make(StringColumnView column, const PaddingOptions& options = {});
  PaddedColumnView view() const { return {bytes_.data(), rows_, width_, pad_}; }

 private:
  std::vector<Byte> bytes_;
  std::uint64_t rows_ = 0;
  std::uint32_t width_ = 0;
  Byte pad_ = 0;
};

/// A byte that no string holds, as PaddingOptions::pad; nullopt where all 256 occur.
std::optional<Byte> unused_byte(StringColumnView column);

}  // namespace presso::strings
