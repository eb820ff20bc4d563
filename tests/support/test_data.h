// SPDX-License-Identifier: MIT
// Inputs for tests, made from seeds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "presso/bytes.h"

namespace presso::test {

inline std::vector<Byte> to_bytes(const std::string& text) {
  return {text.begin(), text.end()};
}

inline std::vector<Byte> random_bytes(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Byte> bytes(size);
  for (Byte& byte : bytes) byte = static_cast<Byte>(random());
  return bytes;
}

/// Lines of a log: repetitive, with numbers that differ.
inline std::vector<Byte> log_lines(std::size_t size, std::uint64_t seed) {
  static const char* const kActions[] = {"opened", "closed", "rejected a request from", "sent",
                                         "waits for"};
  std::mt19937_64 random(seed);
  std::string text;
  unsigned second = 0;
  while (text.size() < size) {
    second += static_cast<unsigned>(random() % 3);
    text += "2024-05-17 10:" + std::to_string(second / 60 % 60) + ":" +
            std::to_string(second % 60) + " worker-" + std::to_string(random() % 8) + " " +
            kActions[random() % 5] + " connection " + std::to_string(random() % 5000) + "\n";
  }
  text.resize(size);
  return to_bytes(text);
}

/// Bytes over a small alphabet: many short matches at all distances.
inline std::vector<Byte> few_letters(std::size_t size, unsigned letters, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Byte> bytes(size);
  for (Byte& byte : bytes) byte = static_cast<Byte>('a' + random() % letters);
  return bytes;
}

}  // namespace presso::test
