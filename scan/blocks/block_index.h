// SPDX-License-Identifier: MIT
// Decides which blocks of a compressed file a search must read, from the filter sections of the
// file's members (format/block_filter.h; a member is one of the compressed files that stand one
// after another in a file) and from what every match contains. A *clause* is a set of strings of
// which every match contains at least one (scan/matching/required_literals.h).
//
// The search goes by one clause of its pattern, the one that leaves the fewest blocks. Several
// clauses at once would be wrong, since the literals of one match may lie in different blocks. A
// block is read if a literal of the clause may *begin* in it. From there the line may reach into
// neighbours, which the assembler reads unless may_begin_in() tells it that the line needs no look.
//
// Members without a filter, or without the line facts that it needs (how many line feeds each block
// has and where, FORMAT.md 7.3), are read as a whole. If anything of the file is not as it should
// be, open() declines, and the scan goes the way without an index, which names the damage. Filters
// do not help inverted searches, strings shorter than an n-gram and sets of more than 1,000
// strings. A rare string in 1.06 GB of log takes 0.05 s with the index and 0.68 without
// (scan/NOTES.md). Tested by tests/unit/scan/blocks/scan_index_test.cpp and block_filter_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "format/block_filter.h"
#include "format/line_facts.h"
#include "presso/decompress.h"
#include "presso/line_parts.h"
#include "presso/lines.h"
#include "scan/blocks/member_times.h"
#include "scan/matching/required_literals.h"

namespace presso::scan_detail {

/// What a member tells a search without being decoded.
struct MemberFilter {
  /// For each clause, whether each block is wanted (0 or 1); empty without a filter of use.
  std::vector<std::vector<Byte>> wanted;
  std::vector<LineFacts> facts;  ///< of each block; empty where there are none
};

/// Whether filters can be of use to a search with these requirements and options.
bool can_skip(const RequiredLiterals& required, const ScanOptions& options);

/// The choice of blocks for one search of one file, or of a part of it. Immutable once made, so all
/// threads may ask.
class BlockIndex {
 public:
  /// Makes the index of a search. Returns nullptr if there is no filter, or it is of no use to this
  /// search. `index` is that of `file`, which is kept by reference; it is taken unless nullptr is
  /// returned because no filter is useful. `times`: of all members where the options ask for times,
  /// else empty. `bad` gets what is wrong with a filter, if something is.
  static std::unique_ptr<BlockIndex> open(const RandomAccess& file,
                                          std::optional<ArchiveIndex>& index,
                                          const RequiredLiterals& required,
                                          const ScanOptions& options,
                                          const std::vector<MemberTimes>& times,
                                          std::optional<Error>& bad);

  /// Makes the index of a part of a file, with the blocks that its sender has chosen. Errors: kIo
  /// if the file is not the one that was divided, and the errors of opening it.
  static Result<std::shared_ptr<const BlockIndex>> open_part(const RandomAccess& file,
                                                             const LinePart& part,
                                                             const RequiredLiterals& required,
                                                             const ScanOptions& options);

  const CompressedFile& file() const { return file_; }
  /// The range of blocks to go through: all of them, or those that hold a part.
  std::uint64_t first_block() const { return first_block_; }
  std::uint64_t end_block() const { return end_block_; }
  bool wanted(std::uint64_t block) const { return choice_.wanted[in_choice(block)] != 0; }
  /// The known facts about the lines of a block, for blocks that are not wanted.
  const LineFacts& facts(std::uint64_t block) const { return choice_.facts[in_choice(block)]; }
  std::uint64_t plain_offset(std::uint64_t block) const {
    return file_.index().block_plain_offset(block);
  }
  /// The plain length of a block.
  std::uint64_t plain_bytes(std::uint64_t block) const;
  /// Whether no line of a block has a time that is wanted.
  bool skipped_by_time(std::uint64_t block) const {
    return !choice_.in_time.empty() && choice_.in_time[in_choice(block)] == 0;
  }
  /// Where the text to be searched begins in a block that is wanted: 0, or where a part does.
  std::size_t begin_in(std::uint64_t block) const {
    return block == first_block_ ? begin_in_first_ : 0;
  }
  /// Which of the pattern's clauses decides about blocks, by number.
  std::uint64_t clause() const { return choice_.number; }
  /// Whether lines of damaged blocks are counted, so that numbers are true for each part.
  bool counts_lost_lines() const { return is_part_; }
  /// Lines in front of the text. The first line of the first block counts among them if that block
  /// is not wanted.
  std::uint64_t lines_before() const { return lines_before_; }
  // Whether the file begins with a byte order mark and this text comes after it.
  bool is_behind_mark() const { return is_behind_mark_; }
  /// Whether a literal of the clause begins in `text` and ends in it or, if `cut`, may go on after
  /// its end.
  bool may_begin_in(Bytes text, bool cut) const;

 private:
  /// The clause by which blocks are left out, and the blocks that it wants.
  struct Choice {
    RequiredLiterals::Clause clause;
    std::uint64_t number = 0;      ///< the number of the clause
    std::vector<LineFacts> facts;  ///< of each block to go through
    std::vector<Byte> wanted;      ///< a bool for each of them
    std::vector<Byte> in_time;     ///< the same by times alone; empty: all are
  };

  /// `first_block` is the number of the first block to go through.
  BlockIndex(CompressedFile file, Choice choice, std::uint64_t first_block = 0)
      : file_(std::move(file)),
        choice_(std::move(choice)),
        first_block_(first_block),
        end_block_(first_block + choice_.wanted.size()) {}
  std::size_t in_choice(std::uint64_t block) const {
    return static_cast<std::size_t>(block - first_block_);
  }
  /// Leaves out blocks before and after the part.
  void limit_to(const LinePart& part);
  static std::optional<Choice> choose_clause(const ArchiveIndex& index,
                                             const RequiredLiterals& required,
                                             const ScanOptions& options,
                                             const std::vector<MemberTimes>& times,
                                             std::vector<MemberFilter> filters);
  static void choose_times(const TimeWindow& window, const ArchiveIndex& index,
                           const std::vector<MemberTimes>& times,
                           const std::vector<MemberFilter>& filters, Choice& choice);

  CompressedFile file_;
  Choice choice_;
  bool is_part_ = false;
  std::uint64_t first_block_;
  std::uint64_t end_block_;
  std::size_t begin_in_first_ = 0;
  std::uint64_t end_ = ~std::uint64_t{0};  ///< plain offset where a part ends
  std::uint64_t lines_before_ = 0;
  bool is_behind_mark_ = false;
};

}  // namespace presso::scan_detail
