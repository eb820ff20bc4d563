// SPDX-License-Identifier: MIT
// The chunks of one part of a file, as other processes get them (presso/line_parts.h has the public
// side, divide_lines() and scan_part()). Tested by tests/unit/scan/blocks and by
// python/tests/test_partitions.py.
#pragma once

#include <memory>

#include "presso/line_parts.h"
#include "presso/line_table.h"
#include "scan/blocks/chunk_source.h"

namespace presso::scan_detail {

/// A checksum over where the blocks and lines of a file lie; together with the file's size, a
/// LinePart recognises its file by it.
std::uint64_t layout_checksum(const ArchiveIndex& index, const LineTable& lines);

/// Opens the chunks of `part`. `file` is kept by reference. Error kIo: the file is not the one that
/// was divided.
Result<std::unique_ptr<ChunkSource>> open_part_chunks(const RandomAccess& file,
                                                      const LinePart& part, const Pattern& pattern,
                                                      const ScanOptions& options);

}  // namespace presso::scan_detail
