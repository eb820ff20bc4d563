// SPDX-License-Identifier: MIT
// The flags of decompress and cat beyond those of tools/io/flags_files.h, and the ranges that they
// select. A range is cut at the file's end, which is known only once the file is open
// (range_reader.h). Tested by tests/cli/test_decompress.py.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/decompress.h"
#include "tools/cli/flag.h"

namespace presso::cli {

/// The plain bytes [offset, offset + length), cut at the end of the file.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t length = UINT64_MAX;
};

/// Blocks first to last, both included, counted from 0.
struct BlockRange {
  std::uint64_t first = 0;
  std::uint64_t last = UINT64_MAX;
};

/// What the flags were set to.
struct DecodeFlags {
  std::optional<ByteRange> bytes;  ///< of `bytes` and `blocks` only the one given last is set
  std::optional<BlockRange> blocks;
  bool check = true;
  bool salvage = false;
  unsigned threads = 0;
  std::vector<std::shared_ptr<const Dictionary>> dictionaries;

  DecodeOptions options() const { return {.verify = check, .dictionaries = dictionaries}; }

  bool is_range() const { return bytes.has_value() || blocks.has_value(); }
};

/// The flags --bytes --blocks --salvage --[no-]check --dict -T.
std::vector<Flag> decode_flags(DecodeFlags& flags);

}  // namespace presso::cli
