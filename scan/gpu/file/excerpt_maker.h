// SPDX-License-Identifier: MIT
// Brings one batch from the decoder to the assembler: enqueues the search kernels after the decoder
// on the same stream, copies what they found to the host, and makes of it the excerpt that the
// assembler takes in place of the text (scan/text/searched_chunk.h). Each slot of the decoding
// pipeline (the memory of one batch of blocks, decompress/gpu/pipeline/slot.h) has one, used by one
// thread at a time; its device and pinned memory grow to the largest batch and are kept for the
// next. Where matches are few, some bytes of each matching line cross the bus and nothing else
// does. Test: tests/unit/scan/gpu/gpu_scan_test.cpp.
#pragma once

#include <optional>

#include "decompress/gpu/pipeline/batch_consumer.h"
#include "scan/gpu/file/batch_kernels.h"
#include "scan/gpu/file/scanner_pool.h"
#include "scan/text/searched_chunk.h"

namespace presso::gpu {

/// The choices that all batches of a scan share.
struct BatchSearch {
  EngineView engine;  ///< with its tables in device memory
  BatchWants wants;
  bool invert = false;            ///< count the lines that do not match; not with wants.lines
  std::uint64_t probe_bytes = 0;  ///< first bytes of the file for SearchedExcerpt::probe
};

/// The result for a batch once its kernels are done.
struct Excerpt {
  scan_detail::SearchedExcerpt searched;
  bool has_mark = false;  ///< the file begins with a byte order mark
};

/// Two phases for each batch: enqueue(), then, when the stream has reached that point, fetch(). Not
/// thread-safe; the pipeline gives a slot to one thread at a time.
class ExcerptMaker {
 public:
  /// Enqueues copies and kernels, to run after the batch's decoder.
  Status enqueue(const SlotView& view, const BatchSearch& plan, BatchKernels& kernels);
  /// Makes the excerpt; call it when the stream is done with enqueue()'s work. `scanners` search
  /// the lines that the kernels gathered, to find the matches' places in them. Errors:
  /// kOutOfMemory, and those of the device.
  Result<Excerpt> fetch(const SlotView& view, const BatchSearch& plan, ScannerPool& scanners);

 private:
  /// Makes `memory` at least `bytes` long; its contents are lost if it has to grow.
  Status reserve(DeviceMemory& memory, std::uint64_t bytes, Memory& from) const;
  /// Does that for the pinned memory that results are copied through.
  Status reserve_pinned(std::uint64_t bytes, Memory& from);
  Result<const Byte*> text_of(const SlotView& view);
  /// Bytes in device memory that belong at the end of a buffer.
  struct Part {
    const Byte* d_from;
    std::uint64_t bytes;
    Buffer* to;
  };
  /// The copies that one batch asks for, collected so that small ones share one wait.
  struct Wanted {
    std::vector<Part> parts;
    std::uint64_t all = 0;  ///< bytes of all parts

    void add(const Byte* d_from, std::uint64_t bytes, Buffer& to);
  };
  /// Copies that need more work before they fit into an excerpt.
  struct Brought {
    Buffer first;                   ///< the batch's first bytes
    std::uint64_t probe_bytes = 0;  ///< how many of them are for SearchedExcerpt::probe
    Buffer listed;                  ///< ListedLine, one after another
  };

  Wanted wanted_of(const BatchSearch& plan, scan_detail::SearchedExcerpt& searched,
                   Brought& brought);
  /// Copies the parts, which are `all` bytes together, to the ends of their buffers; waits for it.
  Status bring(const SlotView& view, std::vector<Part> parts, std::uint64_t all);
  Status copy_out(const SlotView& view, const BatchSearch& plan, Excerpt& excerpt);
  /// Whether the room for listed and gathered lines was enough.
  bool lists_all() const;
  /// Searches the lines on the host for the matches in them, and gives each its place in the file.
  Status look_at_lines(const BatchSearch& plan, ScannerPool& scanners, Excerpt& excerpt);

  DeviceMemory d_text_, d_findings_, d_listed_, d_gathered_, d_temporary_;
  PinnedMemory pinned_, pinned_findings_;
  const Byte* d_at_ = nullptr;  ///< the batch's text
  std::uint64_t bytes_ = 0;
  std::uint32_t most_listed_ = 0;
  std::uint32_t most_gathered_ = 0;
  BatchFindings findings_;
  std::vector<ListedLine> listed_;
  Buffer gathered_;
};

}  // namespace presso::gpu
