// SPDX-License-Identifier: MIT
// How to find candidates for a set of literals, decided once when a pattern is compiled.
//
//   no literal         nothing to do
//   an empty literal   every place is a candidate
//   one literal        PairProbe: its two rarest bytes, taken from its longest promising stretch in
//                      which every variant of a letter has the same size
//   up to 64 windows   NibbleProbe on three bytes at the offset where they are rarest
//   more, of 5 bytes   StrideProbe: every second to eighth window of four bytes
//   more               HashProbe: a Bloom filter over four bytes at the offset where they differ
//   most
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

struct NothingProbe {};
struct EverywhereProbe {};

/// Candidate p: the hash of `width` bytes from p + offset is in the filter, twice.
struct HashProbe {
  std::uint32_t offset = 0;
  std::uint32_t width = 1;  ///< 1..4
  std::uint32_t bits_log2 = 0;
  std::vector<std::uint64_t> filter;

  void insert(std::uint32_t window);
  /// The window at `at`, with anything above its width.
  std::uint32_t window_at(Bytes text, std::size_t at) const;
};

/// Like the kernels; scalar on every level.
std::size_t find_hashes(const HashProbe& probe, Bytes text, std::size_t from, std::size_t limit,
                        CandidateBatch& batch);

/// Keeps of a batch what passes.
void keep_hashes(const HashProbe& probe, Bytes text, CandidateBatch& batch);

struct LiteralPlan {
  std::variant<NothingProbe, EverywhereProbe, PairProbe, NibbleProbe, HashProbe, StrideProbe> probe;
  HashProbe confirm;      ///< with NibbleProbe
  std::size_t reach = 0;  ///< furthest byte after a candidate that the probe reads
  std::size_t characters_before =
      0;  ///< see above; at least as many bytes stand before a candidate
};

LiteralPlan plan_literals(const std::vector<std::string>& literals, bool ignore_case);

}  // namespace presso::scan_detail
