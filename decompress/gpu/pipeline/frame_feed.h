// SPDX-License-Identifier: MIT
// FrameFeed, the careful one of the two readers of block_feed.h: blocks from front to back through
// BlockStream, on one thread and with two copies of each byte. It serves pipes and files that are
// damaged or otherwise not as their index says.
#pragma once

#include "decompress/gpu/pipeline/block_feed.h"

namespace presso::gpu {

class FrameFeed final : public BlockFeed {
 public:
  /// Passes over the first `skip_blocks` blocks without a look at their content.
  FrameFeed(ByteSource& source, const FeedOptions& options, std::uint64_t skip_blocks = 0)
      : stream_(source, {{.dictionaries = options.known}, options.salvage}),
        options_(options),
        skip_blocks_(skip_blocks) {}

  /// Copies each block into the slot's staging memory. An item that no longer fits is kept for
  /// the next batch.
  Result<bool> fill(SlotBatch& batch) override;
  std::uint64_t compressed_bytes() const override { return stream_.compressed_bytes(); }
  const Metadata& metadata() const override { return stream_.metadata(); }

 private:
  /// False where the item has to wait for the next batch.
  Result<bool> append(BlockItem& item, SlotBatch& batch);

  BlockStream stream_;
  FeedOptions options_;
  std::uint64_t skip_blocks_;
  /// The item that did not fit the batch before.
  std::optional<BlockItem> waiting_;
};

/// Writes header, payload and padding as they stand in a file.
void write_stored_block(const BlockHeader& header, const Byte* payload, Byte* to);

}  // namespace presso::gpu
