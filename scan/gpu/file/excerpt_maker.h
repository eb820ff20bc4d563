// SPDX-License-Identifier: MIT
// The way of one batch from the decoder to the assembler: runs the search kernels, copies to the
// host what they found, and makes an excerpt of that (scan/text/searched_chunk.h). One for each
// slot of the pipeline; used by one thread at a time.
#pragma once

#include <optional>

#include "decompress/gpu/pipeline/batch_consumer.h"
#include "scan/gpu/file/batch_kernels.h"
#include "scan/gpu/file/scanner_pool.h"
#include "scan/text/searched_chunk.h"

namespace presso::gpu {

/// How all batches of a scan are searched.
struct BatchSearch {
  EngineView engine;  ///< placed
  BatchWants wants;
  bool invert = false;            ///< count the lines that do not match; not with wants.lines
  std::uint64_t probe_bytes = 0;  ///< of the file's first bytes, for SearchedExcerpt::probe
};

/// A batch that was searched.
struct Excerpt {
  scan_detail::SearchedExcerpt searched;
  bool has_mark = false;  ///< the file begins with a byte order mark
};

class ExcerptMaker {
 public:
  /// Enqueues copies and kernels, to run after the batch's decoder.
  Status enqueue(const SlotView& view, const BatchSearch& plan, BatchKernels& kernels);
  /// After these are done. `scanners` search the lines that the kernels gathered.
  Result<Excerpt> fetch(const SlotView& view, const BatchSearch& plan, ScannerPool& scanners);

 private:
  Status reserve(DeviceMemory& memory, std::uint64_t bytes, Memory& from) const;
  Status reserve_pinned(std::uint64_t bytes, Memory& from);
  Result<const Byte*> text_of(const SlotView& view);
  /// Bytes in device memory that belong at the end of a buffer.
  struct Part {
    const Byte* d_from;
    std::uint64_t bytes;
    Buffer* to;
  };
  struct Wanted {
    std::vector<Part> parts;
    std::uint64_t all = 0;  ///< bytes of all parts

    void add(const Byte* d_from, std::uint64_t bytes, Buffer& to);
  };
  struct Brought {
    Buffer first;                   ///< the batch's first bytes
    std::uint64_t probe_bytes = 0;  ///< how many of them are for SearchedExcerpt::probe
    Buffer listed;                  ///< ListedLine, one after another
  };

  Wanted wanted_of(const BatchSearch& plan, scan_detail::SearchedExcerpt& searched,
                   Brought& brought);
  Status bring(const SlotView& view, std::vector<Part> parts, std::uint64_t all);
  Status copy_out(const SlotView& view, const BatchSearch& plan, Excerpt& excerpt);
  bool lists_all() const;
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
