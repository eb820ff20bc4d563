// SPDX-License-Identifier: MIT
// The part of checksums that costs time (presso/checksum.h): XXH3 of whole segments and of long
// inputs, in the vector registers of AVX2 or AVX-512. They exist on x86-64 only and must not be
// called where the CPU lacks these; the library's XXH3 then does the work with equal results.
// Measured in decompress/cpu/NOTES.md.
#pragma once

#include <cstdint>

#include "presso/bytes.h"

namespace presso::checksum_detail {

/// Writes the hash of each of `count` segments of kChecksumSegmentBytes that stand at `plain`, at
/// any alignment.
using HashSegments = void(const Byte* plain, std::size_t count, std::uint64_t* hashes);

HashSegments hash_segments_avx2;
HashSegments hash_segments_avx512;

/// XXH3 of all bytes as one input: the library's code, compiled for these registers.
std::uint64_t hash_avx2(Bytes bytes);
std::uint64_t hash_avx512(Bytes bytes);

}  // namespace presso::checksum_detail
