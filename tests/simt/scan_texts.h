// SPDX-License-Identifier: MIT
// Texts for the tests of scan kernels, and what a plain search finds in them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "decompress/gpu/simt/emulator/emulator.h"
#include "presso/bytes.h"

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

using Words = std::vector<std::string>;

inline std::string lowered(std::string text) {
  for (char& letter : text) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter + 'a' - 'A');
  }
  return text;
}

/// How many lines hold one of `words`.
inline std::uint64_t lines_with(std::string text, Words words, bool ignore_case) {
  if (ignore_case) {
    text = lowered(text);
    for (std::string& word : words) word = lowered(word);
  }
  std::uint64_t lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    lines += std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return line.find(word) != std::string::npos;
    });
    at = end + 1;
  }
  return lines;
}

/// Memory of exactly the text's size at an address that is a multiple of 16.
class AlignedText {
 public:
  explicit AlignedText(const std::string& text)
      : memory_(::operator new (text.size(), std::align_val_t{16})) {
    std::copy(text.begin(), text.end(), static_cast<Byte*>(memory_));
  }
  AlignedText(const AlignedText&) = delete;
  AlignedText& operator=(const AlignedText&) = delete;
  ~AlignedText() { ::operator delete (memory_, std::align_val_t{16}); }
  const Byte* get() const { return static_cast<const Byte*>(memory_); }

 private:
  void* memory_;
};

inline simt::Options scan_order(std::uint32_t seed) {
  const simt::Order order = seed % 3 == 0   ? simt::Order::kReverse
                            : seed % 3 == 1 ? simt::Order::kForward
                                            : simt::Order::kRandom;
  return {.order = order, .seed = seed};
}

}  // namespace presso::test
