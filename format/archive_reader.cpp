// SPDX-License-Identifier: MIT
// FrameReader: a window over the source that holds at least the frame in hand. Nothing is consumed
// before the whole frame was read, so that after an error the same bytes can be searched again.
#include "presso/archive_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "presso/checksum.h"

namespace presso {
namespace {

constexpr std::size_t kReadBytes = 1u << 20;
constexpr std::size_t kIndexPrefixBytes = 24;
constexpr std::uint64_t kGoBackAllowance = 64u << 20;  ///< besides once what was read
constexpr std::size_t kFewMembers = 16;                ///< whose ends are read whatever their size

Error at_offset(Error error, std::uint64_t offset) {
  if (error.byte_offset == Error::kNone) error.byte_offset = offset;
  return error;
}

Error truncated(std::uint64_t offset, const char* inside) {
  return at_offset(make_error(ErrorCode::kTruncated, std::string("ends inside ") + inside), offset);
}

std::string kind_name(FrameKind kind) {
  const auto letter = static_cast<char>(kind);
  const bool printable = letter > ' ' && letter < 0x7F;
  return printable ? std::string("'") + letter + "'"
                   : "kind " + std::to_string(static_cast<unsigned>(kind));
}

/// The most that a section of this kind may hold in memory; 0: skipped unread.
std::uint64_t payload_limit(FrameKind kind, std::uint64_t blocks) {
  switch (kind) {
    case FrameKind::kMetadata:
      return kMaxMetadataBytes;
    case FrameKind::kDictionary:
      return kMaxDictionaryStoredBytes;
    case FrameKind::kIndex:
      return kIndexPrefixBytes + 4 * blocks;
    default:
      return 0;
  }
}

bool is_known_section(FrameKind kind) {
  return kind == FrameKind::kMetadata || kind == FrameKind::kDictionary ||
         kind == FrameKind::kIndex;
}

Status check_section_header(const SectionHeader& header, std::uint64_t blocks, bool exact_index) {
  if (!is_known_section(header.kind)) {
    if (!header.mandatory) return {};
    return make_error(ErrorCode::kUnknownMandatorySection, kind_name(header.kind));
  }
  const std::uint64_t limit = payload_limit(header.kind, blocks);
  if (header.kind == FrameKind::kIndex && exact_index && header.payload_bytes != limit) {
    return make_error(ErrorCode::kBadIndex, "size does not match the blocks before it");
  }
  if (header.kind != FrameKind::kIndex && header.payload_bytes > limit) {
    return make_error(ErrorCode::kBadHeader, "section size");
  }
  const bool right_parameter = header.kind == FrameKind::kDictionary
                                   ? header.parameter >= 1 && header.parameter <= kMaxDictionaries
                                   : header.parameter == 0;
  if (right_parameter) return {};
  return make_error(ErrorCode::kBadHeader, "section parameter " + std::to_string(header.parameter));
}

}  // namespace

Status FrameOrder::take_block() {
  if (behind_blocks_) return make_error(ErrorCode::kBadHeader, "place of a block");
  blocks_ = true;
  return {};
}

Status FrameOrder::take_section(const SectionHeader& header) {
  const bool metadata = header.kind == FrameKind::kMetadata;
  const bool dictionary = header.kind == FrameKind::kDictionary;
  if (index_ || (blocks_ && (metadata || dictionary))) {
    return make_error(ErrorCode::kBadHeader, "place of section " + kind_name(header.kind));
  }
  const std::uint32_t id = dictionary ? 1u << header.parameter : 0;
  if ((metadata && metadata_) || (dictionaries_ & id) != 0) {
    return make_error(ErrorCode::kBadHeader, "second section " + kind_name(header.kind));
  }
  metadata_ |= metadata;
  dictionaries_ |= id;
  index_ = header.kind == FrameKind::kIndex;
  behind_blocks_ |= blocks_ || index_;
  return {};
}

// --- FrameReader: window ------------------------------------------------------------------------

Result<std::size_t> FrameReader::fill(std::size_t count) {
  std::size_t available = buffer_.size() - begin_;
  if (available >= count || source_ended_) return std::min(available, count);
  const std::size_t kept = std::min(begin_, last_block_bytes_);
  if (begin_ > kept) {
    std::copy_n(buffer_.data() + begin_ - kept, kept + available, buffer_.data());
    begin_ = kept;
  }
  const std::size_t wanted = std::max(count, kReadBytes);
  buffer_.grow(begin_ + available);
  buffer_.grow(begin_ + wanted);
  while (available < count) {
    auto got = source_.read({buffer_.data() + begin_ + available, wanted - available});
    if (!got.ok() || *got == 0) {
      buffer_.grow(begin_ + available);
      if (!got.ok()) return std::move(got.error());
      source_ended_ = true;
      return available;
    }
    available += *got;
  }
  buffer_.grow(begin_ + available);
  return count;
}

void FrameReader::advance(std::size_t count) {
  begin_ += count;
  offset_ += count;
}

Status FrameReader::skip(std::uint64_t count) {
  while (count > 0) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(count, kReadBytes));
    PRESSO_ASSIGN(const std::size_t got, fill(step));
    if (got == 0) return truncated(offset_, "a section");
    advance(got);
    count -= got;
  }
  return {};
}

