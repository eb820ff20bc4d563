// SPDX-License-Identifier: MIT
// A DecodeJob under way: its feed on the producing side, its output on the consuming side.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "decompress/gpu/pipeline/block_feed.h"
#include "decompress/gpu/pipeline/engine.h"

namespace presso::gpu {

/// Bytes [slot_offset, + bytes) of a block that are wanted, and where they go; bytes 0: none.
PlainPiece piece_of(const BlockBatch& batch, const BatchPlace& place, const PlainRange& range);

/// The producing side, but for what is said to be the other's.
class OpenJob {
 public:
  explicit OpenJob(DecodeJob job) : job_(std::move(job)) {}

  /// Opens the feed. Errors of the job's arguments, of the index, of dictionaries.
  Status open(Engine& engine);
  BlockFeed& feed() { return *feed_; }
  bool verify() const { return job_.options.decode.verify; }
  const DecodeOptions& decode_options() const { return job_.options.decode; }
  /// Where the bytes of `batch` shall go.
  PlainTarget target_of(const BlockBatch& batch) const;

  /// Any side: whether there was an error, so that no more batches are wanted.
  bool stopped() const { return stopped_; }

  /// Whether target_of() is the slot's pinned memory.
  bool copies_through_slot() const;

  /// Consuming side. Takes the batch's bytes, by their slot offsets at `plain` unless the GPU put
  /// them where they belong (`plain` nullptr). `writers` copy to memory. The job's first error.
  Status consume(const BlockBatch& batch, const Byte* plain, Team& writers);
  /// The first error counts.
  void stop(Error error);
  /// Calls the job's `finished`.
  void finish();

 private:
  Status check_arguments() const;
  Status open_range(FeedFile file, Engine& engine, const FeedOptions& options);
  Status take(const BlockBatch& batch, const BatchPlace& place, ErrorCode code, const Byte* plain,
              Team& writers);
  Status flush(const Byte* plain, Team& writers);
  Status report_damage(const BatchPlace& place, Error error);
  Status copy_into(Bytes bytes, Team& writers);

  DecodeJob job_;
  MemoryRandomAccess memory_{Bytes()};
  std::optional<CompressedFile> opened_;  ///< for ranges
  std::unique_ptr<BlockFeed> feed_;
  PlainRange range_{0, ~std::uint64_t{0}};
  bool writes_directly_ = false;
  std::atomic<bool> stopped_{false};

  // The consuming side's.
  std::optional<Error> error_;
  DecompressSummary summary_;
  std::vector<PlainPiece> pending_;
  std::uint64_t passed_bytes_ = 0;
};

}  // namespace presso::gpu
