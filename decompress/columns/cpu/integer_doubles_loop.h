// SPDX-License-Identifier: MIT
// Decodes a vector of the kinds for doubles, ALP and ALP-RD (FORMAT.md 16.2). Part of
// integer_vector_body.h, which includes it once for each CPU level.

/// value = integer * 10^f * 10^-e, as two multiplications that are each rounded: compilers must
/// not contract them, and encoder and decoders all do the same.
inline void decode_alp(const IntegerVectorJob& job, u8* to) {
  // The vector's first word: e in byte 0, f in byte 1.
  const u32 exponents = get<u32>(job.words);
  const double inverse = kAlpInversePowers[exponents & 0xFF];
  const double power = kAlpPowers[exponents >> 8 & 0xFF];
  Values<u64> integers;
  unpack_values<u64>(job.words + 4, job.rows, job.width, job.base, 1, integers.bytes);
  const u8* const from = integers.bytes;
  // Integers below 2^51 become doubles by an addition to the exponent's bits, which vectorises.
  constexpr u64 kHalfRange = u64{1} << 50;
  if (job.width <= 50 && job.base + kHalfRange < 2 * kHalfRange) {
    constexpr u64 kShifter = 0x4338000000000000;
    constexpr double kShift = 6755399441055744.0;  // the double with these bits
    for (u32 i = 0; i < kRows; ++i) {
      const double integer = __builtin_bit_cast(double, get<u64>(from + 8 * i) + kShifter) - kShift;
      put<double>(to + 8 * i, integer * power * inverse);
    }
  } else {
    for (u32 i = 0; i < kRows; ++i) {
      const auto integer = static_cast<double>(static_cast<std::int64_t>(get<u64>(from + 8 * i)));
      put<double>(to + 8 * i, integer * power * inverse);
    }
  }
  put_exceptions<u64>(job, to);
}

/// Left parts come from the dictionary of eight; right parts are packed; exceptions replace
/// left parts.
inline void decode_alp_rd(const IntegerVectorJob& job, u8* to) {
  const u32 n = job.rows;
  // Shifted into place once, so that each row needs one `or`.
  u64 lefts[8];
  for (u32 i = 0; i < 8; ++i) lefts[i] = u64{get<u16>(job.words + 2 * i)} << job.width;
  Values<u32> codes;
  unpack_low<u32>(job.words + 16, n, job.width2, 0, codes.bytes);
  const u8* const rights = job.words + 16 + 4 * words_of(n, job.width2);
  unpack_values<u64>(rights, n, job.width, 0, 1, to);
  for (u32 i = 0; i < n; ++i) {
    put<u64>(to + 8 * i, get<u64>(to + 8 * i) | lefts[codes.at(i)]);
  }
  const u8* const rows = job.words + 4 * job.exceptions_at;
  const u8* const values = rows + (job.exceptions + 1) / 2 * 4;
  // An exception replaces the left part and keeps the right one.
  const u64 right_mask = (u64{1} << job.width) - 1;
  for (u32 i = 0; i < job.exceptions; ++i) {
    u8* const at = to + 8 * get<u16>(rows + 2 * i);
    put<u64>(at, (get<u64>(at) & right_mask) | u64{get<u16>(values + 2 * i)} << job.width);
  }
}