Status FrameReader::require(std::size_t count) {
  PRESSO_ASSIGN(const std::size_t got, fill(count));
  if (got < count) return truncated(offset_ + got, "a block or section");
  return {};
}

// --- FrameReader: frames ------------------------------------------------------------------------

Result<Frame> FrameReader::next() {
  retry_here_ = false;
  Result<Frame> frame = next_frame();
  if (!frame.ok()) {
    Error& error = frame.error();
    error = at_offset(std::move(error), offset_);
    if (block_due_) error.block = block_number();
  } else if (!std::holds_alternative<StoredBlock>(*frame)) {
    last_block_bytes_ = 0;
  }
  return frame;
}

Result<Frame> FrameReader::next_frame() {
  for (;;) {
    block_due_ = inside_;
    if (!inside_) {
      PRESSO_ASSIGN(const std::size_t got, fill(kFileHeaderBytes));
      if (got == 0 && members_ > 0) return Frame(EndOfInput{});
      if (got < sizeof kFileMagic || !has_file_magic(window())) {
        if (members_ == 0) return make_error(ErrorCode::kNotPresso, got == 0 ? "empty file" : "");
        return make_error(ErrorCode::kLostSync, "trailing bytes behind the file's end");
      }
      if (got < kFileHeaderBytes) return truncated(offset_ + got, "the file header");
      return read_file_header();
    }
    PRESSO_TRY(require(sizeof(std::uint32_t)));
    const auto peeked = peek_frame_kind(window());
    if (!peeked.ok()) {
      PRESSO_ASSIGN(const std::size_t got, fill(sizeof kFileMagic));
      retry_here_ = got == sizeof kFileMagic && has_file_magic(window());
      return peeked.error();
    }
    const FrameKind kind = *peeked;
    if (kind == FrameKind::kBlock) return read_block();
    block_due_ = false;
    if (kind != FrameKind::kTrailer) return read_section(kind);
    PRESSO_TRY(read_trailer());
  }
}

void FrameReader::begin_member(std::uint32_t block_bytes) {
  member_offset_ = offset_;
  member_blocks_ = 0;
  first_block_offset_ = kFileHeaderBytes;
  index_offset_ = 0;
  block_bytes_ = block_bytes;
  order_ = {};
  short_block_seen_ = false;
  stored_bytes_.clear();
  plain_bytes_ = 0;
  inside_ = true;
  ++members_;
}

void FrameReader::end_member() {
  if (!inside_) return;
  inside_ = false;
  blocks_before_ += member_blocks_;
  plain_before_ += plain_bytes_;
  member_blocks_ = 0;
}

Result<Frame> FrameReader::read_file_header() {
  PRESSO_ASSIGN(const FileHeader header, parse_file_header(window()));
  begin_member(header.block_bytes);
  advance(kFileHeaderBytes);
  return Frame(header);
}

