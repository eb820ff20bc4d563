// SPDX-License-Identifier: MIT
// The chunks of a compressed file whose blocks need not all be read: those that are wanted,
// decoded, and between them runs of others, of which only the line facts are known (block_index.h).
#pragma once

#include <memory>
#include <optional>

#include "scan/blocks/chunk_source.h"

namespace presso::scan_detail {

/// nullptr where the file has no filter that is of use to this search. An index that turned
/// out to have no filters is left in `spare`.
std::unique_ptr<ChunkSource> open_indexed_chunks(const RandomAccess& file,
                                                 const RequiredLiterals& required,
                                                 const ScanOptions& options,
                                                 std::optional<ArchiveIndex>& spare);

}  // namespace presso::scan_detail
