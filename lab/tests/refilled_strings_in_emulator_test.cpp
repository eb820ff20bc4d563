// SPDX-License-Identifier: MIT
// string_suite.cpp in the emulator with the laboratory's kernel, whose lanes take the next row.
#include "lab/gpu/row_refill.cuh"
#include "lab/tests/refill_variants.h"
#include "tests/simt/emulated_string_backend.h"

namespace presso::gpu::test {
namespace {

class RefilledStrings : public EmulatedStrings<EmulatedLaunches> {
 public:
  RefilledStrings(u32 threshold, u32 seed)
      : EmulatedStrings(EmulatedLaunches(seed)), threshold_(threshold) {}

  Status test(const StringBatch& batch, const StringOptions& /*options*/) {
    return run_("refill", kGrid, kWarps, refill_shared_bytes<ClassWalk>(batch.table_bytes, kWarps),
                [&] { refill_rows_body<ClassWalk>(batch, threshold_); });
  }

 private:
  u32 threshold_;
};

class RefilledBackend : public RefilledStringRuns<EmulatedStringBackend> {
 protected:
  Status enqueue(const StringBatch& batch, const StringRun& run) override {
    RefilledStrings launcher(run.variant, run.seed);
    return enqueue_strings(batch, run.options, launcher);
  }
};

}  // namespace

StringBackend& string_backend() {
  static RefilledBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
