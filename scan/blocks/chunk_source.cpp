// SPDX-License-Identifier: MIT
// The sources of chunks: PlainStream and PlainFile for plain text, CompressedStream and
// CompressedChunks for compressed text; open_chunks() chooses one. Files whose filters leave out
// blocks have a source of their own (indexed_chunks.cpp).
#include "scan/blocks/chunk_source.h"

#include <algorithm>
#include <utility>

#include "scan/blocks/block_places.h"
#include "scan/blocks/indexed_chunks.h"

namespace presso::scan_detail {
namespace {

/// Plain text from a stream: take() reads.
class PlainStream final : public ChunkSource {
 public:
  /// `begun` are the bytes that were already read to tell the format.
  PlainStream(Bytes begun, ByteSource& source) : source_(source), begun_left_(begun.size()) {
    begun_.append(begun);
  }

  /// One read makes one chunk, so that lines of a slow pipe are searched as they come.
  Result<std::optional<ChunkItem>> take() override {
    ReadPiece piece;
    piece.text = pool_.take();
    piece.offset = offset_;
    piece.text.resize_discarding(kPlainChunkBytes);
    const std::size_t begun = std::exchange(begun_left_, 0);
    std::copy_n(begun_.data(), begun, piece.text.data());
    PRESSO_ASSIGN(const std::size_t got, source_.read(piece.text.mutable_bytes().subspan(begun)));
    if (begun + got == 0) return std::optional<ChunkItem>();
    piece.text.resize_discarding(begun + got);
    offset_ += begun + got;
    return std::optional<ChunkItem>(std::move(piece));
  }

  /// The text was read by take() already.
  Result<Chunk> load(ChunkItem item) override {
    ReadPiece& piece = std::get<ReadPiece>(item);
    Chunk chunk;
    chunk.text = std::move(piece.text);
    chunk.offset = piece.offset;
    return chunk;
  }

  void recycle(Buffer buffer) override { pool_.give_back(std::move(buffer)); }

 private:
  ByteSource& source_;
  BufferPool pool_;
  Buffer begun_;
  std::size_t begun_left_;  ///< of begun_, not yet given out
  std::uint64_t offset_ = 0;
};

/// Plain text from a file: take() only counts, and the workers read.
class PlainFile final : public ChunkSource {
 public:
  explicit PlainFile(const RandomAccess& file) : file_(file) {}

  /// The next range of the file; it is read by load(), in parallel.
  Result<std::optional<ChunkItem>> take() override {
    const std::uint64_t left = file_.size() - next_;
    if (left == 0) return std::optional<ChunkItem>();
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(left, kPlainChunkBytes));
    const std::uint64_t begin = std::exchange(next_, next_ + bytes);
    return std::optional<ChunkItem>(FileRange{begin, bytes});
  }

  Result<Chunk> load(ChunkItem item) override {
    const FileRange range = std::get<FileRange>(item);
    Chunk chunk;
    chunk.offset = range.begin;
    chunk.text = pool_.take();
    chunk.text.resize_discarding(range.bytes);
    PRESSO_TRY(load_into(range, chunk.text.mutable_bytes()));
    return chunk;
  }

  Status load_into(const FileRange& range, MutableBytes into) override {
    return file_.read_at(range.begin, into);
  }

  void recycle(Buffer buffer) override { pool_.give_back(std::move(buffer)); }

 private:
  const RandomAccess& file_;
  BufferPool pool_;
  std::uint64_t next_ = 0;
};

/// Blocks of a compressed stream, read in order. It owns the chain of sources below the block
/// stream.
class CompressedStream final : public ChunkSource {
 public:
  /// `begun` is what was read to learn the file's kind; it is put in front of the rest.
  CompressedStream(Bytes begun, ByteSource& rest, const ScanOptions& options)
      : options_(options),
        prefixed_(std::make_unique<PrefixedSource>(keep(begun), rest)),
        blocks_(*prefixed_, stream_options(options)) {}

  CompressedStream(std::unique_ptr<ByteSource> source, const ScanOptions& options)
      : options_(options),
        prefixed_(std::move(source)),
        blocks_(*prefixed_, stream_options(options)) {}

  /// Makes take() go on with block `number`, or with ScanOptions::first_block if that is further
  /// on. To be called before the first take().
  void begin_at(std::uint64_t number) { first_block_ = std::max(first_block_, number); }
  Buffer spare_buffer() { return blocks_.spare_buffer(); }

  Result<std::optional<ChunkItem>> take() override {
    PRESSO_ASSIGN(std::optional<BlockItem> item, next_wanted());
    if (!item) return std::optional<ChunkItem>();
    return std::optional<ChunkItem>(std::move(*item));
  }

  /// Decodes the block, on a thread of the scan. Damage becomes part of the chunk.
  Result<Chunk> load(ChunkItem item) override {
    Chunk chunk;
    chunk.is_block = true;
    BlockItem& stored = std::get<BlockItem>(item);
    if (!stored.damage) chunk.stored_bytes = stored.block.header.stored_bytes();
    DecodedBlock block = blocks_.decode(std::move(stored));
    chunk.offset = block.plain_offset;
    if (block.status.ok()) {
      chunk.text = std::move(block.plain);
    } else {
      recycle(std::move(block.plain));
      chunk.damage = DamagedBlock{block.plain_offset, block.plain_bytes,
                                  std::move(block.status.error()), block.lost_blocks};
    }
    return chunk;
  }

