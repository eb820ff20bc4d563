// SPDX-License-Identifier: MIT
// Reads the stored blocks of a row group, a part of a table that stores its columns in blocks of
// their own. Each block is checked against its own header, the directory and its checksum
// (FORMAT.md 15.3, 15.5), in that order, before anything of the payload is looked at. The results
// can be given to the decoders of columns/cpu. All readers of table blocks use it, so errors are
// the same everywhere. Thread-safe. Tested by tests/unit/decompress/table/row_group_damage_test.cpp
// and slice_damage_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "format/columns/integer_layout.h"
#include "format/columns/row_group.h"
#include "presso/byte_stream.h"
#include "presso/decompress.h"

namespace presso {

/// Counts of what was read, summed over all row groups of a query.
struct ReadCounters {
  std::atomic<std::uint64_t> bytes{0};  ///< stored bytes of blocks
  std::atomic<std::uint64_t> blocks{0};
};

/// A block of integers that was checked; `payload` points into the buffer that it was read to.
struct IntegerBlock {
  IntegerParameters parameters;
  Bytes payload;
};

/// A block of tokens that was checked.
struct TokenBlock {
  std::uint32_t codes = 0;
  Bytes payload;
};

/// The blocks of one row group, by their numbers in its directory. Owns no memory for blocks:
/// read() fills the caller's buffer, and the payload of an opened block points into it.
class BlockReader {
 public:
  /// Keeps `group`, `file` and `counters` by reference; `counters` may be nullptr.
  /// `blocks_offset`: where the first block begins in `file`. `first_offset` is added to
  /// offsets in errors.
  BlockReader(const RowGroup& group, const RandomAccess& file, std::uint64_t blocks_offset,
              std::uint64_t first_offset, const DecodeOptions& options,
              ReadCounters* counters = nullptr);

  const DecodeOptions& options() const { return options_; }
  /// Adds the block's number to the error and, if it has none, the block's offset.
  Error at_block(Error error, std::uint32_t block) const;

  /// Reads the block as it is stored, with header and padding.
  Status read(std::uint32_t block, Buffer& stored) const;
  /// Reads into the caller's memory, which must be as large as the directory says that the
  /// block is.
  Status read(std::uint32_t block, MutableBytes stored) const;
  /// Whether a block of integers that was read can only be decoded as a whole, since it is stored
  /// as bytes (raw, Byte, Bit) or in planes. One of an unknown coding counts as packed, whose check
  /// then gives the error.
  static bool is_whole(Bytes stored);

  /// Checks a block of integers that was read, its checksum included unless options say
  /// otherwise. kBadRowGroup where header and directory differ, kContentChecksum.
  Result<IntegerBlock> open_integers(std::uint32_t block, Byte width_bytes, Bytes stored) const;
  /// The block, and the checksum that the caller compares its payload with.
  struct StoredIntegers {
    IntegerBlock block;
    std::uint64_t checksum = 0;
  };
  /// As open_integers(), without the checksum.
  Result<StoredIntegers> parse_integers(std::uint32_t block, Byte width_bytes, Bytes stored) const;
  /// As open_integers(), for a block of tokens.
  Result<TokenBlock> open_tokens(std::uint32_t block, Bytes stored) const;
  /// The block, and the checksum that the caller compares its payload with.
  struct StoredTokens {
    TokenBlock block;
    std::uint64_t checksum = 0;
  };
  /// As open_tokens(), without the checksum.
  Result<StoredTokens> parse_tokens(std::uint32_t block, Bytes stored) const;
  /// The header of a block that is stored as bytes; the payload is not looked at.
  Result<BlockHeader> parse_bytes(std::uint32_t block, Bytes stored) const;
  /// Decodes a block of bytes. `into`: room for its plain bytes and
  /// Buffer::kSlack.
  Status decode_bytes(std::uint32_t block, const Buffer& stored, Byte* into) const;

  /// Decodes a block of integers for which is_whole() holds. `into`: room for the values and
  /// slack.
  Status decode_whole(std::uint32_t block, Byte width_bytes, const Buffer& stored,
                      Byte* into) const;
  /// Reads and decodes a block of integers in any form. `into`: room for the values and slack.
  Status decode_integers(std::uint32_t block, Byte width_bytes, Byte* into) const;
  /// Reads and decodes a block of bytes.
  Status decode_bytes(std::uint32_t block, Byte* into) const;

 private:
  const RowGroup& group_;
  const RandomAccess& file_;
  std::uint64_t first_offset_;
  DecodeOptions options_;
  ReadCounters* counters_;
  std::vector<std::uint64_t> offsets_;
};

}  // namespace presso
