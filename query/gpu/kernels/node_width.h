// SPDX-License-Identifier: MIT
// Which nodes of expressions need 64 bits in a kernel's registers and which need only 32, by the
// range of their values; and which bits represent NULL in registers of doubles. For the host code
// that makes pipelines (query/gpu/table).
#pragma once

#include <cstdint>
#include <limits>

#include "query/compute/graph.h"

namespace presso::gpu {

inline bool is_narrow(std::int64_t value) {
  return value == static_cast<std::int32_t>(value);
}

/// Bits of a NaN, which stand in place of nulls where doubles may be null: a value that has the
/// same bits gets those of another NaN.
inline constexpr std::int64_t kNullReal = -1;
inline constexpr std::int64_t kNanBesideNull = kNullReal ^ 1;

/// Whether the node's values may need more than 32 bits.
inline bool is_wide(const query::Node& node) {
  if (node.physical == query::Physical::kBool) return false;
  if (node.physical == query::Physical::kDouble) return true;
  return !node.range.known || node.range.least < std::numeric_limits<std::int32_t>::min() ||
         node.range.most > std::numeric_limits<std::int32_t>::max();
}

}  // namespace presso::gpu
