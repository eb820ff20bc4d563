// SPDX-License-Identifier: MIT
// Decoding a block of coding 4 (integers, FORMAT.md 16) on the CPU. Every function reports the same
// code for the same input: kBadHeader or kBadPayloadSize by the order of checks of 16.4,
// kInvalidArgument where `into` has not exactly the size of the values. `into` then holds the
// vectors before the failing one; the rest is unspecified. Alignment of `payload` and `into` does
// not matter.
#pragma once

#include "format/columns/integer_layout.h"
#include "presso/cpu.h"

namespace presso {

/// `into`: values_bytes(rows, width_bytes) bytes.
Status decode_integers(const IntegerParameters& parameters, Bytes payload, MutableBytes into,
                       CpuLevel level = cpu_level());

/// Vectors `first_vector` to `first_vector + vectors - 1`, which the block must have
/// (kInvalidArgument): `into` holds their rows alone. Other vectors are not looked at.
Status decode_integer_vectors(const IntegerParameters& parameters, Bytes payload,
                              std::uint32_t first_vector, std::uint32_t vectors, MutableBytes into,
                              CpuLevel level = cpu_level());

}  // namespace presso
