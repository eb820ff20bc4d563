// SPDX-License-Identifier: MIT
// text_suite.cpp on a GPU with the laboratory's kernel, whose lanes take the next row.
#include "lab/gpu/refilled_text.h"
#include "lab/tests/refill_variants.h"
#include "tests/gpu/device_text_backend.h"

namespace presso::gpu::test {
namespace {

class RefilledBackend : public RefilledTextRuns<DeviceTextBackend> {
 protected:
  Status enqueue(const NumberBatch& rows, const std::vector<TextTest>& tests, const TextRun& run,
                 Workplace& device) override {
    return test_text_refilled(rows, tests, run.variant, device.stream());
  }
};

}  // namespace

TextBackend& text_backend() {
  static RefilledBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
