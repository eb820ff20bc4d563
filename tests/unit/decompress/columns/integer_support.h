// SPDX-License-Identifier: MIT
// What the tests of coding 4 (integers) share: running every decoder on one payload, and laying out
// vectors by the letter of FORMAT.md 16, value by value, independently of the encoder.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "decompress/columns/cpu/integer_decoder.h"
#include "tests/support/reference_integer_decoder.h"

namespace presso::integers {

/// The payload in a heap block that ends where it ends, so that a sanitizer sees reads behind it.
struct ExactBlock {
  explicit ExactBlock(Bytes bytes) : data(new Byte[bytes.size()]), size(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), data.get());
  }
  Bytes bytes() const { return {data.get(), size}; }
  std::unique_ptr<Byte[]> data;
  std::size_t size;
};

struct Decoded {
  ErrorCode code;
  std::vector<Byte> values;
};

inline ErrorCode code_of(const Status& status) {
  return status.ok() ? ErrorCode::kOk : status.error().code;
}

/// Decodes with the reference and every back end; all must agree on code and values.
inline Decoded decode_everywhere(const IntegerParameters& parameters, Bytes payload) {
  const ExactBlock exact(payload);
  const std::size_t size = values_bytes(parameters.rows, parameters.width_bytes);
  Decoded first{ErrorCode::kOk, std::vector<Byte>(size)};
  first.code = code_of(reference_decode_integers(parameters, exact.bytes(), first.values));
  for (const CpuLevel level : supported_cpu_levels()) {
    std::vector<Byte> values(size);
    const ErrorCode code = code_of(decode_integers(parameters, exact.bytes(), values, level));
    EXPECT_EQ(code, first.code) << name(level);
    if (code == ErrorCode::kOk) {
      EXPECT_TRUE(values == first.values) << name(level);
    }
  }
  return first;
}

/// Words written one after another, and lane packing by its definition.
struct WordWriter {
  std::vector<std::uint32_t> words;

  void two(std::uint64_t value) {
    words.push_back(static_cast<std::uint32_t>(value));
    words.push_back(static_cast<std::uint32_t>(value >> 32));
  }
  void lanes(const std::vector<std::uint64_t>& values, std::uint32_t width, std::uint32_t from) {
    const std::size_t at = words.size();
    words.resize(at + lane_words(static_cast<std::uint32_t>(values.size()), width));
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::uint32_t k = 0; k < width; ++k) {
        const std::size_t bit = i / 32 * width + k;
        const auto one = static_cast<std::uint32_t>(values[i] >> (from + k) & 1);
        words[at + bit / 32 * 32 + i % 32] |= one << (bit % 32);
      }
    }
  }
  void packed(const std::vector<std::uint64_t>& values, std::uint32_t width) {
    lanes(values, std::min(width, 32u), 0);
    if (width > 32) lanes(values, width - 32, 32);
  }
  void consecutive(const std::vector<std::uint64_t>& values, std::uint32_t width) {
    const std::size_t at = words.size();
    words.resize(at + (values.size() * width + 31) / 32);
    for (std::size_t bit = 0; bit < values.size() * width; ++bit) {
      const auto one = static_cast<std::uint32_t>(values[bit / width] >> (bit % width) & 1);
      words[at + bit / 32] |= one << (bit % 32);
    }
  }
  void halves(const std::vector<std::uint16_t>& values) {
    for (std::size_t i = 0; i < values.size(); i += 2) {
      const std::uint32_t high = i + 1 < values.size() ? values[i + 1] : 0;
      words.push_back(values[i] | high << 16);
    }
  }
};

inline std::uint64_t low_bits(std::uint32_t width) {
  return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

/// A block whose vectors are laid out as a test wants them.
class BlockBuilder {
 public:
  void add(VectorEntry entry, const WordWriter& data) {
    entry.word_offset = static_cast<std::uint32_t>(data_.size());
    entries_.push_back(entry);
    data_.insert(data_.end(), data.words.begin(), data.words.end());
  }
  std::vector<Byte> payload() const {
    std::vector<Byte> bytes(entries_.size() * kVectorEntryBytes);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      store_vector_entry(bytes.data() + i * kVectorEntryBytes, entries_[i]);
    }
    for (const std::uint32_t word : data_) append_value(bytes, word);
    return bytes;
  }

 private:
  std::vector<VectorEntry> entries_;
  std::vector<std::uint32_t> data_;
};

inline std::vector<Byte> truncated(const std::vector<std::uint64_t>& values, Byte width_bytes) {
  std::vector<Byte> bytes;
  for (const std::uint64_t value : values) {
    for (std::uint32_t k = 0; k < width_bytes; ++k) {
      bytes.push_back(static_cast<Byte>(value >> (8 * k)));
    }
  }
  return bytes;
}

}  // namespace presso::integers
