// SPDX-License-Identifier: MIT
// ArchiveIndex finds every block of a file without reading payloads. It has two ways. By
// trailers: from the last 32 bytes back, member by member, each trailer leading to an index
// (FORMAT.md 9); this costs three or four small reads for each member. By walking: header after
// header from the front, which reads 48 bytes a block and is taken only where a trailer or an
// index is missing or damaged.
// Both ways trust nothing that they read: sizes are compared with the file before memory is
// taken.
// Tested by tests/unit/format/archive_test.cpp.
#include <algorithm>
#include <utility>

#include "format/container_rules.h"
#include "presso/archive_reader.h"
#include "presso/checksum.h"

namespace presso {
namespace {

constexpr std::size_t kFewMembers = 16;  ///< whose ends are read whatever their size

/// Reads `count` bytes at `offset`, with the offset in the error.
Result<Buffer> read_part(const RandomAccess& file, std::uint64_t offset, std::uint64_t count) {
  if (offset > file.size() || count > file.size() - offset) {
    return truncated(file.size(), "a block or section");
  }
  Buffer bytes;
  bytes.resize_discarding(static_cast<std::size_t>(count));
  PRESSO_TRY(file.read_at(offset, bytes.mutable_bytes()));
  return bytes;
}

/// Whether the file holds `bytes` bytes from `at` on. No sum is made that could overflow.
bool is_left(const RandomAccess& file, std::uint64_t at, std::uint64_t bytes) {
  return at <= file.size() && bytes <= file.size() - at;
}

/// A read error counts as "no": the caller only looks for a place where a member may begin.
bool is_magic_at(const RandomAccess& file, std::uint64_t at) {
  if (!is_left(file, at, sizeof kFileMagic)) return false;
  const auto magic = read_part(file, at, sizeof kFileMagic);
  return magic.ok() && has_file_magic(magic->data());
}

/// Reads the section header at `offset` and, for kinds that this version knows, the payload, whose
/// checksum is verified. `blocks`: how many blocks stand before it in its member; an index may
/// nevertheless have any size that fits into the file, which callers judge. The payload is empty
/// for unknown kinds. Errors carry the section's offset.
Result<StoredSection> read_section_at(const RandomAccess& file, std::uint64_t offset,
                                      std::uint64_t blocks) {
  PRESSO_ASSIGN(const Buffer head, read_part(file, offset, kSectionHeaderBytes));
  PRESSO_ASSIGN(const SectionHeader header, parse_section_header(head.data()));
  PRESSO_TRY(check_section_header(header, blocks, false));
  StoredSection section;
  section.header = header;
  section.file_offset = offset;
  if (!is_known_section(header.kind)) return section;
  PRESSO_ASSIGN(section.payload,
                read_part(file, offset + kSectionHeaderBytes, header.payload_bytes));
  if (checksum64(section.payload.bytes()) != header.payload_checksum) {
    return at_offset(make_error(ErrorCode::kSectionChecksum, kind_name(header.kind)), offset);
  }
  return section;
}

/// Reads a member's file header and the sections before its first block: metadata and
/// dictionaries. Returns the absolute offset of what follows them, which is a block, an index
/// or a trailer. Errors: kNotPresso, kContent for tables, and those of the sections.
Result<std::uint64_t> read_front(const RandomAccess& file, ArchiveMember& member) {
  if (!is_left(file, member.file_offset, sizeof kFileMagic)) {
    return make_error(ErrorCode::kNotPresso);
  }
  PRESSO_ASSIGN(const Buffer magic, read_part(file, member.file_offset, sizeof kFileMagic));
  if (!has_file_magic(magic.data())) return make_error(ErrorCode::kNotPresso);
  PRESSO_ASSIGN(const Buffer head, read_part(file, member.file_offset, kFileHeaderBytes));
  PRESSO_ASSIGN(member.header, parse_file_header(head.data()));
  PRESSO_TRY(expect_content(member.header, Content::kBytes));
  std::uint64_t offset = member.file_offset + kFileHeaderBytes;
  FrameOrder order;
  for (;;) {
    PRESSO_ASSIGN(const Buffer start, read_part(file, offset, sizeof(std::uint32_t)));
    PRESSO_ASSIGN(const FrameKind kind, peek_frame_kind(start.data()));
    if (kind == FrameKind::kBlock || kind == FrameKind::kIndex || kind == FrameKind::kTrailer) {
      return offset;
    }
    auto read = read_section_at(file, offset, 0);
    if (!read.ok()) return at_offset(std::move(read.error()), offset);
    StoredSection section = std::move(*read);
    Status taken = order.take_section(section.header);
    if (!taken.ok()) return at_offset(std::move(taken.error()), offset);
    offset += section.header.stored_bytes();
    if (kind == FrameKind::kMetadata) {
      auto metadata = parse_metadata(section.payload.bytes());
      if (!metadata.ok()) return at_offset(std::move(metadata.error()), section.file_offset);
      member.metadata = std::move(*metadata);
    } else if (kind == FrameKind::kDictionary) {
      member.dictionaries.push_back(std::move(section));
    }
  }
}

// --- By trailers

/// One member as its own trailer and index describe it. Block offsets are absolute, ascending,
/// one for each block.
struct MemberTable {
  ArchiveMember member;
  std::vector<std::uint64_t> block_offsets;
};

/// The payload of the index at `at`, which must end where the trailer begins and have a size that
/// agrees with its own count of blocks.
Result<Buffer> read_index(const RandomAccess& file, std::uint64_t at, std::uint64_t trailer_at) {
  PRESSO_ASSIGN(StoredSection index, read_section_at(file, at, 0));
  const Bytes payload = index.payload.bytes();
  if (index.header.kind != FrameKind::kIndex || payload.size() < kIndexPrefixBytes ||
      (payload.size() - kIndexPrefixBytes) % 4 != 0 ||
      (payload.size() - kIndexPrefixBytes) / 4 != load<std::uint64_t>(payload.data()) ||
      at + index.header.stored_bytes() != trailer_at) {
    return make_error(ErrorCode::kBadIndex);
  }
  return std::move(index.payload);
}

/// Takes the counts and the offsets of the blocks from the index's payload. `first_block`: where
/// the sections before the blocks end.
Status take_index(const Byte* payload, std::uint64_t first_block, MemberTable& table) {
  ArchiveMember& member = table.member;
  member.block_count = load<std::uint64_t>(payload);
  member.plain_bytes = load<std::uint64_t>(payload + 8);
  std::uint64_t at = member.file_offset + load<std::uint64_t>(payload + 16);
  const std::uint64_t needed =
      member.plain_bytes == 0 ? 0 : (member.plain_bytes - 1) / member.header.block_bytes + 1;
  if (at != first_block || needed != member.block_count) return make_error(ErrorCode::kBadIndex);
  table.block_offsets.resize(static_cast<std::size_t>(member.block_count));
  const Byte* stored_bytes = payload + kIndexPrefixBytes;
  for (std::uint64_t& offset : table.block_offsets) {
    offset = at;
    at += load<std::uint32_t>(stored_bytes);
    stored_bytes += sizeof(std::uint32_t);
  }
  if (at > member.index_offset) return make_error(ErrorCode::kBadIndex);
  member.blocks_end = at;
  return {};
}

/// Reads the member whose trailer ends at `end`, which need not be the end of the file: members
/// stand one after another, so the search goes on before the member that was found. kBadIndex where
/// trailer, index and front contradict each other.
Result<MemberTable> read_member_before(const RandomAccess& file, std::uint64_t end) {
  if (end < kFileHeaderBytes + kTrailerBytes) return make_error(ErrorCode::kBadIndex);
  const std::uint64_t trailer_at = end - kTrailerBytes;
  PRESSO_ASSIGN(const Buffer tail, read_part(file, trailer_at, kTrailerBytes));
  PRESSO_ASSIGN(const Trailer trailer, parse_trailer(tail.data()));
  if (trailer.file_bytes > end) return make_error(ErrorCode::kBadIndex);
  MemberTable table;
  ArchiveMember& member = table.member;
  member.file_bytes = trailer.file_bytes;
  member.file_offset = end - trailer.file_bytes;
  PRESSO_ASSIGN(const std::uint64_t first_block, read_front(file, member));
  member.index_offset = member.file_offset + trailer.index_offset;
  PRESSO_ASSIGN(const Buffer payload, read_index(file, member.index_offset, trailer_at));
  PRESSO_TRY(take_index(payload.data(), first_block, table));
  return table;
}

// --- By walking

/// Tells input that was never a presso file (kNotPresso) from one that is cut off later
/// (kTruncated).
Status check_file_start(const RandomAccess& file) {
  const std::uint64_t size = std::min<std::uint64_t>(file.size(), kFileHeaderBytes);
  PRESSO_ASSIGN(const Buffer start, read_part(file, 0, size));
  if (size < sizeof kFileMagic || !has_file_magic(start.data())) {
    return at_offset(make_error(ErrorCode::kNotPresso, size == 0 ? "empty file" : ""), 0);
  }
  if (size < kFileHeaderBytes) return truncated(size, "the file header");
  return {};
}

bool is_trailer_at(const RandomAccess& file, std::uint64_t at) {
  if (!is_left(file, at, kTrailerBytes)) return false;
  const auto trailer = read_part(file, at, kTrailerBytes);
  return trailer.ok() && parse_trailer(trailer->data()).ok();
}

/// How many bytes the section at `at` takes, header and padding included; 0 where the file ends
/// before it does.
Result<std::uint64_t> section_bytes_at(const RandomAccess& file, std::uint64_t at) {
  if (!is_left(file, at, kSectionHeaderBytes)) return 0;
  PRESSO_ASSIGN(const Buffer head, read_part(file, at, kSectionHeaderBytes));
  PRESSO_ASSIGN(const SectionHeader header, parse_section_header(head.data()));
  PRESSO_TRY(check_section_header(header, 0, false));
  return is_left(file, at, header.stored_bytes()) ? header.stored_bytes() : 0;
}

/// Tries to step over an index or trailer at `at` that is damaged. The number of blocks gives
/// the index's size, hence the place of the trailer. Returns where the member ends, or 0 where
/// neither a sound trailer nor a next member stands where it must.
std::uint64_t end_of_damaged_tail(const RandomAccess& file, std::uint64_t at,
                                  std::uint64_t blocks) {
  const std::uint64_t trailer =
      at + kSectionHeaderBytes + round_up(kIndexPrefixBytes + 4 * blocks, kFrameAlignment);
  if (is_trailer_at(file, trailer)) return trailer + kTrailerBytes;
  const std::uint64_t end = at + kTrailerBytes;
  return end == file.size() || is_magic_at(file, end) ? end : 0;
}

}  // namespace

/// Tries the trailers first. Only damage makes it walk instead: an I/O error is returned as it is.
/// An index that was rebuilt by walking is marked, as it does not know the stored size of a
/// member's last block.
Result<ArchiveIndex> ArchiveIndex::open(const RandomAccess& file) {
  ArchiveIndex by_trailers(file);
  const Status found = by_trailers.open_by_trailers(0);
  if (found.ok()) return by_trailers;
  if (!is_damage(found.error().code)) return found.error();
  ArchiveIndex walked(file);
  walked.rebuilt_ = true;
  PRESSO_TRY(walked.open_by_walking());
  return walked;
}

/// For callers that read front to back anyway: it never walks, and gives up with kUnsupported
/// where more than kFewMembers members are smaller than `mean_member_bytes` on average, because
/// then reading the ends costs more than it saves.
Result<ArchiveIndex> ArchiveIndex::open_as_written(const RandomAccess& file,
                                                   std::uint64_t mean_member_bytes) {
  ArchiveIndex index(file);
  PRESSO_TRY(index.open_by_trailers(mean_member_bytes));
  return index;
}

/// An index of some blocks of one member, restored from what excerpt() has given for the same
/// file. Only the member's front is read again. Everything in it is checked, as it may come
/// from elsewhere: kInvalidArgument where it does not fit the file.
Result<ArchiveIndex> ArchiveIndex::open_excerpt(const RandomAccess& file,
                                                const ArchiveExcerpt& excerpt) {
  const auto impossible = [](const char* what) {
    return make_error(ErrorCode::kInvalidArgument, std::string("excerpt of an index: ") + what);
  };
  ArchiveIndex index(file);
  ArchiveMember member;
  member.file_offset = excerpt.file_offset;
  member.plain_offset = excerpt.plain_offset;
  member.plain_bytes = excerpt.plain_bytes;
  member.first_block = excerpt.first_block;
  if (excerpt.file_offset >= file.size()) return impossible("its member");
  PRESSO_ASSIGN(const std::uint64_t blocks_begin, read_front(file, member));
  const std::uint64_t whole = member.plain_bytes / member.header.block_bytes;
  member.block_count = whole + (member.plain_bytes % member.header.block_bytes != 0 ? 1 : 0);
  const std::uint64_t count = excerpt.stored_bytes.size();
  if (count == 0 || count > member.block_count || excerpt.first < excerpt.first_block ||
      excerpt.first - excerpt.first_block > member.block_count - count ||
      excerpt.offset < blocks_begin) {
    return impossible("its blocks");
  }
  std::uint64_t at = excerpt.offset;
  index.block_offsets_.push_back(at);
  for (const std::uint32_t stored_bytes : excerpt.stored_bytes) {
    if (!is_left(file, at, stored_bytes)) return impossible("more than the file");
    at += stored_bytes;
    index.block_offsets_.push_back(at);
  }
  member.blocks_end = at;
  index.is_excerpt_ = true;
  index.first_known_ = excerpt.first;
  index.members_.push_back(std::move(member));
  return index;
}

/// Nullopt where the blocks from `first` to before `end` lie in two members, or the index was
/// rebuilt and so knows no sizes. `end` must be greater than `first`.
std::optional<ArchiveExcerpt> ArchiveIndex::excerpt(std::uint64_t first, std::uint64_t end) const {
  const ArchiveMember& member = member_of_block(first);
  if (rebuilt_ || &member != &member_of_block(end - 1)) return std::nullopt;
  ArchiveExcerpt excerpt;
  excerpt.file_offset = member.file_offset;
  excerpt.plain_offset = member.plain_offset;
  excerpt.plain_bytes = member.plain_bytes;
  excerpt.first_block = member.first_block;
  excerpt.first = first;
  excerpt.offset = block_offset(first);
  excerpt.stored_bytes.reserve(end - first);
  for (std::uint64_t block = first; block < end; ++block) {
    excerpt.stored_bytes.push_back(static_cast<std::uint32_t>(block_stored_bytes(block)));
  }
  return excerpt;
}

/// Goes from the last trailer backwards, member by member, and then puts the tables of blocks into
/// the order of the file. With `mean_member_bytes` 0 it never gives up.
Status ArchiveIndex::open_by_trailers(std::uint64_t mean_member_bytes) {
  std::vector<MemberTable> tables;  // last member first
  for (std::uint64_t end = file_->size(); end > 0;) {
    PRESSO_ASSIGN(MemberTable table, read_member_before(*file_, end));
    end = table.member.file_offset;
    tables.push_back(std::move(table));
    const bool many = tables.size() > kFewMembers;
    if (many && (file_->size() - end) / tables.size() < mean_member_bytes) {
      return make_error(ErrorCode::kUnsupported, "many small members");
    }
  }
  if (tables.empty()) return make_error(ErrorCode::kNotPresso, "empty file");
  std::uint64_t plain = 0;
  for (auto table = tables.rbegin(); table != tables.rend(); ++table) {
    ArchiveMember& member = table->member;
    member.plain_offset = plain;
    member.first_block = block_offsets_.size();
    plain += member.plain_bytes;
    block_offsets_.insert(block_offsets_.end(), table->block_offsets.begin(),
                          table->block_offsets.end());
    members_.push_back(std::move(member));
  }
  return {};
}

/// Goes header by header from the front. A file that is cut off still opens, with its whole blocks;
/// one that has a damaged header before its index does not.
Status ArchiveIndex::open_by_walking() {
  PRESSO_TRY(check_file_start(*file_));
  std::uint64_t at = 0;
  std::uint64_t plain = 0;
  do {
    ArchiveMember member;
    member.file_offset = at;
    member.plain_offset = plain;
    member.first_block = block_offsets_.size();
    auto front = read_front(*file_, member);
    if (!front.ok()) return at_offset(std::move(front.error()), at);
    at = *front;
    Status walked = walk_member(at, member);
    if (!walked.ok()) return at_offset(std::move(walked.error()), at);
    member.file_bytes = at - member.file_offset;
    plain += member.plain_bytes;
    members_.push_back(std::move(member));
  } while (is_magic_at(*file_, at));
  return {};
}

/// Takes frames from the first block to the end of the member, or to the last whole block where
/// the file is cut off. `at` is moved along; on an error it is the offset of the frame at
/// fault.
Status ArchiveIndex::walk_member(std::uint64_t& at, ArchiveMember& member) {
  while (is_left(*file_, at, sizeof(std::uint32_t))) {
    PRESSO_ASSIGN(const Buffer start, read_part(*file_, at, sizeof(std::uint32_t)));
    const auto kind = peek_frame_kind(start.data());
    if (kind.ok() && *kind == FrameKind::kTrailer) {
      at = std::min(at + kTrailerBytes, file_->size());
      return {};
    }
    const bool is_block = kind.ok() && *kind == FrameKind::kBlock;
    auto frame_bytes = is_block ? walk_block(at, member) : section_bytes_at(*file_, at);
    if (!frame_bytes.ok()) {
      const std::uint64_t end = is_block ? 0 : end_of_damaged_tail(*file_, at, member.block_count);
      if (end == 0) return std::move(frame_bytes.error());
      at = end;
      return {};
    }
    if (*frame_bytes == 0) return {};
    at += *frame_bytes;
  }
  return {};
}

/// Adds the block at `at` and returns its stored size, or 0 where the file ends before the
/// block does. A block must bear the next number and follow full blocks only; on an error the
/// file's number of the block is in it.
Result<std::uint64_t> ArchiveIndex::walk_block(std::uint64_t at, ArchiveMember& member) {
  if (!is_left(*file_, at, kBlockHeaderBytes)) return 0;
  PRESSO_ASSIGN(const Buffer head, read_part(*file_, at, kBlockHeaderBytes));
  const auto header = parse_block_header(head.data());
  const std::uint64_t full = member.block_count * member.header.block_bytes;
  Error error;
  if (!header.ok()) {
    error = header.error();
  } else if (header->number != static_cast<std::uint32_t>(member.block_count) ||
             header->plain_bytes > member.header.block_bytes || member.plain_bytes != full) {
    error = make_error(ErrorCode::kBadHeader, "number, plain size or place of a block");
  }
  if (error.code != ErrorCode::kOk) {
    error.block = block_offsets_.size();
    return error;
  }
  if (!is_left(*file_, at, header->stored_bytes())) return 0;
  block_offsets_.push_back(at);
  member.plain_bytes += header->plain_bytes;
  ++member.block_count;
  return header->stored_bytes();
}

std::uint64_t ArchiveIndex::plain_bytes() const {
  return members_.back().plain_offset + members_.back().plain_bytes;
}

/// By bisection, O(log members). The last member is looked at first, because most files have only
/// one.
const ArchiveMember& ArchiveIndex::member_of_block(std::uint64_t number) const {
  if (number >= members_.back().first_block) return members_.back();
  const auto after = std::upper_bound(
      members_.begin(), members_.end(), number,
      [](std::uint64_t value, const ArchiveMember& member) { return value < member.first_block; });
  return *(after - 1);
}

std::uint64_t ArchiveIndex::block_at(std::uint64_t plain_offset) const {
  const auto after = std::upper_bound(
      members_.begin(), members_.end(), plain_offset,
      [](std::uint64_t value, const ArchiveMember& member) { return value < member.plain_offset; });
  const ArchiveMember& member = *(after - 1);
  return member.first_block + (plain_offset - member.plain_offset) / member.header.block_bytes;
}

std::uint64_t ArchiveIndex::block_plain_offset(std::uint64_t number) const {
  const ArchiveMember& member = member_of_block(number);
  return member.plain_offset + (number - member.first_block) * member.header.block_bytes;
}

/// Compares a block's header with what the index tells of it; kBadIndex where they differ.
Status ArchiveIndex::check_block(const BlockHeader& header, std::uint64_t number) const {
  const ArchiveMember& member = member_of_block(number);
  const std::uint64_t in_member = number - member.first_block;
  const std::uint64_t left = member.plain_bytes - in_member * member.header.block_bytes;
  const bool right = header.kind == FrameKind::kBlock &&
                     header.number == static_cast<std::uint32_t>(in_member) &&
                     header.plain_bytes == std::min<std::uint64_t>(left, member.header.block_bytes);
  if (right) return {};
  return make_error(ErrorCode::kBadIndex, "does not match the block it points to");
}

/// The distance to the next block or to the end of the blocks; 0 for the last block of a member if
/// the index was rebuilt by walking.
std::uint64_t ArchiveIndex::block_stored_bytes(std::uint64_t number) const {
  const ArchiveMember& member = member_of_block(number);
  const bool last = number + 1 == member.first_block + member.block_count;
  if (last && rebuilt_) return 0;
  return (last ? member.blocks_end : block_offset(number + 1)) - block_offset(number);
}

bool ArchiveIndex::agrees_with(const BlockHeader& header, std::uint64_t number) const {
  return check_block(header, number).ok() && header.stored_bytes() == block_stored_bytes(number);
}

Result<BlockHeader> ArchiveIndex::read_block_header(std::uint64_t number) const {
  const std::uint64_t known = block_offsets_.size() - (is_excerpt_ ? 1 : 0);
  if (number < first_known_ || number - first_known_ >= known) {
    return make_error(ErrorCode::kInvalidArgument, "no such block in the index");
  }
  const std::uint64_t at = block_offset(number);
  const auto read = [&]() -> Result<BlockHeader> {
    PRESSO_ASSIGN(const Buffer head, read_part(*file_, at, kBlockHeaderBytes));
    PRESSO_ASSIGN(const BlockHeader header, parse_block_header(head.data()));
    PRESSO_TRY(check_block(header, number));
    return header;
  };
  Result<BlockHeader> header = read();
  if (!header.ok()) {
    header.error().block = number;
    header.error() = at_offset(std::move(header.error()), at);
  }
  return header;
}

/// Between the last block and the index only optional sections may stand (line facts, filters,
/// kinds of later versions). A scan that skips them relies on this.
Status ArchiveIndex::check_tail(const ArchiveMember& member) const {
  for (std::uint64_t at = member.blocks_end; at != member.index_offset;) {
    PRESSO_ASSIGN(const Buffer head, read_part(*file_, at, kSectionHeaderBytes));
    PRESSO_ASSIGN(const SectionHeader header, parse_section_header(head.data()));
    const bool out_of_place = is_known_section(header.kind) || header.kind == FrameKind::kBlock ||
                              header.kind == FrameKind::kTrailer;
    if (out_of_place || header.mandatory || header.stored_bytes() > member.index_offset - at) {
      return at_offset(make_error(ErrorCode::kBadIndex, "what stands before it"), at);
    }
    at += header.stored_bytes();
  }
  return {};
}

/// Reads into the buffer that is given, so that a loop allocates once. The payload's content
/// checksum is not verified here but by the decoder, after decoding.
Result<StoredBlock> ArchiveIndex::read_block(std::uint64_t number, Buffer into) const {
  PRESSO_ASSIGN(const BlockHeader header, read_block_header(number));
  StoredBlock block;
  block.header = header;
  block.number = number;
  block.file_offset = block_offset(number);
  block.member = static_cast<std::uint32_t>(&member_of_block(number) - members_.data());
  block.plain_offset = block_plain_offset(number);
  block.payload = std::move(into);
  block.payload.resize_discarding(header.payload_bytes);
  Status read =
      file_->read_at(block.file_offset + kBlockHeaderBytes, block.payload.mutable_bytes());
  if (!read.ok()) {
    read.error().block = number;
    return at_offset(std::move(read.error()), block.file_offset);
  }
  return block;
}

}  // namespace presso
