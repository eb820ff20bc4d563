// SPDX-License-Identifier: MIT
// The bytes that a search reads are known from the index and the filters, so that they can be asked
// for in few requests before they are needed. Tested by python/tests/test_partitions.py and
// python/tests/test_servers.py.
#include "python/src/part_ranges.h"

#include <algorithm>

#include "presso/wire.h"

namespace presso::python {
namespace {

/// A request takes about as long as reading this many bytes.
constexpr std::uint64_t kLeastGap = 256u << 10;
// The most ranges of a part; each of them costs a request, or a line in one.
constexpr std::size_t kMostRanges = 16;
// The stored size of a block's line facts.
constexpr std::uint64_t kFactsBytes = 12;

/// The stored block ends where the next one begins, except at the end of a member.
std::uint64_t end_of_block(const ArchiveIndex& index, std::uint64_t block) {
  return index.block_offset(block) + index.block_stored_bytes(block);
}

/// Where a member's line facts end if they follow its blocks. The estimate may go beyond them,
/// which costs some bytes that are not needed.
std::uint64_t facts_end(const ArchiveMember& member) {
  const std::uint64_t payload = round_up(kFactsBytes * member.block_count, kFrameAlignment);
  // The header of the section after them is read, too.
  return std::min(member.blocks_end + payload + 2 * kSectionHeaderBytes, member.index_offset);
}

/// Adds a range that does not begin before the last one, or extends the last one.
void add_or_join(std::vector<ByteRange>& to, const ByteRange& range, std::uint64_t gap) {
  if (!to.empty() && range.begin <= to.back().end + gap) {
    to.back().end = std::max(to.back().end, range.end);
  } else {
    to.push_back(range);
  }
}

/// Joins ranges with at most `gap` bytes between them; `ranges` must be sorted.
std::vector<ByteRange> joined(const std::vector<ByteRange>& ranges, std::uint64_t gap) {
  std::vector<ByteRange> made;
  for (const ByteRange& range : ranges) add_or_join(made, range, gap);
  return made;
}

/// Joins ranges until there are few of them. The gap doubles at each step, so that a few steps are
/// enough.
std::vector<ByteRange> few_of(std::vector<ByteRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  std::uint64_t gap = kLeastGap;
  while (joined(ranges, gap).size() > kMostRanges) gap *= 2;
  return joined(ranges, gap);
}

/// The bytes of a member before its first block.
ByteRange front_of(const ArchiveIndex& index, const ArchiveMember& member) {
  const std::uint64_t first =
      member.block_count > 0 ? index.block_offset(member.first_block) : member.index_offset;
  return {member.file_offset, first + kBlockHeaderBytes};
}

/// The bytes that are read of members apart from blocks: of all members, or of the one whose layout
/// the part brings along. A part with a layout brings its own index along.
std::vector<ByteRange> members_of(const ArchiveIndex& index, const LinePart& part) {
  std::vector<ByteRange> ranges;
  for (const ArchiveMember& member : index.members()) {
    if (part.layout) {
      if (member.file_offset == part.layout->blocks.file_offset) return {front_of(index, member)};
      continue;
    }
    ranges.push_back(front_of(index, member));
    ranges.push_back({member.blocks_end, facts_end(member)});
    ranges.push_back({member.index_offset, member.file_offset + member.file_bytes});
  }
  return ranges;
}

/// The blocks that a part's search reads; blocks that follow each other are one range. Blocks that
/// the filters rule out are left out.
std::vector<ByteRange> blocks_of(const ArchiveIndex& index, const LinePart& part) {
  std::vector<ByteRange> ranges;
  const std::uint64_t first = index.block_at(part.begin);
  const std::uint64_t last = index.block_at(part.end - 1);
  for (std::uint64_t block = first; block <= last; ++block) {
    const bool is_wanted =
        part.wanted.empty() || part.wanted[static_cast<std::size_t>(block - first)];
    if (is_wanted) {
      add_or_join(ranges, {index.block_offset(block), end_of_block(index, block)}, 0);
    }
  }
  return ranges;
}

}  // namespace

/// The byte ranges that a part will read, joined where they lie close; those with the beginnings of
/// members come first, as they are read first.
std::vector<ByteRange> ranges_of(const ArchiveIndex& index, const LinePart& part) {
  const std::vector<ByteRange> members = members_of(index, part);
  std::vector<ByteRange> ranges = blocks_of(index, part);
  ranges.insert(ranges.end(), members.begin(), members.end());
  ranges = few_of(std::move(ranges));
  // The order within each of the two kinds stays that of the file.
  std::stable_partition(ranges.begin(), ranges.end(), [&](const ByteRange& range) {
    return std::any_of(members.begin(), members.end(), [&](const ByteRange& member) {
      return range.begin <= member.begin && member.begin < range.end;
    });
  });
  return ranges;
}

}  // namespace presso::python
