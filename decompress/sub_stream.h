// SPDX-License-Identifier: MIT
// Where a CPU decoder finds the parts of a payload in the Bit coding (FORMAT.md 13).
#pragma once

#include <cstdint>

namespace presso {

/// The place of a sub-stream. A payload of the Bit coding has several, which can be decoded
/// independently of each other: in the layout of lanes one for each lane (FORMAT.md 13.5), in the
/// layout of sub-blocks one for each sub-block, which is a run of sequences with its literals
/// (13.7). find_sub_streams() of bit_payload.h makes the list, which has one entry more, for the
/// end of the last one. GPUs find the places by themselves (decompress/gpu/bit).
struct SubStream {
  std::uint32_t bit;      ///< its first bit, counted from the payload's first one
  std::uint32_t literal;  ///< literals of the block before this sub-block; unused for lanes
};

}  // namespace presso
