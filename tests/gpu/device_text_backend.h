// SPDX-License-Identifier: MIT
// The backend of text_suite.cpp on a GPU, through test_text. A class derived from it uses another
// kernel.
#pragma once

#include "presso/gpu_devices.h"
#include "tests/gpu/workplace.h"
#include "tests/simt/text_backend.h"

namespace presso::gpu::test {

class DeviceTextBackend : public TextBackend {
 public:
  std::string unavailable() const override {
    const auto devices = list_devices();
    return devices.ok() ? std::string() : "no usable GPU: " + devices.error().message();
  }
  bool is_fast() const override { return !small_scale(); }

  Result<std::vector<TextOutcome>> test(const std::vector<TextCase>& cases,
                                        const std::vector<TextTable>& tables,
                                        const TextRun& run) override {
    Workplace device;
    const TextBits pieces(cases, tables.size());
    auto* const bits = reinterpret_cast<std::uint32_t*>(
        device.poisoned(pieces.words() * 4, static_cast<Byte>(kTextPoison)));
    TextPlan plan(cases, tables);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      StringBlock& block = plan.blocks[i];
      std::vector<Byte> text = cases[i].text;
      text.resize((text.size() + 15) / 16 * 16);
      NumberedBlock& rows = plan.numbered[i];
      rows.lengths = device.copy_of(cases[i].lengths.data(), cases[i].lengths.size());
      rows.counts = device.allocate<std::uint32_t>(block.rows);
      rows.text = device.copy_of(text.data(), text.size());
      block.payload.bytes = rows.text;
      block.counts = rows.counts;
      block.tile_begins = device.allocate<std::uint32_t>(row_tiles(block.rows));
    }
    NumberBatch& rows = plan.rows;
    rows.strings.blocks = device.copy_of(plan.blocks.data(), plan.blocks.size());
    rows.strings.status = device.allocate<std::uint32_t>(cases.size());
    rows.strings.matches = device.allocate<std::uint32_t>(cases.size());
    rows.blocks = device.copy_of(plan.numbered.data(), plan.numbered.size());
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const Byte* const image = device.copy_of(tables[i].image.data(), tables[i].image.size());
      std::vector<StringBlock> blocks = plan.blocks;
      for (std::size_t number = 0; number < cases.size(); ++number) {
        blocks[number].table = tables[i].view;
        blocks[number].table.d_image = image;
        blocks[number].bits = bits + pieces.at(number, i);
      }
      plan.tests[i].rows.blocks = device.copy_of(blocks.data(), blocks.size());
      plan.tests[i].rows.status = rows.strings.status;
      plan.tests[i].rows.matches = rows.strings.matches;
    }
    PRESSO_TRY(enqueue(rows, plan.tests, run, device));
    const std::vector<std::uint32_t> statuses = device.back(rows.strings.status, cases.size());
    const std::vector<std::uint32_t> found = device.back(bits, pieces.words());
    PRESSO_TRY(device.wait());
    return pieces.outcomes(found, statuses);
  }

 protected:
  virtual Status enqueue(const NumberBatch& rows, const std::vector<TextTest>& tests,
                         const TextRun& /*run*/, Workplace& device) {
    return test_text(rows, tests, device.stream());
  }
};

}  // namespace presso::gpu::test
