// SPDX-License-Identifier: MIT
// Joins of columns that lie in a GPU's memory, by equal keys. The answer is row numbers: pairs of a
// row of the probe side and a row of the build side. Needs no CUDA header.
//
// DeviceJoiner does all of it and gives memory that holds exactly the pairs:
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
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "presso/arrow_abi.h"
#include "presso/error.h"

struct CUstream_st;  // cudaStream_t points to one

namespace presso::gpu {

class Device;         // decompress/gpu/runtime/device.h
class JoinKernels;    // query/gpu/join/join_kernels.h
class JoinPlan;       // query/gpu/join/join_plan.h
class JoinWorkplace;  // query/gpu/join/join_workplace.h
struct MemoryLimits;  // decompress/gpu/runtime/memory.h

/// Stands where there is no row: beside a probe row of a left or full join, or a build row of a
/// right or full join, that has no match.
constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

/// A *match* is a pair of a probe row and a build row with the same key.
enum class JoinKind : std::uint8_t {
  kInner,  ///< matches
  kLeft,   ///< also selected probe rows without one, beside kNoRow
  kSemi,   ///< probe rows with at least one match, once each; no build rows
  kAnti,   ///< selected probe rows with none; no build rows
  kRight,  ///< matches, and behind them selected build rows without one, beside kNoRow, ascending
  kFull,   ///< what left and right joins give
};

/// How build rows are found. All of them give the same pairs; rates are those of one H200, keys of
/// 64 bits, G rows/s of both sides with building and all output (query/join/NOTES.md).
enum class DeviceJoinAlgorithm : std::uint8_t {
  kDirect,  ///< an array over the range of build keys: 121 for 1 M x 400 M rows of dense keys
  kTable,   ///< one open-addressing table: 65 for 1 M x 500 M rows, 18 for 100 M x 400 M
  kRadix,  ///< both sides are divided into parts, whose tables are in shared memory: 30; 12 ordered
  kMerge,  ///< keys of both sides ascend: 123
  // What was tried beside these and is never chosen by kAuto.
  kChained,  ///< one table whose slots are chains of rows, in device memory
  /// The same in the shared memory of each thread block, for build sides of up to 12,288 rows of
  /// 64-bit keys, 16,384 of 32.
  kChainedShared,
  /// The same with each thread block having a part of the build side and all of the probe side.
  kChainedSplit,
  /// By what was measured: merge where keys are known to ascend; direct where the range of build
  /// keys is known (DeviceJoiner looks for it) and has at most 2 places a row, or at most 16 and
  /// 2^23 in all, 32 MB; table where that takes at most 32 MB (1 M rows of 64-bit keys, 2 M of 32)
  /// or pairs are to be ordered; else radix.
  kAuto,
};

/// The least and the greatest key of those rows of the build side that take part.
struct JoinKeyRange {
  std::uint64_t least = 0;  ///< the key's bits; of a key of 32 bits the lower half
  std::uint64_t most = 0;
};

// --- In the caller's memory, on the caller's stream

/// One side. Device memory. Bitmaps have one bit a row, the lowest of a word first, whole words;
/// none means that all bits are set. A row takes part where both bits are set. A selected row that
/// is not valid (a null) has no match, but outer and anti joins give it.
struct JoinRows {
  const void* d_keys = nullptr;  ///< std::uint32_t or std::uint64_t, at a multiple of 16
  const std::uint32_t* d_valid = nullptr;
  const std::uint32_t* d_selected = nullptr;
  std::uint32_t count = 0;  ///< at most 2^32 - 2
};

/// What DeviceJoin is asked for. Keys are equal where their bits are.
struct JoinInput {
  JoinRows build;
  JoinRows probe;
  std::uint32_t key_bytes = 8;  ///< 4 or 8
  JoinKind kind = JoinKind::kInner;
  DeviceJoinAlgorithm strategy = DeviceJoinAlgorithm::kAuto;
  /// Pairs ascend by probe row, then build row; else they come in any order, another each time.
  bool ordered = false;
  /// No two build rows that take part have the same key, as the caller knows. Where that is wrong
  /// some matches are missing.
  bool unique = false;
  /// merge: keys of rows that take part ascend on both sides, as the caller knows; equal ones may
  /// follow one another. Where that is wrong some matches are missing.
  bool ascends = false;
  bool is_signed = false;  ///< merge: keys ascend as signed numbers
  /// The range of build keys, where it is known. Build rows with other keys may have no match. Of
  /// signed keys `most` may be the smaller one as an unsigned number. direct: must be there. table,
  /// radix: keys of 64 bits whose range takes no more than 32 are worked with as numbers of 32.
  std::optional<JoinKeyRange> range = {};
  /// Where not null: a bit for each build row, whole words, which says afterwards whether the row
  /// has a match.
  std::uint32_t* d_matched = nullptr;
};

/// Where pairs are written: device memory for `capacity` numbers each. Semi and anti joins do not
/// use d_build. Further pairs are counted and not written.
struct JoinPairs {
  std::uint32_t* d_probe = nullptr;
  std::uint32_t* d_build = nullptr;
  std::uint64_t capacity = 0;
};

/// What is read back after counting.
struct JoinTotals {
  std::uint64_t pairs = 0;           ///< those of probe rows, which come first
  std::uint64_t unmatched = 0;       ///< right and full: build rows without a match, behind them
  std::uint32_t has_duplicates = 0;  ///< whether build keys repeat; not told of unique ones
  std::uint32_t reserved = 0;

