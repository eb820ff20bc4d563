// SPDX-License-Identifier: MIT
// Interface of the kernels that decode, test and number strings, like TableKernels, so that host
// code runs without CUDA (in tests, over the emulator). All functions enqueue on the stream and do
// not wait. Implemented by string_kernels.cu; tests: tests/queries/tokens.txt.
#pragma once

#include <memory>
#include <span>

#include "decompress/gpu/runtime/device.h"
#include "presso/gpu_batch.h"
#include "query/gpu/kernels/row_bits.h"
#include "query/gpu/kernels/string_index.h"
#include "query/gpu/kernels/text_tests.h"
#include "query/gpu/strings/strings_on_gpu.h"

namespace presso::gpu {

class StringKernels {
 public:
  virtual ~StringKernels() = default;

  /// decode_integer_blocks() of counts of codes, or of lengths, which have 8 bytes. `verify`:
  /// compare payloads with their checksums.
  virtual Status decode_counts(const IntegerBatch& batch, bool verify, Stream stream) = 0;
  virtual Status decode_lengths(const IntegerBatch& batch, bool verify, Stream stream) = 0;
  /// decode_batch() of text, and the temporary memory that it needs.
  virtual Status decode_text(const BatchArguments& batch, Stream stream) = 0;
  virtual std::uint64_t temporary_bytes(std::uint32_t blocks, std::uint64_t plain_bytes) = 0;
  /// find_strings().
  virtual Status find(const StringBatch& batch, const StringOptions& options, Stream stream) = 0;
  /// test_text() of text_tests.h.
  virtual Status test_text(const NumberBatch& rows, std::span<const TextTest> tests,
                           Stream stream) = 0;
  virtual Status place_bits(const RowBits& bits, Stream stream) = 0;
  /// Gives blocks the bits of RowBits::left.
  virtual Status take_bits(const RowBits& bits, Stream stream) = 0;
  /// test_left_rows() and place_steps() of strings_on_gpu.h.
  virtual Status test_left(const LeftRows& rows, Stream stream) = 0;
  virtual Status place_steps(const StepBatch& batch, Stream stream) = 0;
  /// number_strings(), number_entries(), number_slices() and list_strings() of number_strings.h.
  virtual Status number_rows(const NumberBatch& batch, bool verify, Stream stream) = 0;
  virtual Status number_entries(const EntryBatch& batch, Stream stream) = 0;
  virtual Status number_slices(const SliceBatch& batch, Stream stream) = 0;
  virtual Status list_strings(const StringList& list, Stream stream) = 0;
};

/// On a device, as list_devices() counts; where the build has CUDA.
std::shared_ptr<StringKernels> cuda_string_kernels(int device);

}  // namespace presso::gpu
