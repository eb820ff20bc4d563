// SPDX-License-Identifier: MIT
// What becomes of one batch between the decoder and the assembler: the kernels' memory on the
// device, what is brought back, and the excerpt of it (scan/text/assembler.h). One for each slot of
// the pipeline; used by one thread at a time.
#pragma once

#include <optional>

#include "decompress/gpu/pipeline/batch_consumer.h"
#include "scan/gpu/file/batch_kernels.h"
#include "scan/gpu/file/scanner_pool.h"
#include "scan/text/assembler.h"

namespace presso::gpu {

/// How all batches of a scan are searched.
struct ExcerptPlan {
  EngineView engine;  ///< placed
  BatchWants wants;
  bool invert = false;            ///< count the lines that do not match; not with wants.lines
  std::uint64_t probe_bytes = 0;  ///< of the file's first bytes, for SearchedExcerpt::probe
};

/// A batch that was searched.
struct Excerpt {
  scan_detail::SearchedExcerpt searched;
  bool has_nul = false;   ///< with wants.nul
  bool has_mark = false;  ///< the file begins with a byte order mark
};

class ExcerptMaker {
 public:
  /// Enqueues copies and kernels behind the batch's decoder.
  Status enqueue(const SlotView& view, const ExcerptPlan& plan, BatchKernels& kernels);
  /// When they are done. `scanners` look at lines that were gathered.
  Result<Excerpt> fetch(const SlotView& view, const ExcerptPlan& plan, ScannerPool& scanners);

 private:
  Status reserve(DeviceMemory& memory, std::uint64_t bytes, Memory& from) const;
  Status reserve_pinned(std::uint64_t bytes, Memory& from);
  Result<const Byte*> text_of(const SlotView& view);
  Status copy_out(const SlotView& view, const ExcerptPlan& plan, Excerpt& excerpt);
  bool lists_all() const;
  Status look_at_lines(const ExcerptPlan& plan, ScannerPool& scanners, Excerpt& excerpt);

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
