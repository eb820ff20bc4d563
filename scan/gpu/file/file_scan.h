// SPDX-License-Identifier: MIT
// One file on its way through a GPU: takes the decoding pipeline's batches (of blocks that were
// decoded together), in order, to the assembler that the CPU's scan uses (scan/text/assembler.h). A
// batch comes as an excerpt from the GPU or, where it holds damage or the GPU has failed, as blocks
// that the CPU has decoded and that all threads search here.
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

/// Satisfies the assembler's interface: its chunks are handed in by take(), so it never asks for
/// any, and load() is an error.
class NoChunks final : public scan_detail::ChunkSource {
 public:
  Result<std::optional<scan_detail::ChunkItem>> take() override;
  Result<scan_detail::Chunk> load(scan_detail::ChunkItem item) override;
  void recycle(Buffer) override {}
};

/// What outlives one file: the kernels, and the makers with the device memory that they keep.
struct FileScanTools {
  BatchKernels& kernels;
  std::deque<ExcerptMaker>& makers;  ///< by slot
};

/// The pipeline's consumer for one file. enqueue() and fetch() come from several threads, one for
/// each slot; take() from one thread, in the order of the file. `mutex_` guards what the slots
/// share.
class FileScan final : public BatchConsumer {
 public:
  /// All arguments are kept by reference and have to outlive the scan.
  FileScan(const scan_detail::Matcher& matcher, const ScanOptions& options,
           const LineCallback& on_line, const BatchSearch& plan, const FileScanTools& tools);

  Status enqueue(const SlotView& view) override;
  Status fetch(const SlotView& view) override;
  /// Hands a batch on to the assembler. `plain`: the batch's text where the CPU has decoded it,
  /// else null. False ends the pipeline: the callback wants no more, a limit is reached or the scan
  /// gives up. Errors: kCancelled, kOutOfMemory, and those that the assembler finds.
  Result<bool> take(const SlotBatch& batch, std::size_t slot, const Byte* plain) override;

  /// Call it after the last batch: reports the lines that were held back. Returns the error of a
  /// damaged block that the last line reached into.
  Status finish();
  /// True if this file is for the CPU after all; nothing has been reported then.
  bool gave_up() const { return gave_up_; }
  /// The callback or a limit has ended the scan.
  bool has_enough() const { return has_enough_; }
  ScanSummary summary() const { return assembler_.summary(); }

 private:
  /// A batch as the assembler takes it: either an excerpt from the GPU, or blocks.
  struct Known {
    std::optional<Excerpt> excerpt;
    std::vector<scan_detail::Chunk> chunks;
  };

  /// The maker of the slot, made on first use.
  ExcerptMaker& maker(std::size_t slot);
  /// A batch that the CPU has decoded, or that holds damage, as chunks.
  Known blocks_of(const SlotBatch& batch, const Byte* plain) const;
  /// Whether this part of the file shows that the GPU's engines would be wrong about the file.
  bool is_for_cpu(const Known& known) const;
  /// Gives the batch to the assembler; false where no more is wanted.
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
