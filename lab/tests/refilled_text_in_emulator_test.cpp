// SPDX-License-Identifier: MIT
// text_suite.cpp in the emulator with the laboratory's kernel, whose lanes take the next row.
#include "lab/gpu/text_refill.cuh"
#include "lab/tests/refill_variants.h"
#include "tests/simt/emulated_text_backend.h"

namespace presso::gpu::test {
namespace {

class RefilledTexts : public EmulatedNumbers<EmulatedLaunches> {
 public:
  RefilledTexts(u32 threshold, u32 seed)
      : EmulatedNumbers(EmulatedLaunches(seed)), threshold_(threshold) {}

  Status test_text(const TextTest& test) {
    const std::size_t shared = refilled_text_shared_bytes(test.rows.table_bytes, kWarps);
    return run_("refilled text", kGrid, kWarps, shared, [&] {
      if (test.layout == TextLayout::kClasses) {
        return refill_text_body<ByteClassTable>(test, threshold_);
      }
      refill_text_body<WideByteTable>(test, threshold_);
    });
  }

 private:
  u32 threshold_;
};

class RefilledBackend : public RefilledTextRuns<EmulatedTextBackend> {
 protected:
  Status enqueue(const TextPlan& plan, const TextRun& run) override {
    RefilledTexts launcher(run.variant, run.seed);
    return enqueue_text_tests(plan.rows, plan.tests, launcher);
  }
};

}  // namespace

TextBackend& text_backend() {
  static RefilledBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
