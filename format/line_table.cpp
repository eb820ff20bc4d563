// SPDX-License-Identifier: MIT
#include "presso/line_table.h"

#include <utility>

#include "format/line_facts.h"

namespace presso {

Result<std::optional<LineTable>> LineTable::read(const RandomAccess& file,
                                                 const ArchiveIndex& index) {
  std::vector<LineFacts> facts;
  for (const ArchiveMember& member : index.members()) {
    if (member.block_count == 0) continue;
    PRESSO_ASSIGN(auto of_member, read_line_facts(file, member));
    if (!of_member) return std::optional<LineTable>();
    if (facts.empty()) {
      facts = std::move(*of_member);
      continue;
    }
    facts.insert(facts.end(), of_member->begin(), of_member->end());
  }
  return std::optional<LineTable>(LineTable(std::move(facts), index));
}

/// A line begins where the file does, and after every line feed but one that is the file's last
/// byte. So the line feeds before a block tell of one line that begins with its first byte where
/// the block in front ends with one of them.
LineTable::LineTable(std::vector<LineFacts> facts, const ArchiveIndex& index)
    : facts_(std::move(facts)) {
  const std::uint64_t blocks = facts_.size();
  const auto begin_of = [&](std::uint64_t block) {
    return block == blocks ? index.plain_bytes() : index.block_plain_offset(block);
  };
  const auto ends_with_newline = [&](std::uint64_t block) {
    return facts_[block].newlines > 0 &&
           begin_of(block) + facts_[block].last_newline + 1 == begin_of(block + 1);
  };
  lines_before_.assign(blocks + 1, 0);
  std::uint64_t newlines = 0;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    newlines += facts_[block].newlines;
    lines_before_[block + 1] = newlines + (ends_with_newline(block) ? 0 : 1);
  }
  line_starts_.assign(blocks + 1, index.plain_bytes());
  for (std::uint64_t block = blocks; block-- > 0;) {
    const std::uint64_t begin = begin_of(block);
    if (block == 0 || ends_with_newline(block - 1)) {
      line_starts_[block] = begin;
    } else if (facts_[block].newlines > 0) {
      line_starts_[block] = begin + facts_[block].first_newline + 1;
    } else {
      line_starts_[block] = line_starts_[block + 1];
    }
  }
}

}  // namespace presso
