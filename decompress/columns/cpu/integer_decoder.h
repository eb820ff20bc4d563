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

/// A vector of a block that was checked: its words can be decoded without looking at bounds.
struct IntegerVector {
  VectorEntry entry;
  const Byte* words = nullptr;
  std::uint32_t rows = 0;
  std::uint32_t runs = 0;  ///< kind 3
};

/// Finds and checks vector `vector`, which the block must have; parameters were checked before.
/// What it returns besides kOk is the error of the block.
ErrorCode find_integer_vector(const IntegerParameters& parameters, Bytes payload,
                              std::uint32_t vector, IntegerVector& found);
/// The error of a block for what find_integer_vector() returned.
Error integer_vector_error(ErrorCode code, std::uint32_t vector);
/// Into room for exactly its rows.
void decode_integer_vector(const IntegerParameters& parameters, const IntegerVector& vector,
                           Byte* into, CpuLevel level = cpu_level());

/// `into`: values_bytes(rows, width_bytes) bytes.
Status decode_integers(const IntegerParameters& parameters, Bytes payload, MutableBytes into,
                       CpuLevel level = cpu_level());

/// Vectors `first_vector` to `first_vector + vectors - 1`, which the block must have
/// (kInvalidArgument): `into` holds their rows alone. Other vectors are not looked at.
Status decode_integer_vectors(const IntegerParameters& parameters, Bytes payload,
                              std::uint32_t first_vector, std::uint32_t vectors, MutableBytes into,
                              CpuLevel level = cpu_level());

}  // namespace presso
