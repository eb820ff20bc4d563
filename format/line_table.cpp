// SPDX-License-Identifier: MIT
// LineTable: line numbers and line starts of a whole file, summed up from the line facts of all its
// members, so that a search can number lines without decoding what comes before them. 32 bytes a
// block in memory; the rule of what a line is stands at the constructor. Tested by
// tests/unit/format/line_facts_test.cpp.
#include "presso/line_table.h"

#include <utility>

#include "format/line_facts.h"

namespace presso {

/// Nullopt where one member has no line facts: numbers would be wrong from there on.
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

/// A line begins where the file does, and after every line feed except one that is the file's last
/// byte. The line after a block's last byte begins in the next block: `begins_a_line` says that the
/// block before ended with a line feed. A block in which no line begins gets the start of the next
/// line in any later block, filled in from the back.
LineTable::LineTable(std::vector<LineFacts> facts, const ArchiveIndex& index)
    : facts_(std::move(facts)) {
  constexpr std::uint64_t kAsTheNext = ~std::uint64_t{0};
  const std::uint64_t blocks = facts_.size();
  lines_before_.assign(blocks + 1, 0);
  line_starts_.assign(blocks + 1, index.plain_bytes());
  std::uint64_t newlines = 0;
  bool begins_a_line = true;
  for (std::uint64_t block = 0, begin = 0, end = 0; block < blocks; ++block, begin = end) {
    end = block + 1 == blocks ? index.plain_bytes() : index.block_plain_offset(block + 1);
    const LineFacts& of_block = facts_[block];
    line_starts_[block] = begins_a_line           ? begin
                          : of_block.newlines > 0 ? begin + of_block.first_newline + 1
                                                  : kAsTheNext;
    newlines += of_block.newlines;
    begins_a_line = of_block.newlines > 0 && begin + of_block.last_newline + 1 == end;
    lines_before_[block + 1] = newlines + (begins_a_line ? 0 : 1);
  }
  for (std::uint64_t block = blocks; block-- > 0;) {
    if (line_starts_[block] == kAsTheNext) line_starts_[block] = line_starts_[block + 1];
  }
}

}  // namespace presso
