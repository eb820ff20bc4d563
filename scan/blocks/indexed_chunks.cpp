// SPDX-License-Identifier: MIT
// IndexedChunks: gives out wanted blocks one by one, and each run of other blocks as one item.
#include "scan/blocks/indexed_chunks.h"

#include <algorithm>
#include <utility>

#include "scan/blocks/block_index.h"

namespace presso::scan_detail {
namespace {

/// The source that indexed_chunks.h describes. Damage of a wanted block is reported exactly as a
/// scan in order would report it.
class IndexedChunks final : public ChunkSource {
 public:
  explicit IndexedChunks(std::shared_ptr<const BlockIndex> index)
      : index_(std::move(index)), next_(index_->first_block()) {}

  /// A wanted block, or a run of blocks that the index rules out as one item.
  Result<std::optional<ChunkItem>> take() override {
    if (next_ == index_->end_block()) return std::optional<ChunkItem>();
    const std::uint64_t first = next_++;
    if (index_->wanted(first)) {
      return std::optional<ChunkItem>(WholeBlock{first, index_->begin_in(first)});
    }
    while (next_ < index_->end_block() && !index_->wanted(next_)) ++next_;
    return std::optional<ChunkItem>(SkippedBlocks{first, next_ - first});
  }

  /// Decodes a wanted block and cuts it to the part; a run of others becomes a chunk without text.
  Result<Chunk> load(ChunkItem item) override {
    if (const auto* skipped = std::get_if<SkippedBlocks>(&item)) {
      Chunk chunk;
      chunk.skipped = *skipped;
      return chunk;
    }
    const WholeBlock block = std::get<WholeBlock>(item);
    Result<Chunk> chunk = load_block(block.number);
    if (chunk.ok() && !chunk->damage) cut(*chunk, block);
    return chunk;
  }

  void recycle(Buffer buffer) override { pool_.give_back(std::move(buffer)); }
  const BlockIndex* index() const override { return index_.get(); }

 private:
  /// Cuts off what a part does not have of its first and last block.
  void cut(Chunk& chunk, const WholeBlock& block) const {
    chunk.text.grow(static_cast<std::size_t>(index_->plain_bytes(block.number)));
    if (block.from == 0) return;
    Byte* const begin = chunk.text.data();
    std::copy(begin + block.from, begin + chunk.text.size(), begin);
    chunk.text.grow(chunk.text.size() - block.from);
    chunk.offset += block.from;
  }

  /// Reads and decodes a block. Damage becomes a part of the chunk; other errors are returned.
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
    if (index_->counts_lost_lines()) chunk.lost_lines = lost_lines(number);
    return chunk;
  }

  /// The size of a damaged block, as a scan without the index reports it: 0 if the block's header
  /// is damaged.
  std::uint64_t known_bytes(std::uint64_t number) const {
    const auto header = index_->file().index().read_block_header(number);
    return header.ok() ? header->plain_bytes : 0;
  }

  /// The line feeds of a damaged block that are not counted as being in front of a part.
  std::uint64_t lost_lines(std::uint64_t number) const {
    return index_->facts(number).newlines - (index_->begin_in(number) > 0 ? 1 : 0);
  }

  std::shared_ptr<const BlockIndex> index_;
  BufferPool pool_;
  std::uint64_t next_;
};

}  // namespace

std::unique_ptr<ChunkSource> make_indexed_chunks(std::shared_ptr<const BlockIndex> index) {
  return std::make_unique<IndexedChunks>(std::move(index));
}

}  // namespace presso::scan_detail
