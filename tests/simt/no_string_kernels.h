// SPDX-License-Identifier: MIT
// Kernels for strings that refuse, for tests in which no column is stored as tokens.
#pragma once

#include "query/gpu/kernels/string_kernels.h"

namespace presso::test {

class NoStringKernels final : public gpu::StringKernels {
 public:
  Status decode_counts(const gpu::IntegerBatch&, bool, gpu::Stream) override { return none(); }
  Status decode_lengths(const gpu::IntegerBatch&, bool, gpu::Stream) override { return none(); }
  Status decode_text(const gpu::BatchArguments&, gpu::Stream) override { return none(); }
  std::uint64_t temporary_bytes(std::uint32_t, std::uint64_t) override { return 0; }
  Status find(const gpu::StringBatch&, const gpu::StringOptions&, gpu::Stream) override {
    return none();
  }
  Status test_text(const gpu::NumberBatch&, std::span<const gpu::TextTest>, gpu::Stream) override {
    return none();
  }
  Status place_bits(const gpu::RowBits&, gpu::Stream) override { return none(); }
  Status take_bits(const gpu::RowBits&, gpu::Stream) override { return none(); }
  Status test_left(const gpu::LeftRows&, gpu::Stream) override { return none(); }
  Status place_steps(const gpu::StepBatch&, gpu::Stream) override { return none(); }
  Status number_rows(const gpu::NumberBatch&, bool, gpu::Stream) override { return none(); }
  Status number_entries(const gpu::EntryBatch&, gpu::Stream) override { return none(); }
  Status number_slices(const gpu::SliceBatch&, gpu::Stream) override { return none(); }
  Status list_strings(const gpu::StringList&, gpu::Stream) override { return none(); }

 private:
  static Status none() { return make_error(ErrorCode::kUnsupported, "no strings"); }
};

}  // namespace presso::test
