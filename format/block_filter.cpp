// SPDX-License-Identifier: MIT
// Reads and writes the filter section field by field, in the order of FORMAT.md 7.4. Common
// cells are an ascending list, stored as gaps in a Rice code (Rice 1979, a Golomb code for
// powers of two): the quotient in unary, as ones and a zero, then `rice` bits of remainder,
// lowest bit first.
// Parsing is linear in the payload. Tested by tests/unit/format/block_filter_test.cpp.
#include "format/block_filter.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "format/container_rules.h"
#include "format/tail_section.h"
#include "presso/checksum.h"

namespace presso {
namespace {

constexpr std::size_t kPrefixBytes = 16;
constexpr std::size_t kGroupHeaderBytes = 16;
constexpr unsigned kMaxRice = 18;

/// All faults of the section are kBadHeader, with a word that says which field is wrong.
Error bad(const char* what) {
  return make_error(ErrorCode::kBadHeader, std::string("filter: ") + what);
}

/// Collects bits, lowest first in each byte.
class BitAppender {
 public:
  void put(std::uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) put_bit((value >> i & 1) != 0);
  }
  void put_bit(bool bit) {
    if (used_ % 8 == 0) bytes_.push_back(0);
    if (bit) bytes_.back() = static_cast<Byte>(bytes_.back() | 1u << (used_ % 8));
    ++used_;
  }
  const std::vector<Byte>& bytes() const { return bytes_; }

 private:
  std::vector<Byte> bytes_;
  std::size_t used_ = 0;
};

/// Takes bits in the order of BitAppender. Beyond the end come zeros; overrun() tells that it
/// happened.
class BitTaker {
 public:
  explicit BitTaker(Bytes bytes) : bytes_(bytes) {}
  std::uint32_t take(unsigned count) {
    const auto value = static_cast<std::uint32_t>(word() & ((std::uint64_t{1} << count) - 1));
    used_ += count;
    return value;
  }
  /// Counts the ones before the next zero and takes them with the zero: the quotient of a Rice
  /// code. 32 bits are looked at together.
  std::uint64_t take_ones() {
    std::uint64_t ones = 0;
    for (;;) {
      const auto here = static_cast<unsigned>(std::countr_one(word()));
      ones += std::min(here, kBitsInWord);
      if (here < kBitsInWord) break;
      used_ += kBitsInWord;
    }
    used_ += ones % kBitsInWord + 1;
    return ones;
  }
  bool overrun() const { return used_ > 8 * bytes_.size(); }
  std::size_t bytes_used() const { return (used_ + 7) / 8; }

 private:
  /// Bits that word() holds at least, enough for any remainder.
  static constexpr unsigned kBitsInWord = 32;

  std::uint64_t word() const {
    const std::size_t at = used_ / 8;
    std::uint64_t word = 0;
    if (at + sizeof word <= bytes_.size()) {
      word = load<std::uint64_t>(bytes_.data() + at);
    } else if (at < bytes_.size()) {
      std::memcpy(&word, bytes_.data() + at, bytes_.size() - at);
    }
    return word >> (used_ % 8);
  }

  Bytes bytes_;
  std::size_t used_ = 0;
};

/// How many bits a remainder of the Rice code has if there are `count` cells: about the logarithm
/// of the mean gap, which is close to the best for cells that are spread evenly over kCells.
unsigned rice_bits(std::size_t count) {
  return count == 0 ? 0 : static_cast<unsigned>(std::bit_width(kCells / count) - 1);
}

/// The inverse of parse_common(). Cells are ascending; a gap counts the cells left out between
/// two.
std::vector<Byte> serialise_common(const std::vector<std::uint32_t>& common) {
  const unsigned rice = rice_bits(common.size());
  BitAppender bits;
  std::uint32_t due = 0;
  for (const std::uint32_t cell : common) {
    const std::uint32_t gap = cell - due;
    for (std::uint32_t i = 0; i < gap >> rice; ++i) bits.put_bit(true);
    bits.put_bit(false);
    bits.put(gap, rice);
    due = cell + 1;
  }
  return bits.bytes();
}

/// Fails where a cell is not below kCells or the bits do not end in the last byte.
Result<std::vector<std::uint32_t>> parse_common(Bytes coded, std::uint32_t count, unsigned rice) {
  std::vector<std::uint32_t> common;
  common.reserve(count);
  BitTaker bits(coded);
  std::uint64_t due = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t gap = (bits.take_ones() << rice) + bits.take(rice);
    due += gap;
    if (due >= kCells || bits.overrun()) return bad("common cells");
    common.push_back(static_cast<std::uint32_t>(due++));
  }
  if (bits.bytes_used() != coded.size()) return bad("size of the common cells");
  return common;
}

