// SPDX-License-Identifier: MIT
// Columns on the host for tests of DeviceJoiner: laid out as a caller may have them, joined by a
// map, and a joiner over the emulated device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "presso/device_join.h"
#include "query/gpu/join/column_steps.h"
#include "query/gpu/join/join_steps.h"
#include "tests/simt/emulated_joins.h"
#include "tests/simt/emulated_launches.h"
#include "tests/simt/emulated_query_device.h"

namespace presso::gpu::test {

using presso::test::EmulatedFaults;
using Pair = std::pair<std::uint32_t, std::uint32_t>;

/// Runs the kernels of joins in the emulator, as long as the test wants them to work.
class EmulatedJoinKernels final : public JoinKernels {
 public:
  explicit EmulatedJoinKernels(std::shared_ptr<EmulatedFaults> faults)
      : faults_(std::move(faults)), launches_(7), launcher_({*this}) {}

  Status count(const JoinPlan& plan, void* d_temporary, Stream) override {
    key_bytes = plan.key_bytes();
    return with_join_steps(plan, d_temporary, launcher_, [](auto& steps) { return steps.count(); });
  }
  Status write(const JoinPlan& plan, void* d_temporary, const JoinPairs& pairs, Stream) override {
    return with_join_steps(plan, d_temporary, launcher_,
                           [&](auto& steps) { return steps.write(pairs); });
  }
  Status find_range(const KeyColumn& column, JoinKeyRange* d_range, Stream) override {
    ++found_ranges;
    return enqueue_key_range(column, d_range, launcher_);
  }
  Status pack(const PackedKeys& keys, Stream) override {
    ++packed_sides;
    return enqueue_packed_keys(keys, launcher_);
  }
  Status number(const KeyNumbers& keys, Stream) override {
    ++numbered;
    return enqueue_key_numbers(keys, launcher_);
  }
  Status copy_bits(const Byte* d_from, std::uint64_t first_bit, std::uint64_t bits,
                   std::uint32_t* d_to, Stream) override {
    ++copied_bitmaps;
    return enqueue_copied_bits(d_from, first_bit, bits, d_to, launcher_);
  }
  Status write_presence(const std::uint32_t* d_rows, std::uint64_t count, std::uint32_t* d_bits,
                        Stream) override {
    return enqueue_presence(d_rows, count, d_bits, launcher_);
  }

  int copied_bitmaps = 0;
  int found_ranges = 0;
  int packed_sides = 0;
  int numbered = 0;             ///< times that columns got numbers
  std::uint32_t key_bytes = 0;  ///< of the last join

 private:
  struct Run {
    EmulatedJoinKernels& kernels;
    template <class... Arguments>
    Status operator()(Arguments&&... arguments) {
      if (kernels.faults_->launches++ >= kernels.faults_->launch) {
        return make_error(ErrorCode::kDeviceLost);
      }
      return kernels.launches_(std::forward<Arguments>(arguments)...);
    }
  };

  std::shared_ptr<EmulatedFaults> faults_;
  EmulatedLaunches launches_;
  EmulatedJoins<Run> launcher_;
};

/// A joiner, and the memory of columns: host memory, at addresses that tests choose.
struct Joiner {
  std::shared_ptr<EmulatedFaults> faults = std::make_shared<EmulatedFaults>();
  std::shared_ptr<EmulatedJoinKernels> kernels = std::make_shared<EmulatedJoinKernels>(faults);
  DeviceJoiner joiner{presso::test::make_host_device(faults), kernels, MemoryLimits{},
                      MemoryLimits{0, 0}};
};

/// Lets each allocation and each launch of run(joiner) fail in turn: the error says so, and nothing
/// is left behind.
template <class Run>
void expect_faults_told(const Run& run) {
  struct Fault {
    std::uint64_t EmulatedFaults::*which;
    std::uint64_t EmulatedFaults::*count;
    ErrorCode code;
  };
  const Joiner whole;
  const Status done = run(whole);
  ASSERT_TRUE(done.ok()) << done.error().message();
  for (const Fault& fault :
       {Fault{&EmulatedFaults::allocation, &EmulatedFaults::allocations, ErrorCode::kDeviceMemory},
        Fault{&EmulatedFaults::pinned_allocation, &EmulatedFaults::pinned_allocations,
              ErrorCode::kOutOfMemory},
        Fault{&EmulatedFaults::launch, &EmulatedFaults::launches, ErrorCode::kDeviceLost}}) {
    ASSERT_GT((*whole.faults).*fault.count, 0u);
    for (std::uint64_t i = 0; i < (*whole.faults).*fault.count; ++i) {
      const Joiner at;
      (*at.faults).*fault.which = i;
      const Status failed = run(at);
      ASSERT_FALSE(failed.ok()) << i;
      EXPECT_EQ(failed.error().code, fault.code);
      EXPECT_EQ(at.faults->live_bytes, 0u);
      EXPECT_EQ(at.faults->live_handles, 0u);
      EXPECT_EQ(at.faults->open_steps, 0u);
    }
  }
}

/// A column on the host. Bits are those of rows, one a row.
struct TestColumn {
  std::vector<std::int64_t> keys;
  std::vector<bool> valid;     ///< empty: all are
  std::vector<bool> selected;  ///< empty: all are

