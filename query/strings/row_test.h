// SPDX-License-Identifier: MIT
// One way to test strings, and the loop over rows that most ways share: answers are gathered in a
// word of 64 rows, and rows that are not alive are passed over. `bits` may be `alive`.
// Tested by tests/unit/query/strings/string_test_test.cpp.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "format/columns/bit_copy.h"
#include "presso/bytes.h"

namespace presso::query {

/// Row i is bytes [offsets[i], offsets[i + 1]) of `text`.
struct TextRows {
  Bytes text;
  const std::int64_t* offsets = nullptr;
  std::uint32_t rows = 0;

  Bytes row(std::uint32_t i) const {
    return {text.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

/// Immutable and thread-safe.
class RowTest {
 public:
  virtual ~RowTest() = default;
  virtual bool matches(Bytes string) const = 0;
  /// As StringTest::find().
  virtual void find(const TextRows& rows, const std::uint64_t* alive,
                    std::uint64_t* bits) const = 0;
  /// answers[i] becomes 1 where row ids[i] matches, else 0. At most kMostListed rows.
  virtual void test_listed(const TextRows& rows, const std::uint32_t* ids, std::uint32_t count,
                           Byte* answers) const {
    for (std::uint32_t i = 0; i < count; ++i) answers[i] = matches(rows.row(ids[i]));
  }
  virtual double byte_cost_ns() const = 0;
  virtual std::string describe() const = 0;
};
constexpr std::uint32_t kMostListed = 1024;

/// The rows of word `word` that shall be looked at.
inline std::uint64_t live_rows(std::uint32_t rows, std::size_t word, const std::uint64_t* alive) {
  const std::uint64_t left = rows - 64 * static_cast<std::uint64_t>(word);
  const std::uint64_t all = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
  return alive == nullptr ? all : all & alive[word];
}

/// Whether fewer than one row of `part` is alive.
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

/// Sets the bits of the live rows for which test(row) holds.
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

/// Takes the numbers of found rows in rising order and writes words of bits as it passes them, so
/// that `alive` can still be read where `bits` is the same memory.
class RisingBits {
 public:
  RisingBits(std::uint32_t rows, std::uint64_t* bits)
      : bits_(bits), words_((std::size_t{rows} + 63) / 64) {}

  void set(std::uint32_t row) {
    flush_to(row / 64);
    gathered_ |= std::uint64_t{1} << (row % 64);
  }
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
