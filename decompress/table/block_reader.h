// SPDX-License-Identifier: MIT
// Reads the stored blocks of a row group and checks each against its own header, the directory and
// its checksum (FORMAT.md 15.3, 15.5), in that order, before anything of a payload is looked at.
// What it hands out can be given to the decoders of columns/cpu. Whoever reads blocks of tables
// does so through it: errors are the same everywhere. Thread-safe.
// Tested by tests/unit/decompress/table/row_group_damage_test.cpp and slice_damage_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "format/columns/integer_layout.h"
#include "format/columns/row_group.h"
#include "presso/byte_stream.h"
#include "presso/decompress.h"

namespace presso {

/// What was read, over all row groups of a query.
struct ReadCounters {
  std::atomic<std::uint64_t> bytes{0};  ///< stored bytes of blocks
  std::atomic<std::uint64_t> blocks{0};
};

/// A block of integers that was checked; `payload` lies where it was read to.
struct IntegerBlock {
  IntegerParameters parameters;
  Bytes payload;
};

/// A block of tokens that was checked.
struct TokenBlock {
  std::uint32_t codes = 0;
  Bytes payload;
};

class BlockReader {
 public:
  /// `group`, `file` and `counters` are kept by reference; `counters` may be nullptr.
  /// `blocks_offset`: of the first block in `file`. `first_offset` is added to offsets in errors.
  BlockReader(const RowGroup& group, const RandomAccess& file, std::uint64_t blocks_offset,
              std::uint64_t first_offset, const DecodeOptions& options,
              ReadCounters* counters = nullptr);

  const DecodeOptions& options() const { return options_; }
  /// The error with the block and, where it has none, the block's offset.
  Error at_block(Error error, std::uint32_t block) const;

  /// The block as it is stored, header and padding included.
  Status read(std::uint32_t block, Buffer& stored) const;
  /// The same to memory of its caller, as large as the directory says that the block is.
  Status read(std::uint32_t block, MutableBytes stored) const;
  /// Whether a block that was read is stored as bytes (raw, Byte, Bit); one whose coding is not
  /// known counts as one of integers, which then gives the error.
  static bool is_bytes(Bytes stored);

  Result<IntegerBlock> open_integers(std::uint32_t block, Byte width_bytes, Bytes stored) const;
  /// The same without comparing the payload with its checksum, which the caller then does.
  struct StoredIntegers {
    IntegerBlock block;
    std::uint64_t checksum = 0;
  };
  Result<StoredIntegers> parse_integers(std::uint32_t block, Byte width_bytes, Bytes stored) const;
  Result<TokenBlock> open_tokens(std::uint32_t block, Bytes stored) const;
  /// The same without comparing the payload with its checksum, which the caller then does.
  struct StoredTokens {
    TokenBlock block;
    std::uint64_t checksum = 0;
  };
  Result<StoredTokens> parse_tokens(std::uint32_t block, Bytes stored) const;
  /// The header of a block that is stored as bytes; its payload is not looked at.
  Result<BlockHeader> parse_bytes(std::uint32_t block, Bytes stored) const;
  /// Of a block that is stored as bytes. `into`: room for its plain bytes and Buffer::kSlack.
  Status decode_bytes(std::uint32_t block, const Buffer& stored, Byte* into) const;

  /// Reads and decodes a block of integers, whichever way it is stored. `into`: as above.
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
