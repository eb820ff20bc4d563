// SPDX-License-Identifier: MIT
// FrameReader gives a stream's frames in order: file header, sections, blocks, end. Its window over
// the source holds at least the current frame, and nothing is consumed before the whole frame was
// read and checked: after an error the same bytes can be searched again for a sound header, which
// is how damaged files are salvaged. It needs memory for one frame, at most 4 MiB and a little, or
// for the index, four bytes a block, and reads the source once.
// Tested by tests/unit/format/archive_test.cpp and the damaged files in tests/golden/bad.
#include <algorithm>
#include <string>
#include <utility>

#include "format/container_rules.h"
#include "presso/archive_reader.h"
#include "presso/checksum.h"

namespace presso {
namespace {

constexpr std::size_t kReadBytes = 1u << 20;  ///< how far the window reads ahead
/// Salvage may read again no more bytes than it has passed so far, plus these: without a limit, a
/// crafted file could make it take the square of its size.
constexpr std::uint64_t kGoBackAllowance = 64u << 20;

}  // namespace

// --- FrameWindow --------------------------------------------------------------------------------

/// Makes `count` bytes available, or as many as there are. Bytes before the current frame that
/// keep() has asked for are kept; others are overwritten.
Result<std::size_t> FrameWindow::fill(std::size_t count) {
  std::size_t available = this->available();
  if (available >= count || source_ended_) return std::min(available, count);
  const std::size_t kept = std::min(begin_, kept_);
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

// Consumed bytes stay in the buffer until fill() needs their room.
void FrameWindow::advance(std::size_t count) {
  begin_ += count;
  offset_ += count;
}

bool FrameWindow::step_back(std::size_t count) {
  if (count > begin_) return false;
  begin_ -= count;
  offset_ -= count;
  return true;
}

// Takes memory for one piece only, however much is skipped.
Status FrameWindow::skip(std::uint64_t count) {
  while (count > 0) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(count, kReadBytes));
    PRESSO_ASSIGN(const std::size_t got, fill(step));
    if (got == 0) return truncated(offset_, "a section");
    advance(got);
    count -= got;
  }
  return {};
}

Status FrameWindow::require(std::size_t count) {
  PRESSO_ASSIGN(const std::size_t got, fill(count));
  if (got < count) return truncated(offset_ + got, "a block or section");
  return {};
}

// --- Frames ------------------------------------------------------------------------

/// Adds the offset, and the number of a block, to errors. `retry_here_` is set by the functions
/// below where the bad frame may be sound in itself but out of place: resync() then tries it, too.
Result<Frame> FrameReader::next() {
  retry_here_ = false;
  Result<Frame> frame = next_frame();
  if (!frame.ok()) {
    Error& error = frame.error();
    error = at_offset(std::move(error), window_.offset());
    if (block_due_) error.block = block_number();
  } else if (!std::holds_alternative<StoredBlock>(*frame)) {
    window_.keep(0);
  }
  return frame;
}

// A trailer ends a member and is not returned: the loop goes on with what follows it.
Result<Frame> FrameReader::next_frame() {
  for (;;) {
    block_due_ = inside_;
    if (!inside_) {
      PRESSO_ASSIGN(const std::size_t got, window_.fill(kFileHeaderBytes));
      if (got == 0 && members_ > 0) return Frame(EndOfInput{});
      if (got < sizeof kFileMagic || !has_file_magic(window_.data())) {
        if (members_ == 0) return make_error(ErrorCode::kNotPresso, got == 0 ? "empty file" : "");
        return make_error(ErrorCode::kLostSync, "trailing bytes after the file's end");
      }
      if (got < kFileHeaderBytes) return truncated(window_.offset() + got, "the file header");
      return read_file_header();
    }
    Status begun = window_.require(sizeof(std::uint32_t));
    if (!begun.ok() && member_.index_offset != 0) return ends_inside(begun.error(), kTheTrailer);
    PRESSO_TRY(std::move(begun));
    const auto peeked = peek_frame_kind(window_.data());
    if (!peeked.ok()) {
      PRESSO_ASSIGN(const std::size_t got, window_.fill(sizeof kFileMagic));
      retry_here_ = got == sizeof kFileMagic && has_file_magic(window_.data());
      return peeked.error();
    }
    const FrameKind kind = *peeked;
    if (kind == FrameKind::kBlock) return read_block();
    block_due_ = false;
    if (kind != FrameKind::kTrailer) {
      Result<Frame> section = read_section(kind);
      const bool is_bad_index = !section.ok() && kind == FrameKind::kIndex;
      return is_bad_index ? ends_inside(section.error(), kTheIndex) : std::move(section);
    }
    const Status trailer = read_trailer();
    if (!trailer.ok()) return ends_inside(trailer.error(), kTheTrailer);
  }
}