Result<Frame> FrameReader::read_block() {
  PRESSO_TRY(require(kBlockHeaderBytes));
  PRESSO_ASSIGN(const BlockHeader header, parse_block_header(window()));
  const bool in_order = header.number == static_cast<std::uint32_t>(member_blocks_);
  if (!in_order || index_offset_ != 0) {
    retry_here_ = true;
    return make_error(ErrorCode::kBadHeader, "block number " + std::to_string(header.number));
  }
  if (block_bytes_ == 0) block_bytes_ = std::max(header.plain_bytes, kMinBlockBytes);
  if (header.plain_bytes > block_bytes_ || (short_block_seen_ && !salvaging_)) {
    return make_error(ErrorCode::kBadHeader, "plain size of a block");
  }
  FrameOrder order = order_;
  if (!salvaging_) PRESSO_TRY(order.take_block());
  PRESSO_TRY(require(static_cast<std::size_t>(header.stored_bytes())));

  StoredBlock block;
  block.header = header;
  block.number = block_number();
  block.file_offset = offset_;
  block.plain_offset = plain_offset();
  block.member = members_ - 1;
  if (pool_ != nullptr) block.payload = pool_->take();
  block.payload.resize_discarding(header.payload_bytes);
  std::copy_n(window() + kBlockHeaderBytes, header.payload_bytes, block.payload.data());

  order_ = order;
  ++member_blocks_;
  stored_bytes_.push_back(static_cast<std::uint32_t>(header.stored_bytes()));
  plain_bytes_ += header.plain_bytes;
  short_block_seen_ = header.plain_bytes < block_bytes_;
  advance(static_cast<std::size_t>(header.stored_bytes()));
  if (keep_last_block_) last_block_bytes_ = static_cast<std::size_t>(header.stored_bytes());
  return Frame(std::move(block));
}

Result<Frame> FrameReader::read_section(FrameKind kind) {
  PRESSO_TRY(require(kSectionHeaderBytes));
  PRESSO_ASSIGN(const SectionHeader header, parse_section_header(window()));
  const Status sound = check_section_header(header, stored_bytes_.size(), !salvaging_);
  retry_here_ = !sound.ok() && sound.error().code == ErrorCode::kBadIndex;
  if (!sound.ok()) return sound.error();
  if (salvaging_ && header.kind == FrameKind::kIndex) {
    PRESSO_ASSIGN(retry_here_, index_tells_of_more_blocks(header));
    if (retry_here_) return make_error(ErrorCode::kBadIndex, "blocks are missing before it");
  }
  FrameOrder order = order_;
  if (!salvaging_) PRESSO_TRY(order.take_section(header));
  StoredSection section;
  section.header = header;
  section.file_offset = offset_;
  section.member = members_ - 1;
  const bool skip_it = !is_known_section(kind) || (kind == FrameKind::kIndex && salvaging_);
  if (skip_it) {
    advance(kSectionHeaderBytes);
    PRESSO_TRY(skip(header.stored_bytes() - kSectionHeaderBytes));
  } else {
    PRESSO_TRY(require(static_cast<std::size_t>(header.stored_bytes())));
    section.payload.append(
        {window() + kSectionHeaderBytes, static_cast<std::size_t>(header.payload_bytes)});
    if (checksum64(section.payload.bytes()) != header.payload_checksum) {
      return make_error(ErrorCode::kSectionChecksum, kind_name(kind));
    }
    if (kind == FrameKind::kIndex) PRESSO_TRY(check_index(section.payload.bytes()));
    advance(static_cast<std::size_t>(header.stored_bytes()));
  }
  order_ = order;
  if (kind == FrameKind::kIndex) index_offset_ = section.file_offset - member_offset_;
  if (stored_bytes_.empty()) first_block_offset_ = offset_ - member_offset_;
  return Frame(std::move(section));
}

/// The index repeats what the blocks before it have shown.
Status FrameReader::check_index(Bytes payload) const {
  const Byte* from = payload.data();
  const bool right =
      load<std::uint64_t>(from) == stored_bytes_.size() &&
      load<std::uint64_t>(from + 8) == plain_bytes_ &&
      (stored_bytes_.empty() || load<std::uint64_t>(from + 16) == first_block_offset_) &&
      std::equal(from + kIndexPrefixBytes, from + payload.size(),
                 reinterpret_cast<const Byte*>(stored_bytes_.data()));
  if (right) return {};
  return make_error(ErrorCode::kBadIndex, "does not match the blocks before it");
}

Status FrameReader::read_trailer() {
  PRESSO_TRY(require(kTrailerBytes));
  PRESSO_ASSIGN(const Trailer trailer, parse_trailer(window()));
  const bool right = trailer.index_offset == index_offset_ && index_offset_ != 0 &&
                     trailer.file_bytes == offset_ - member_offset_ + kTrailerBytes;
  if (!right && !salvaging_) {
    retry_here_ = true;
    return make_error(ErrorCode::kBadIndex, "trailer");
  }
  end_member();
  last_block_bytes_ = 0;
  advance(kTrailerBytes);
  return {};
}

