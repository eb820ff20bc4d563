// SPDX-License-Identifier: MIT
// Joins of columns that lie in a GPU's memory, by equal keys. The answer is row numbers: pairs of a
// row of the probe side and a row of the build side. Needs no CUDA header.
//
// DeviceJoiner does everything and returns memory that holds exactly the pairs:
//
//   PRESSO_ASSIGN(auto joiner, presso::gpu::DeviceJoiner::open());
//   PRESSO_ASSIGN(const auto pairs,
//                 joiner.join({.build = {.keys = {orders}}, .probe = {.keys = {lines}}}, stream));
//   // pairs.probe_rows()[i] and pairs.build_rows()[i], device memory, for i < pairs.size()
//
// DeviceJoin, in the manner of presso/gpu_batch.h, works in the caller's memory and on the caller's
// stream; it never waits and never allocates:
//
//   PRESSO_ASSIGN(const auto join, presso::gpu::DeviceJoin::plan(input));
//   // d_temporary: join.temporary_bytes() of device memory, at a multiple of 256
//   PRESSO_TRY(join.count(d_temporary, stream));
//   // totals: *join.totals(d_temporary) copied to the host, and the stream waited for
//   // pairs: room for totals.rows() numbers of device memory, twice
//   PRESSO_TRY(join.write(d_temporary, pairs, stream));
//
// Examples: tests/examples/device_join_example.cpp, docs/gpu.md.
//
// Tested by tests/simt/joins_in_emulator_test.cpp and device_joiner_test.cpp, and on a GPU by
// tests/gpu/joins_on_device_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "presso/arrow_abi.h"
#include "presso/error.h"
#include "presso/no_row.h"

struct CUstream_st;  // cudaStream_t points to one

