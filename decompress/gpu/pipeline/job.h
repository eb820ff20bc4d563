// SPDX-License-Identifier: MIT
// A DecodeJob under way. The *producing side* is the thread that reads its blocks (block_feed.h),
// the *consuming side* the one that takes decoded batches in order (runner.h).
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "decompress/gpu/pipeline/block_feed.h"
#include "decompress/gpu/pipeline/engine.h"

namespace presso::gpu {

/// A DecodeJob, and what only GpuFile asks for.
struct JobRequest {
  DecodeJob job;
  OpenedFile* opened = nullptr;                ///< job.file or job.memory opened, for a range
  std::optional<ArchiveIndex> index = {};      ///< index of that file, to read all of it
  std::span<const std::uint64_t> blocks = {};  ///< if not empty these, one after another
  std::optional<MutableBytes> d_into = {};     ///< device memory, instead of a sink
};

/// One job: its feed, where its batches go, its counts and its first error. Used by the producing
/// side, except where a comment says otherwise.
class OpenJob {
 public:
  explicit OpenJob(JobRequest request) : request_(std::move(request)) {}

  /// Opens the feed. Errors of the job's arguments, of the index, of dictionaries.
  Status open(BatchEngine& engine);
  BlockFeed& feed() { return *feed_; }
  const DecompressOptions& options() const { return request_.job.options; }
  bool decodes_in_place() const { return request_.d_into.has_value(); }
  /// If the job decodes_in_place(): whether the GPU can decode this block directly to its final
  /// place. All of it must be wanted, and its address be one that the fast decoders take.
  bool is_direct(const BatchPlace& place) const;
  /// Where the bytes of `batch` shall go. The batch must have been filled by the rule of
  /// is_direct().
  PlainTarget target_of(const SlotBatch& batch) const;
  /// Whether decoded bytes come to the slot's pinned memory, from which consume() takes them.
  bool copies_through_slot() const { return through_slot_; }
  /// Whether the CPU can do what the GPU could not.
  bool may_fall_back() const { return !request_.d_into; }
  /// Who works on the batches in device memory; nullptr if nobody does.
  BatchConsumer* consumer() const { return request_.job.on_device; }

  /// Any side: whether there was an error, so that no more batches are wanted.
  bool stopped() const { return stopped_; }

  /// Consuming side. Writes the batch's bytes, which lie at `plain` by their slot offsets; nullptr:
  /// the GPU has put them where they belong. `writers` copy to memory. Returns the job's first
  /// error.
  Status consume(const SlotBatch& batch, const Byte* plain, Team& writers);
  /// Like consume(), for a job with a consumer(). `plain`: the batch if the CPU has decoded it,
  /// else nullptr.
  Status consume_on_device(const SlotBatch& batch, std::size_t slot, const Byte* plain);
  /// Ends the job with an error, unless it has one already.
  void stop(Error error);
  /// Calls the job's `finished`.
  void finish();

 private:
  /// kInvalidArgument where inputs or outputs contradict each other.
  Status check_arguments() const;
  /// Opens the feed of a range or of listed blocks.
  Status open_selection(FeedFile file, BatchEngine& engine, const FeedOptions& options);
  std::optional<PlainPiece> piece_of(const SlotBatch& batch, const BatchPlace& place) const;
  Status take(const SlotBatch& batch, const BatchPlace& place, ErrorCode code, const Byte* plain,
              Team& writers);
  /// Writes `pending_` and reports progress; kCancelled where the user wants no more.
  Status flush(const Byte* plain, Team& writers);
  /// Counts a lost place and tells on_damage; for salvage only.
  Status report_damage(const BatchPlace& place, Error error);
  /// Appends to the job's memory; kInvalidArgument where that is too small.
  Status copy_into(Bytes bytes, Team& writers);

  JobRequest request_;
  MemoryRandomAccess memory_{Bytes()};
  std::unique_ptr<OpenedFile> opened_;  ///< for ranges, if the request does not bring one
  std::unique_ptr<BlockFeed> feed_;
  /// The plain bytes that are wanted; all by default.
  PlainRange range_{0, ~std::uint64_t{0}};
  bool through_slot_ = false;
  std::atomic<bool> stopped_{false};

  // Used by the consuming side only.
  std::optional<Error> error_;
  DecompressSummary summary_;
  std::vector<PlainPiece> pending_;
  std::uint64_t passed_bytes_ = 0;
};

}  // namespace presso::gpu
