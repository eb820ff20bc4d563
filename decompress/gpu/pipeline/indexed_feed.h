// SPDX-License-Identifier: MIT
// Blocks by their index, read straight into pinned memory by a team of threads. What the index
// promises of a block (place, size, number, plain bytes) is compared with its header; at the first
// difference the feed stops in front of that block, which is for others to read (block_feed.h).
//
// Tested by tests/unit/gpu_feed_test.cpp.
#pragma once

#include "decompress/gpu/pipeline/block_feed.h"
#include "decompress/gpu/pipeline/member_dictionaries.h"

namespace presso::gpu {

class IndexedFeed {
 public:
  enum class Stop {
    kFull,  ///< of the batch; come back
    kEnd,   ///< nothing is left
    kOdd,   ///< at(), which does not read as the index has it
  };

  IndexedFeed(FeedFile file, const ArchiveIndex& index, BlockSelection selection, Team& team,
              const FeedOptions& options)
      : file_(file), index_(index), selection_(selection), team_(team), options_(options) {}

  /// Whether a strict reader finds nothing else in the file but what the index tells, provided that
  /// no block turns out to be odd.
  static bool covers_whole_file(const ArchiveIndex& index);

  /// Appends to an empty batch. Errors: those of its Grow.
  Result<Stop> fill(BlockBatch& batch, const PinnedMemory& staging);
  /// Number of the block that comes next, and how many blocks of the selection were passed.
  std::uint64_t at() const { return selection_[passed_]; }
  std::uint64_t passed() const { return passed_; }
  void pass_one() { ++passed_; }
  BatchPlace place_of(std::uint64_t number) const;

 private:
  struct Run;

  const ArchiveMember& member_of(std::uint64_t number) const;
  std::uint64_t stored_bytes_of(std::uint64_t number) const;
  bool may_join(const BlockBatch& batch, std::uint64_t number) const;
  Result<Stop> choose(BlockBatch& batch);
  Status read(const BlockBatch& batch, const PinnedMemory& staging) const;
  Stop check(BlockBatch& batch, const Byte* stored, Stop stop);

  FeedFile file_;
  const ArchiveIndex& index_;
  BlockSelection selection_;
  Team& team_;
  FeedOptions options_;
  MemberDictionaries dictionaries_;
  std::uint64_t passed_ = 0;
};

}  // namespace presso::gpu