namespace presso::gpu {

class Device;         // decompress/gpu/runtime/device.h
class JoinKernels;    // query/gpu/join/join_kernels.h
class JoinPlan;       // query/gpu/join/device_join_plan.h
class JoinWorkplace;  // query/gpu/join/join_workplace.h
struct MemoryLimits;  // decompress/gpu/runtime/memory.h

/// Which rows a join gives. A match is a pair of a probe row and a build row with equal keys.
enum class JoinKind : std::uint8_t {
  kInner,  ///< matches
  kLeft,   ///< matches, and selected probe rows without one, paired with kNoRow
  kSemi,   ///< probe rows with at least one match, once each; no build rows
  kAnti,   ///< selected probe rows with none; no build rows
  kRight,  ///< matches, then selected build rows without one, ascending, paired with kNoRow
  kFull,   ///< what a left and a right join give
};

/// How build rows are found. All of them give the same pairs; rates are those of one H200, keys of
/// 64 bits, G rows/s of both sides with building and all output (query/join/NOTES.md).
enum class DeviceJoinAlgorithm : std::uint8_t {
  kDirect,  ///< an array over the range of build keys: 121 for 1 M x 400 M rows of dense keys
  kTable,   ///< one open-addressing table: 65 for 1 M x 500 M rows, 18 for 100 M x 400 M
  kRadix,  ///< both sides are divided into parts, whose tables are in shared memory: 30; 12 ordered
  kMerge,  ///< keys of both sides ascend: 123
  // These strategies were tried as well; kAuto never chooses them.
  kChained,  ///< one table whose slots are chains of rows, in device memory
  /// As kChained, in the shared memory of each thread block, for build sides of up to 12,288 rows
  /// of 64-bit keys, or 16,384 rows of 32-bit keys.
  kChainedShared,
  /// As kChainedShared, but each thread block has a part of the build side and all of the probe
  /// side.
  kChainedSplit,
  /// Chosen by what was measured: merge if keys are known to ascend; direct if the range of build
  /// keys is known (DeviceJoiner looks for it) and has fewer than 2 places a row, or fewer than 17
  /// and at most 2^23 (32 MB) in all; table if that takes at most 32 MB (1 M rows of 64-bit keys, 2
  /// M of 32) or pairs must be ordered; else radix.
  kAuto,
};

/// The least and the greatest key among the rows of the build side that take part.
struct JoinKeyRange {
  std::uint64_t least = 0;  ///< the key's bits; a key of 32 bits is the lower half
  std::uint64_t most = 0;
};

// --- In the caller's memory, on the caller's stream

/// One side of a join, in device memory. Bitmaps have one bit a row, the lowest bit of a word
/// first, in whole words; without a bitmap all bits count as set. A row takes part if both its bits
/// are set. A row that is selected but not valid (a null) has no match; outer and anti joins still
/// give it.
struct JoinRows {
  const void* d_keys = nullptr;  ///< std::uint32_t or std::uint64_t, at a multiple of 16
  const std::uint32_t* d_valid = nullptr;
  const std::uint32_t* d_selected = nullptr;
  std::uint32_t count = 0;  ///< at most 2^32 - 2
};

/// What DeviceJoin is asked for. Keys are compared by their bits.
struct JoinInput {
  JoinRows build;
  JoinRows probe;
  std::uint32_t key_bytes = 8;  ///< 4 or 8
  JoinKind kind = JoinKind::kInner;
  DeviceJoinAlgorithm strategy = DeviceJoinAlgorithm::kAuto;
  /// Pairs ascend by probe row, then by build row. Otherwise their order is arbitrary and may
  /// differ each time.
  bool ordered = false;
  /// The caller promises that no two build rows that take part have the same key, which saves work.
  /// If the promise is wrong, some matches are missing.
  bool unique = false;
  /// For merge: the caller promises that the keys of rows that take part ascend on both sides;
  /// equal keys may follow one another. If the promise is wrong, some matches are missing.
  bool ascends = false;
  bool is_signed = false;  ///< merge: keys ascend as signed numbers
  /// The range of build keys, if it is known. Build rows with other keys may have no match. For
  /// signed keys `most` may be less than `least` as an unsigned number. kDirect needs it; with
  /// kTable and kRadix, 64-bit keys whose range fits 32 bits are then worked with as 32-bit
  /// numbers.
  std::optional<JoinKeyRange> range = {};
  /// If not null: a bit for each build row, in whole words, which says afterwards whether the row
  /// has a match.
  std::uint32_t* d_matched = nullptr;
};

/// Where pairs are written: device memory for `capacity` row numbers in each array. Semi and anti
/// joins do not use d_build. Pairs beyond the capacity are counted but not written.
struct JoinPairs {
  std::uint32_t* d_probe = nullptr;
  std::uint32_t* d_build = nullptr;
  std::uint64_t capacity = 0;
};

/// Counts that a join leaves in device memory; the caller copies them to the host.
struct JoinTotals {
  std::uint64_t pairs = 0;      ///< pairs that belong to probe rows; they come first
  std::uint64_t unmatched = 0;  ///< right and full: build rows without a match, after the pairs
  std::uint32_t has_duplicates = 0;  ///< whether build keys repeat; not set if they are `unique`
  std::uint32_t reserved = 0;

  /// The number of rows of the whole answer.
  constexpr std::uint64_t rows() const { return pairs + unmatched; }
};

/// A join that has been planned. Immutable, cheap to copy (a shared pointer), safe to use from any
/// number of threads and on any number of streams at once, each call with temporary memory and
/// results of its own. count(), write() and run() enqueue on a stream of the current device and
/// return; nothing is allocated, synchronised or copied between host and device. Input, temporary
/// memory and pairs belong to the caller and must stay unchanged until the stream is done.
class DeviceJoin {
 public:
  /// Plans a join; host work only. Errors: kInvalidArgument if the request contradicts itself,
  /// memory is missing or misaligned, or there are more rows than the strategy takes.
  static Result<DeviceJoin> plan(const JoinInput& input);

