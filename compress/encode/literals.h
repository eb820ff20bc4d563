// SPDX-License-Identifier: MIT
// Copies literals, the bytes that no match covers, from the plain bytes of a block into the
// encoders' output. Most runs of literals are short, so copies are rounded up to 16 bytes.
#pragma once

#include <algorithm>
#include <cstring>

#include "presso/bytes.h"

namespace presso {

/// Returns the end of the copy. Copies in steps of 16 bytes and may write up to 16 bytes too many,
/// for which `to` needs room; nothing at or after `from_end` is read. The first step is taken in
/// any case: whether there are literals at all cannot be predicted.
inline Byte* copy_literals(Byte* to, const Byte* from, std::uint32_t count, const Byte* from_end) {
  constexpr std::uint32_t kStep = 16;
  if (static_cast<std::size_t>(from_end - from) < round_up(count, kStep) + kStep) [[unlikely]] {
    return std::copy_n(from, count, to);
  }
  std::memcpy(to, from, kStep);
  for (std::uint32_t done = kStep; done < count; done += kStep) {
    std::memcpy(to + done, from + done, kStep);
  }
  return to + count;
}

}  // namespace presso
