// SPDX-License-Identifier: MIT
// Which blocks of a compressed file a search must read, by the filter sections of its members
// (presso/block_filter.h) and what every match contains (required_literals.h).
//
// Of a pattern's clauses the one is taken that leaves the fewest blocks; each of them is sound for
// itself, together they would not be: a match's literals may lie in different blocks. A block is
// read if a literal of the clause may *begin* in it. From there the line may reach into neighbours,
// which the assembler reads where may_begin_in() does not tell it that the line needs no look.
//
// Members without a filter are read as a whole. Where anything of the file is not as it should be,
// open() declines, and the scan goes the way without an index, which names the damage.
// Tested by tests/unit/scan/blocks/scan_index_test.cpp and block_filter_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "presso/block_filter.h"
#include "presso/decompress.h"
#include "presso/lines.h"
#include "scan/matching/required_literals.h"

namespace presso::scan_detail {

/// What a member's filter says to a search. Without a filter all is empty.
struct MemberFilter {
  std::vector<LineFacts> facts;
  std::vector<std::vector<Byte>> wanted;  ///< for each clause, a bool for each block
};

class BlockIndex {
 public:
  /// nullptr where there is no filter, or it can be of no use to this search. `file` is kept. An
  /// index that turned out to have no filters is left in `spare`.
  static std::unique_ptr<BlockIndex> open(const RandomAccess& file,
                                          const RequiredLiterals& required,
                                          const ScanOptions& options,
                                          std::optional<ArchiveIndex>& spare);

  const CompressedFile& file() const { return file_; }
  std::uint64_t block_count() const { return wanted_.size(); }
  bool wanted(std::uint64_t block) const { return wanted_[block] != 0; }
  /// Of a block that is not wanted.
  const LineFacts& facts(std::uint64_t block) const { return facts_[block]; }
  std::uint64_t plain_offset(std::uint64_t block) const {
    return file_.index().block_plain_offset(block);
  }
  std::uint64_t plain_bytes(std::uint64_t block) const;
  /// Whether a literal of the clause begins in `text` and goes on in it or, where `cut`, may go on
  /// behind it.
  bool may_begin_in(Bytes text, bool cut) const;

 private:
  explicit BlockIndex(CompressedFile file) : file_(std::move(file)) {}
  bool holds_nul() const;
  bool choose_clause(const RequiredLiterals& required, std::vector<MemberFilter> filters);

  CompressedFile file_;
  RequiredLiterals::Clause clause_;
  std::vector<LineFacts> facts_;
  std::vector<Byte> wanted_;  ///< a bool for each block
};

}  // namespace presso::scan_detail