/// `block_bytes` may be 0 in salvage where the header was lost; the first block sets it.
void FrameReader::begin_member(std::uint32_t block_bytes) {
  member_ = {};
  member_.offset = window_.offset();
  member_.first_block_offset = kFileHeaderBytes;
  member_.block_bytes = block_bytes;
  inside_ = true;
  ++members_;
}

/// Sums up the member, so that numbers and offsets of later blocks count from the file's start.
void FrameReader::end_member() {
  if (!inside_) return;
  inside_ = false;
  blocks_before_ += member_.blocks;
  plain_before_ += member_.plain_bytes;
  member_.blocks = 0;
}

// Tables begin with the same header and are refused by their content.
Result<Frame> FrameReader::read_file_header() {
  PRESSO_ASSIGN(const FileHeader header, parse_file_header(window_.data()));
  PRESSO_TRY(expect_content(header, Content::kBytes));
  begin_member(header.block_bytes);
  window_.advance(kFileHeaderBytes);
  return Frame(header);
}

/// While salvaging, a block may also stand after a section or after a short block. Its number must
/// be the next one in any case: resync() has set that to go on after a gap.
Result<Frame> FrameReader::read_block() {
  PRESSO_TRY(window_.require(kBlockHeaderBytes));
  PRESSO_ASSIGN(const BlockHeader header, parse_block_header(window_.data()));
  const bool in_order = header.number == static_cast<std::uint32_t>(member_.blocks);
  if (!in_order || member_.index_offset != 0) {
    retry_here_ = true;
    return make_error(ErrorCode::kBadHeader, "block number " + std::to_string(header.number));
  }
  if (member_.block_bytes == 0) member_.block_bytes = std::max(header.plain_bytes, kMinBlockBytes);
  if (header.plain_bytes > member_.block_bytes || (member_.short_block_seen && !salvaging_)) {
    return make_error(ErrorCode::kBadHeader, "plain size of a block");
  }
  FrameOrder order = member_.order;
  if (!salvaging_) PRESSO_TRY(order.take_block());
  PRESSO_TRY(window_.require(static_cast<std::size_t>(header.stored_bytes())));

  StoredBlock block;
  block.header = header;
  block.number = block_number();
  block.file_offset = window_.offset();
  block.plain_offset = plain_offset();
  block.member = members_ - 1;
  if (pool_ != nullptr) block.payload = pool_->take();
  block.payload.resize_discarding(header.payload_bytes);
  std::copy_n(window_.data() + kBlockHeaderBytes, header.payload_bytes, block.payload.data());

  member_.order = order;
  ++member_.blocks;
  member_.stored_bytes.push_back(static_cast<std::uint32_t>(header.stored_bytes()));
  member_.plain_bytes += header.plain_bytes;
  member_.short_block_seen = header.plain_bytes < member_.block_bytes;
  window_.advance(static_cast<std::size_t>(header.stored_bytes()));
  if (keep_last_block_) window_.keep(static_cast<std::size_t>(header.stored_bytes()));
  return Frame(std::move(block));
}

