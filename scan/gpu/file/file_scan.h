// SPDX-License-Identifier: MIT
// One file on its way through a GPU: takes the pipeline's batches, in order, to the assembler that
// the CPU's scan uses. A batch comes as an excerpt from the GPU or, where it holds damage or the
// GPU has failed, as blocks that the CPU has decoded and that all threads search here.
//
// Some files are not for this: those in which a NUL byte would have a meaning, or that begin with a
// byte order mark. That shows on the way, and then the scan gives up: lines reported by then are
// those that the CPU reports first. So that this holds for streams' rule about NUL bytes, where a
// NUL reaches back to the 64 KiB before it, batches wait here until that much of what follows is
// known. (After a line that is longer than that a NUL reaches back further.)
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

/// The options of presso::scan() as the assembler gets them here.
ScanOptions options_on_gpu(const ScanOptions& options);
/// Whether the rule gives NUL bytes a meaning that only the CPU knows.
bool looks_for_nul(BinaryRule rule);

/// What stays from file to file.
struct FileScanTools {
  BatchKernels& kernels;
  std::deque<ExcerptMaker>& makers;  ///< by slot
};

class FileScan final : public BatchConsumer {
 public:
  /// All is kept by reference. `options`: of options_on_gpu(); `rule`: the one asked for.
  FileScan(const scan_detail::Matcher& matcher, const ScanOptions& options, BinaryRule rule,
           const LineCallback& on_line, const ExcerptPlan& plan, const FileScanTools& tools);

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

    std::uint64_t text_bytes() const;
  };

  ExcerptMaker& maker(std::size_t slot);
  Known blocks_of(const SlotBatch& batch, const Byte* plain) const;
  bool is_for_cpu(const Known& known) const;
  Result<bool> add(Known known);

  const ScanOptions& options_;
  BinaryRule rule_;
  const ExcerptPlan& plan_;
  FileScanTools tools_;
  NoChunks no_chunks_;
  ScannerPool scanners_;
  scan_detail::Assembler assembler_;
  std::mutex mutex_;
  std::vector<std::optional<Excerpt>> fetched_;  ///< by slot
  std::deque<Known> held_;                       ///< in order
  bool gave_up_ = false;
  bool stopped_ = false;
  bool has_enough_ = false;
};

}  // namespace presso::gpu
