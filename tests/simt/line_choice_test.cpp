// SPDX-License-Identifier: MIT
// The sample that chooses a layout: counts bank conflicts as they are, and votes for classes where
// a text was made against rows of bytes, not where it was not.
#include <gtest/gtest.h>

#include "scan/gpu/line_choice.cuh"
#include "tests/simt/scan_texts.h"
#include "tests/support/line_dfas.h"

namespace presso::test {
namespace {

using simt::u32;
using simt::u64;

TEST(BankCycles, AreTheMostDifferentWordsOfABank) {
  const auto cycles_of = [](const std::function<u32(u32)>& word) {
    u32 cycles = 0;
    const auto report = simt::run({1, 32, 0}, {}, [&] {
      const u32 found = gpu::bank_cycles(word(simt::lane()));
      if (simt::lane() == 7) cycles = found;
    });
    EXPECT_TRUE(report.ok()) << report.what;
    return cycles;
  };
  EXPECT_EQ(cycles_of([](u32) { return 5; }), 1u);
  EXPECT_EQ(cycles_of([](u32 lane) { return lane + 3; }), 1u);
  EXPECT_EQ(cycles_of([](u32 lane) { return lane * 32; }), 32u);
  EXPECT_EQ(cycles_of([](u32 lane) { return lane * 2; }), 2u);
  EXPECT_EQ(cycles_of([](u32 lane) { return lane % 5 * 64; }), 5u);
}

u32 votes(const LineDfa& dfa, const std::string& text) {
  const auto rows = gpu::lay_out_as(gpu::LineTableKind::kBytes, dfa.view());
  const auto classes = gpu::lay_out_as(gpu::LineTableKind::kShared, dfa.view());
  EXPECT_TRUE(rows.ok() && classes.ok());
  const AlignedText copy(text);
  u32 found = 0;
  gpu::BankSampleArguments sample;
  sample.d_text = copy.get();
  sample.bytes = text.size();
  sample.rows = rows->view;
  sample.rows.d_image = rows->image.data();
  sample.classes = classes->view;
  sample.classes.d_image = classes->image.data();
  sample.d_votes = &found;
  const auto report = simt::run({4, 64, 0}, {}, [&] { gpu::sample_banks_body(sample); });
  EXPECT_TRUE(report.ok()) << report.what;
  return found;
}

constexpr std::size_t kEnough = (std::size_t{gpu::kBankSamples} + 1) * 32 * 1024;

TEST(BankSample, VotesForClassesWhereRowsMeetInBanks) {
  // Each lane begins a line's state further than the one before, and each state reads a byte that
  // puts it into bank 0.
  std::string text(kEnough + 777, '\0');
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t state = (at % 1024 + at / 1024 % 32) % 32;
    const u32 byte = static_cast<u32>((32 - state) % 32 * 4);
    text[at] = static_cast<char>(byte == 8 ? 9 : byte);
    if (at % 1024 == 1023 - at / 1024 % 32) text[at] = '\n';
  }
  EXPECT_GT(votes(counting_dfa(32), text), gpu::kBankSamples * 3 / 4);
  text.resize(kEnough - 1);
  EXPECT_EQ(votes(counting_dfa(32), text), 0u);  // too short to look at
}

TEST(BankSample, VotesForRowsWhereFewStatesAreAbout) {
  const std::string text = random_text(kEnough, "abcdefghijklmnopqrstuvwxyz     ", 60, 5);
  EXPECT_LT(votes(words_dfa({"error", "fail", "denied", "user", "account"}), text),
            gpu::kBankSamples / 4);
}

}  // namespace
}  // namespace presso::test