/// Unknown optional sections are skipped unread. In salvage an index is not trusted but read
/// for the number of blocks it tells, which shows whether blocks are missing before it.
Result<Frame> FrameReader::read_section(FrameKind kind) {
  PRESSO_TRY(window_.require(kSectionHeaderBytes));
  PRESSO_ASSIGN(const SectionHeader header, parse_section_header(window_.data()));
  const Status sound = check_section_header(header, member_.stored_bytes.size(), !salvaging_);
  retry_here_ = !sound.ok() && sound.error().code == ErrorCode::kBadIndex;
  if (!sound.ok()) return sound.error();
  if (salvaging_ && header.kind == FrameKind::kIndex) {
    PRESSO_ASSIGN(retry_here_, index_tells_of_more_blocks(header));
    if (retry_here_) return make_error(ErrorCode::kBadIndex, "blocks are missing before it");
  }
  FrameOrder order = member_.order;
  if (!salvaging_) PRESSO_TRY(order.take_section(header));
  StoredSection section;
  section.header = header;
  section.file_offset = window_.offset();
  section.member = members_ - 1;
  const bool skip_it = !is_known_section(kind) || (kind == FrameKind::kIndex && salvaging_);
  if (skip_it) {
    window_.advance(kSectionHeaderBytes);
    PRESSO_TRY(window_.skip(header.stored_bytes() - kSectionHeaderBytes));
  } else {
    PRESSO_TRY(window_.require(static_cast<std::size_t>(header.stored_bytes())));
    section.payload.append(
        {window_.data() + kSectionHeaderBytes, static_cast<std::size_t>(header.payload_bytes)});
    if (checksum64(section.payload.bytes()) != header.payload_checksum) {
      return make_error(ErrorCode::kSectionChecksum, kind_name(kind));
    }
    if (kind == FrameKind::kIndex) PRESSO_TRY(check_index(section.payload.bytes()));
    window_.advance(static_cast<std::size_t>(header.stored_bytes()));
  }
  member_.order = order;
  if (kind == FrameKind::kIndex) member_.index_offset = section.file_offset - member_.offset;
  if (member_.stored_bytes.empty()) member_.first_block_offset = window_.offset() - member_.offset;
  return Frame(std::move(section));
}

/// Compares the index with what the blocks before it have shown; kBadIndex where they differ.
Status FrameReader::check_index(Bytes payload) const {
  const Byte* from = payload.data();
  const bool right = load<std::uint64_t>(from) == member_.stored_bytes.size() &&
                     load<std::uint64_t>(from + 8) == member_.plain_bytes &&
                     (member_.stored_bytes.empty() ||
                      load<std::uint64_t>(from + 16) == member_.first_block_offset) &&
                     std::equal(from + kIndexPrefixBytes, from + payload.size(),
                                reinterpret_cast<const Byte*>(member_.stored_bytes.data()));
  if (right) return {};
  return make_error(ErrorCode::kBadIndex, "does not match the blocks before it");
}

// The trailer must name the place of the index that was read and the member's size; while salvaging
// it only ends the member.
Status FrameReader::read_trailer() {
  PRESSO_TRY(window_.require(kTrailerBytes));
  PRESSO_ASSIGN(const Trailer trailer, parse_trailer(window_.data()));
  const bool right = trailer.index_offset == member_.index_offset && member_.index_offset != 0 &&
                     trailer.file_bytes == window_.offset() - member_.offset + kTrailerBytes;
  if (!right && !salvaging_) {
    retry_here_ = true;
    return make_error(ErrorCode::kBadIndex, "trailer");
  }
  end_member();
  window_.keep(0);
  window_.advance(kTrailerBytes);
  return {};
}

// --- Salvage -----------------------------------------------------------------------

/// After an error: searches byte by byte for the next header whose own checksum is right.
/// Returns false at the end of the input. lost_blocks() then tells how many blocks are missing
/// by their numbers. It costs a comparison of one byte for each byte that is passed.
Result<bool> FrameReader::resync() {
  salvaging_ = true;
  lost_blocks_ = 0;
  PRESSO_ASSIGN(const std::size_t rest, window_.fill(kBlockHeaderBytes));
  const bool at_block = inside_ && rest >= sizeof kFrameSync + 1 &&
                        std::equal(kFrameSync, kFrameSync + sizeof kFrameSync, window_.data()) &&
                        window_.data()[3] == static_cast<Byte>(FrameKind::kBlock);
  const std::uint64_t bad_frame = window_.offset();
  const bool retry = std::exchange(retry_here_, false);
  if (!retry && !is_sound_header_here()) go_back();
  for (;;) {
    PRESSO_ASSIGN(const std::size_t got, window_.fill(1));
    if (got == 0) break;
    if (window_.offset() != bad_frame || retry) {
      PRESSO_ASSIGN(const bool found, try_resync_here());
      if (found) return true;
    }
    window_.advance(1);
  }
  lost_blocks_ = at_block ? 1 : 0;
  end_member();
  members_ = std::max(members_, 1u);  // next() shall see the end
  return false;
}

