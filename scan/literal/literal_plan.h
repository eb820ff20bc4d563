// SPDX-License-Identifier: MIT
// How to find candidates (places where a match may begin) for a set of literals, decided once when
// a pattern is compiled. A *probe* is the loop that finds them; a *window* is a piece of one to
// four bytes of a literal. The choice is
//
//   no literal         nothing to do
//   an empty literal   every place is a candidate
//   one literal        PairProbe: two of its bytes at a fixed distance, rarest together,
//                      in a stretch in which every variant of a letter has the same size
//   few                NibbleProbe on three bytes at the offset where windows are rarest, confirmed
//                      by a HashProbe; for up to 64 literals, or up to 64 different windows
//   more, of 5 bytes   StrideProbe: every second to eighth window of four bytes
//   more               HashProbe: a Bloom filter over four bytes at their rarest offset
//
// A candidate says where a match begins, except for a single literal with letters of varying size
// before the probed stretch: then it says where that stretch begins, and the match begins
// `characters_before` characters earlier.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "scan/bytes/kernels.h"
#include "scan/literal/literal_units.h"
#include "scan/literal/stride_probe.h"

namespace presso::scan_detail {

/// For no literals: nothing matches.
struct NothingProbe {};
/// For a literal that is empty: every place is a candidate.
struct EverywhereProbe {};

/// Candidate p: the hash of `width` bytes from p + offset is in the filter, at two places (a Bloom
/// filter with two hash functions, Bloom 1970).
struct HashProbe {
  std::uint32_t offset = 0;
  std::uint32_t width = 1;  ///< 1..4
  std::uint32_t bits_log2 = 0;
  std::vector<std::uint64_t> filter;

  void insert(std::uint32_t window);
  /// The window at `at`; bytes above its width hold anything and must be masked.
  std::uint32_t window_at(Bytes text, std::size_t at) const;
};

/// Appends candidates in [from, limit) to the batch as the kernels of scan/bytes do, and returns
/// where to go on; scalar on every CPU level.
std::size_t find_hashes(const HashProbe& probe, Bytes text, std::size_t from, std::size_t limit,
                        CandidateBatch& batch);

/// Removes from a batch the candidates that the filter rules out; for probes that pass too much.
void keep_hashes(const HashProbe& probe, Bytes text, CandidateBatch& batch);

/// The plan of one pattern. Immutable, shared by all threads.
struct LiteralPlan {
  std::variant<NothingProbe, EverywhereProbe, PairProbe, NibbleProbe, HashProbe, StrideProbe> probe;
  HashProbe confirm;      ///< with NibbleProbe
  std::size_t reach = 0;  ///< furthest byte after a candidate that the probe reads
  /// See above; at least as many bytes stand before a candidate.
  std::size_t characters_before = 0;
};

/// Chooses and fills the probe. Compiling thousands of literals takes milliseconds; `literals` must
/// be UTF-8 where case is ignored.
LiteralPlan plan_literals(const std::vector<std::string>& literals, bool ignore_case);

}  // namespace presso::scan_detail
