// SPDX-License-Identifier: MIT
// Where the scan's chunks come from: blocks of a presso file or pieces of plain text. take() is
// called in order by one thread at a time, load() by all of them at once.
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

/// A piece of plain text still to be read by a worker.
struct FileRange {
  std::uint64_t begin = 0;
  std::size_t bytes = 0;
};

/// A piece of plain text that had to be read in order.
struct ReadPiece {
  Buffer text;
  std::uint64_t offset = 0;
};

/// A block to be read by its number.
struct WholeBlock {
  std::uint64_t number = 0;
  std::size_t from = 0;  ///< bytes that are left out in front
};

/// Blocks in which nothing begins that a match must contain.
struct SkippedBlocks {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// A BlockItem whose payload is empty has its payload still to be read by a worker.
using ChunkItem = std::variant<ReadPiece, FileRange, BlockItem, WholeBlock, SkippedBlocks>;

/// Text, or why there is none.
struct Chunk {
  Buffer text;
  std::uint64_t offset = 0;  ///< in the plain text
  bool is_block = false;     ///< of a compressed file
  std::uint64_t stored_bytes = 0;
  std::optional<DamagedBlock> damage;
  std::uint64_t lost_lines = 0;  ///< with damage: line feeds that the block had, where they count
  std::optional<SkippedBlocks> skipped;  ///< then there is no text
};

class BlockIndex;

class ChunkSource {
 public:
  virtual ~ChunkSource() = default;
  virtual Result<std::optional<ChunkItem>> take() = 0;
  virtual Result<Chunk> load(ChunkItem item) = 0;
  /// load() of a piece of plain text into memory of the caller's, as large as the range.
  virtual Status load_into(const FileRange& range, MutableBytes into) {
    static_cast<void>(range);
    static_cast<void>(into);
    return make_error(ErrorCode::kUnsupported);
  }
  virtual void recycle(Buffer buffer) = 0;
  /// What is known of skipped blocks; nullptr where none will come. load() then takes any
  /// WholeBlock.
  virtual const BlockIndex* index() const { return nullptr; }
};

/// Compressed or plain, told by the first bytes of `source`, which is kept by reference.
Result<std::unique_ptr<ChunkSource>> open_chunks(ByteSource& source, const ScanOptions& options);
/// The same for a file, whose filters may say that blocks can be left out. `file` is kept by
/// reference only as the bytes to read.
std::unique_ptr<ChunkSource> open_chunks(ScannedFile& file, const Pattern& pattern,
                                         const ScanOptions& options);

}  // namespace presso::scan_detail
