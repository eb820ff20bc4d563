// SPDX-License-Identifier: MIT
// The backend of text_suite.cpp in the emulator: the kernels' bodies on lengths and tables in heap
// blocks of exactly their size, and on text that fills pieces of 16 bytes. A class derived from it
// tests text by another kernel.
#pragma once

#include <memory>

#include "tests/simt/emulated_launches.h"
#include "tests/simt/emulated_numbers.h"
#include "tests/simt/text_backend.h"
#include "tests/support/placed_bytes.h"

namespace presso::gpu::test {

class EmulatedTextBackend : public TextBackend {
 public:
  std::string unavailable() const override { return {}; }
  bool is_fast() const override { return false; }

  Result<std::vector<TextOutcome>> test(const std::vector<TextCase>& cases,
                                        const std::vector<TextTable>& tables,
                                        const TextRun& run) override {
    const TextBits pieces(cases, tables.size());
    std::vector<u32> bits(pieces.words(), kTextPoison);
    std::vector<u32> statuses(cases.size(), 0xDEADBEEF);
    std::vector<u32> matches(cases.size(), 0xDEADBEEF);
    std::vector<std::unique_ptr<presso::test::PlacedBytes>> placed;
    const auto place = [&](Bytes bytes, std::size_t remainder) {
      placed.push_back(std::make_unique<presso::test::PlacedBytes>(bytes, remainder));
      return placed.back()->data();
    };
    TextPlan plan(cases, tables);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      StringBlock& block = plan.blocks[i];
      const std::vector<Byte> counts(block.rows * sizeof(u32));
      const std::vector<Byte> tile_begins(row_tiles(block.rows) * sizeof(u32));
      std::vector<Byte> text = cases[i].text;
      text.resize((text.size() + 15) / 16 * 16, 0xEE);
      NumberedBlock& rows = plan.numbered[i];
      rows.lengths = reinterpret_cast<const std::uint64_t*>(
          place({reinterpret_cast<const Byte*>(cases[i].lengths.data()),
                 cases[i].lengths.size() * sizeof(std::uint64_t)},
                0));
      rows.counts = reinterpret_cast<u32*>(place(counts, 4 * (i % 5)));
      rows.text = place(text, 0);
      block.payload.bytes = rows.text;
      block.counts = rows.counts;
      block.tile_begins = reinterpret_cast<u32*>(place(tile_begins, 0));
    }
    plan.rows.strings.blocks = plan.blocks.data();
    plan.rows.strings.status = statuses.data();
    plan.rows.strings.matches = matches.data();
    plan.rows.blocks = plan.numbered.data();
    std::vector<std::vector<StringBlock>> blocks(tables.size(), plan.blocks);
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const Byte* const image = place(tables[i].image, 0);
      for (std::size_t number = 0; number < cases.size(); ++number) {
        blocks[i][number].table = tables[i].view;
        blocks[i][number].table.d_image = image;
        blocks[i][number].bits = bits.data() + pieces.at(number, i);
      }
      plan.tests[i].rows.blocks = blocks[i].data();
      plan.tests[i].rows.status = statuses.data();
      plan.tests[i].rows.matches = matches.data();
    }
    PRESSO_TRY(enqueue(plan, run));
    return pieces.outcomes(bits, statuses);
  }

 protected:
  virtual Status enqueue(const TextPlan& plan, const TextRun& run) {
    EmulatedNumbers<EmulatedLaunches> launcher{EmulatedLaunches(run.seed)};
    return enqueue_text_tests(plan.rows, plan.tests, launcher);
  }
};

}  // namespace presso::gpu::test
