// SPDX-License-Identifier: MIT
// BlockIndex, made for one pattern and file: it says which blocks the file's filters rule out. Each
// member's filter is read once, group by group (one group covers a run of blocks), and every group
// is asked for all clauses while it is in the cache. The cost is that of reading the filters, at
// most 8 % of the compressed size, and a few bit tests for each literal and block.

#include "scan/blocks/block_index.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "scan/blocks/line_parts.h"

namespace presso::scan_detail {
namespace {

/// The most strings of a clause for which blocks are ruled out; with larger sets nearly every block
/// holds one of them.
constexpr std::size_t kMostLiterals = 1000;

/// Collects the rows of the filter for the n-grams with which a literal begins. Only those are
/// taken that the filter of a block knows even if the literal begins with the block's last byte.
void find_rows(const FilterGroup& group, const std::string& literal,
               std::vector<std::uint32_t>& rows) {
  rows.clear();
  for (std::size_t at = 0; at + group.gram_bytes <= literal.size() && at <= kFilterOverlap; ++at) {
    std::uint64_t gram = 0;
    for (std::size_t i = group.gram_bytes; i-- > 0;) {
      gram = gram << 8 | fold_ascii(static_cast<Byte>(literal[at + i]));
    }
    if (const auto row = group.row_of(gram_cell(gram))) rows.push_back(*row);
  }
}

/// Marks in `wanted`, a bool for each block of the group, the blocks in which a literal of the
/// clause may begin. Of many literals the first ones often want all blocks, and then the others
/// need not be asked for.
void add_group(const FilterGroup& group, const RequiredLiterals::Clause& clause, Byte* wanted) {
  std::vector<std::uint32_t> rows;
  std::uint32_t left = group.blocks;
  for (const std::string& literal : clause.any_of) {
    if (left == 0) return;
    find_rows(group, literal, rows);
    for (std::uint32_t block = 0; block < group.blocks; ++block) {
      if (wanted[block] != 0) continue;
      if (std::all_of(rows.begin(), rows.end(),
                      [&](std::uint32_t row) { return group.bit(row, block); })) {
        wanted[block] = 1;
        --left;
      }
    }
  }
}

std::size_t longest(const RequiredLiterals::Clause& clause) {
  std::size_t most = 0;
  for (const std::string& literal : clause.any_of) most = std::max(most, literal.size());
  return most;
}

/// Marks the last blocks of a member in which a literal may begin that ends in the next member, of
/// which this filter knows nothing.
void add_member_end(const ArchiveMember& member, const MemberFilter& filter, std::size_t reach,
                    std::vector<Byte>& wanted) {
  const LineFacts& last = filter.facts.back();
  const std::uint64_t in_last =
      member.plain_bytes - (filter.facts.size() - 1) * member.header.block_bytes;
  if (last.newlines > 0 && last.last_newline + 1 == in_last) return;
  std::uint64_t reached = 0;
  for (std::size_t block = wanted.size(); block-- > 0 && reached + 1 < reach;) {
    wanted[block] = 1;
    reached += block + 1 == wanted.size() ? in_last : member.header.block_bytes;
  }
}

std::uint64_t count_wanted(const std::vector<Byte>& wanted) {
  return static_cast<std::uint64_t>(std::count(wanted.begin(), wanted.end(), Byte{1}));
}

/// Whether the literal begins with `text`, which is not longer than it.
bool matches_at(const std::string& literal, bool ignore_case, Bytes text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const Byte byte = ignore_case ? fold_ascii(text[i]) : text[i];
    if (byte != static_cast<Byte>(literal[i])) return false;
  }
  return true;
}

bool holds_nul(const std::vector<LineFacts>& facts) {
  return std::any_of(facts.begin(), facts.end(),
                     [](const LineFacts& block) { return block.holds_nul; });
}

bool can_help(const RequiredLiterals::Clause& clause) {
  return !clause.any_of.empty() && clause.any_of.size() <= kMostLiterals;
}

/// Asks the filter of one member for all clauses. Returns an empty answer if the member has no
/// filter.
Result<MemberFilter> ask_filter(const RandomAccess& file, const ArchiveMember& member,
                                const RequiredLiterals& required) {
  MemberFilter answers;
  PRESSO_ASSIGN(auto reader, FilterReader::open(file, member));
  if (!reader) return answers;
  answers.wanted.assign(required.clauses.size(),
                        std::vector<Byte>(static_cast<std::size_t>(member.block_count)));
  for (std::size_t first = 0;; first += reader->group_blocks()) {
    PRESSO_ASSIGN(const auto group, reader->next());
    if (!group) break;
    for (std::size_t i = 0; i < required.clauses.size(); ++i) {
      const RequiredLiterals::Clause& clause = required.clauses[i];
      if (can_help(clause)) add_group(*group, clause, answers.wanted[i].data() + first);
    }
  }
  return answers;
}

/// Adds the line facts of a member; if it has none, its filter is dropped, because blocks whose
/// lines are not known cannot be left out.
Status add_facts(const RandomAccess& file, const ArchiveMember& member, MemberFilter& filter) {
  PRESSO_ASSIGN(auto facts, read_line_facts(file, member));
  if (facts && !facts->empty()) {
    filter.facts = std::move(*facts);
  } else {
    filter.wanted.clear();
  }
  return {};
}

/// Asks all members; line facts are read only if some member has a filter.
Result<std::vector<MemberFilter>> ask_members(const RandomAccess& file, const ArchiveIndex& index,
                                              const RequiredLiterals& required, bool with_times) {
  std::vector<MemberFilter> filters;
  bool any = false;
  for (const ArchiveMember& member : index.members()) {
    PRESSO_ASSIGN(MemberFilter filter, ask_filter(file, member, required));
    any |= !filter.wanted.empty() || with_times;
    filters.push_back(std::move(filter));
  }
  for (std::size_t i = 0; any && i < filters.size(); ++i) {
    PRESSO_TRY(add_facts(file, index.members()[i], filters[i]));
  }
  return filters;
}

/// The filters of all members. Returns nullopt if there are none or something is damaged; `bad`
/// then says what, unless a scan without filters will find it, too.
std::optional<std::vector<MemberFilter>> ask_filters(const RandomAccess& file,
                                                     const ArchiveIndex& index,
                                                     const RequiredLiterals& required,
                                                     bool with_times, std::optional<Error>& bad) {
  auto filters = without_bad_alloc([&] { return ask_members(file, index, required, with_times); });
  if (!filters.ok()) {
    const bool container = filters.error().code == ErrorCode::kUnknownMandatorySection;
    if (!container) bad = std::move(filters.error());
    return std::nullopt;
  }
  const bool any =
      with_times || std::any_of(filters->begin(), filters->end(),
                                [](const MemberFilter& filter) { return !filter.wanted.empty(); });
  return any ? std::optional(std::move(*filters)) : std::nullopt;
}

Error changed() {
  return make_error(ErrorCode::kIo, "has changed since it was divided into parts");
}

/// The line facts of blocks first to end - 1 as the file has them. Error kIo: the layout of the
/// file is not that of the part.
Result<std::vector<LineFacts>> facts_in(const RandomAccess& file, const ArchiveIndex& index,
                                        const LinePart& part, std::uint64_t first,
                                        std::uint64_t end) {
  PRESSO_ASSIGN(const std::optional<LineTable> lines, LineTable::read(file, index));
  if (!lines || layout_checksum(index, *lines) != part.layout_checksum) return changed();
  std::vector<LineFacts> facts;
  for (std::uint64_t block = first; block < end; ++block) facts.push_back(lines->facts(block));
  return facts;
}

/// These line facts as the part itself brings them; `index` is that of its excerpt.
Result<std::vector<LineFacts>> facts_of(const PartLayout& layout, const ArchiveIndex& index,
                                        std::uint64_t first, std::uint64_t end) {
  if (layout.blocks.first != first || layout.blocks.stored_bytes.size() != end - first) {
    return make_error(ErrorCode::kInvalidArgument, "the layout is that of another part");
  }
  const ArchiveMember& member = index.members().front();
  const std::uint64_t begin = index.block_plain_offset(first);
  const std::uint64_t left = member.plain_offset + member.plain_bytes - begin;
  const std::uint64_t bytes = std::min(left, (end - first) * member.header.block_bytes);
  return parse_line_facts(layout.line_facts, bytes, member.header.block_bytes);
}

}  // namespace

