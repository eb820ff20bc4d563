// SPDX-License-Identifier: MIT
// The feeds as the pipeline sees them, made of the two readers that block_feed.h describes.
#include "decompress/gpu/pipeline/block_feed.h"

#include "decompress/gpu/pipeline/frame_feed.h"
#include "decompress/gpu/pipeline/indexed_feed.h"

namespace presso::gpu {
namespace {

/// The feed of a whole file: IndexedFeed reads it as long as all is as the index says, and
/// FrameFeed from there on. Without a usable index FrameFeed reads from the first byte.
class FileFeed final : public BlockFeed {
 public:
  FileFeed(FeedFile file, std::optional<ArchiveIndex> index, Team& team, const FeedOptions& options)
      : file_(file), options_(options), source_(file.file, 0, file.file.size()) {
    if (index && IndexedFeed::covers_whole_file(*index)) {
      opened_.emplace(OpenedFile{std::move(*index), MemberDictionaries(options.known)});
      const BlockSelection all{0, opened_->index.block_count(), {}};
      fast_.emplace(file, *opened_, all, team, options);
    } else {
      turn_to_frames(0);
    }
  }

  Result<bool> fill(SlotBatch& batch) override {
    if (careful_) return careful_->fill(batch);
    PRESSO_ASSIGN(const IndexedFeed::Stop stop, fast_->fill(batch));
    if (stop == IndexedFeed::Stop::kOdd) turn_to_frames(fast_->passed());
    return stop != IndexedFeed::Stop::kEnd;
  }

  std::uint64_t compressed_bytes() const override {
    return careful_ ? careful_->compressed_bytes() : file_.file.size();
  }
  const Metadata& metadata() const override {
    return careful_ ? careful_->metadata() : opened_->index.members().front().metadata;
  }

 private:
  /// From here on FrameFeed reads; it skips the blocks that batches have had already.
  void turn_to_frames(std::uint64_t passed_blocks) {
    careful_.emplace(source_, options_, passed_blocks);
  }

  FeedFile file_;
  FeedOptions options_;
  RangeSource source_;
  std::optional<OpenedFile> opened_;
  std::optional<IndexedFeed> fast_;
  std::optional<FrameFeed> careful_;
};

/// The feed of a range or of listed blocks. A block that does not read as the index says is read by
/// itself, into a batch of one, and the fast reader goes on after it: unlike FileFeed it never has
/// to look at blocks that were not asked for.
class SelectionFeed final : public BlockFeed {
 public:
  SelectionFeed(FeedFile file, OpenedFile& opened, BlockSelection selection, Team& team,
                const FeedOptions& options)
      : opened_(opened),
        fast_(file, opened, selection, team, options),
        team_(team),
        options_(options) {}

  Result<bool> fill(SlotBatch& batch) override {
    if (odd_) return fill_with_one(batch);
    PRESSO_ASSIGN(const IndexedFeed::Stop stop, fast_.fill(batch));
    odd_ = stop == IndexedFeed::Stop::kOdd;
    compressed_bytes_ += batch.stored_bytes();
    return stop != IndexedFeed::Stop::kEnd;
  }

  std::uint64_t compressed_bytes() const override { return compressed_bytes_; }
  const Metadata& metadata() const override { return opened_.index.members().front().metadata; }

 private:
  /// The block that IndexedFeed would not read, as CompressedFile reads it: mostly, its error.
  Result<bool> fill_with_one(SlotBatch& batch) {
    const ArchiveIndex& index = opened_.index;
    PRESSO_ASSIGN(const StoredBlock block, index.read_block(fast_.at()));
    const std::vector<ArchiveMember>& members = index.members();
    PRESSO_TRY(opened_.dictionaries.enter(members, members[block.member], team_));
    const Byte id = block.header.dictionary_id;
    const std::uint64_t stored_bytes = block.header.stored_bytes();
    BatchPlace place = fast_.next_place();
    place.plain_bytes = block.header.plain_bytes;
    place.passed_bytes += stored_bytes;
    PRESSO_ASSIGN(const bool added,
                  batch.add_block(place, static_cast<std::uint32_t>(stored_bytes)));
    if (added) write_stored_block(block.header, block.payload.data(), batch.staging());
    batch.use_dictionary(id, opened_.dictionaries.find(id), options_.most_dictionaries);
    fast_.pass(place);
    compressed_bytes_ += stored_bytes;
    odd_ = false;
    return true;
  }

  OpenedFile& opened_;
  IndexedFeed fast_;
  Team& team_;
  FeedOptions options_;
  bool odd_ = false;
  std::uint64_t compressed_bytes_ = 0;
};

}  // namespace

std::unique_ptr<BlockFeed> make_stream_feed(ByteSource& source, const FeedOptions& options) {
  return std::make_unique<FrameFeed>(source, options);
}

std::unique_ptr<BlockFeed> make_file_feed(FeedFile file, std::optional<ArchiveIndex> index,
                                          Team& team, const FeedOptions& options) {
  return std::make_unique<FileFeed>(file, std::move(index), team, options);
}

std::unique_ptr<BlockFeed> make_selection_feed(FeedFile file, OpenedFile& opened,
                                               BlockSelection selection, Team& team,
                                               const FeedOptions& options) {
  return std::make_unique<SelectionFeed>(file, opened, selection, team, options);
}

}  // namespace presso::gpu
