// SPDX-License-Identifier: MIT
// Decoding batches of blocks that lie in device memory, in the manner of the low-level batch
// interfaces that users of CUDA know (nvCOMP): ask for the size of the temporary memory, then
// enqueue on a stream. Nothing here allocates, synchronises or copies between host and device.
// Sources: S7.6 to S7.9 of docs/sources.md. Tested by tests/simt/batch_in_emulator_test.cpp and, on
// a GPU, tests/gpu/batch_on_device_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "presso/error.h"
#include "presso/wire.h"

struct CUstream_st;  // cudaStream_t points to one

namespace presso::gpu {

/// How the matches of a block are copied in parallel by a warp, which decodes a group of 32
/// sequences at a time. All strategies give the same bytes.
enum class Strategy : Byte {
  kAuto,            ///< what was measured as fastest for the device and the block
  kMultiRound,      ///< mrr: in rounds, until no match of the group is left (S7.6)
  kDependencyFree,  ///< de: no rounds; mrr for blocks whose rule needs them (S7.7)
};

/// Where one stored block lies and where its plain bytes go. Arrays of these are in device memory.
struct BlockSpan {
  std::uint64_t stored_offset;  ///< from BatchArguments::d_stored to the block's header; 16-aligned
  std::uint64_t plain_offset;   ///< from BatchArguments::d_plain to its first plain byte
  std::uint32_t stored_bytes;   ///< header, payload and padding: nothing after them is read
  std::uint32_t plain_bytes;    ///< room at plain_offset: exactly what the header must say
};

/// A decoded dictionary in device memory. Ids are 1 to kMaxDictionaries.
struct DictionarySpan {
  const Byte* d_content = nullptr;  ///< nullptr: the file has none of this id
  std::uint32_t bytes = 0;
};

/// How a batch is decoded.
struct BatchOptions {
  Strategy strategy = Strategy::kAuto;
  bool verify = true;  ///< compare with the blocks' content checksums
  /// Whether the batch may contain Bit-coded blocks. They take temporary memory of 2.8 times the
  /// batch's plain bytes, and two or three more kernels. If this is false, such a block is
  /// kInvalidArgument.
  bool bit_blocks = true;
};

/// Where everything of a batch lies. All pointers are to device memory that the caller keeps until
/// the stream is done; names beginning with d_ say so.
struct BatchArguments {
  const Byte* d_stored = nullptr;  ///< 16-byte aligned
  Byte* d_plain = nullptr;         ///< fastest where blocks begin at multiples of 16
  const BlockSpan* d_spans = nullptr;
  std::uint32_t blocks = 0;
  std::uint32_t largest_plain_bytes = 0;           ///< the most of any span; chooses launch shapes
  const DictionarySpan* d_dictionaries = nullptr;  ///< kMaxDictionaries + 1 of them, or nullptr
  std::uint32_t* d_status = nullptr;  ///< one ErrorCode a block, kOk where plain bytes are right
  void* d_temporary = nullptr;        ///< 256-byte aligned
  std::size_t temporary_bytes = 0;
};

/// Returns the temporary device memory that decode_batch() needs for batches of up to `blocks`
/// blocks with `plain_bytes` plain bytes together.
std::size_t temporary_bytes(std::uint32_t blocks, std::uint64_t plain_bytes,
                            const BatchOptions& options);

/// Enqueues the decoding of a batch on `stream` of the current device and returns. Afterwards, in
/// stream order, d_status holds for each block what the CPU decoder would have answered. Damaged
/// blocks leave unspecified plain bytes, within their own span. A block whose header contradicts
/// its span is kBadIndex; comparing what a span does not say (number, kind) is the caller's
/// business. kInvalidArgument as a status: the block is larger than largest_plain_bytes, or
/// d_temporary has no room for it, or it is a Bit block although `options` exclude those. Arguments
/// are read before the call returns, arrays when the kernels run. A stream that is being captured
/// gets the kernels as nodes of its graph. Errors: kInvalidArgument (memory too small or
/// misaligned), kNoDevice, kDeviceLost.
Status decode_batch(const BatchArguments& arguments, const BatchOptions& options,
                    CUstream_st* stream);

}  // namespace presso::gpu
