// SPDX-License-Identifier: MIT
// Encoding a block of coding 4 (integers, FORMAT.md 16): up to 65,536 values of one physical type.
// The size of each kind is computed exactly for every vector of 1,024 values and the smallest is
// taken; of equal ones, the cheapest to decode.
#pragma once

#include "format/columns/integer_layout.h"
#include "presso/byte_stream.h"
#include "presso/cpu.h"

namespace presso {

/// Appends the payload to `payload` and returns what the block's header has to say.
///
/// `values`: rows values of width_bytes bytes in Arrow's layout (0: bools, a bit each), unaligned
/// if need be; rows 1 to kMaxIntegerRows. `floating`: float (4) or double (8), kept bit for bit.
/// `validity`: a bit a row, or nullptr where all are valid; a row without a value decodes to
/// anything: it is given the value before it, which costs least. The payload does not depend on
/// `level`.
IntegerParameters encode_integers(const Byte* values, Byte width_bytes, bool is_signed,
                                  bool floating, std::uint32_t rows, const Byte* validity,
                                  Buffer& payload, CpuLevel level = cpu_level());

}  // namespace presso
