// SPDX-License-Identifier: MIT
// Texts for the tests of scan kernels.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace presso::test {

/// One of about `line` places is a '\n', the others are of `letters`.
inline std::string random_text(std::size_t size, const std::string& letters, std::uint32_t line,
                               std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += random() % line == 0 ? '\n' : letters[random() % letters.size()];
  }
  return text;
}

}  // namespace presso::test