bool can_skip(const RequiredLiterals& required, const ScanOptions& options) {
  const bool limited = options.limits_lines() || options.limits_blocks();
  if (!options.use_index || limited || options.wants_context()) return false;
  // A block without a wanted time may hold lines of a record that has one.
  if (options.records && options.times) return false;
  return options.times.has_value() || (!options.invert && !required.clauses.empty());
}

/// Opens the index for a scan if it can leave out blocks: it needs filters, line facts and a clause
/// of strings. nullptr where it cannot, and then `index` is as it was unless it was taken; `bad`
/// gets what is wrong with a filter.
std::unique_ptr<BlockIndex> BlockIndex::open(
    const RandomAccess& file, std::optional<ArchiveIndex>& index, const RequiredLiterals& required,
    const ScanOptions& options, const std::vector<MemberTimes>& times, std::optional<Error>& bad) {
  // Where lines without a match are wanted, any block may have some.
  const RequiredLiterals& asked = options.invert ? RequiredLiterals() : required;
  auto filters = ask_filters(file, *index, asked, options.times.has_value(), bad);
  if (!filters) return nullptr;
  std::optional<Choice> choice = choose_clause(*index, asked, options, times, std::move(*filters));
  if (!choice) return nullptr;
  // The rule for binary files needs to see the beginning and all reported lines of the text.
  if (options.binary != BinaryRule::kText && holds_nul(choice->facts)) return nullptr;
  auto opened =
      CompressedFile::open(std::move(*std::exchange(index, std::nullopt)), options.decode);
  if (!opened.ok()) return nullptr;
  return std::unique_ptr<BlockIndex>(new BlockIndex(std::move(*opened), std::move(*choice)));
}