  void recycle(Buffer buffer) override { blocks_.recycle(std::move(buffer)); }

 private:
  static BlockStreamOptions stream_options(const ScanOptions& options) {
    BlockStreamOptions result;
    result.decode = options.decode;
    result.salvage = !options.fail_fast;
    return result;
  }

  Bytes keep(Bytes begun) {
    begun_.append(begun);
    return begun_.bytes();
  }

  /// Passes by the blocks before the first wanted one, without decoding them.
  Result<std::optional<BlockItem>> next_wanted() {
    for (;;) {
      if (taken_ > options_.last_block) return std::optional<BlockItem>();
      PRESSO_ASSIGN(std::optional<BlockItem> item, blocks_.next());
      if (!item) return none_left();
      taken_ += item->damage ? std::max<std::uint64_t>(item->lost_blocks, 1) : 1;
      if (taken_ > first_block_) return item;
    }
  }

  /// The end of the stream, which is an error if the first wanted block was not reached.
  Result<std::optional<BlockItem>> none_left() const {
    if (!options_.limits_blocks() || taken_ > options_.first_block) {
      return std::optional<BlockItem>();
    }
    return make_error(ErrorCode::kInvalidArgument, "block " + std::to_string(options_.first_block) +
                                                       " is after the end: the file has " +
                                                       std::to_string(taken_) +
                                                       " blocks, counted from 0");
  }

  const ScanOptions& options_;
  std::uint64_t first_block_ = options_.first_block;
  std::uint64_t taken_ = 0;  ///< blocks
  Buffer begun_;
  std::unique_ptr<ByteSource> prefixed_;
  BlockStream blocks_;
};

/// Blocks of a compressed file: read by all threads for as long as the index is right, and from
/// there on in order like a stream.
class CompressedChunks final : public ChunkSource {
 public:
  /// `opened` is the file's index, if it is already there.
  CompressedChunks(const RandomAccess& file, std::optional<ArchiveIndex> opened,
                   const ScanOptions& options)
      : file_(file),
        places_(BlockPlaces::open(file, std::move(opened), options)),
        in_order_(std::make_unique<RangeSource>(file, 0, file.size()), options) {}

  Result<std::optional<ChunkItem>> take() override {
    if (places_) {
      if (auto placed = places_->next()) return std::optional<ChunkItem>(std::move(*placed));
      if (!places_->in_doubt()) return std::optional<ChunkItem>();
      in_order_.begin_at(places_->passed());
      places_.reset();
    }
    return in_order_.take();
  }

  Result<Chunk> load(ChunkItem item) override {
    BlockItem& stored = std::get<BlockItem>(item);
    const bool was_placed = !stored.damage && stored.block.payload.empty();
    if (was_placed) PRESSO_TRY(read_payload(stored.block));
    return in_order_.load(std::move(item));
  }

  void recycle(Buffer buffer) override { in_order_.recycle(std::move(buffer)); }

 private:
  /// Reads the payload of a block whose header is known; an error names the block and its offset.
  Status read_payload(StoredBlock& block) {
    block.payload = in_order_.spare_buffer();
    block.payload.resize_discarding(block.header.payload_bytes);
    Status read =
        file_.read_at(block.file_offset + kBlockHeaderBytes, block.payload.mutable_bytes());
    if (!read.ok()) {
      read.error().block = block.number;
      read.error().byte_offset = block.file_offset;
    }
    return read;
  }

  const RandomAccess& file_;
  std::unique_ptr<BlockPlaces> places_;
  CompressedStream in_order_;
};

}  // namespace

/// Tells by the first bytes whether the source is compressed. Error: those of reading.
Result<std::unique_ptr<ChunkSource>> open_chunks(ByteSource& source, const ScanOptions& options) {
  Byte magic[sizeof kFileMagic];
  PRESSO_ASSIGN(const std::size_t got, read_fully(source, magic));
  const Bytes begun(magic, got);
  if (got == sizeof magic && has_file_magic(magic)) {
    return std::unique_ptr<ChunkSource>(std::make_unique<CompressedStream>(begun, source, options));
  }
  return std::unique_ptr<ChunkSource>(std::make_unique<PlainStream>(begun, source));
}

/// Chooses the fastest way to read a file at hand: plain, by its index, or block by block.
std::unique_ptr<ChunkSource> open_chunks(ScannedFile& file, const Pattern& pattern,
                                         const ScanOptions& options) {
  if (!file.is_compressed()) return std::make_unique<PlainFile>(file.file());
  if (auto filters = file.filters(pattern, options)) return make_indexed_chunks(std::move(filters));
  if (file.bad_filter() && options.on_bad_index) options.on_bad_index(*file.bad_filter());
  return std::make_unique<CompressedChunks>(file.file(), file.take_index(), options);
}

}  // namespace presso::scan_detail