// --- FrameReader: salvage -----------------------------------------------------------------------

Result<bool> FrameReader::resync() {
  salvaging_ = true;
  lost_blocks_ = 0;
  PRESSO_ASSIGN(const std::size_t rest, fill(kBlockHeaderBytes));
  const bool at_block = inside_ && rest >= sizeof kFrameSync + 1 &&
                        std::equal(kFrameSync, kFrameSync + sizeof kFrameSync, window()) &&
                        window()[3] == static_cast<Byte>(FrameKind::kBlock);
  const std::uint64_t bad_frame = offset_;
  const bool retry = std::exchange(retry_here_, false);
  if (!retry && !is_sound_header_here()) go_back();
  for (;;) {
    PRESSO_ASSIGN(const std::size_t got, fill(1));
    if (got == 0) break;
    if (offset_ != bad_frame || retry) {
      PRESSO_ASSIGN(const bool found, try_resync_here());
      if (found) return true;
    }
    advance(1);
  }
  lost_blocks_ = at_block ? 1 : 0;
  end_member();
  members_ = std::max(members_, 1u);  // next() shall see the end
  return false;
}

bool FrameReader::is_sound_header_here() const {
  const std::size_t available = buffer_.size() - begin_;
  if (available < kBlockHeaderBytes) return false;
  return parse_block_header(window()).ok() || parse_section_header(window()).ok();
}

/// To behind the header of the last block read: bytes may be missing from its payload.
bool FrameReader::go_back() {
  const std::size_t block = std::exchange(last_block_bytes_, 0);
  if (block == 0 || block > begin_) return false;
  const std::size_t back = block - kBlockHeaderBytes;
  if (went_back_bytes_ + back > offset_ + kGoBackAllowance) return false;
  went_back_bytes_ += back;
  begin_ -= back;
  offset_ -= back;
  return true;
}

/// Whether a plausible header begins at window(): its own checksum decides.
Result<bool> FrameReader::try_resync_here() {
  if (window()[0] != kFrameSync[0] && window()[0] != kFileMagic[0]) return false;
  PRESSO_ASSIGN(const std::size_t got, fill(kBlockHeaderBytes));
  if (got >= kFileHeaderBytes && parse_file_header(window()).ok()) {
    end_member();
    return true;
  }
  if (got >= kBlockHeaderBytes) {
    const auto header = parse_block_header(window());
    if (header.ok()) return header->kind == FrameKind::kBlock && accept_block(*header);
  }
  if (got < kSectionHeaderBytes) return false;
  if (inside_ && parse_trailer(window()).ok()) return true;
  const auto section = parse_section_header(window());
  return section.ok() ? accept_section(*section) : Result<bool>(false);
}

/// A block must not lie before what was read already; one behind an index belongs to a member whose
/// file header was lost.
bool FrameReader::accept_block(const BlockHeader& header) {
  if (inside_ && index_offset_ != 0) end_member();
  if (!inside_) begin_member(0);
  const std::uint32_t ahead = header.number - static_cast<std::uint32_t>(member_blocks_);
  if (ahead > std::uint32_t{1} << 31) return false;
  if (block_bytes_ == 0) block_bytes_ = std::max(header.plain_bytes, kMinBlockBytes);
  lost_blocks_ = ahead;
  member_blocks_ += ahead;
  if (ahead != 0) plain_bytes_ = member_blocks_ * block_bytes_;
  return true;
}

Result<bool> FrameReader::accept_section(const SectionHeader& header) {
  if (!is_known_section(header.kind)) return false;
  if (!inside_) {  // The file header was lost, but not what follows it.
    if (header.kind == FrameKind::kIndex) return false;
    begin_member(0);
  }
  if (header.kind != FrameKind::kIndex) return true;
  PRESSO_ASSIGN(const bool more, index_tells_of_more_blocks(header));
  if (more) {
    const std::uint64_t count = load<std::uint64_t>(window() + kSectionHeaderBytes);
    lost_blocks_ = count - member_blocks_;
    member_blocks_ = count;
    plain_bytes_ = load<std::uint64_t>(window() + kSectionHeaderBytes + 8);
  }
  return true;
}

