// SPDX-License-Identifier: MIT
// Dividing the lines of a compressed file among those who search it, on other machines too. Who has
// a part owns the lines that begin in its blocks, reads on to the end of the last of them, and
// knows how many lines there are in front, all of it from the line facts (presso/line_table.h):
//
//   auto parts = presso::divide_lines(scanned, pattern, options, 64 << 20);   // once
//   auto found = presso::scan_part(file, part, pattern, options, on_line);    // for each, anywhere
//
// The lines of all parts, one after another, are those of presso::scan(), with their offsets and
// numbers. So they are where blocks are damaged: what a hole leaves of a line belongs to the part
// whose text it is. Only numbers behind a hole are not counted as if there were no lines in it, but
// are those of the lines in the file as it was written, or parts would have to ask each other.
//
// Tested by tests/unit/scan/text/line_parts_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/archive_reader.h"
#include "presso/lines.h"
#include "presso/pattern.h"
#include "presso/scanned_file.h"

namespace presso {

/// Where the blocks of a part and their lines lie. A value that can be sent: about 16 bytes for
/// each block.
struct PartLayout {
  ArchiveExcerpt blocks;
  std::vector<Byte> line_facts;  ///< of each, as in a section of a file (FORMAT.md 7.3)

  friend bool operator==(const PartLayout&, const PartLayout&) = default;
};

/// Lines that begin in some blocks of a compressed file. A value that can be sent.
struct LinePart {
  std::uint64_t begin = 0;         ///< plain offset where the first of them begins
  std::uint64_t end = 0;           ///< and where the last ends
  std::uint64_t lines_before = 0;  ///< in the file
  std::uint64_t lines = 0;         ///< that begin in it, whether they match or not
  /// What the file was when it was divided: its size, and a checksum of where its blocks and its
  /// lines lie.
  std::uint64_t file_bytes = 0;
  std::uint64_t layout_checksum = 0;
  bool is_behind_mark = false;  ///< the file begins with a byte order mark, and the part behind it
  /// Who has it reads neither index nor line facts of the file, and so takes for granted that it is
  /// the file that was divided, as far as its size and the headers of the part's blocks tell.
  std::optional<PartLayout> layout;
  /// By a filter of the file: in which blocks from that of `begin` on a match may begin, and of
  /// which of the pattern's clauses the filter was asked. Empty: in all.
  std::vector<bool> wanted;
  std::uint64_t clause = 0;

  std::uint64_t plain_bytes() const { return end - begin; }
  friend bool operator==(const LinePart&, const LinePart&) = default;
};

/// Parts of about `target_bytes` of plain text, in order; those in which nothing can be found, by
/// the filters or by the options' line numbers, are left out. nullopt where the file has to be
/// searched as a whole: it is not compressed, its index or its line facts are not there or not as
/// they should be, or the options or the pattern ask for more than single lines. Reads nothing but
/// index, line facts and filters. `with_layout`: parts get theirs, except those that reach from one
/// of several concatenated files into the next.
std::optional<std::vector<LinePart>> divide_lines(ScannedFile& file, const Pattern& pattern,
                                                  const ScanOptions& options,
                                                  std::uint64_t target_bytes,
                                                  bool with_layout = false);

/// As scan(), of the lines of a part; `pattern` and `options` are those of divide_lines(). Reads
/// the index and the line facts, unless the part has its layout, and the blocks that hold the
/// lines. A damaged block that two parts reach into is reported by both. Errors: those of scan(),
/// kIo for a file that is not the one that was divided, and kInvalidArgument for a layout that
/// cannot be that of the part.
Result<ScanSummary> scan_part(const RandomAccess& file, const LinePart& part,
                              const Pattern& pattern, const ScanOptions& options = {},
                              const LineCallback& on_line = {});

}  // namespace presso
