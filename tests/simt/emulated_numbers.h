// SPDX-License-Identifier: MIT
// The kernels that give strings numbers, and that test text, in the emulator: a launcher for
// number_steps.h and text_steps.h.
#pragma once

#include "query/gpu/kernels/list_strings.cuh"
#include "query/gpu/kernels/number_rows.cuh"
#include "query/gpu/kernels/number_steps.h"
#include "query/gpu/kernels/text_steps.h"
#include "query/gpu/strings/text_walk.cuh"
#include "tests/simt/emulated_strings.h"

namespace presso::gpu::test {

/// Steps that are those of tests of strings are these.
template <class Run>
class EmulatedNumbers : public EmulatedStrings<Run> {
 public:
  using EmulatedStrings<Run>::EmulatedStrings;

  Status rows(const NumberBatch& batch) {
    const auto run = [&](auto policy) {
      using Policy = decltype(policy);
      return run_("numbers", kGrid, kWarps, 0, [&] { number_rows_body<Policy>(batch); });
    };
    if (batch.has_text) {
      return batch.adds ? run(RowNumbering<true, true>()) : run(RowNumbering<true, false>());
    }
    return batch.adds ? run(RowNumbering<false, true>()) : run(RowNumbering<false, false>());
  }
  Status text_places(const NumberBatch& batch) {
    PRESSO_TRY(run_("counts", kGrid, kWarps, 0, [&] { count_text_body(batch); }));
    return run_("places", (batch.strings.count - 1) / kWarps + 1, kWarps, 0,
                [&] { place_text_body(batch); });
  }
  Status test_text(const TextTest& test) {
    const std::size_t shared = text_shared_bytes(test.rows.table_bytes, kWarps);
    return run_("text tests", kGrid, kWarps, shared, [&] {
      if (test.layout == TextLayout::kClasses) return walk_text_body<ByteClassTable>(test);
      walk_text_body<WideByteTable>(test);
    });
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

 protected:
  using EmulatedStrings<Run>::kGrid;
  using EmulatedStrings<Run>::kWarps;
  using EmulatedStrings<Run>::run_;
};

}  // namespace presso::gpu::test