/// Whether the index at window() counts more blocks than were seen. It is believed where its size
/// and its two totals agree.
Result<bool> FrameReader::index_tells_of_more_blocks(const SectionHeader& header) {
  PRESSO_ASSIGN(const std::size_t got, fill(kSectionHeaderBytes + kIndexPrefixBytes));
  if (got < kSectionHeaderBytes + kIndexPrefixBytes || block_bytes_ == 0) return false;
  const std::uint64_t count = load<std::uint64_t>(window() + kSectionHeaderBytes);
  const std::uint64_t plain = load<std::uint64_t>(window() + kSectionHeaderBytes + 8);
  if (count <= member_blocks_ || header.payload_bytes < kIndexPrefixBytes ||
      count != (header.payload_bytes - kIndexPrefixBytes) / 4) {
    return false;
  }
  return plain != 0 && (plain - 1) / block_bytes_ + 1 == count;
}

// --- ArchiveIndex -------------------------------------------------------------------------------

Result<ArchiveIndex> ArchiveIndex::open(const RandomAccess& file) {
  ArchiveIndex by_trailers(file);
  if (by_trailers.open_by_trailers(0).ok()) return by_trailers;
  ArchiveIndex walked(file);
  walked.rebuilt_ = true;
  PRESSO_TRY(walked.open_by_walking());
  return walked;
}

Result<ArchiveIndex> ArchiveIndex::open_as_written(const RandomAccess& file,
                                                   std::uint64_t mean_member_bytes) {
  ArchiveIndex index(file);
  PRESSO_TRY(index.open_by_trailers(mean_member_bytes));
  return index;
}

