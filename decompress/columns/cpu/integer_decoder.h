// SPDX-License-Identifier: MIT
// Decodes blocks of coding 4 (integers, FORMAT.md 16) on the CPU: whole blocks, or single vectors,
// which are 1,024 consecutive values (the last vector of a block may be shorter) and are packed in
// one of several kinds. Every function gives the same error code for the same input: kBadHeader or
// kBadPayloadSize in the order of checks of 16.4, and kInvalidArgument if `into` has not exactly
// the size of the values. After an error, `into` holds the vectors before the failing one; the rest
// is unspecified. The alignment of `payload` and `into` does not matter.
#pragma once

#include "format/columns/integer_layout.h"
#include "presso/cpu.h"

namespace presso {

/// A vector that find_integer_vector() has checked: it can be decoded without looking at bounds.
struct IntegerVector {
  VectorEntry entry;
  const Byte* words = nullptr;
  std::uint32_t rows = 0;
  std::uint32_t runs = 0;  ///< how many runs it has; kind 3 (runs of equal values) only
};

/// Finds and checks vector number `vector`, which the block must have; the parameters must have
/// been checked. Anything but kOk is the block's error.
ErrorCode find_integer_vector(const IntegerParameters& parameters, Bytes payload,
                              std::uint32_t vector, IntegerVector& found);
/// The error of a block, for what find_integer_vector() has returned.
Error integer_vector_error(ErrorCode code, std::uint32_t vector);
/// Decodes into room for exactly the vector's rows.
void decode_integer_vector(const IntegerParameters& parameters, const IntegerVector& vector,
                           Byte* into, CpuLevel level = cpu_level());

/// `into` must have values_bytes(rows, width_bytes) bytes.
Status decode_integers(const IntegerParameters& parameters, Bytes payload, MutableBytes into,
                       CpuLevel level = cpu_level());

/// Decodes the vectors `first_vector` to `first_vector + vectors - 1`, which the block must
/// have (kInvalidArgument). `into` holds only their rows. Other vectors are not looked at.
Status decode_integer_vectors(const IntegerParameters& parameters, Bytes payload,
                              std::uint32_t first_vector, std::uint32_t vectors, MutableBytes into,
                              CpuLevel level = cpu_level());

}  // namespace presso
