// SPDX-License-Identifier: MIT
// Encodes a block of coding 4 (integers, FORMAT.md 16, integer_layout.h): up to 65,536 values of
// one physical type. For every vector of 1,024 values the sizes of the kinds of layout are computed
// exactly and the smallest is taken; of equal ones, the cheapest to decode. Threads may encode
// different blocks at once. Whether the block is smaller than the values is for the caller to see.
#pragma once

#include "format/columns/integer_layout.h"
#include "presso/byte_stream.h"
#include "presso/cpu.h"

namespace presso {

/// Appends the payload to `payload` and returns the fields for the block's header.
///
/// `values`: `rows` values of `width_bytes` bytes in Arrow's layout (0: bools, one bit each),
/// at any alignment; 1 to kMaxIntegerRows rows. `floating`: float (4) or double (8), kept bit
/// for bit. `validity`: a bit a row, or nullptr if all rows have values. Rows without one
/// decode to anything: they get the value before them, which costs least. The payload does not
/// depend on `level`.
IntegerParameters encode_integers(const Byte* values, Byte width_bytes, bool is_signed,
                                  bool floating, std::uint32_t rows, const Byte* validity,
                                  Buffer& payload, CpuLevel level = cpu_level());

}  // namespace presso
