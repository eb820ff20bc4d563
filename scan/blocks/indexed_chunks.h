// SPDX-License-Identifier: MIT
// The chunks of a compressed file of which not all blocks need to be read: the wanted blocks,
// decoded, and between them runs of other blocks, of which only the line facts are known
// (block_index.h). It also serves the parts of a file (line_parts.h). Tested by
// tests/unit/scan/blocks/scan_index_test.cpp.
#pragma once

#include <memory>

#include "scan/blocks/chunk_source.h"

namespace presso::scan_detail {

/// Makes the source; it shares the index with its caller.
std::unique_ptr<ChunkSource> make_indexed_chunks(std::shared_ptr<const BlockIndex> index);

}  // namespace presso::scan_detail
