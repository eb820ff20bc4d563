// SPDX-License-Identifier: MIT
// The chunks of a part of a file (presso/line_parts.h).
#pragma once

#include <memory>

#include "presso/line_parts.h"
#include "presso/line_table.h"
#include "scan/blocks/chunk_source.h"

namespace presso::scan_detail {

/// Of where the blocks and lines of a file lie: with its size, what a LinePart knows it by.
std::uint64_t layout_checksum(const ArchiveIndex& index, const LineTable& lines);

/// `file` is kept by reference. Errors: kIo for a file that is not the one that was divided.
Result<std::unique_ptr<ChunkSource>> open_part_chunks(const RandomAccess& file,
                                                      const LinePart& part, const Pattern& pattern,
                                                      const ScanOptions& options);

}  // namespace presso::scan_detail
