// SPDX-License-Identifier: MIT
// The kernels that give strings numbers in the emulator, a launcher for number_steps.h.
#pragma once

#include "scan/gpu/table/list_strings.cuh"
#include "scan/gpu/table/number_rows.cuh"
#include "scan/gpu/table/number_steps.h"
#include "tests/simt/emulated_strings.h"

namespace presso::gpu::test {

/// Steps that are those of tests of strings are these.
template <class Run>
class EmulatedNumbers : public EmulatedStrings<Run> {
 public:
  using EmulatedStrings<Run>::EmulatedStrings;

  Status rows(const NumberBatch& batch) {
    if (batch.has_text) {
      return run_("numbers", kGrid, kWarps, 0, [&] { number_rows_body<true>(batch); });
    }
    return run_("numbers", kGrid, kWarps, 0, [&] { number_rows_body<false>(batch); });
  }
  Status text_places(const NumberBatch& batch) {
    PRESSO_TRY(run_("counts", kGrid, kWarps, 0, [&] { count_text_body(batch); }));
    return run_("places", (batch.strings.count - 1) / kWarps + 1, kWarps, 0,
                [&] { place_text_body(batch); });
  }
  Status bytes(const NumberBatch& batch) {
    return run_("bytes", (batch.strings.count - 1) / 64 + 1, 2, 0,
                [&] { check_bytes_body(batch); });
  }
  Status entries(const EntryBatch& batch) {
    return run_("entries", kGrid, kWarps, 0, [&] { number_entries_body(batch); });
  }
  Status slices(const SliceBatch& batch) {
    return run_("slices", batch.count * kIntegerParts, kIntegerWarps, sizeof(IntegerShared<u32>),
                [&] { finish_slices_body(batch); });
  }
  Status list(const StringList& list) {
    return run_("strings back", kGrid, kWarps, 0, [&] { list_strings_body(list); });
  }

 private:
  using EmulatedStrings<Run>::kGrid;
  using EmulatedStrings<Run>::kWarps;
  using EmulatedStrings<Run>::run_;
};

}  // namespace presso::gpu::test
