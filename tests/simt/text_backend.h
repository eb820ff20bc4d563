// SPDX-License-Identifier: MIT
// Who tests the rows of text of the suite: the emulator (emulated_text_backend.h) or a GPU
// (tests/gpu/device_text_backend.h). Each test program has one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "query/gpu/kernels/string_index.h"
#include "query/gpu/kernels/text_tests.h"
#include "query/gpu/strings/text_table.h"

namespace presso::gpu::test {

/// The rows of a row group.
struct TextCase {
  std::vector<Byte> text;
  std::vector<std::uint64_t> lengths;
};

struct TextOutcome {
  std::uint32_t status = 0;
  std::vector<std::vector<std::uint32_t>> bits;  ///< by test
  bool is_intact = true;                         ///< nothing was written beside the bits
};

struct TextRun {
  std::uint32_t variant = 0;  ///< one of the backend's variants()
  std::uint32_t seed = 1;
};

class TextBackend {
 public:
  virtual ~TextBackend() = default;

  /// Why nothing can be tested here; empty where it can.
  virtual std::string unavailable() const = 0;
  /// Whether everything is to be tried, or, as in an emulator, what is slow only in samples.
  virtual bool is_fast() const = 0;
  /// All cases as one batch, by each of the tables.
  virtual Result<std::vector<TextOutcome>> test(const std::vector<TextCase>& cases,
                                                const std::vector<TextTable>& tables,
                                                const TextRun& run) = 0;

  /// The variants of the kernel that the suite tests here; 0 stands for the product's. The
  /// laboratory's backend gives thresholds (lab/tests/refill_variants.h).
  virtual std::vector<std::uint32_t> variants() const { return {0}; }
  /// As many variants as there are, for one test of all.
  virtual std::vector<std::uint32_t> all_variants() const { return variants(); }
};

TextBackend& text_backend();

inline constexpr std::uint32_t kTextPoison = 0xC5C5C5C5u;
inline constexpr std::size_t kTextPoisonWords = 8;

/// The bits of all cases and tests in one piece of memory, poison before, between and behind.
class TextBits {
 public:
  TextBits(const std::vector<TextCase>& cases, std::size_t tests) : tests_(tests) {
    for (std::size_t i = 0; i < cases.size() * tests; ++i) {
      const auto rows = static_cast<std::uint32_t>(cases[i / tests].lengths.size());
      pieces_.push_back({words_ + kTextPoisonWords, row_words(rows)});
      words_ = pieces_.back().at + pieces_.back().words;
    }
    words_ += kTextPoisonWords;
  }
  std::size_t words() const { return words_; }
  std::size_t at(std::size_t number, std::size_t test) const {
    return pieces_[number * tests_ + test].at;
  }

  /// Of all cases. `memory`: the bits, `statuses`: one of each case, as they came back.
  std::vector<TextOutcome> outcomes(const std::vector<std::uint32_t>& memory,
                                    const std::vector<std::uint32_t>& statuses) const {
    const auto is_poison = [](std::uint32_t word) { return word == kTextPoison; };
    std::vector<TextOutcome> outcomes(statuses.size());
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      TextOutcome& outcome = outcomes[i / tests_];
      outcome.status = statuses[i / tests_];
      const std::uint32_t* const begin = memory.data() + pieces_[i].at;
      const std::uint32_t* const end = begin + pieces_[i].words;
      outcome.bits.emplace_back(begin, end);
      outcome.is_intact = outcome.is_intact &&
                          std::all_of(begin - kTextPoisonWords, begin, is_poison) &&
                          std::all_of(end, end + kTextPoisonWords, is_poison);
    }
    return outcomes;
  }

 private:
  struct Piece {
    std::size_t at;
    std::size_t words;
  };
  std::size_t tests_;
  std::vector<Piece> pieces_;
  std::size_t words_ = 0;
};

/// What the batches need beside the text; all of it but images, text and bits.
struct TextPlan {
  TextPlan(const std::vector<TextCase>& cases, const std::vector<TextTable>& tables) {
    for (const TextCase& one : cases) {
      StringBlock block;
      block.codes = static_cast<std::uint32_t>(one.text.size());
      block.rows = static_cast<std::uint32_t>(one.lengths.size());
      block.first_tile = tiles;
      tiles += row_tiles(block.rows);
      blocks.push_back(block);
    }
    for (const TextTable& table : tables) {
      TextTest& test = tests.emplace_back();
      test.rows.count = static_cast<std::uint32_t>(cases.size());
      test.rows.tiles = tiles;
      test.rows.table_bytes = table.view.shared_bytes;
      test.layout = table.layout;
      test.least_bytes = table.least_bytes;
      test.most_bytes = table.most_bytes;
    }
    rows.strings.count = static_cast<std::uint32_t>(cases.size());
    rows.strings.tiles = tiles;
    rows.has_text = true;
    numbered.resize(cases.size());
  }

  std::uint32_t tiles = 0;
  std::vector<StringBlock> blocks;
  std::vector<NumberedBlock> numbered;
  std::vector<TextTest> tests;
  NumberBatch rows;
};

}  // namespace presso::gpu::test
