// SPDX-License-Identifier: MIT
// Divides the lines of a compressed file among several searchers, which may be on other machines.
// Whoever has a part owns the lines that begin in its blocks, reads on to the end of the last of
// them, and knows how many lines come before; all of it follows from the line facts
// (presso/line_table.h).
//
//   auto parts = presso::divide_lines(scanned, pattern, options, 64 << 20);   // once
//   auto found = presso::scan_part(file, part, pattern, options, on_line);    // for each, anywhere
//
// The lines of all parts, one after another, are those of presso::scan(), with their offsets and
// numbers. This also holds where blocks are damaged: what a hole leaves of a line belongs to the
// part whose text it is. There is one difference: line numbers after a hole are those of the file
// as it was written, whereas scan() counts as if the hole had no lines; otherwise parts would have
// to ask each other.
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

/// Where the blocks of a part and their lines lie. A plain value that can be sent: about 16 bytes
/// for each block.
struct PartLayout {
  ArchiveExcerpt blocks;
  std::vector<Byte> line_facts;  ///< of each block, as in a section of a file (FORMAT.md 7.3)

  friend bool operator==(const PartLayout&, const PartLayout&) = default;
};

/// The lines that begin in some blocks of a compressed file. A plain value that can be sent.
struct LinePart {
  std::uint64_t begin = 0;         ///< plain offset where the first of them begins
  std::uint64_t end = 0;           ///< and where the last ends
  std::uint64_t lines_before = 0;  ///< in the file
  std::uint64_t lines = 0;         ///< that begin in it, whether they match or not
  /// Identifies the file that was divided: its size, and a checksum of where its blocks and lines
  /// lie.
  std::uint64_t file_bytes = 0;
  std::uint64_t layout_checksum = 0;
  /// the file begins with a byte order mark, which lies before this part
  bool is_behind_mark = false;
  /// If given, whoever has the part reads neither index nor line facts of the file. It then trusts
  /// that this is the file that was divided, as far as its size and the headers of the part's
  /// blocks tell.
  std::optional<PartLayout> layout;
  /// What the file's filters say: for each block, from the one that contains `begin` on, whether a
  /// match may begin in it; and `clause`, the part of the pattern that the filters were asked
  /// about. Empty: a match may begin anywhere.
  std::vector<bool> wanted;
  std::uint64_t clause = 0;

  std::uint64_t plain_bytes() const { return end - begin; }
  friend bool operator==(const LinePart&, const LinePart&) = default;
};

/// Returns parts of about `target_bytes` bytes of plain text, in order. Parts in which nothing can
/// be found, according to the filters or the options' line numbers, are left out. Returns nullopt
/// if the file must be searched as a whole: because it is not compressed, its index or line facts
/// are missing or damaged, or the options or the pattern need more than single lines. Reads nothing
/// but index, line facts and filters. `with_layout`: parts get a layout, except parts that reach
/// from one of several concatenated files into the next.
std::optional<std::vector<LinePart>> divide_lines(ScannedFile& file, const Pattern& pattern,
                                                  const ScanOptions& options,
                                                  std::uint64_t target_bytes,
                                                  bool with_layout = false);

/// Searches the lines of a part, as scan() would; `pattern` and `options` are those of
/// divide_lines(). Reads the blocks that hold the lines, and the index and the line facts unless
/// the part has its layout. A damaged block that two parts reach into is reported by both. Errors:
/// those of scan(), kIo for a file that is not the one that was divided, and kInvalidArgument for a
/// layout that cannot belong to the part.
Result<ScanSummary> scan_part(const RandomAccess& file, const LinePart& part,
                              const Pattern& pattern, const ScanOptions& options = {},
                              const LineCallback& on_line = {});

}  // namespace presso
