// SPDX-License-Identifier: MIT
// The backend of the column suites on a GPU, through decode_integer_blocks.
// PRESSO_GPU_TEST_SCALE=small, for compute-sanitizer: samples, as in the emulator.
#pragma once

#include "presso/gpu_devices.h"
#include "tests/gpu/workplace.h"
#include "tests/simt/column_backend.h"

namespace presso::gpu::test {

template <class Case>
const Byte* place_payloads(Workplace& device, const std::vector<Case>& cases,
                           const Pieces& payloads) {
  std::vector<Byte> bytes(payloads.bytes(), kPoison);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::copy(cases[i].payload.begin(), cases[i].payload.end(),
              bytes.begin() + static_cast<std::ptrdiff_t>(payloads.at(i)));
  }
  return device.copy_of(bytes.data(), bytes.size());
}

inline Result<std::vector<ColumnOutcome>> outcomes_on(Workplace& device,
                                                      const std::uint32_t* statuses,
                                                      std::size_t count, const Pieces& pieces,
                                                      const Byte* out) {
  const std::vector<std::uint32_t> codes = device.back(statuses, count);
  const std::vector<Byte> bytes = device.back(out, pieces.bytes());
  PRESSO_TRY(device.wait());
  return outcomes_of(codes, pieces, bytes.data());
}

class DeviceColumnBackend : public ColumnBackend {
 public:
  std::string unavailable() const override {
    const auto devices = list_devices();
    return devices.ok() ? std::string() : "no usable GPU: " + devices.error().message();
  }
  bool is_fast() const override { return !small_scale(); }

  Result<std::vector<ColumnOutcome>> decode(const std::vector<IntegerCase>& cases,
                                            const ColumnRun& run) override {
    Workplace device;
    Pieces payloads;
    Pieces pieces;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      payloads.add(cases[i].payload.size(), 4 * (i % 4));
      pieces.add(output_bytes(cases[i].parameters));
    }
    const Byte* const stored = place_payloads(device, cases, payloads);
    Byte* const out = device.poisoned(pieces.bytes(), kPoison);
    std::vector<IntegerBlock> blocks;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      blocks.push_back(block_of(cases[i], stored + payloads.at(i), out + pieces.at(i)));
    }
    auto* const statuses = device.allocate<std::uint32_t>(cases.size());
    PRESSO_TRY(decode_integer_blocks({device.copy_of(blocks.data(), blocks.size()), statuses,
                                      static_cast<std::uint32_t>(cases.size())},
                                     run.options, device.stream()));
    return outcomes_on(device, statuses, cases.size(), pieces, out);
  }
};

}  // namespace presso::gpu::test
