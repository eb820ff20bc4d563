// SPDX-License-Identifier: MIT
// A DecodeJob under way: its feed on the producing side, its output on the consuming side.
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
  OpenedFile* opened = nullptr;                ///< of job.file or memory, for a range
  std::optional<ArchiveIndex> index = {};      ///< of the same, to read all of it
  std::span<const std::uint64_t> blocks = {};  ///< if not empty these, one after another
  std::optional<MutableBytes> d_into = {};     ///< device memory, instead of a sink
};

/// Used by the producing side, except where a comment says otherwise.
class OpenJob {
 public:
  explicit OpenJob(JobRequest request) : request_(std::move(request)) {}

  /// Opens the feed. Errors of the job's arguments, of the index, of dictionaries.
  Status open(BatchEngine& engine);
  BlockFeed& feed() { return *feed_; }
  const DecompressOptions& options() const { return request_.job.options; }
  bool decodes_in_place() const { return request_.d_into.has_value(); }
  /// Then, whether the GPU can decode this block to where it belongs: in device memory, all of it
  /// wanted, and at an address that its fast decoders take.
  bool is_direct(const BatchPlace& place) const;
  /// Where the bytes of `batch` shall go, which followed is_direct().
  PlainTarget target_of(const SlotBatch& batch) const;
  /// Whether that is the slot's pinned memory.
  bool copies_through_slot() const { return through_slot_; }
  /// Whether the CPU can do what the GPU could not.
  bool may_fall_back() const { return !request_.d_into; }
  /// nullptr where there is none.
  BatchConsumer* consumer() const { return request_.job.on_device; }

  /// Any side: whether there was an error, so that no more batches are wanted.
  bool stopped() const { return stopped_; }

  /// Consuming side. Takes the batch's bytes, by their slot offsets at `plain` unless the GPU put
  /// them where they belong (`plain` nullptr). `writers` copy to memory. The job's first error.
  Status consume(const SlotBatch& batch, const Byte* plain, Team& writers);
  /// Instead, where there is a consumer. `plain`: what the CPU decoded.
  Status consume_on_device(const SlotBatch& batch, std::size_t slot, const Byte* plain);
  /// The first error counts.
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
  std::unique_ptr<OpenedFile> opened_;  ///< for ranges, where the request brings none
  std::unique_ptr<BlockFeed> feed_;
  /// The plain bytes that are wanted; all by default.
  PlainRange range_{0, ~std::uint64_t{0}};
  bool through_slot_ = false;
  std::atomic<bool> stopped_{false};

  // The consuming side's.
  std::optional<Error> error_;
  DecompressSummary summary_;
  std::vector<PlainPiece> pending_;
  std::uint64_t passed_bytes_ = 0;
};

}  // namespace presso::gpu
