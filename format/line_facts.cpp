// SPDX-License-Identifier: MIT
// Line facts of blocks, and the section that holds them (FORMAT.md 7.3). Line feeds are counted and
// NUL bytes looked for in one pass, in vectors of 16 bytes, which gcc and clang offer as types on
// every machine: of a plain loop, g++ 12 makes code that counts one byte at a time. Measured in
// compress/NOTES.md.
// Tested by tests/unit/format/line_facts_test.cpp.
#include "format/line_facts.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "format/container_rules.h"
#include "format/tail_section.h"
#include "presso/checksum.h"

namespace presso {
namespace {

// Stored for a block: u24 line feeds, flags, u32 offset of the first and of the last line feed.
constexpr std::size_t kFactsBytes = 12;
constexpr Byte kHoldsNul = 1;
constexpr Byte kBeginsWithMark = 2;

Error bad_facts(const char* what) {
  return make_error(ErrorCode::kBadHeader, std::string("line facts: ") + what);
}

// --- Counting

// Text is taken in rows of four vectors. Each byte of a vector, a lane, counts for itself.
using Lanes = Byte __attribute__((vector_size(16)));
constexpr std::size_t kRegisters = 4;
constexpr std::size_t kRowBytes = kRegisters * sizeof(Lanes);
constexpr std::size_t kMostRows = 255;  ///< before a lane's count overflows

/// What the pass over the bytes finds; take() is for the tail that fills no row.
struct Counted {
  std::uint64_t newlines = 0;
  bool nul = false;

  void take(Byte byte) {
    newlines += byte == '\n' ? 1 : 0;
    nul |= byte == 0;
  }
};

/// Counts `rows` rows of kRowBytes each, at most kMostRows.
void count_rows(const Byte* text, std::size_t rows, Counted& counted) {
  std::array<Lanes, kRegisters> feeds{};
  std::array<Lanes, kRegisters> nuls{};
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < kRegisters; ++i) {
      Lanes bytes;
      std::memcpy(&bytes, text + row * kRowBytes + i * sizeof bytes, sizeof bytes);
      feeds[i] -= reinterpret_cast<Lanes>(bytes == '\n');  // -1 where they are equal
      nuls[i] |= reinterpret_cast<Lanes>(bytes == 0);
    }
  }
  for (std::size_t i = 0; i < kRegisters; ++i) {
    for (std::size_t lane = 0; lane < sizeof(Lanes); ++lane) {
      counted.newlines += feeds[i][lane];
      counted.nul |= nuls[i][lane] != 0;
    }
  }
}

Counted count(Bytes plain) {
  Counted counted;
  while (plain.size() >= kRowBytes) {
    const std::size_t rows = std::min(plain.size() / kRowBytes, kMostRows);
    count_rows(plain.data(), rows, counted);
    plain = plain.subspan(rows * kRowBytes);
  }
  for (const Byte byte : plain) counted.take(byte);
  return counted;
}

// --- The section

void push_facts(std::vector<Byte>& to, const LineFacts& facts) {
  const unsigned flags =
      (facts.holds_nul ? kHoldsNul : 0u) | (facts.begins_with_mark ? kBeginsWithMark : 0u);
  append_value<std::uint32_t>(to, facts.newlines | flags << 24);
  append_value<std::uint32_t>(to, facts.first_newline);
  append_value<std::uint32_t>(to, facts.last_newline);
}

/// Checks that the three fields can be true of a block of `plain_bytes`; kBadHeader where they
/// cannot.
Result<LineFacts> parse_facts(const Byte* from, std::uint64_t plain_bytes) {
  LineFacts facts;
  facts.newlines = load_u24(from);
  facts.first_newline = load<std::uint32_t>(from + 4);
  facts.last_newline = load<std::uint32_t>(from + 8);
  facts.holds_nul = (from[3] & kHoldsNul) != 0;
  facts.begins_with_mark = (from[3] & kBeginsWithMark) != 0;
  const std::uint64_t stretch = std::uint64_t{facts.last_newline} - facts.first_newline;
  const bool right = facts.newlines == 0 ? facts.first_newline == 0 && facts.last_newline == 0
                                         : facts.last_newline < plain_bytes &&
                                               facts.first_newline <= facts.last_newline &&
                                               (facts.newlines == 1) == (stretch == 0) &&
                                               facts.newlines <= stretch + 1;
  if (!right || from[3] > (kHoldsNul | kBeginsWithMark)) return bad_facts("of a block");
  return facts;
}

}  // namespace

/// After the count, two searches from both ends, which stop at the first hit, give the offsets.
LineFacts line_facts(Bytes plain) {
  LineFacts facts;
  const Counted counted = count(plain);
  facts.newlines = static_cast<std::uint32_t>(counted.newlines);
  facts.holds_nul = counted.nul;
  if (facts.newlines > 0) {
    const auto offset_of = [&](const void* newline) {
      return static_cast<std::uint32_t>(static_cast<const Byte*>(newline) - plain.data());
    };
    facts.first_newline = offset_of(std::memchr(plain.data(), '\n', plain.size()));
    facts.last_newline = offset_of(::memrchr(plain.data(), '\n', plain.size()));
  }
  facts.begins_with_mark =
      plain.size() >= 3 && plain[0] == 0xEF && plain[1] == 0xBB && plain[2] == 0xBF;
  return facts;
}

std::uint64_t line_feeds_in(Bytes text) {
  return count(text).newlines;
}

std::vector<Byte> serialise_line_facts(const std::vector<LineFacts>& facts) {
  std::vector<Byte> payload;
  payload.reserve(kFactsBytes * facts.size());
  for (const LineFacts& of_block : facts) push_facts(payload, of_block);
  return payload;
}

Result<std::vector<LineFacts>> parse_line_facts(Bytes payload, std::uint64_t plain_bytes,
                                                std::uint32_t block_bytes) {
  const std::uint64_t blocks = plain_bytes == 0 ? 0 : (plain_bytes - 1) / block_bytes + 1;
  if (payload.size() % kFactsBytes != 0 || payload.size() / kFactsBytes != blocks) {
    return bad_facts("number of blocks");
  }
  std::vector<LineFacts> all;
  all.reserve(static_cast<std::size_t>(blocks));
  for (std::size_t at = 0; at < payload.size(); at += kFactsBytes) {
    const std::uint64_t in_block = std::min<std::uint64_t>(plain_bytes, block_bytes);
    PRESSO_ASSIGN(const LineFacts facts, parse_facts(payload.data() + at, in_block));
    all.push_back(facts);
    plain_bytes -= in_block;
  }
  return all;
}

Result<std::optional<std::vector<LineFacts>>> read_line_facts(const RandomAccess& file,
                                                              const ArchiveMember& member) {
  using Found = std::optional<std::vector<LineFacts>>;
  PRESSO_ASSIGN(const auto section,
                find_tail_section(file, member, FrameKind::kLines, kLineFactsLayout));
  if (!section) return Found();
  // The size is checked before it is allocated.
  if (section->header.payload_bytes != kFactsBytes * member.block_count) {
    return bad_facts("number of blocks");
  }
  std::vector<Byte> payload(static_cast<std::size_t>(section->header.payload_bytes));
  PRESSO_TRY(file.read_at(section->payload_offset, payload));
  if (checksum64(payload) != section->header.payload_checksum) {
    return make_error(ErrorCode::kSectionChecksum, kind_name(FrameKind::kLines));
  }
  PRESSO_ASSIGN(std::vector<LineFacts> facts,
                parse_line_facts(payload, member.plain_bytes, member.header.block_bytes));
  return Found(std::move(facts));
}

}  // namespace presso
