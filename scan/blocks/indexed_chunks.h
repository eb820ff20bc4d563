// SPDX-License-Identifier: MIT
// The chunks of a compressed file whose blocks need not all be read: those that are wanted,
// decoded, and between them runs of others, of which only the line facts are known (block_index.h).
#pragma once

#include <memory>

#include "scan/blocks/chunk_source.h"

namespace presso::scan_detail {

std::unique_ptr<ChunkSource> make_indexed_chunks(std::shared_ptr<const BlockIndex> index);

}  // namespace presso::scan_detail
