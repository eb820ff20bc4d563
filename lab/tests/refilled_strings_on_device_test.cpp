// SPDX-License-Identifier: MIT
// string_suite.cpp on a GPU with the laboratory's kernel, whose lanes take the next row.
#include "lab/gpu/refilled_strings.h"
#include "lab/tests/refill_variants.h"
#include "tests/gpu/device_string_backend.h"

namespace presso::gpu::test {
namespace {

class RefilledBackend : public RefilledStringRuns<DeviceStringBackend> {
 protected:
  Status enqueue(const StringBatch& batch, const StringRun& run, Workplace& device) override {
    return find_strings_refilled(batch, run.options.verify, run.variant, device.stream());
  }
};

}  // namespace

StringBackend& string_backend() {
  static RefilledBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
