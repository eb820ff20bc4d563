// SPDX-License-Identifier: MIT
// Checks by one warp whether a vector of integers can be decoded: the rules of check_vector()
// (integer_layout.h), in the same order (FORMAT.md 16.4), with the map of runs and the rows of
// exceptions looked at by all lanes at once. A vector that has passed needs no further look at
// bounds. tests/simt/integer_column_suite.cpp compares the codes with the CPU's over mutated
// payloads.
#pragma once

#include "decompress/columns/gpu/lane_values.cuh"

namespace presso::gpu {

/// Counts the runs in `map`, which has a bit for each of n rows, 1 where a run begins. Returns 0 in
/// all lanes if it is no valid map.
PRESSO_DEVICE u32 warp_count_runs(const u32* map, u32 n) {
  const u32 bits = simt::load_readonly(map + simt::lane());
  const u32 begin = simt::lane() * kWarpSize;
  const u32 rows = n > begin ? n - begin : 0;
  const bool too_far = rows < kWarpSize && (bits >> rows) != 0;
  const bool no_start = simt::lane() == 0 && (bits & 1) == 0;
  const u32 runs = simt::reduce_add(simt::popcount(bits));
  return simt::any(too_far || no_start) ? 0 : runs;
}

/// Whether the rows of the exceptions ascend and are below n.
PRESSO_DEVICE bool warp_exceptions_rise(const u32* rows, u32 exceptions, u32 n) {
  bool rises = true;
  for (u32 i = simt::lane(); i < exceptions; i += kWarpSize) {
    const u32 row = half_word(rows, i);
    rises = rises && row < n && (i == 0 || half_word(rows, i - 1) < row);
  }
  return simt::all(rises);
}

/// `words`: as in check_vector(), the words from `from` to the payload's end; 0 if the vector would
/// begin after it. Returns, in all lanes, kOk and the number of runs (0 unless the vector has
/// runs); or kBadHeader or kBadPayloadSize.
PRESSO_DEVICE VectorCheck warp_check_vector(const IntegerParameters& of, const VectorEntry& entry,
                                            u32 n, const u32* from, u32 words) {
  VectorCheck check;
  check.code = ErrorCode::kBadHeader;
  if (!is_valid(entry, of)) return check;
  const auto kind = static_cast<IntegerKind>(entry.kind);
  const bool is_alp = kind == IntegerKind::kAlp;
  if (kind == IntegerKind::kRuns) {
    if (words < kRunMapWords) return {ErrorCode::kBadPayloadSize, 0};
    check.runs = warp_count_runs(from, n);
    if (check.runs == 0) return check;
  }
  if (is_alp) {
    if (words < 1) return {ErrorCode::kBadPayloadSize, 0};
    const u32 exponents = simt::load_readonly(from);
    if ((exponents & 0xFF) > kMaxAlpExponent || exponents >> 8 > kMaxAlpExponent) return check;
  }
  if (vector_words(entry, n, check.runs) > words) return {ErrorCode::kBadPayloadSize, 0};
  const bool has_rows = kind == IntegerKind::kPacked || is_alp || kind == IntegerKind::kAlpRd;
  if (has_rows && !warp_exceptions_rise(from + exceptions_at(entry, n), entry.exceptions, n)) {
    return check;
  }
  check.code = ErrorCode::kOk;
  return check;
}

}  // namespace presso::gpu