// If so, the fault lies within this frame, and going back could find nothing better.
bool FrameReader::is_sound_header_here() const {
  const std::size_t available = window_.available();
  if (available < kBlockHeaderBytes) return false;
  return parse_block_header(window_.data()).ok() || parse_section_header(window_.data()).ok();
}

/// Goes back to just after the header of the last block that was read: bytes may be missing
/// from its payload, so that the next header lies inside of what was taken for it.
void FrameReader::go_back() {
  const std::size_t block = window_.kept();
  window_.keep(0);
  if (block == 0) return;
  const std::size_t back = block - kBlockHeaderBytes;
  if (went_back_bytes_ + back > window_.offset() + kGoBackAllowance) return;
  if (window_.step_back(back)) went_back_bytes_ += back;
}

/// Whether a header that can be believed begins at window_.data(); its own checksum decides, and
/// for blocks the number, which must not be one that was read before.
Result<bool> FrameReader::try_resync_here() {
  if (window_.data()[0] != kFrameSync[0] && window_.data()[0] != kFileMagic[0]) return false;
  PRESSO_ASSIGN(const std::size_t got, window_.fill(kBlockHeaderBytes));
  if (got >= kFileHeaderBytes && parse_file_header(window_.data()).ok()) {
    end_member();
    return true;
  }
  if (got >= kBlockHeaderBytes) {
    const auto header = parse_block_header(window_.data());
    if (header.ok()) return header->kind == FrameKind::kBlock && accept_block(*header);
  }
  if (got < kSectionHeaderBytes) return false;
  if (inside_ && parse_trailer(window_.data()).ok()) return true;
  const auto section = parse_section_header(window_.data());
  return section.ok() ? accept_section(*section) : Result<bool>(false);
}

/// Makes next() continue with this block and counts the blocks that are missing before it. False
/// for a block whose number was passed already. A block after an index belongs to a member whose
/// file header was lost.
bool FrameReader::accept_block(const BlockHeader& header) {
  if (inside_ && member_.index_offset != 0) end_member();
  if (!inside_) begin_member(0);
  const std::uint32_t ahead = header.number - static_cast<std::uint32_t>(member_.blocks);
  if (ahead > std::uint32_t{1} << 31) return false;
  if (member_.block_bytes == 0) member_.block_bytes = std::max(header.plain_bytes, kMinBlockBytes);
  lost_blocks_ = ahead;
  member_.blocks += ahead;
  if (ahead != 0) member_.plain_bytes = member_.blocks * member_.block_bytes;
  return true;
}

/// Makes next() continue with this section. An index that counts more blocks than were seen tells
/// how many blocks were lost at the member's end.
Result<bool> FrameReader::accept_section(const SectionHeader& header) {
  if (!is_known_section(header.kind)) return false;
  if (!inside_) {  // The file header was lost, but not what follows it.
    if (header.kind == FrameKind::kIndex) return false;
    begin_member(0);
  }
  if (header.kind != FrameKind::kIndex) return true;
  PRESSO_ASSIGN(const bool more, index_tells_of_more_blocks(header));
  if (more) {
    const std::uint64_t count = load<std::uint64_t>(window_.data() + kSectionHeaderBytes);
    lost_blocks_ = count - member_.blocks;
    member_.blocks = count;
    member_.plain_bytes = load<std::uint64_t>(window_.data() + kSectionHeaderBytes + 8);
  }
  return true;
}

/// Whether the index at window_.data() counts more blocks than were seen. It is believed where its
/// size and its two totals agree.
Result<bool> FrameReader::index_tells_of_more_blocks(const SectionHeader& header) {
  PRESSO_ASSIGN(const std::size_t got, window_.fill(kSectionHeaderBytes + kIndexPrefixBytes));
  if (got < kSectionHeaderBytes + kIndexPrefixBytes || member_.block_bytes == 0) return false;
  const std::uint64_t count = load<std::uint64_t>(window_.data() + kSectionHeaderBytes);
  const std::uint64_t plain = load<std::uint64_t>(window_.data() + kSectionHeaderBytes + 8);
  if (count <= member_.blocks || header.payload_bytes < kIndexPrefixBytes ||
      count != (header.payload_bytes - kIndexPrefixBytes) / 4) {
    return false;
  }
  return plain != 0 && (plain - 1) / member_.block_bytes + 1 == count;
}

}  // namespace presso
