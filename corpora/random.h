// SPDX-License-Identifier: MIT
// A small seeded random generator whose output is the same on every machine and compiler: integers
// only, none of the standard library's distributions (their results are not specified). The step is
// SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, passes BigCrush, needs no warm-up.
#pragma once

#include <cstdint>

namespace presso::corpora {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, limit); limit > 0.
  std::uint32_t below(std::uint32_t limit) { return scale(high(next()), limit); }
  bool one_in(std::uint32_t count) { return below(count) == 0; }

  /// In [0, limit), small values much more often: the product of three uniform numbers, so that the
  /// first tenth of the range gets about two thirds of the draws, as words and users in logs do.
  std::uint32_t skewed(std::uint32_t limit) {
    const std::uint64_t bits = next();
    const std::uint32_t product = scale(scale(high(bits), low(bits)), high(next()));
    return scale(product, limit);
  }

 private:
  static std::uint32_t high(std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 32); }
  static std::uint32_t low(std::uint64_t bits) { return static_cast<std::uint32_t>(bits); }
  /// limit * (fraction / 2^32).
  static std::uint32_t scale(std::uint32_t fraction, std::uint32_t limit) {
    return static_cast<std::uint32_t>((std::uint64_t{fraction} * limit) >> 32);
  }

  std::uint64_t state_;
};

}  // namespace presso::corpora
