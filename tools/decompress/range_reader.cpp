// SPDX-License-Identifier: MIT
// A part that begins after the file's end is an error (kInvalidArgument), while one that ends after
// it is cut, so that a script can ask for more than there is. --bytes may begin at the very end and
// then gives nothing. Tested by tests/cli/test_decompress.py.
#include "tools/decompress/range_reader.h"

#include <algorithm>

#include "tools/cli/bind.h"

namespace presso::cli {
namespace {

/// The error for a part that begins after the end, with what the file has.
Error beyond(const std::string& what, std::uint64_t has, const std::string& units) {
  return make_error(ErrorCode::kInvalidArgument,
                    what + " is after the end: the file has " + grouped(has) + " " + units);
}

}  // namespace

Result<PlainSpan> selected_span(const CompressedFile& file, const DecodeFlags& flags) {
  const std::uint64_t size = file.plain_bytes();
  if (flags.bytes) {
    const auto [offset, length] = *flags.bytes;
    if (offset > size) return beyond("offset " + grouped(offset), size, "plain bytes");
    return PlainSpan{offset, offset + std::min(length, size - offset)};
  }
  const ArchiveIndex& index = file.index();
  const auto [first, last] = flags.blocks.value_or(BlockRange{});
  if (first >= index.block_count()) {
    return beyond("block " + grouped(first), index.block_count(), "blocks, counted from 0");
  }
  // `last` may be the largest number, to which 1 must not be added.
  const bool to_end = last + 1 >= index.block_count() || last == UINT64_MAX;
  return PlainSpan{index.block_plain_offset(first),
                   to_end ? size : index.block_plain_offset(last + 1)};
}

}  // namespace presso::cli
