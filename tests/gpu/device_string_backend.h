// SPDX-License-Identifier: MIT
// The backend of string_suite.cpp on a GPU, through find_strings. A class derived from it uses
// another kernel.
#pragma once

#include "presso/gpu_devices.h"
#include "tests/gpu/workplace.h"
#include "tests/simt/string_backend.h"

namespace presso::gpu::test {

class DeviceStringBackend : public StringBackend {
 public:
  std::string unavailable() const override {
    const auto devices = list_devices();
    return devices.ok() ? std::string() : "no usable GPU: " + devices.error().message();
  }
  bool is_fast() const override { return !small_scale(); }

  Result<std::vector<StringOutcome>> find(const std::vector<StringCase>& cases,
                                          const StringRun& run) override {
    Workplace device;
    const BitPieces pieces(cases);
    auto* const bits = reinterpret_cast<std::uint32_t*>(
        device.poisoned(pieces.words() * 4, static_cast<Byte>(kPoisonWord)));
    std::vector<StringBlock> blocks;
    StringBatch batch;
    const StringTable* last = nullptr;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const StringCase& one = cases[i];
      StringBlock block = block_of(one, batch.tiles);
      block.payload.bytes = device.copy_of(one.payload.data(), one.payload.size());
      block.counts = device.copy_of(one.counts.data(), one.counts.size());
      block.tile_begins = device.allocate<std::uint32_t>(row_tiles(block.rows));
      block.bits = bits + pieces.at(i);
      block.table.d_image = one.table == last
                                ? blocks.back().table.d_image
                                : device.copy_of(one.table->image.data(), one.table->image.size());
      last = one.table;
      blocks.push_back(block);
      add_to(batch, one);
    }
    batch.blocks = device.copy_of(blocks.data(), blocks.size());
    batch.status = device.allocate<std::uint32_t>(cases.size());
    batch.matches = device.allocate<std::uint32_t>(cases.size());
    PRESSO_TRY(enqueue(batch, run, device));
    const std::vector<std::uint32_t> statuses = device.back(batch.status, cases.size());
    const std::vector<std::uint32_t> matches = device.back(batch.matches, cases.size());
    const std::vector<std::uint32_t> found = device.back(bits, pieces.words());
    PRESSO_TRY(device.wait());
    return pieces.outcomes(found, statuses, matches);
  }

 protected:
  virtual Status enqueue(const StringBatch& batch, const StringRun& run, Workplace& device) {
    return find_strings(batch, run.options, device.stream());
  }
};

}  // namespace presso::gpu::test
