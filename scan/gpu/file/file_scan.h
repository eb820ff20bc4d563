// SPDX-License-Identifier: MIT
// One file on its way through a GPU: takes the pipeline's batches, in order, to the assembler that
// the CPU's scan uses. A batch comes as an excerpt from the GPU or, where it holds damage or the
// GPU has failed, as blocks that the CPU has decoded and that all threads search here.
//
// Some files are not for this: those that begin with a byte order mark, and those with damage in
// the first bytes, which decide whether a file is binary. That shows on the way, before anything is
// reported, and then the scan gives up.
#pragma once

#include <deque>
#include <mutex>

#include "scan/gpu/file/excerpt_maker.h"
#include "scan/text/assembler.h"

namespace presso::gpu {

/// A source without chunks: here they come from the pipeline.
class NoChunks final : public scan_detail::ChunkSource {
 public:
  Result<std::optional<scan_detail::ChunkItem>> take() override;
  Result<scan_detail::Chunk> load(scan_detail::ChunkItem item) override;
  void recycle(Buffer) override {}
};

/// What stays from file to file.
struct FileScanTools {
  BatchKernels& kernels;
  std::deque<ExcerptMaker>& makers;  ///< by slot
};

class FileScan final : public BatchConsumer {
 public:
  /// All is kept by reference.
  FileScan(const scan_detail::Matcher& matcher, const ScanOptions& options,
           const LineCallback& on_line, const BatchSearch& plan, const FileScanTools& tools);

  Status enqueue(const SlotView& view) override;
  Status fetch(const SlotView& view) override;
  Result<bool> take(const SlotBatch& batch, std::size_t slot, const Byte* plain) override;

  /// After the last batch: reports what is left. An error of a block that a line reached into.
  Status finish();
  bool gave_up() const { return gave_up_; }
  /// The callback or a limit has ended the scan.
  bool has_enough() const { return has_enough_; }
  ScanSummary summary() const { return assembler_.summary(); }

 private:
  /// A batch that is known: an excerpt, or blocks.
  struct Known {
    std::optional<Excerpt> excerpt;
    std::vector<scan_detail::Chunk> chunks;
  };

  ExcerptMaker& maker(std::size_t slot);
  Known blocks_of(const SlotBatch& batch, const Byte* plain) const;
  bool is_for_cpu(const Known& known) const;
  Result<bool> add(Known known);

  const ScanOptions& options_;
  const BatchSearch& plan_;
  FileScanTools tools_;
  NoChunks no_chunks_;
  ScannerPool scanners_;
  scan_detail::Assembler assembler_;
  std::mutex mutex_;
  std::vector<std::optional<Excerpt>> fetched_;  ///< by slot
  bool gave_up_ = false;
  bool stopped_ = false;
  bool has_enough_ = false;
};

}  // namespace presso::gpu