void push_group(std::vector<Byte>& to, const FilterGroup& group) {
  const std::vector<Byte> common = serialise_common(group.common);
  to.push_back(static_cast<Byte>(group.gram_bytes));
  to.push_back(static_cast<Byte>(group.keep - 1));
  to.push_back(static_cast<Byte>(rice_bits(group.common.size())));
  to.push_back(0);
  append_value<std::uint32_t>(to, group.rows);
  append_value<std::uint32_t>(to, static_cast<std::uint32_t>(group.common.size()));
  append_value<std::uint32_t>(to, static_cast<std::uint32_t>(common.size()));
  to.insert(to.end(), common.begin(), common.end());
  to.insert(to.end(), group.bits.begin(), group.bits.end());
}

/// The part of a payload that has not been taken. take() must be preceded by has().
class Rest {
 public:
  explicit Rest(Bytes bytes) : bytes_(bytes) {}
  bool has(std::uint64_t count) const { return count <= bytes_.size(); }
  Bytes take(std::uint64_t count) {
    const Bytes taken = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }

 private:
  Bytes bytes_;
};

/// A group whose header is read, and whose common cells and bits are not read yet.
struct OpenGroup {
  FilterGroup group;
  unsigned rice = 0;
  std::uint32_t common_count = 0;
  std::uint32_t common_bytes = 0;

  std::uint64_t bit_bytes() const { return filter_bit_bytes(group.rows, group.blocks); }
  std::uint64_t body_bytes() const { return common_bytes + bit_bytes(); }
  Result<FilterGroup> finish(Bytes body) {
    PRESSO_ASSIGN(group.common, parse_common(body.first(common_bytes), common_count, rice));
    group.bits = body.subspan(common_bytes);
    return std::move(group);
  }
};

/// Checks every field against the limits of block_filter.h before anything is allocated.
Result<OpenGroup> parse_group_header(const Byte* header, std::uint32_t blocks) {
  OpenGroup open;
  FilterGroup& group = open.group;
  group.blocks = blocks;
  group.gram_bytes = header[0];
  group.keep = header[1] + 1u;
  group.rows = load<std::uint32_t>(header + 4);
  open.rice = header[2];
  open.common_count = load<std::uint32_t>(header + 8);
  open.common_bytes = load<std::uint32_t>(header + 12);
  if (group.gram_bytes < kMinGramBytes || group.gram_bytes > kMaxGramBytes) return bad("n");
  if (group.rows == 0 || group.rows > kCells) return bad("rows");
  if (open.rice > kMaxRice || header[3] != 0 || open.common_count > kMaxCommonCells) {
    return bad("group header");
  }
  return open;
}

Result<FilterGroup> parse_group(Rest& rest, std::uint32_t blocks) {
  if (!rest.has(kGroupHeaderBytes)) return bad("group is cut off");
  PRESSO_ASSIGN(OpenGroup open, parse_group_header(rest.take(kGroupHeaderBytes).data(), blocks));
  if (!rest.has(open.body_bytes())) return bad("group is cut off");
  return open.finish(rest.take(open.body_bytes()));
}

/// The section's first 16 bytes.
struct Prefix {
  std::uint64_t blocks = 0;
  std::uint32_t group_blocks = 0;
};

Result<Prefix> parse_prefix(const Byte* from, std::uint64_t blocks) {
  const Prefix prefix{load<std::uint64_t>(from), load<std::uint32_t>(from + 8)};
  if (prefix.blocks != blocks) return bad("number of blocks");
  if (prefix.group_blocks == 0 || prefix.group_blocks > kMaxGroupBlocks) return bad("group size");
  if (load<std::uint32_t>(from + 12) != kFilterOverlap) return bad("overlap");
  return prefix;
}

}  // namespace

/// One binary search in the common cells for each n-gram of what a search looks for.
std::optional<std::uint32_t> FilterGroup::row_of(std::uint32_t cell) const {
  if (cell_rank(cell) >= keep) return std::nullopt;
  if (std::binary_search(common.begin(), common.end(), cell)) return std::nullopt;
  return static_cast<std::uint32_t>(std::uint64_t{cell} * rows >> kCellBits);
}

/// Adds up what serialise_common() would write, by which encoders choose from how many blocks on a
/// cell is common.
std::size_t common_cells_bytes(const std::vector<std::uint32_t>& common) {
  const unsigned rice = rice_bits(common.size());
  std::uint64_t bits = common.size() * (1 + rice);
  std::uint32_t due = 0;
  for (const std::uint32_t cell : common) {
    bits += (cell - due) >> rice;
    due = cell + 1;
  }
  return static_cast<std::size_t>((bits + 7) / 8);
}