/// Says which blocks may have lines of the wanted times.
void BlockIndex::choose_times(const TimeWindow& window, const ArchiveIndex& index,
                              const std::vector<MemberTimes>& times,
                              const std::vector<MemberFilter>& filters, Choice& choice) {
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const std::size_t blocks = static_cast<std::size_t>(index.members()[i].block_count);
    const std::size_t begin = choice.in_time.size();
    choice.in_time.resize(begin + blocks, 1);
    if (!times[i].facts || filters[i].facts.empty()) continue;
    const bool has_zone = times[i].reader->has_zone();
    const TimeWindow::Range& range = has_zone ? window.moments : window.clocks;
    for (std::size_t block = 0; block < blocks; ++block) {
      const BlockTimes& told = times[i].facts->blocks[block];
      const bool is_within = told.least < range.until && told.greatest >= range.since;
      choice.in_time[begin + block] = is_within ? 1 : 0;
    }
    if (filters[i].facts.front().begins_with_mark) choice.in_time[begin] = 1;
  }
}

/// Chooses the clause that leaves the fewest of the blocks with wanted times. Returns nullopt if
/// neither times nor a clause leave out any.
std::optional<BlockIndex::Choice> BlockIndex::choose_clause(const ArchiveIndex& index,
                                                            const RequiredLiterals& required,
                                                            const ScanOptions& options,
                                                            const std::vector<MemberTimes>& times,
                                                            std::vector<MemberFilter> filters) {
  const std::vector<ArchiveMember>& members = index.members();
  Choice choice;
  if (options.times) choose_times(*options.times, index, times, filters, choice);
  choice.wanted = choice.in_time;
  std::uint64_t fewest = choice.wanted.empty() ? index.block_count() : count_wanted(choice.wanted);
  for (std::size_t number = 0; number < required.clauses.size(); ++number) {
    const RequiredLiterals::Clause& clause = required.clauses[number];
    if (!can_help(clause)) continue;
    std::vector<Byte> wanted;
    for (std::size_t i = 0; i < members.size(); ++i) {
      std::vector<Byte> of_member(static_cast<std::size_t>(members[i].block_count), 1);
      if (!filters[i].wanted.empty()) {
        of_member = std::move(filters[i].wanted[number]);
        if (filters[i].facts.front().begins_with_mark) of_member.front() = 1;
        if (i + 1 < members.size()) {
          add_member_end(members[i], filters[i], longest(clause), of_member);
        }
      }
      wanted.insert(wanted.end(), of_member.begin(), of_member.end());
    }
    for (std::size_t i = 0; i < choice.in_time.size(); ++i) wanted[i] &= choice.in_time[i];
    const std::uint64_t count = count_wanted(wanted);
    if (count >= fewest) continue;
    fewest = count;
    choice.wanted = std::move(wanted);
    choice.clause = clause;
    choice.number = number;
  }
  if (choice.wanted.empty()) return std::nullopt;
  std::vector<LineFacts>& facts = choice.facts;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::size_t blocks = static_cast<std::size_t>(members[i].block_count);
    if (!filters[i].facts.empty()) {
      facts.insert(facts.end(), filters[i].facts.begin(), filters[i].facts.end());
    } else {
      // Not known, so that NULs are to be reckoned with.
      facts.resize(facts.size() + blocks, {.holds_nul = true});
    }
  }
  return choice;
}

