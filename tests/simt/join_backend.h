// SPDX-License-Identifier: MIT
// Who runs the joins of join_suite.cpp: the emulator (joins_in_emulator_test.cpp) or a GPU
// (tests/gpu/joins_on_device_test.cpp). Each test program has one. What a join writes has poison
// around it, so that what is written too far is seen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "query/gpu/join/device_join.h"
#include "query/gpu/join/join_sizes.h"

namespace presso::gpu::test {

struct JoinColumn {
  std::vector<std::uint64_t> keys;      ///< of 32 bits: the lower halves
  std::vector<std::uint32_t> valid;     ///< words of a bitmap; empty: there is none
  std::vector<std::uint32_t> selected;  ///< the same
};

struct JoinCase {
  JoinColumn build;
  JoinColumn probe;
  std::uint32_t key_bytes = 8;
  JoinKind kind = JoinKind::kInner;
  DeviceJoinAlgorithm strategy = DeviceJoinAlgorithm::kTable;
  bool ordered = false;
  bool unique = false;
  bool is_signed = false;  ///< merge: how keys ascend; else how the least and the greatest are told
  bool says_range = false;  ///< of build keys; of arrays it is said in any case
  bool marks = false;
  bool in_one_run = false;     ///< else counted first
  std::uint64_t capacity = 0;  ///< in one run
  JoinTuning tuning;
};

struct JoinOutcome {
  JoinTotals totals;
  std::vector<std::uint32_t> probe;
  std::vector<std::uint32_t> build;  ///< of all but semi and anti joins
  std::vector<std::uint32_t> marks;
  bool is_intact = true;  ///< nothing was written beside the output
};

class JoinBackend {
 public:
  virtual ~JoinBackend() = default;