  /// Of the whole answer.
  constexpr std::uint64_t rows() const { return pairs + unmatched; }
};

/// A join that has been planned. Immutable, cheap to copy (a shared pointer), safe to use from any
/// number of threads and on any number of streams at once, each call with temporary memory and
/// results of its own. count(), write() and run() enqueue on a stream of the current device and
/// return; nothing is allocated, synchronised or copied between host and device. Input, temporary
/// memory and pairs belong to the caller and must stay as they are until the stream is done.
class DeviceJoin {
 public:
  /// Host work only. Errors: kInvalidArgument where what is asked for contradicts itself, memory is
  /// missing or misaligned, or there are more rows than the strategy takes.
  static Result<DeviceJoin> plan(const JoinInput& input);

  /// Of device memory, at a multiple of 256.
  std::uint64_t temporary_bytes() const;
  /// A capacity that suffices without counting first; 2^64 - 1 where there is none.
  std::uint64_t most_pairs() const;
  /// The one that was chosen; never kAuto.
  DeviceJoinAlgorithm strategy() const;

  /// Builds what is looked up in, and counts. Errors, of all three: kInvalidArgument (memory that
  /// is missing or misaligned), kNoDevice, kDeviceLost.
  Status count(void* d_temporary, CUstream_st* stream) const;
  /// Writes the pairs of a join that has been counted, with the same temporary memory.
  Status write(void* d_temporary, const JoinPairs& pairs, CUstream_st* stream) const;
  /// Counts, and writes as many pairs as there is room for: what count() and write() do, with no
  /// key looked up twice.
  Status run(void* d_temporary, const JoinPairs& pairs, CUstream_st* stream) const;
  /// Where the totals of count() and run() are: device memory, of which nothing is read here.
  const JoinTotals* totals(const void* d_temporary) const;

 private:
  explicit DeviceJoin(std::shared_ptr<const JoinPlan> plan) : plan_(std::move(plan)) {}

  std::shared_ptr<const JoinPlan> plan_;
};

// --- All of it

/// What keys are. Those of both sides must be the same.
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

/// Columns of keys that a side may have.
constexpr std::size_t kMostJoinKeys = 3;

/// A column of keys in device memory, which stays the caller's. Bitmaps are as Arrow's: one bit a
/// row, the lowest of a byte first, at any address; no byte behind the last row's is read.
struct JoinColumn {
  JoinKeyType type = JoinKeyType::kInt64;
  const void* d_keys = nullptr;   ///< `rows` values, at a multiple of their size
  std::uint64_t rows = 0;         ///< at most 2^32 - 2
  const void* d_valid = nullptr;  ///< bits: 0 of nulls, which match nothing; null: there are none
  std::uint64_t first_valid = 0;  ///< the number of the first row's bit in d_valid
  /// Where not null: points to a cudaEvent_t, for which work that reads the column waits, as
  /// ArrowDeviceArray::sync_event.
  void* ready = nullptr;
  /// Of the build side, where it is known already; else DeviceJoiner reads the keys once where it
  /// matters. Rows with other keys may have no match. As JoinInput::range.
  std::optional<JoinKeyRange> range = {};

  /// A column of int32, uint32, int64, uint64, date32, date64 or timestamp values that Arrow's C
  /// device data interface hands over; `array` is no more than looked at and must stay until the
  /// join is done. A struct of one such column will do as well. Errors: kUnsupported (another type,
  /// a dictionary, memory that is not CUDA's), kInvalidArgument (released or without its buffers).
  static Result<JoinColumn> from_arrow(const ArrowDeviceArray& array, const ArrowSchema& schema);
};

/// One side: one to kMostJoinKeys columns of keys of as many rows each. A row matches one of the
/// other side where all keys are equal, the first one's with the first one's and so on; where one
/// of them is null, it matches nothing.
struct JoinSide {
  std::vector<JoinColumn> keys;
  const void* d_selected = nullptr;  ///< bits: 0 of rows that are left out; null: none is

