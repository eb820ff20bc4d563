// SPDX-License-Identifier: MIT
#include "scan/blocks/indexed_chunks.h"

#include <utility>

#include "scan/blocks/block_index.h"

namespace presso::scan_detail {
namespace {

class IndexedChunks final : public ChunkSource {
 public:
  explicit IndexedChunks(std::shared_ptr<const BlockIndex> index) : index_(std::move(index)) {}

  Result<std::optional<ChunkItem>> take() override {
    if (next_ == index_->block_count()) return std::optional<ChunkItem>();
    const std::uint64_t first = next_++;
    if (index_->wanted(first)) return std::optional<ChunkItem>(WholeBlock{first});
    while (next_ < index_->block_count() && !index_->wanted(next_)) ++next_;
    return std::optional<ChunkItem>(SkippedBlocks{first, next_ - first});
  }

  Result<Chunk> load(ChunkItem item) override {
    if (const auto* skipped = std::get_if<SkippedBlocks>(&item)) {
      Chunk chunk;
      chunk.skipped = *skipped;
      return chunk;
    }
    return load_block(std::get<WholeBlock>(item).number);
  }

  void recycle(Buffer buffer) override { pool_.give_back(std::move(buffer)); }
  const BlockIndex* index() const override { return index_.get(); }

 private:
  Result<Chunk> load_block(std::uint64_t number) {
    Chunk chunk;
    chunk.is_block = true;
    chunk.offset = index_->plain_offset(number);
    chunk.text = pool_.take();
    Buffer stored = pool_.take();
    Result<BlockHeader> header = index_->file().read_block(number, chunk.text, stored);
    pool_.give_back(std::move(stored));
    if (header.ok()) {
      chunk.stored_bytes = header->stored_bytes();
      return chunk;
    }
    if (!is_damage(header.error().code)) return std::move(header.error());
    recycle(std::move(chunk.text));
    chunk.text = Buffer();
    chunk.damage = DamagedBlock{chunk.offset, known_bytes(number), std::move(header.error())};
    return chunk;
  }

  /// As a scan without the index has it: 0 where the block's header is damaged.
  std::uint64_t known_bytes(std::uint64_t number) const {
    const auto header = index_->file().index().read_block_header(number);
    return header.ok() ? header->plain_bytes : 0;
  }

  std::shared_ptr<const BlockIndex> index_;
  BufferPool pool_;
  std::uint64_t next_ = 0;
};

}  // namespace

std::unique_ptr<ChunkSource> make_indexed_chunks(std::shared_ptr<const BlockIndex> index) {
  return std::make_unique<IndexedChunks>(std::move(index));
}

}  // namespace presso::scan_detail