std::vector<Byte> serialise_filter(const BlockFilter& filter) {
  std::vector<Byte> payload;
  append_value<std::uint64_t>(payload, filter.blocks);
  append_value<std::uint32_t>(payload, filter.group_blocks);
  append_value<std::uint32_t>(payload, kFilterOverlap);
  for (const FilterGroup& group : filter.groups) push_group(payload, group);
  return payload;
}

Result<BlockFilter> parse_filter(std::vector<Byte> payload, std::uint64_t blocks) {
  BlockFilter filter;
  filter.blocks = blocks;
  filter.payload = std::move(payload);
  Rest rest(filter.payload);
  if (!rest.has(kPrefixBytes)) return bad("cut off");
  PRESSO_ASSIGN(const Prefix prefix, parse_prefix(rest.take(kPrefixBytes).data(), blocks));
  filter.group_blocks = prefix.group_blocks;
  for (std::uint64_t first = 0; first < blocks; first += filter.group_blocks) {
    const std::uint64_t in_group = std::min<std::uint64_t>(blocks - first, filter.group_blocks);
    PRESSO_ASSIGN(FilterGroup group, parse_group(rest, static_cast<std::uint32_t>(in_group)));
    filter.groups.push_back(std::move(group));
  }
  if (rest.has(1)) return bad("bytes after the last group");
  return filter;
}

/// Reads the whole section, checks its checksum and then parses it: for callers that keep the
/// filter.
Result<std::optional<BlockFilter>> read_filter(const RandomAccess& file,
                                               const ArchiveMember& member) {
  PRESSO_ASSIGN(const auto section,
                find_tail_section(file, member, FrameKind::kFilter, kFilterLayout));
  if (!section) return std::optional<BlockFilter>();
  std::vector<Byte> payload(static_cast<std::size_t>(section->header.payload_bytes));
  PRESSO_TRY(file.read_at(section->payload_offset, payload));
  if (checksum64(payload) != section->header.payload_checksum) {
    return make_error(ErrorCode::kSectionChecksum, kind_name(FrameKind::kFilter));
  }
  PRESSO_ASSIGN(BlockFilter filter, parse_filter(std::move(payload), member.block_count));
  return std::optional<BlockFilter>(std::move(filter));
}

/// Reads the prefix only. Groups follow by next(), so memory stays at one group whatever the
/// file.
Result<std::optional<FilterReader>> FilterReader::open(const RandomAccess& file,
                                                       const ArchiveMember& member) {
  PRESSO_ASSIGN(const auto section,
                find_tail_section(file, member, FrameKind::kFilter, kFilterLayout));
  if (!section) return std::optional<FilterReader>();
  FilterReader reader(file, section->payload_offset, section->header.payload_bytes,
                      section->header.payload_checksum, member.block_count);
  PRESSO_TRY(reader.read_prefix());
  return std::optional<FilterReader>(std::move(reader));
}

Status FilterReader::read_prefix() {
  PRESSO_ASSIGN(const Bytes stored, take(kPrefixBytes));
  PRESSO_ASSIGN(const Prefix prefix, parse_prefix(stored.data(), blocks_left_));
  group_blocks_ = prefix.group_blocks;
  return {};
}

/// After the last group the checksum of everything taken must be right, which is why a search
/// may not act upon a group before that.
Result<std::optional<FilterGroup>> FilterReader::next() {
  if (blocks_left_ == 0) {
    if (left_ > 0) return bad("bytes after the last group");
    if (checksum_.value() != expected_)
      return make_error(ErrorCode::kSectionChecksum, kind_name(FrameKind::kFilter));
    return std::optional<FilterGroup>();
  }
  const std::uint64_t blocks = std::min<std::uint64_t>(blocks_left_, group_blocks_);
  PRESSO_ASSIGN(const Bytes header, take(kGroupHeaderBytes));
  PRESSO_ASSIGN(OpenGroup open,
                parse_group_header(header.data(), static_cast<std::uint32_t>(blocks)));
  PRESSO_ASSIGN(const Bytes body, take(open.body_bytes()));
  PRESSO_ASSIGN(FilterGroup group, open.finish(body));
  blocks_left_ -= blocks;
  return std::optional<FilterGroup>(std::move(group));
}

/// The payload's next bytes, in the buffer until the next call.
Result<Bytes> FilterReader::take(std::uint64_t count) {
  if (count > left_) return bad("cut off");
  buffer_.resize_discarding(static_cast<std::size_t>(count));
  PRESSO_TRY(file_->read_at(at_, buffer_.mutable_bytes()));
  checksum_.add(buffer_.bytes());
  at_ += count;
  left_ -= count;
  return buffer_.bytes();
}

}  // namespace presso