  /// Returns the device memory that a join needs while it runs, at a multiple of 256.
  std::uint64_t temporary_bytes() const;
  /// Returns a capacity that suffices without counting first; 2^64 - 1 if there is no such bound.
  std::uint64_t most_pairs() const;
  /// The one that was chosen; never kAuto.
  DeviceJoinAlgorithm strategy() const;

  /// Builds the lookup structure and counts the pairs. Errors of all three calls: kInvalidArgument
  /// (memory that is missing or misaligned), kNoDevice, kDeviceLost.
  Status count(void* d_temporary, CUstream_st* stream) const;
  /// Writes the pairs of a join that has been counted, with the same temporary memory.
  Status write(void* d_temporary, const JoinPairs& pairs, CUstream_st* stream) const;
  /// Counts, and writes as many pairs as fit: the work of count() and write() together, without
  /// looking up any key twice.
  Status run(void* d_temporary, const JoinPairs& pairs, CUstream_st* stream) const;
  /// Returns where count() and run() leave their totals, in device memory. Reads nothing.
  const JoinTotals* totals(const void* d_temporary) const;

 private:
  explicit DeviceJoin(std::shared_ptr<const JoinPlan> plan) : plan_(std::move(plan)) {}

  std::shared_ptr<const JoinPlan> plan_;
};

// --- All of it

/// The type of a key column. Both sides must have the same types.
enum class JoinKeyType : std::uint8_t {
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kDate32,  ///< days, int32
  kDate64,  ///< milliseconds, int64
  kTimestampSeconds,
  kTimestampMillis,
  kTimestampMicros,
  kTimestampNanos,
};

/// The most key columns that a side may have.
constexpr std::size_t kMostJoinKeys = 3;

/// A column of keys in device memory, which stays the caller's. Bitmaps are those of Arrow: one bit
/// a row, the lowest bit of a byte first, at any address; no byte after that of the last row is
/// read.
struct JoinColumn {
  JoinKeyType type = JoinKeyType::kInt64;
  const void* d_keys = nullptr;  ///< `rows` values, at a multiple of their size
  std::uint64_t rows = 0;        ///< at most 2^32 - 2
  /// bits, 0 for nulls, which match nothing; nullptr if no row is null
  const void* d_valid = nullptr;
  std::uint64_t first_valid = 0;  ///< the number of the first row's bit in d_valid
  /// If not null, this points to a cudaEvent_t for which all work that reads the column waits, as
  /// ArrowDeviceArray::sync_event.
  void* ready = nullptr;
  /// For the build side: the range of its keys, if it is known; otherwise DeviceJoiner reads the
  /// keys once where the range matters. Rows with other keys may have no match. See
  /// JoinInput::range.
  std::optional<JoinKeyRange> range = {};

  /// Makes a column from an array of int32, uint32, int64, uint64, date32, date64 or timestamp
  /// values that Arrow's C device data interface hands over, or from a struct with one such child.
  /// `array` is only borrowed and must stay until the join is done. Errors: kUnsupported (another
  /// type, a dictionary, memory that is not CUDA's), kInvalidArgument (released, or without its
  /// buffers).
  static Result<JoinColumn> from_arrow(const ArrowDeviceArray& array, const ArrowSchema& schema);
};

/// One side of a join: one to kMostJoinKeys key columns, all with the same number of rows. Rows
/// match if all keys are equal, the first key of one with the first key of the other and so on; a
/// row with a null key matches nothing.
struct JoinSide {
  std::vector<JoinColumn> keys;
  /// bits, 0 for rows that are left out; nullptr to select all rows
  const void* d_selected = nullptr;

