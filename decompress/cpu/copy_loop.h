// SPDX-License-Identifier: MIT
// Copies literals and matches in steps that are wider than most of them, for the fast decoders of
// both codings. Included once for each CPU level, inside its namespace. Nothing of the standard
// library is used (format/cpu_loops.h). Up to 64 bytes more than asked for are read and written.

/// All bytes are loaded before any is stored, so source and target may overlap.
inline void copy16(std::uint8_t* to, const std::uint8_t* from) {
#if defined(PRESSO_AVX2)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#else
  __builtin_memcpy(to, from, 16);  // compilers load all 16 bytes before they store
#endif
}
inline void copy32(std::uint8_t* to, const std::uint8_t* from) {
#if defined(PRESSO_AVX2)
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#else
  std::uint8_t chunk[32];
  __builtin_memcpy(chunk, from, 32);
  __builtin_memcpy(to, chunk, 32);
#endif
}

/// Copies `length` > 0 bytes from `distance` bytes before; where they overlap, the pattern
/// repeats, as LZ77 defines it.
inline void copy_overlapping(std::uint8_t* to, std::uint32_t distance, std::uint32_t length) {
  // Small distances: a copy of 32 bytes would read bytes that are not written yet.
  const std::uint8_t* from = to - distance;
  while (distance < 32 && distance < length) {  // each step doubles the pattern
    copy32(to, from);
    to += distance;
    length -= distance;
    distance += distance;
  }
  for (std::uint32_t done = 0; done < length; done += 32) copy32(to + done, from + done);
}

/// Copies a match; false if it lies outside of block and dictionary. Uses out, dictionary_end
/// and dictionary_bytes of `job`. kLong: for blocks of long sequences, where the first copy
/// should suffice for most.
template <bool kDictionary, bool kLong, class Job>
inline bool copy_match(const Job& job, std::uint8_t* to, std::uint32_t distance,
                       std::uint32_t length) {
  const auto at = static_cast<std::uint32_t>(to - job.out);
  const std::uint8_t* from = to - distance;
  if (kDictionary) {
    const std::uint32_t before = distance - at;  // of the block's start; wraps where inside
    const bool outside = distance > at;
    if (outside && (before > job.dictionary_bytes || length > before)) [[unlikely]]
      return false;
    from = outside ? job.dictionary_end - before : from;
    if (distance < 32 && distance < length && !outside) [[unlikely]] {
      copy_overlapping(to, distance, length);
      return true;
    }
  } else {
    if (distance > at) [[unlikely]]
      return false;
    if (distance < 32 && distance < length) [[unlikely]] {
      copy_overlapping(to, distance, length);
      return true;
    }
  }
  // The first step is unconditional; longer matches go on.
  constexpr std::uint32_t kFirst = kLong ? 64 : 32;
  copy32(to, from);
  if (kLong) copy32(to + 32, from + 32);
  if (length > kFirst) {
    std::uint32_t done = kFirst;
    do {
      copy32(to + done, from + done);
      if (kLong) copy32(to + done + 32, from + done + 32);
      done += kFirst;
    } while (done < length);
  }
  return true;
}

/// The first step is unconditional: lengths cannot be predicted, and the bytes are overwritten.
template <bool kLong>
inline void copy_literals(std::uint8_t* to, const std::uint8_t* from, std::uint32_t length) {
  constexpr std::uint32_t kFirst = kLong ? 32 : 16;
  kLong ? copy32(to, from) : copy16(to, from);
  if (length > kFirst) [[unlikely]] {
    std::uint32_t done = kFirst;
    do {
      copy32(to + done, from + done);
      done += 32;
    } while (done < length);
  }
}
