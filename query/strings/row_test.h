// SPDX-License-Identifier: MIT
// The interface of a way to test strings, and the loop over rows that most of them share. Answers
// are gathered in words of 64 rows; rows that are not alive are skipped. `bits` and `alive` may be
// the same memory everywhere in this room. Tested by tests/unit/query/strings/string_test_test.cpp.
//
// How the parts fit: StringTest (string_test.h) owns one RowTest; a SweptTest owns another RowTest
// that decides about its hits; EachRow, AutomatonTest and LazyTest are leaves. All of them answer
// single strings, too, which is how entries of dictionaries are tested.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "format/columns/bit_copy.h"
#include "presso/bytes.h"

namespace presso::query {

/// Strings of a column slice. Row i is the bytes [offsets[i], offsets[i + 1]) of `text`.
struct TextRows {
  Bytes text;
  const std::int64_t* offsets = nullptr;
  std::uint32_t rows = 0;

  Bytes row(std::uint32_t i) const {
    return {text.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

/// A way to test strings. Immutable and thread-safe.
class RowTest {
 public:
  virtual ~RowTest() = default;
  virtual bool matches(Bytes string) const = 0;
  /// As StringTest::find().
  virtual void find(const TextRows& rows, const std::uint64_t* alive,
                    std::uint64_t* bits) const = 0;
  /// Sets answers[i] to 1 if row ids[i] matches, else to 0. At most kMostListed rows. Ways that
  /// read several rows side by side override this.
  virtual void test_listed(const TextRows& rows, const std::uint32_t* ids, std::uint32_t count,
                           Byte* answers) const {
    for (std::uint32_t i = 0; i < count; ++i) answers[i] = matches(rows.row(ids[i]));
  }
  /// Nanoseconds for a byte of text, about, as measured on short rows.
  virtual double byte_cost_ns() const = 0;
  virtual std::string describe() const = 0;
};
/// The most rows that one call of test_listed() takes.
constexpr std::uint32_t kMostListed = 1024;

/// Returns the bits of the rows in word `word` that must be looked at; rows beyond the last one are
/// 0.
inline std::uint64_t live_rows(std::uint32_t rows, std::size_t word, const std::uint64_t* alive) {
  const std::uint64_t left = rows - 64 * static_cast<std::uint64_t>(word);
  const std::uint64_t all = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
  return alive == nullptr ? all : all & alive[word];
}

/// Whether fewer than one row in `part` is alive, so that looking at each row beats sweeping all.
inline bool few_are_alive(std::uint32_t rows, const std::uint64_t* alive, std::uint64_t part) {
  if (alive == nullptr) return false;
  std::uint64_t count = 0;
  for (std::size_t word = 0; word < (std::size_t{rows} + 63) / 64; ++word) {
    count += ones_of(live_rows(rows, word, alive));
  }
  return count * part < rows;
}
inline bool is_alive(const std::uint64_t* alive, std::uint32_t row) {
  return alive == nullptr || (alive[row / 64] >> (row % 64) & 1) != 0;
}

/// Sets the bits of the live rows for which test(row) holds. A full word of live rows is tested
/// without looking for bits.
template <class Test>
void test_rows(std::uint32_t rows, const std::uint64_t* alive, std::uint64_t* bits,
               const Test& test) {
  const std::size_t words = (std::size_t{rows} + 63) / 64;
  for (std::size_t word = 0; word < words; ++word) {
    const auto first = static_cast<std::uint32_t>(64 * word);
    std::uint64_t live = live_rows(rows, word, alive);
    std::uint64_t found = 0;
    if (live == ~std::uint64_t{0}) {
      for (std::uint32_t i = 0; i < 64; ++i) {
        found |= static_cast<std::uint64_t>(test(first + i)) << i;
      }
    } else {
      for (; live != 0; live &= live - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(live));
        found |= static_cast<std::uint64_t>(test(first + i)) << i;
      }
    }
    bits[word] = found;
  }
}

/// Writes a bitmap from the numbers of matching rows, which must come in ascending order. A word is
/// written only when the rows pass it, so that `alive` can still be read where `bits` is the same
/// memory.
class RisingBits {
 public:
  RisingBits(std::uint32_t rows, std::uint64_t* bits)
      : bits_(bits), words_((std::size_t{rows} + 63) / 64) {}

  void set(std::uint32_t row) {
    flush_to(row / 64);
    gathered_ |= std::uint64_t{1} << (row % 64);
  }
  /// Writes the remaining words.
  void finish() { flush_to(words_); }

 private:
  void flush_to(std::size_t word) {
    for (; word_ < word; ++word_) {
      bits_[word_] = gathered_;
      gathered_ = 0;
    }
  }

  std::uint64_t* bits_;
  std::size_t words_;
  std::size_t word_ = 0;
  std::uint64_t gathered_ = 0;
};

}  // namespace presso::query