  /// Makes a side from a column that JoinColumn::from_arrow() takes, or from a struct of one to
  /// kMostJoinKeys of them. Errors as there.
  static Result<JoinSide> from_arrow(const ArrowDeviceArray& array, const ArrowSchema& schema);
};

/// What DeviceJoiner is asked for. The members mean the same as those of JoinInput.
///
/// Several keys of a row are packed into one number of 32 or 64 bits before they are joined; each
/// column is counted from its least build key. If the product of their ranges takes more than 64
/// bits, columns are first replaced by numbers of their distinct build keys, from a table of keys,
/// so that any keys can be joined. That takes at most 2^31 - 2 build rows, and excludes merging.
struct JoinRequest {
  JoinSide build;
  JoinSide probe;  ///< as many columns as the build side, of the same types
  JoinKind kind = JoinKind::kInner;
  DeviceJoinAlgorithm strategy = DeviceJoinAlgorithm::kAuto;
  /// Pairs ascend by probe row, then by build row.
  bool ordered = false;
  bool unique = false;
  bool ascends = false;  ///< as numbers of the keys' types: by the first key, then by the second
};

/// The answer: row numbers in device memory. The memory is freed with the last copy of this object
/// and the last array that was made from it. Work on a stream that reads it must have ended before
/// that.
class JoinedPairs {
 public:
  /// The number of pairs; for semi and anti joins, of rows.
  std::uint64_t size() const;
  /// Device memory at a multiple of 256. kNoRow stands beside a build row that has no match.
  const std::uint32_t* probe_rows() const;
  /// As probe_rows(); nullptr for semi and anti joins.
  const std::uint32_t* build_rows() const;
  /// How many of the pairs, at the end, are build rows without a match.
  std::uint64_t unmatched() const;
  DeviceJoinAlgorithm strategy() const;  ///< never kAuto
  /// The memory on the GPU that this object holds.
  std::uint64_t device_bytes() const;

  /// Fills `array` and `schema` with a struct of the columns `probe_row` and, except for semi and
  /// anti joins, `build_row`: uint32, null where there is no row. They share the memory with this
  /// object; sync_event is null, as the values are complete. Errors: kDeviceMemory, kDeviceLost
  /// (the bits of nulls are made by this call), kOutOfMemory.
  Status to_arrow(ArrowDeviceArray& array, ArrowSchema& schema) const;

 private:
  friend class DeviceJoiner;
  struct Body;
  explicit JoinedPairs(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
  std::shared_ptr<const Body> body_;
};

/// The device, and how much of its memory may be used.
struct JoinGpuOptions {
  int device = 0;                      ///< as list_devices() counts
  std::uint64_t max_device_bytes = 0;  ///< of memory on the GPU, with all results; 0: no limit
};

/// Joins columns on one device. It is a handle: copies are the same joiner, and calls may come from
/// any number of threads. It keeps up to 1 GiB of memory for its next joins.
class DeviceJoiner {
 public:
  /// Starts CUDA on the device, if this process has not yet. Errors: kNoDevice, kDeviceMemory,
  /// kDeviceLost; kInvalidArgument if the device does not exist.
  static Result<DeviceJoiner> open(const JoinGpuOptions& options = {});
  /// With another device and other kernels; for tests.
  DeviceJoiner(std::unique_ptr<Device> device, std::shared_ptr<JoinKernels> kernels,
               const MemoryLimits& limits, const MemoryLimits& kept, int number = 0);

  /// Joins on a stream of this device, after everything that was enqueued there before and after
  /// the columns' events, and waits: when this returns, the pairs are complete and the columns are
  /// no longer needed. Pairs are counted before they are written, so that no more memory is held
  /// than they take. A single column of keys whose address is not a multiple of 16, and bitmaps
  /// that are not whole words, are copied first; for several columns, 4 or 8 bytes and a bit a row
  /// are written.
  ///
  /// Errors: kInvalidArgument (numbers or types of columns that differ, keys that are missing or
  /// misaligned, too many rows, a strategy that cannot work), kUnsupported (keys that take more
  /// than 64 bits together and are to be merged, or have too many build rows for numbers),
  /// kDeviceMemory with what was needed, kOutOfMemory, kDeviceLost. No memory is kept after an
  /// error.
  Result<JoinedPairs> join(const JoinRequest& request, CUstream_st* stream) const;

 private:
  std::shared_ptr<JoinWorkplace> place_;
};

}  // namespace presso::gpu
