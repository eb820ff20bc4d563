// SPDX-License-Identifier: MIT
// Converts the status that kernels report for a block into the error that a CPU would report.
// Tested with query/gpu/table/key_strings.h and string_rows.h.
#pragma once

#include <cstdint>
#include <utility>

#include "decompress/table/group_reader.h"

namespace presso::gpu {

/// A block of a row group's directory.
using BlockOfGroup = std::pair<const GroupReader*, std::uint32_t>;

/// `status`: an ErrorCode. The error has the block and its offset.
inline Status error_of(std::uint32_t status, const BlockOfGroup& block) {
  const auto code = static_cast<ErrorCode>(status);
  if (code == ErrorCode::kOk) return {};
  return block.first->blocks().at_block(make_error(code), block.second);
}

}  // namespace presso::gpu