  /// Why nothing can be joined here; empty where it can.
  virtual std::string unavailable() const = 0;
  /// Whether large inputs are to be tried as well.
  virtual bool is_fast() const = 0;
  virtual Result<JoinOutcome> join(const JoinCase& asked, std::uint32_t seed) = 0;
};

JoinBackend& join_backend();

inline constexpr std::uint32_t kJoinPoison = 0xC5C5C5C5u;
inline constexpr std::size_t kPoisonWords = 64;  ///< before and behind

/// Compares keys as the case wants it: as numbers of so many bits, with a sign or without.
inline auto key_order(const JoinCase& asked) {
  const std::uint64_t sign =
      asked.is_signed ? std::uint64_t{1} << (8 * asked.key_bytes - 1) : std::uint64_t{0};
  const std::uint64_t mask = asked.key_bytes == 4 ? 0xFFFFFFFFu : ~std::uint64_t{0};
  return
      [=](std::uint64_t a, std::uint64_t b) { return ((a & mask) ^ sign) < ((b & mask) ^ sign); };
}

/// Keys as a device wants them, in words.
inline std::vector<std::uint32_t> key_words(const JoinColumn& column, std::uint32_t key_bytes) {
  const std::size_t words = key_bytes / sizeof(std::uint32_t);
  std::vector<std::uint32_t> out(words * column.keys.size());
  for (std::size_t i = 0; i < column.keys.size(); ++i) {
    std::memcpy(&out[words * i], &column.keys[i], key_bytes);
  }
  return out;
}

inline std::vector<std::uint32_t> poisoned_words(std::uint64_t words) {
  return std::vector<std::uint32_t>(words + 2 * kPoisonWords, kJoinPoison);
}

/// What lies between the poison, `used` words; false where the poison or what is behind them has
/// been written to.
inline bool take_words(const std::vector<std::uint32_t>& from, std::uint64_t used,
                       std::vector<std::uint32_t>& to) {
  const auto begin = from.begin() + kPoisonWords;
  const auto end = begin + static_cast<std::ptrdiff_t>(used);
  to.assign(begin, end);
  const auto is_poison = [](std::uint32_t word) { return word == kJoinPoison; };
  return std::all_of(from.begin(), begin, is_poison) && std::all_of(end, from.end(), is_poison);
}

/// Runs a case over a Place, which has
///     const u32* copy_of(const std::vector<u32>&)   memory at a multiple of 256, or null for none
///     u32* poisoned(words)        memory as of poisoned_words(), from its beginning
///     std::vector<u32> back(at, words)
///     Status count(plan, temporary), write(plan, temporary, pairs), run(plan, temporary, pairs)
template <class Place>
Result<JoinOutcome> join_case(const JoinCase& asked, Place& place) {
  const auto rows_of = [&](const JoinColumn& column) {
    return JoinRows{place.copy_of(key_words(column, asked.key_bytes)), place.copy_of(column.valid),
                    place.copy_of(column.selected), static_cast<std::uint32_t>(column.keys.size())};
  };
  JoinInput input;
  input.build = rows_of(asked.build);
  input.probe = rows_of(asked.probe);
  input.key_bytes = asked.key_bytes;
  input.kind = asked.kind;
  input.strategy = asked.strategy;
  input.ordered = asked.ordered;
  input.unique = asked.unique;
  input.is_signed = asked.is_signed;
  const bool says_range = asked.says_range || asked.strategy == DeviceJoinAlgorithm::kDirect;
  if (says_range) input.range = JoinKeyRange{};
  if (says_range && !asked.build.keys.empty()) {
    const auto order = key_order(asked);
    input.range = {*std::min_element(asked.build.keys.begin(), asked.build.keys.end(), order),
                   *std::max_element(asked.build.keys.begin(), asked.build.keys.end(), order)};
  }
  const std::uint64_t mark_words = (asked.build.keys.size() + 31) / 32;
  std::uint32_t* const marks = place.poisoned(mark_words);
  if (asked.marks) input.d_matched = marks + kPoisonWords;

  PRESSO_ASSIGN(const JoinPlan plan, JoinPlan::make(input, asked.tuning));
  const std::uint64_t words = plan.temporary_bytes() / sizeof(std::uint32_t);
  std::uint32_t* const temporary = place.poisoned(words);
  void* const d_temporary = temporary + kPoisonWords;
  const auto* const d_totals =
      reinterpret_cast<const std::uint32_t*>(join_totals(plan, d_temporary));
  const auto totals = [&] {
    JoinTotals read;
    const auto back = place.back(d_totals, sizeof read / sizeof(std::uint32_t));
    std::memcpy(static_cast<void*>(&read), back.data(), sizeof read);
    return read;
  };

  JoinOutcome outcome;
  std::uint64_t capacity = asked.capacity;
  if (!asked.in_one_run) {
    PRESSO_TRY(place.count(plan, d_temporary));
    outcome.totals = totals();
    capacity = outcome.totals.rows();
  }
  std::uint32_t* const probe = place.poisoned(capacity);
  std::uint32_t* const build = place.poisoned(capacity);
  const JoinPairs pairs{probe + kPoisonWords, build + kPoisonWords, capacity};
  PRESSO_TRY(asked.in_one_run ? place.run(plan, d_temporary, pairs)
                              : place.write(plan, d_temporary, pairs));
  const JoinTotals after = totals();
  if (!asked.in_one_run && after.rows() != outcome.totals.rows()) outcome.is_intact = false;
  outcome.totals = after;

  const std::uint64_t used = std::min(after.rows(), capacity);
  const bool has_build = gives_pairs(asked.kind);
  const auto take = [&](const std::uint32_t* from, std::uint64_t room, std::uint64_t taken,
                        std::vector<std::uint32_t>& to) {
    const auto all = place.back(from, room + 2 * kPoisonWords);
    if (!take_words(all, taken, to)) outcome.is_intact = false;
  };
  take(probe, capacity, used, outcome.probe);
  take(build, capacity, has_build ? used : 0, outcome.build);
  take(marks, mark_words, asked.marks ? mark_words : 0, outcome.marks);
  std::vector<std::uint32_t> ignored;
  take(temporary, words, words, ignored);
  return outcome;
}

}  // namespace presso::gpu::test
