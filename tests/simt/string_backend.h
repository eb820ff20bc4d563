// SPDX-License-Identifier: MIT
// Who tests the strings of the suite's blocks: the emulator (emulated_string_backend.h) or a GPU
// (tests/gpu/device_string_backend.h). Each test program has one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "presso/checksum.h"
#include "query/gpu/strings/strings_on_gpu.h"

namespace presso::gpu::test {

/// A block of tokens, and the table for its dictionary.
struct StringCase {
  const StringTable* table = nullptr;
  std::vector<std::uint32_t> counts;
  std::vector<Byte> payload;
  std::uint32_t codes = 0;
  std::uint64_t checksum = 0;
};

struct StringOutcome {
  std::uint32_t status = 0;
  std::uint32_t matches = 0;
  std::vector<std::uint32_t> bits;
  bool is_intact = true;  ///< nothing was written beside the bits
};

struct StringRun {
  StringOptions options;
  std::uint32_t variant = 0;  ///< one of the backend's variants()
  std::uint32_t seed = 1;
};

class StringBackend {
 public:
  virtual ~StringBackend() = default;

  /// Why nothing can be tested here; empty where it can.
  virtual std::string unavailable() const = 0;
  /// Whether everything is to be tried, or, as in an emulator, what is slow only in samples.
  virtual bool is_fast() const = 0;
  virtual Result<std::vector<StringOutcome>> find(const std::vector<StringCase>& cases,
                                                  const StringRun& run) = 0;

  /// The variants of the kernels that the suite tests here for tables of this layout; 0 stands for
  /// the product's. The laboratory's backend gives thresholds (lab/tests/refill_variants.h).
  virtual std::vector<std::uint32_t> variants(StringLayout /*layout*/) const { return {0}; }
};

StringBackend& string_backend();

inline constexpr std::uint32_t kPoisonWord = 0xC5C5C5C5u;
inline constexpr std::size_t kPoisonWords = 8;

/// The bits of all cases in one piece of memory, poison before, between and behind.
class BitPieces {
 public:
  explicit BitPieces(const std::vector<StringCase>& cases) {
    for (const StringCase& one : cases) {
      at_.push_back(words_ + kPoisonWords);
      words_ += kPoisonWords + row_words(static_cast<std::uint32_t>(one.counts.size()));
    }
    at_.push_back(words_ + kPoisonWords);
    words_ += kPoisonWords;
  }
  std::size_t words() const { return words_; }
  std::size_t at(std::size_t number) const { return at_[number]; }

  /// Of all cases. `memory`: the bits, `statuses` and `matches`: one of each case, as they came
  /// back.
  std::vector<StringOutcome> outcomes(const std::vector<std::uint32_t>& memory,
                                      const std::vector<std::uint32_t>& statuses,
                                      const std::vector<std::uint32_t>& matches) const {
    const auto is_poison = [](std::uint32_t word) { return word == kPoisonWord; };
    std::vector<StringOutcome> outcomes(statuses.size());
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const std::uint32_t* const begin = memory.data() + at_[i];
      const std::uint32_t* const end = memory.data() + at_[i + 1] - kPoisonWords;
      StringOutcome& outcome = outcomes[i];
      outcome.status = statuses[i];
      outcome.matches = matches[i];
      outcome.bits.assign(begin, end);
      outcome.is_intact = std::all_of(begin - kPoisonWords, begin, is_poison) &&
                          std::all_of(end, end + kPoisonWords, is_poison);
    }
    return outcomes;
  }

 private:
  std::vector<std::size_t> at_;
  std::size_t words_ = 0;
};

/// Without its places in memory.
inline StringBlock block_of(const StringCase& one, std::uint32_t first_tile) {
  StringBlock block;
  block.payload.size = static_cast<std::uint32_t>(one.payload.size());
  block.payload.checksum = one.checksum;
  block.table = one.table->view;
  block.codes = one.codes;
  block.rows = static_cast<std::uint32_t>(one.counts.size());
  block.first_tile = first_tile;
  return block;
}

/// Adds a case's table and tiles to what the batch says of all.
inline void add_to(StringBatch& batch, const StringCase& one) {
  ++batch.count;
  batch.tiles += row_tiles(static_cast<std::uint32_t>(one.counts.size()));
  batch.table_bytes = std::max(batch.table_bytes, one.table->view.shared_bytes);
}

}  // namespace presso::gpu::test
