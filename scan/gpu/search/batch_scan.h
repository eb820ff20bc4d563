// SPDX-License-Identifier: MIT
// All that a batch of decoded text is asked for on the GPU: how many lines match, where its first
// and last lines end, and if wanted the matching lines themselves, gathered one after another so
// that only they need to be copied to the host. Enqueued on a stream, in the manner of line_scan.h.
//
// The text may begin and end anywhere in a line. It is searched as if it began with a line; an
// unfinished last line does not count. Its first line (up to the first '\n', the head) is counted,
// never gathered: what stands before it is the caller's to know, who searches it where it is whole.
#pragma once

#include <cstddef>
#include <cstdint>

#include "presso/error.h"
#include "scan/gpu/search/engine.h"

struct CUstream_st;  // cudaStream_t points to one

namespace presso::gpu {

/// One matching line in the list. Trivially copyable.
struct ListedLine {
  std::uint32_t begin = 0;   ///< in the text
  std::uint32_t bytes = 0;   ///< its '\n' included; 0: the head, which is not gathered
  std::uint32_t at = 0;      ///< its place in the gathered text
  std::uint32_t number = 0;  ///< '\n' before it in the text; with BatchWants::numbers
};

/// The results, in device memory. The text is searched as if it began with a line.
struct BatchFindings {
  std::uint64_t lines = 0;                ///< that match
  std::uint32_t first_newline = 0;        ///< where the first '\n' is, or kNowhere
  std::uint32_t behind_last_newline = 0;  ///< 0: there is none
  std::uint32_t newlines = 0;             ///< with BatchWants::numbers
  // Set with BatchWants::lines. `listed` also counts lines for which the list has no room;
  // `gathered_bytes` is what those in the list take, even if that is more than the room for it.
  std::uint32_t listed = 0;
  std::uint32_t gathered_bytes = 0;

  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;
};

// The answers that are wanted besides the count of matching lines.
struct BatchWants {
  bool numbers = false;  ///< count '\n'
  bool lines = false;    ///< list and gather
};

/// The most bytes of one batch: places in it are 32-bit numbers.
constexpr std::uint64_t kLongestBatch = std::uint64_t{1} << 31;

// One call of scan_batch(). All memory is the caller's and has to live until the stream is through.
struct BatchScanRequest {
  const Byte* d_text = nullptr;        ///< 16-byte aligned; nothing outside of it is read
  std::uint64_t bytes = 0;             ///< 1 to kLongestBatch
  const EngineView* engine = nullptr;  ///< placed; read before the call returns
  BatchWants wants;
  BatchFindings* d_findings = nullptr;
  // With BatchWants::lines.
  ListedLine* d_listed = nullptr;
  std::uint32_t most_listed = 0;
  Byte* d_gathered = nullptr;
  std::uint32_t most_gathered = 0;
  Byte* d_temporary = nullptr;  ///< 256-byte aligned
  std::size_t temporary_bytes = 0;
};

/// The temporary device memory, in bytes, that a batch of that length needs.
std::size_t batch_scan_temporary_bytes(const EngineView& engine, std::uint64_t text_bytes,
                                       const BatchWants& wants);

/// Enqueues the search of one batch: the engine's kernels, and then those that list and gather
/// lines. Errors: kInvalidArgument (memory too small or misaligned), kNoDevice, kDeviceLost.
Status scan_batch(const BatchScanRequest& request, CUstream_st* stream);

}  // namespace presso::gpu