namespace {

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

/// Whether the file holds `bytes` at `at`.
bool is_left(const RandomAccess& file, std::uint64_t at, std::uint64_t bytes) {
  return at <= file.size() && bytes <= file.size() - at;
}

bool is_magic_at(const RandomAccess& file, std::uint64_t at) {
  if (!is_left(file, at, sizeof kFileMagic)) return false;
  const auto magic = read_part(file, at, sizeof kFileMagic);
  return magic.ok() && has_file_magic(magic->data());
}

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

/// Header and the sections before the first block. Returns the offset of what follows them.
Result<std::uint64_t> read_front(const RandomAccess& file, ArchiveMember& member) {
  if (!is_magic_at(file, member.file_offset)) return make_error(ErrorCode::kNotPresso);
  PRESSO_ASSIGN(const Buffer head, read_part(file, member.file_offset, kFileHeaderBytes));
  PRESSO_ASSIGN(member.header, parse_file_header(head.data()));
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

}  // namespace

/// From the last trailer backwards, member by member; block tables are then put in file order.
Status ArchiveIndex::open_by_trailers(std::uint64_t mean_member_bytes) {
  std::vector<std::vector<std::uint64_t>> offsets;  // last member first
  std::uint64_t end = file_->size();
  while (end > 0) {
    if (end < kFileHeaderBytes + kTrailerBytes) return make_error(ErrorCode::kBadIndex);
    PRESSO_ASSIGN(const Buffer tail, read_part(*file_, end - kTrailerBytes, kTrailerBytes));
    PRESSO_ASSIGN(const Trailer trailer, parse_trailer(tail.data()));
    if (trailer.file_bytes > end) return make_error(ErrorCode::kBadIndex);
    ArchiveMember member;
    member.file_bytes = trailer.file_bytes;
    member.file_offset = end - trailer.file_bytes;
    PRESSO_ASSIGN(const std::uint64_t first_block, read_front(*file_, member));
    const std::uint64_t index_at = member.file_offset + trailer.index_offset;
    PRESSO_ASSIGN(const StoredSection index, read_section_at(*file_, index_at, 0));
    const Bytes payload = index.payload.bytes();
    if (index.header.kind != FrameKind::kIndex || payload.size() < kIndexPrefixBytes ||
        (payload.size() - kIndexPrefixBytes) % 4 != 0 ||
        (payload.size() - kIndexPrefixBytes) / 4 != load<std::uint64_t>(payload.data()) ||
        index_at + index.header.stored_bytes() != end - kTrailerBytes) {
      return make_error(ErrorCode::kBadIndex);
    }
    member.block_count = load<std::uint64_t>(payload.data());
    member.plain_bytes = load<std::uint64_t>(payload.data() + 8);
    std::uint64_t at = member.file_offset + load<std::uint64_t>(payload.data() + 16);
    const std::uint64_t needed =
        member.plain_bytes == 0 ? 0 : (member.plain_bytes - 1) / member.header.block_bytes + 1;
    if (at != first_block || needed != member.block_count) return make_error(ErrorCode::kBadIndex);
    std::vector<std::uint64_t> member_offsets(member.block_count);
    for (std::uint64_t block = 0; block < member.block_count; ++block) {
      member_offsets[block] = at;
      at += load<std::uint32_t>(payload.data() + kIndexPrefixBytes + 4 * block);
    }
    if (at > index_at) return make_error(ErrorCode::kBadIndex);
    member.blocks_end = at;
    member.index_offset = index_at;
    offsets.push_back(std::move(member_offsets));
    end = member.file_offset;
    members_.push_back(std::move(member));
    const bool many = members_.size() > kFewMembers;
    if (many && (file_->size() - end) / members_.size() < mean_member_bytes) {
      return make_error(ErrorCode::kUnsupported, "many small members");
    }
  }
  if (members_.empty()) return make_error(ErrorCode::kNotPresso, "empty file");
  std::reverse(members_.begin(), members_.end());
  std::uint64_t plain = 0;
  for (ArchiveMember& member : members_) {
    member.plain_offset = plain;
    member.first_block = block_offsets_.size();
    plain += member.plain_bytes;
    block_offsets_.insert(block_offsets_.end(), offsets.back().begin(), offsets.back().end());
    offsets.pop_back();
  }
  return {};
}

namespace {

/// What cannot be a presso file at all, told from one that is cut off later.
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

/// Header and payload of the section at `at`; 0 where the file ends before it does.
Result<std::uint64_t> section_bytes_at(const RandomAccess& file, std::uint64_t at) {
  if (!is_left(file, at, kSectionHeaderBytes)) return 0;
  PRESSO_ASSIGN(const Buffer head, read_part(file, at, kSectionHeaderBytes));
  PRESSO_ASSIGN(const SectionHeader header, parse_section_header(head.data()));
  PRESSO_TRY(check_section_header(header, 0, false));
  return is_left(file, at, header.stored_bytes()) ? header.stored_bytes() : 0;
}

/// Where a member ends whose index or trailer begins at `at` but is damaged: the number of blocks
/// tells the index's size. 0: neither.
std::uint64_t end_of_damaged_tail(const RandomAccess& file, std::uint64_t at,
                                  std::uint64_t blocks) {
  const std::uint64_t trailer =
      at + kSectionHeaderBytes + round_up(kIndexPrefixBytes + 4 * blocks, kFrameAlignment);
  if (is_trailer_at(file, trailer)) return trailer + kTrailerBytes;
  const std::uint64_t end = at + kTrailerBytes;
  return end == file.size() || is_magic_at(file, end) ? end : 0;
}

}  // namespace

/// Header by header from the front. A file cut off behind a whole block still opens; one that is
/// damaged before its index does not.
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

/// From the first block to the end of the member or, where it is cut off, to behind the last whole
/// block. On an error `at` is where it lies.
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

/// Adds the block at `at`. Returns its size, 0 where the file ends before it does.
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

const ArchiveMember& ArchiveIndex::member_of_block(std::uint64_t number) const {
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

std::uint64_t ArchiveIndex::block_stored_bytes(std::uint64_t number) const {
  const ArchiveMember& member = member_of_block(number);
  const bool last = number + 1 == member.first_block + member.block_count;
  if (last && rebuilt_) return 0;
  return (last ? member.blocks_end : block_offsets_[number + 1]) - block_offsets_[number];
}

bool ArchiveIndex::agrees_with(const BlockHeader& header, std::uint64_t number) const {
  return check_block(header, number).ok() && header.stored_bytes() == block_stored_bytes(number);
}

Result<BlockHeader> ArchiveIndex::read_block_header(std::uint64_t number) const {
  const std::uint64_t at = block_offsets_[number];
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

Result<StoredBlock> ArchiveIndex::read_block(std::uint64_t number, Buffer into) const {
  PRESSO_ASSIGN(const BlockHeader header, read_block_header(number));
  StoredBlock block;
  block.header = header;
  block.number = number;
  block.file_offset = block_offsets_[number];
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
