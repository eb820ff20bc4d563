// SPDX-License-Identifier: MIT
// The part of content_checksum() that costs time: XXH3 of whole segments, several words at
// once. On other machines and for CpuLevel::kPortable these do not exist, and the library's
// XXH3 does the work with equal results. Measured in decompress/cpu/NOTES.md.
#pragma once

#include <cstdint>

#include "presso/bytes.h"

namespace presso::checksum_detail {

/// Writes the hash of each of `count` segments of kChecksumSegmentBytes that stand at `plain`, at
/// any alignment.
using HashSegments = void(const Byte* plain, std::size_t count, std::uint64_t* hashes);

HashSegments hash_segments_avx2;
HashSegments hash_segments_avx512;

/// XXH3 of all bytes: the library's code, compiled for these registers.
std::uint64_t hash_avx2(Bytes bytes);
std::uint64_t hash_avx512(Bytes bytes);

}  // namespace presso::checksum_detail
