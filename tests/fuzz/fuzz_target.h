// SPDX-License-Identifier: MIT
// What every fuzz target is: one function over arbitrary bytes that ends the program where
// something is wrong. libFuzzer finds it by its name; replay.cpp runs it over committed seeds
// without clang.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// Not assert(): it must also hold in release builds.
#define PRESSO_FUZZ_CHECK(condition)                                                      \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)

namespace presso::fuzz {

/// Decisions taken from the input's bytes; a generator seeded by them goes on where they end, so
/// that short inputs can stand for large cases.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {
    for (std::size_t i = 0; i < size; ++i) state_ = (state_ ^ data[i]) * 0x100000001B3u;
  }

  std::uint8_t byte() { return at_ != end_ ? *at_++ : static_cast<std::uint8_t>(next() >> 56); }
  /// 0 .. limit - 1.
  std::uint32_t below(std::uint32_t limit) {
    const std::uint32_t value = byte() | byte() << 8 | byte() << 16;
    return value % limit;
  }
  bool one_in(std::uint32_t chance) { return byte() % chance == 0; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  const std::uint8_t* rest() const { return at_; }

 private:
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ ^ state_ << 23;
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::uint64_t state_ = 0xCBF29CE484222325u;
};

}  // namespace presso::fuzz