  bool is_selected(std::size_t row) const { return selected.empty() || selected[row]; }
};

inline std::vector<Byte> bytes_of(const std::vector<bool>& bits, std::size_t first) {
  // Ones around the bits, so that a wrong beginning is seen.
  std::vector<Byte> bytes((first + bits.size() + 7) / 8, Byte{0xFF});
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const std::size_t at = first + i;
    if (!bits[i]) bytes[at / 8] = static_cast<Byte>(bytes[at / 8] & ~(1u << at % 8));
  }
  return bytes;
}

/// What a JoinColumn points into: exactly as many bytes as it may read.
class Placed {
 public:
  /// `skip`: values before the first one, in the memory of keys and in that of valid bits.
  Placed(const TestColumn& from, JoinKeyType type, std::size_t skip = 0) {
    const std::size_t width = type == JoinKeyType::kInt32 || type == JoinKeyType::kUint32 ? 4 : 8;
    keys_.resize((skip + from.keys.size()) * width + 16);
    const auto address = reinterpret_cast<std::uintptr_t>(keys_.data());
    Byte* const first = keys_.data() + (16 - address % 16) % 16;
    for (std::size_t i = 0; i < from.keys.size(); ++i) {
      std::memcpy(first + (skip + i) * width, &from.keys[i], width);
    }
    values = first;
    column.type = type;
    column.d_keys = first + skip * width;
    column.rows = from.keys.size();
    if (!from.valid.empty()) {
      valid_ = bytes_of(from.valid, skip);
      column.d_valid = valid_.data();
      column.first_valid = skip;
    }
    if (!from.selected.empty()) selected_ = bytes_of(from.selected, 0);
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;

  JoinSide side() const {
    return {.keys = {column}, .d_selected = selected_.empty() ? nullptr : selected_.data()};
  }

  JoinColumn column;
  const void* values = nullptr;

 private:
  std::vector<Byte> keys_, valid_, selected_;
};

/// One side: rows are selected by the first column's bits.
using TestSide = std::vector<TestColumn>;

/// The keys of a row that takes part.
inline std::optional<std::vector<std::int64_t>> keys_of(const TestSide& side, std::size_t row) {
  if (!side[0].is_selected(row)) return std::nullopt;
  std::vector<std::int64_t> keys;
  for (const TestColumn& column : side) {
    if (!column.valid.empty() && !column.valid[row]) return std::nullopt;
    keys.push_back(column.keys[row]);
  }
  return keys;
}

/// By probe row, then build row; behind them build rows without a match.
inline std::vector<Pair> expected_pairs(const TestSide& build, const TestSide& probe,
                                        JoinKind kind) {
  const std::size_t build_rows = build[0].keys.size();
  std::map<std::vector<std::int64_t>, std::vector<std::uint32_t>> rows;
  for (std::uint32_t row = 0; row < build_rows; ++row) {
    if (const auto keys = keys_of(build, row)) rows[*keys].push_back(row);
  }
  std::vector<bool> matched(build_rows);
  std::vector<Pair> pairs;
  for (std::uint32_t row = 0; row < probe[0].keys.size(); ++row) {
    const auto keys = keys_of(probe, row);
    const auto found = keys ? rows.find(*keys) : rows.end();
    if (found == rows.end()) {
      const bool comes =
          kind == JoinKind::kLeft || kind == JoinKind::kFull || kind == JoinKind::kAnti;
      if (comes && probe[0].is_selected(row)) pairs.emplace_back(row, kNoRow);
      continue;
    }
    if (kind == JoinKind::kSemi) pairs.emplace_back(row, kNoRow);
    for (const std::uint32_t other : found->second) {
      matched[other] = true;
      if (kind != JoinKind::kSemi && kind != JoinKind::kAnti) pairs.emplace_back(row, other);
    }
  }
  if (kind != JoinKind::kRight && kind != JoinKind::kFull) return pairs;
  for (std::uint32_t row = 0; row < build_rows; ++row) {
    if (!matched[row] && build[0].is_selected(row)) pairs.emplace_back(kNoRow, row);
  }
  return pairs;
}
inline std::vector<Pair> expected_pairs(const TestColumn& build, const TestColumn& probe,
                                        JoinKind kind) {
  return expected_pairs(TestSide{build}, TestSide{probe}, kind);
}

inline std::vector<Pair> pairs_of(const JoinedPairs& from) {
  std::vector<Pair> pairs;
  for (std::uint64_t i = 0; i < from.size(); ++i) {
    const std::uint32_t build = from.build_rows() == nullptr ? kNoRow : from.build_rows()[i];
    pairs.emplace_back(from.probe_rows()[i], build);
  }
  return pairs;
}

/// What a joiner gave is what is expected, its first part in any order where it may be.
inline void expect_pairs(const JoinedPairs& found, const std::vector<Pair>& expected,
                         bool ordered) {
  auto pairs = pairs_of(found);
  const auto tail = static_cast<std::ptrdiff_t>(found.unmatched());
  if (!ordered) std::sort(pairs.begin(), pairs.end() - tail);
  EXPECT_TRUE(pairs == expected) << pairs.size() << " for " << expected.size();
}

inline constexpr JoinKind kKinds[] = {JoinKind::kInner, JoinKind::kLeft,  JoinKind::kSemi,
                                      JoinKind::kAnti,  JoinKind::kRight, JoinKind::kFull};
inline constexpr DeviceJoinAlgorithm kStrategies[] = {
    DeviceJoinAlgorithm::kDirect,       DeviceJoinAlgorithm::kTable,
    DeviceJoinAlgorithm::kRadix,        DeviceJoinAlgorithm::kMerge,
    DeviceJoinAlgorithm::kChained,      DeviceJoinAlgorithm::kChainedShared,
    DeviceJoinAlgorithm::kChainedSplit, DeviceJoinAlgorithm::kAuto};
inline constexpr JoinKeyType kWidths[] = {JoinKeyType::kInt32, JoinKeyType::kUint32,
                                          JoinKeyType::kInt64, JoinKeyType::kUint64};

inline std::mt19937_64& generator() {
  static std::mt19937_64 made(77);
  return made;
}
inline std::uint64_t below(std::uint64_t end) {
  return generator()() % end;
}

inline std::vector<bool> random_bits(std::size_t rows, std::uint64_t of_ten) {
  std::vector<bool> bits(rows);
  for (std::size_t i = 0; i < rows; ++i) bits[i] = below(10) < of_ten;
  return bits;
}

/// Keys from -100 on, or from 0, with about `repeats` rows each.
inline TestColumn column_of(std::size_t rows, std::int64_t first, std::size_t repeats,
                            bool sorted) {
  TestColumn column;
  for (std::size_t i = 0; i < rows; ++i) {
    column.keys.push_back(first + static_cast<std::int64_t>(below(rows / repeats + 1)));
  }
  if (sorted) std::sort(column.keys.begin(), column.keys.end());
  return column;
}

inline bool is_signed(JoinKeyType type) {
  return type == JoinKeyType::kInt32 || type == JoinKeyType::kInt64;
}

/// Whose private data is nothing: the arrays belong to the test.
inline void no_release(ArrowArray* array) {
  array->release = nullptr;
}
inline void no_schema_release(ArrowSchema* schema) {
  schema->release = nullptr;
}

/// A column as an Arrow producer hands it over, from row `offset` of its memory on.
struct ArrowColumn {
  ArrowColumn(const Placed& from, const char* format, std::int64_t offset)
      : buffers{from.column.d_valid, from.values} {
    schema.format = format;
    schema.release = no_schema_release;
    device.array.length = static_cast<std::int64_t>(from.column.rows);
    device.array.null_count = -1;
    device.array.offset = offset;
    device.array.n_buffers = 2;
    device.array.buffers = buffers;
    device.array.release = no_release;
    device.device_type = ARROW_DEVICE_CUDA;
  }
  const void* buffers[2];
  ArrowSchema schema = {};
  ArrowDeviceArray device = {};
};

}  // namespace presso::gpu::test
