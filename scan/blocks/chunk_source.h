// SPDX-License-Identifier: MIT
// Where the chunks of a scan come from. A *chunk* is the text that one worker searches: a block of
// a presso file, or 256 KiB of plain text. A source hides from the rest of the scan whether its
// text is compressed, in a pipe or in a file, and which blocks an index leaves out. take() is
// called in order by one thread at a time and does as little as possible; load() is called by all
// threads at once and does the reading and decoding. Tested by tests/unit/scan/text/scan_test.cpp
// and tests/unit/scan/blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "presso/decompress.h"
#include "presso/lines.h"
#include "presso/scanned_file.h"

namespace presso::scan_detail {

/// Pieces in which plain text is read: small enough for a core's second-level cache.
constexpr std::size_t kPlainChunkBytes = 256u << 10;

/// A piece of a plain file that a worker will read.
struct FileRange {
  std::uint64_t begin = 0;
  std::size_t bytes = 0;
};

/// A piece of a plain stream, which had to be read in order.
struct ReadPiece {
  Buffer text;
  std::uint64_t offset = 0;
};

/// A block of a file that a worker will read by its number.
struct WholeBlock {
  std::uint64_t number = 0;
  std::size_t from = 0;  ///< bytes that are left out in front
};

/// A run of blocks in which nothing begins that a match must contain.
struct SkippedBlocks {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// What take() gives out. A BlockItem whose payload is empty has its payload still to be read by a
/// worker.
using ChunkItem = std::variant<ReadPiece, FileRange, BlockItem, WholeBlock, SkippedBlocks>;

/// What load() makes of an item: text, or the reason why there is none.
struct Chunk {
  Buffer text;
  std::uint64_t offset = 0;  ///< in the plain text
  bool is_block = false;     ///< whether it is a block of a compressed file
  std::uint64_t stored_bytes = 0;
  std::optional<DamagedBlock> damage;
  std::uint64_t lost_lines = 0;          ///< with damage, in a part of a file: its line feeds
  std::optional<SkippedBlocks> skipped;  ///< if set, blocks that were left out; no text
};

class BlockIndex;

/// The source of one scan. Errors of take() and load() end the scan; damage of a block does not, it
/// is in the chunk.
class ChunkSource {
 public:
  virtual ~ChunkSource() = default;
  /// The next chunk to load, in the order of the file; nothing at the end. One thread calls it.
  virtual Result<std::optional<ChunkItem>> take() = 0;
  /// Reads and decodes the chunk. Thread-safe.
  virtual Result<Chunk> load(ChunkItem item) = 0;
  /// Like load() for a piece of plain text, but into the caller's memory, which is as large as the
  /// range. Other sources refuse with kUnsupported.
  virtual Status load_into(const FileRange& range, MutableBytes into) {
    static_cast<void>(range);
    static_cast<void>(into);
    return make_error(ErrorCode::kUnsupported);
  }
  /// Takes a text's memory back, to use it for a later chunk. Thread-safe.
  virtual void recycle(Buffer buffer) = 0;
  /// The index that knows the skipped blocks; nullptr if this source skips none. If there is an
  /// index, load() takes any WholeBlock.
  virtual const BlockIndex* index() const { return nullptr; }
};

/// Opens a stream, compressed or plain, as its first bytes tell. `source` is kept by reference.
Result<std::unique_ptr<ChunkSource>> open_chunks(ByteSource& source, const ScanOptions& options);
/// Opens a file, whose filters may say that blocks can be left out. `file` is kept by reference
/// only as the bytes to read.
std::unique_ptr<ChunkSource> open_chunks(ScannedFile& file, const Pattern& pattern,
                                         const ScanOptions& options);

}  // namespace presso::scan_detail
