// SPDX-License-Identifier: MIT
// IndexedFeed, the fast one of the two readers of block_feed.h: blocks by their index, read
// straight into pinned memory by a team of threads. What the index promises of a block (place,
// size, number, plain bytes) is compared with its header; at the first difference the feed stops in
// front of that block, which is for others to read (block_feed.h).
//
// Tested by tests/unit/decompress/gpu/gpu_file_test.cpp and gpu_pipeline_test.cpp.
#pragma once

#include "decompress/gpu/pipeline/block_feed.h"

namespace presso::gpu {

class IndexedFeed {
 public:
  /// Why fill() came back.
  enum class Stop {
    kFull,  ///< the batch is full; more follows
    kEnd,   ///< nothing is left
    kOdd,   ///< the block at() does not read as the index says
  };

  /// `opened` and `team` are kept by reference.
  IndexedFeed(FeedFile file, OpenedFile& opened, BlockSelection selection, Team& team,
              const FeedOptions& options)
      : file_(file),
        opened_(opened),
        index_(opened.index),
        dictionaries_(opened.dictionaries),
        selection_(selection),
        team_(team),
        options_(options) {}

  /// Whether a strict reader finds nothing else in the file but what the index tells, provided that
  /// no block turns out to be odd.
  static bool covers_whole_file(const ArchiveIndex& index);

  /// Appends to an empty batch. Errors: those of its Grow.
  Result<Stop> fill(SlotBatch& batch);
  /// The number of the block that comes next.
  std::uint64_t at() const { return selection_[passed_]; }
  std::uint64_t passed() const { return passed_; }
  /// What the index says about that block.
  BatchPlace next_place() const;
  void pass(const BatchPlace& place);

 private:
  // Defined in the .cpp file.
  struct Run;

  const ArchiveMember& member_of(std::uint64_t number) const;
  std::uint64_t stored_bytes_of(std::uint64_t number) const;
  bool may_join(const SlotBatch& batch, std::uint64_t number) const;
  /// Adds blocks by what the index says of them; nothing is read.
  Result<Stop> choose(SlotBatch& batch);
  std::vector<Run> runs_of(const SlotBatch& batch, std::uint64_t most_bytes) const;
  /// Whether the batch now points into pinned memory instead of having been copied.
  bool take_in_place(SlotBatch& batch) const;
  /// Reads the chosen blocks into staging memory, divided among the team.
  Status read(const SlotBatch& batch) const;
  /// Compares headers and names dictionaries. Returns `stop`, or why fewer blocks are kept.
  Stop check(SlotBatch& batch, Stop stop);
  void keep(SlotBatch& batch, std::uint32_t sound);

  FeedFile file_;
  const OpenedFile& opened_;
  const ArchiveIndex& index_;
  MemberDictionaries& dictionaries_;
  BlockSelection selection_;
  Team& team_;
  FeedOptions options_;
  std::uint64_t passed_ = 0;
  std::uint64_t passed_plain_bytes_ = 0;
};

}  // namespace presso::gpu
