// SPDX-License-Identifier: MIT
#include "tools/decompress/range_reader.h"

#include <algorithm>

#include "presso/ordered_pipeline.h"
#include "tools/cli/bind.h"

namespace presso::cli {
namespace {

struct DecodedPart {
  std::uint64_t plain_offset = 0;
  Result<Buffer> plain = Buffer();
};

Error beyond(const std::string& what, std::uint64_t has, const std::string& units) {
  return make_error(ErrorCode::kInvalidArgument,
                    what + " is behind the end: the file has " + grouped(has) + " " + units);
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
  const bool to_end = last + 1 >= index.block_count() || last == UINT64_MAX;
  return PlainSpan{index.block_plain_offset(first),
                   to_end ? size : index.block_plain_offset(last + 1)};
}

Result<std::uint64_t> write_span(const CompressedFile& file, PlainSpan span, unsigned threads,
                                 ByteSink& sink) {
  if (span.begin == span.end) return std::uint64_t{0};
  const ArchiveIndex& index = file.index();
  std::uint64_t next = index.block_at(span.begin);
  const std::uint64_t last = index.block_at(span.end - 1);
  const auto produce = [&]() -> Result<std::optional<std::uint64_t>> {
    if (next > last) return std::optional<std::uint64_t>();
    return std::optional(next++);
  };
  const auto work = [&](std::uint64_t number, unsigned) {
    return DecodedPart{index.block_plain_offset(number), file.read_block(number)};
  };
  const auto consume = [&](DecodedPart part) -> Result<bool> {
    PRESSO_ASSIGN(const Buffer plain, std::move(part.plain));
    const std::uint64_t from = std::max(span.begin, part.plain_offset) - part.plain_offset;
    const std::uint64_t to = std::min(span.end - part.plain_offset, std::uint64_t{plain.size()});
    PRESSO_TRY(sink.write(plain.bytes().subspan(from, to - from)));
    return true;
  };
  const unsigned workers = threads_or_all(threads);
  PRESSO_TRY(
      (run_ordered<std::uint64_t, DecodedPart>({.threads = workers}, produce, work, consume)));
  return span.end - span.begin;
}

}  // namespace presso::cli
