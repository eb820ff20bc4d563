// SPDX-License-Identifier: MIT
// The feeds as the pipeline sees them. Which reader of the two has the word changes once, from
// IndexedFeed to FrameFeed, and for good.
#include "decompress/gpu/pipeline/block_feed.h"

#include "decompress/gpu/pipeline/frame_feed.h"
#include "decompress/gpu/pipeline/indexed_feed.h"

namespace presso::gpu {
namespace {

class FileFeed final : public BlockFeed {
 public:
  FileFeed(FeedFile file, Team& team, const FeedOptions& options)
      : file_(file), options_(options), source_(file.file, 0, file.file.size()) {
    auto index = ArchiveIndex::open(file.file);
    if (index.ok() && IndexedFeed::covers_whole_file(*index)) {
      index_.emplace(std::move(*index));
      fast_.emplace(file, *index_, BlockSelection{0, index_->block_count(), {}}, team, options);
    } else {
      turn_to_frames(0);
    }
  }

  Result<bool> fill(BlockBatch& batch, const PinnedMemory& staging) override {
    if (careful_) return careful_->fill(batch, staging);
    PRESSO_ASSIGN(const IndexedFeed::Stop stop, fast_->fill(batch, staging));
    if (stop == IndexedFeed::Stop::kOdd) turn_to_frames(fast_->passed());
    return stop != IndexedFeed::Stop::kEnd;
  }

  std::uint64_t compressed_bytes() const override {
    return careful_ ? careful_->compressed_bytes() : file_.file.size();
  }
  const Metadata& metadata() const override {
    return careful_ ? careful_->metadata() : index_->members().front().metadata;
  }

 private:
  void turn_to_frames(std::uint64_t passed_blocks) {
    careful_.emplace(source_, options_, passed_blocks);
  }

  FeedFile file_;
  FeedOptions options_;
  RangeSource source_;
  std::optional<ArchiveIndex> index_;
  std::optional<IndexedFeed> fast_;
  std::optional<FrameFeed> careful_;
};

class SelectionFeed final : public BlockFeed {
 public:
  SelectionFeed(FeedFile file, const ArchiveIndex& index, BlockSelection selection, Team& team,
                const FeedOptions& options)
      : index_(index), fast_(file, index, selection, team, options), options_(options) {}

  Result<bool> fill(BlockBatch& batch, const PinnedMemory& staging) override {
    if (odd_) return fill_with_one(batch, staging);
    PRESSO_ASSIGN(const IndexedFeed::Stop stop, fast_.fill(batch, staging));
    odd_ = stop == IndexedFeed::Stop::kOdd;
    compressed_bytes_ += batch.stored_bytes();
    return stop != IndexedFeed::Stop::kEnd;
  }

  std::uint64_t compressed_bytes() const override { return compressed_bytes_; }
  const Metadata& metadata() const override { return index_.members().front().metadata; }

 private:
  /// The block that IndexedFeed would not read, as CompressedFile reads it: mostly, its error.
  Result<bool> fill_with_one(BlockBatch& batch, const PinnedMemory& staging) {
    const std::uint64_t number = fast_.at();
    PRESSO_ASSIGN(const StoredBlock block, index_.read_block(number));
    PRESSO_TRY(dictionaries_.enter(index_.members()[block.member]));
    const Byte id = block.header.dictionary_id;
    const std::uint64_t stored_bytes = block.header.stored_bytes();
    BatchPlace place = fast_.place_of(number);
    place.passed_bytes += stored_bytes;
    PRESSO_ASSIGN(const bool added,
                  batch.add_block(std::move(place), static_cast<std::uint32_t>(stored_bytes)));
    if (added) write_stored_block(block.header, block.payload.data(), staging.get());
    batch.use_dictionary(id, dictionaries_.find(id), options_.most_dictionaries);
    fast_.pass_one();
    compressed_bytes_ += stored_bytes;
    odd_ = false;
    return true;
  }

  const ArchiveIndex& index_;
  IndexedFeed fast_;
  FeedOptions options_;
  MemberDictionaries dictionaries_;
  bool odd_ = false;
  std::uint64_t compressed_bytes_ = 0;
};

}  // namespace

std::unique_ptr<BlockFeed> make_stream_feed(ByteSource& source, const FeedOptions& options) {
  return std::make_unique<FrameFeed>(source, options);
}

std::unique_ptr<BlockFeed> make_file_feed(FeedFile file, Team& team, const FeedOptions& options) {
  return std::make_unique<FileFeed>(file, team, options);
}

std::unique_ptr<BlockFeed> make_selection_feed(FeedFile file, const ArchiveIndex& index,
                                               BlockSelection selection, Team& team,
                                               const FeedOptions& options) {
  return std::make_unique<SelectionFeed>(file, index, selection, team, options);
}

}  // namespace presso::gpu