  /// A column that JoinColumn::from_arrow() takes, or a struct of one to kMostJoinKeys of them.
  /// Errors: as there.
  static Result<JoinSide> from_arrow(const ArrowDeviceArray& array, const ArrowSchema& schema);
};

/// What DeviceJoiner is asked for; the members mean what those of JoinInput do.
///
/// Several keys of a row are made one number of 32 or 64 bits before they are joined: each column
/// counts from its least build key on. Where the product of their ranges takes more than 64 bits,
/// columns get numbers of their distinct build keys first, from a table of keys, so that any keys
/// can be joined; with at most 2^31 - 2 build rows, and not by merging.
struct JoinRequest {
  JoinSide build;
  JoinSide probe;  ///< with as many columns as the build side, of the same types
  JoinKind kind = JoinKind::kInner;
  DeviceJoinAlgorithm strategy = DeviceJoinAlgorithm::kAuto;
  /// Pairs ascend by probe row, then build row.
  bool ordered = false;
  bool unique = false;
  bool ascends = false;  ///< as numbers of the keys' types: by the first key, then the second
};

/// The answer: row numbers in device memory, which goes with the last copy of this object and the
/// last array that was made of it. Whoever reads it on a stream waits for that before.
class JoinedPairs {
 public:
  /// Pairs; of semi and anti joins rows.
  std::uint64_t size() const;
  /// Device memory at a multiple of 256. kNoRow where a build row has no match.
  const std::uint32_t* probe_rows() const;
  /// The same; nullptr of semi and anti joins.
  const std::uint32_t* build_rows() const;
  /// How many of them, at the end, are build rows without a match.
  std::uint64_t unmatched() const;
  DeviceJoinAlgorithm strategy() const;  ///< never kAuto
  /// Of memory on the GPU.
  std::uint64_t device_bytes() const;

  /// As a struct of columns `probe_row` and, but of semi and anti joins, `build_row`: uint32, null
  /// where there is no row. They share the memory with this object; sync_event is null, since all
  /// is there. Errors: kDeviceMemory, kDeviceLost (bits of nulls are made now), kOutOfMemory.
  Status to_arrow(ArrowDeviceArray& array, ArrowSchema& schema) const;

 private:
  friend class DeviceJoiner;
  struct Body;
  explicit JoinedPairs(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
  std::shared_ptr<const Body> body_;
};

struct JoinGpuOptions {
  int device = 0;                      ///< as list_devices() counts
  std::uint64_t max_device_bytes = 0;  ///< of memory on the GPU, with all results; 0: no limit
};

/// Joins columns on one device. A handle: copies of it are the same joiner, and calls may come from
/// any number of threads. It keeps up to 1 GiB of memory for its next joins.
class DeviceJoiner {
 public:
  /// Starts CUDA on the device, if this process has not yet. Errors: kNoDevice, kDeviceMemory,
  /// kDeviceLost; kInvalidArgument where there is no such device.
  static Result<DeviceJoiner> open(const JoinGpuOptions& options = {});
  /// With another device and other kernels; for tests.
  DeviceJoiner(std::unique_ptr<Device> device, std::shared_ptr<JoinKernels> kernels,
               const MemoryLimits& limits, const MemoryLimits& kept, int number = 0);

  /// Joins on a stream of this device, after what has been enqueued there before and after the
  /// columns' events, and waits: when this returns, the pairs are there and the columns are not
  /// needed any more. Pairs are counted before they are written, so that no more memory is held
  /// than they take. A single column of keys at no multiple of 16, and bitmaps that are not whole
  /// words, are copied first; of several columns 4 or 8 bytes and a bit a row are written. Errors:
  /// kInvalidArgument (numbers or types of columns that differ, keys that are missing or
  /// misaligned, too many rows, a strategy that cannot work), kUnsupported (keys that take more
  /// than 64 bits together and are to be merged, or have too many build rows for numbers),
  /// kDeviceMemory with what was needed, kOutOfMemory, kDeviceLost; nothing is left behind.
  Result<JoinedPairs> join(const JoinRequest& request, CUstream_st* stream) const;

 private:
  std::shared_ptr<JoinWorkplace> place_;
};

}  // namespace presso::gpu
