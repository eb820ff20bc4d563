// SPDX-License-Identifier: MIT
// Writes rows of a table as text: CSV (RFC 4180, quotes only where a comma or a quote asks for
// them) or dbgen's .tbl (a bar after every field). Numbers are written by hand and a row's room is
// made once, so that a field costs some nanoseconds. tests/unit/corpora/row_writer_test.cpp covers
// it.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace presso::corpora {

enum class TableFormat {
  kTbl,  ///< fields end with |, no header; fields must not contain one
  kCsv,  ///< fields are separated by commas
};

/// Between begin_row and end_row every field is either one call (number, money, word, ...) or
/// pieces (append...) and end_field. A row takes at most kMaxRowBytes; its caller sees to that.
class RowWriter {
 public:
  static constexpr std::size_t kMaxRowBytes = 8192;

  explicit RowWriter(TableFormat format)
      : csv_(format == TableFormat::kCsv),
        separator_(csv_ ? ',' : '|'),
        buffer_((1u << 18) + kMaxRowBytes),
        at_(buffer_.data()) {}

  std::string_view text() const { return {buffer_.data(), size()}; }
  std::size_t size() const { return static_cast<std::size_t>(at_ - buffer_.data()); }
  void clear() { at_ = buffer_.data(); }

  void begin_row() {
    if (buffer_.size() - size() < kMaxRowBytes) grow();
  }
  void end_row() {
    if (csv_) --at_;
    *at_++ = '\n';
  }

  void append(std::string_view piece) {
    std::memcpy(at_, piece.data(), piece.size());
    at_ += piece.size();
  }
  void append(char letter) { *at_++ = letter; }
  /// In decimal, with zeros in front up to `width` <= 20 digits.
  void append_number(std::uint64_t value, std::size_t width = 1);
  /// As 2026-03-01.
  void append_date(int days_since_1970);
  void end_field() { *at_++ = separator_; }

  void number(std::uint64_t value) {
    append_number(value);
    end_field();
  }
  /// `value` / 10^`decimals`, with 1 to 4 decimals.
  void decimal(std::int64_t value, std::size_t decimals);
  void money(std::int64_t cents) { decimal(cents, 2); }
  void date(int days_since_1970) {
    append_date(days_since_1970);
    end_field();
  }
  /// Without comma, quote or bar.
  void word(std::string_view word) {
    append(word);
    end_field();
  }
  /// A prefix and a number of nine digits, as in Customer#000000001.
  void name(std::string_view prefix, std::uint64_t number) {
    append(prefix);
    append_number(number, 9);
    end_field();
  }
  /// Any text without a line end: in CSV it is quoted where it has to be.
  void text_field(std::string_view text);
  void empty() { end_field(); }

 private:
  void grow() {
    const std::size_t used = size();
    buffer_.resize(2 * buffer_.size());
    at_ = buffer_.data() + used;
  }
  void append_quoted(std::string_view text);

  bool csv_;
  char separator_;
  std::vector<char> buffer_;
  char* at_;
};

inline void RowWriter::append_number(std::uint64_t value, std::size_t width) {
  char digits[20];
  char* first = digits + sizeof digits;
  for (; value >= 10; value /= 10) *--first = static_cast<char>('0' + value % 10);
  *--first = static_cast<char>('0' + value);
  const auto count = static_cast<std::size_t>(digits + sizeof digits - first);
  for (std::size_t i = count; i < width; ++i) *at_++ = '0';
  append({first, count});
}

inline void RowWriter::append_date(int days_since_1970) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days_since_1970}}};
  append_number(static_cast<std::uint64_t>(static_cast<int>(date.year())), 4);
  append('-');
  append_number(static_cast<unsigned>(date.month()), 2);
  append('-');
  append_number(static_cast<unsigned>(date.day()), 2);
}

inline void RowWriter::decimal(std::int64_t value, std::size_t decimals) {
  static constexpr std::uint64_t kPowers[] = {1, 10, 100, 1000, 10000};
  const std::uint64_t size = static_cast<std::uint64_t>(value < 0 ? -value : value);
  if (value < 0) append('-');
  append_number(size / kPowers[decimals]);
  append('.');
  append_number(size % kPowers[decimals], decimals);
  end_field();
}

inline void RowWriter::text_field(std::string_view text) {
  const bool quote = csv_ && (std::memchr(text.data(), ',', text.size()) != nullptr ||
                              std::memchr(text.data(), '"', text.size()) != nullptr);
  quote ? append_quoted(text) : append(text);
  end_field();
}

inline void RowWriter::append_quoted(std::string_view text) {
  append('"');
  for (const char letter : text) {
    if (letter == '"') append('"');
    append(letter);
  }
  append('"');
}

}  // namespace presso::corpora