/// Opens the index for one part of a file, from the part's own description where it has one, so
/// that a far file's index is not read again. Error: where the file is not the one that was
/// divided.
Result<std::shared_ptr<const BlockIndex>> BlockIndex::open_part(const RandomAccess& file,
                                                                const LinePart& part,
                                                                const RequiredLiterals& required,
                                                                const ScanOptions& options) {
  if (file.size() != part.file_bytes || part.begin >= part.end) return changed();
  PRESSO_ASSIGN(ArchiveIndex index, part.layout
                                        ? ArchiveIndex::open_excerpt(file, part.layout->blocks)
                                        : ArchiveIndex::open_as_written(file, 0));
  if (part.begin < index.members().front().plain_offset || part.end > index.plain_bytes()) {
    return changed();
  }
  const std::uint64_t first = index.block_at(part.begin);
  const std::uint64_t end = index.block_at(part.end - 1) + 1;
  Choice choice;
  PRESSO_ASSIGN(choice.facts, part.layout ? facts_of(*part.layout, index, first, end)
                                          : facts_in(file, index, part, first, end));
  choice.wanted.assign(choice.facts.size(), 1);
  if (!part.wanted.empty()) {
    if (part.wanted.size() != end - first || part.clause >= required.clauses.size()) {
      return changed();
    }
    std::copy(part.wanted.begin(), part.wanted.end(), choice.wanted.begin());
    choice.number = part.clause;
    choice.clause = required.clauses[static_cast<std::size_t>(part.clause)];
  }
  PRESSO_ASSIGN(CompressedFile opened, CompressedFile::open(std::move(index), options.decode));
  const std::shared_ptr<BlockIndex> made(
      new BlockIndex(std::move(opened), std::move(choice), first));
  made->limit_to(part);
  return std::shared_ptr<const BlockIndex>(made);
}

/// Restricts the index to a part. A part ends with the first line of its last block, or with all of
/// that block. It begins with the second line of its first block, or with the first one; if that
/// block is left out, it counts with its first line, of which only the place is known.
void BlockIndex::limit_to(const LinePart& part) {
  is_part_ = true;
  end_ = part.end;
  lines_before_ = part.lines_before;
  const std::uint64_t begin = plain_offset(first_block_);
  if (wanted(first_block_)) {
    begin_in_first_ = static_cast<std::size_t>(part.begin - begin);
  } else if (part.begin > begin) {
    --lines_before_;
  }
  is_behind_mark_ = part.is_behind_mark;
  LineFacts& last = choice_.facts.back();
  if (last.newlines > 0 && plain_offset(end_block_ - 1) + last.first_newline + 1 == end_) {
    last.last_newline = last.first_newline;
  }
}

std::uint64_t BlockIndex::plain_bytes(std::uint64_t block) const {
  const bool last = block + 1 == file_.index().block_count();
  const std::uint64_t end = last ? file_.plain_bytes() : plain_offset(block + 1);
  return std::min(end, end_) - plain_offset(block);
}

/// Whether a string of the clause stands in the text, or with `cut` may begin in its last bytes.
/// Quadratic in the worst case, so for single lines only.
bool BlockIndex::may_begin_in(Bytes text, bool cut) const {
  for (const std::string& literal : choice_.clause.any_of) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t left = text.size() - at;
      if (left < literal.size() && !cut) break;
      const Bytes part = text.subspan(at, std::min(left, literal.size()));
      if (matches_at(literal, choice_.clause.ignore_ascii_case, part)) return true;
    }
  }
  return false;
}

}  // namespace presso::scan_detail
