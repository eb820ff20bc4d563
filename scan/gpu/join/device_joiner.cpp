// SPDX-License-Identifier: MIT
// DeviceJoin's host side, and DeviceJoiner: columns are made fit for the kernels, a strategy is
// chosen, pairs are counted and written. Tested by tests/simt/device_joiner_test.cpp.
#include <cstring>
#include <string>
#include <vector>

#include "scan/gpu/join/join_sizes.h"
#include "scan/gpu/join/join_workplace.h"

namespace presso::gpu {
namespace {

constexpr std::uint64_t kMostRows = kNoRow - 1;
constexpr std::uintptr_t kKeyAlignment = 16;  ///< that kernels want
constexpr std::uint64_t kBitsOfWord = 8 * sizeof(std::uint32_t);

struct KeyTypeFacts {
  const char* name;
  std::uint32_t bytes;
  bool is_signed;
};

KeyTypeFacts facts_of(JoinKeyType type) {
  switch (type) {
    case JoinKeyType::kInt32:
      return {"int32", 4, true};
    case JoinKeyType::kUint32:
      return {"uint32", 4, false};
    case JoinKeyType::kInt64:
      return {"int64", 8, true};
    case JoinKeyType::kUint64:
      return {"uint64", 8, false};
    case JoinKeyType::kDate32:
      return {"date32", 4, true};
    case JoinKeyType::kDate64:
      return {"date64", 8, true};
    case JoinKeyType::kTimestampSeconds:
      return {"timestamps in seconds", 8, true};
    case JoinKeyType::kTimestampMillis:
      return {"timestamps in milliseconds", 8, true};
    case JoinKeyType::kTimestampMicros:
      return {"timestamps in microseconds", 8, true};
    case JoinKeyType::kTimestampNanos:
      return {"timestamps in nanoseconds", 8, true};
  }
  return {"of an unknown type", 0, false};
}

const char* name_of(JoinStrategy strategy) {
  switch (strategy) {
    case JoinStrategy::kDirect:
      return "an array";
    case JoinStrategy::kTable:
      return "a table";
    case JoinStrategy::kRadix:
      return "parts";
    case JoinStrategy::kMerge:
      return "merging";
    case JoinStrategy::kChained:
      return "chains of rows";
    case JoinStrategy::kChainedShared:
      return "chains of rows in shared memory";
    case JoinStrategy::kChainedSplit:
      return "chains of parts of the build side";
    case JoinStrategy::kAuto:
      break;
  }
  return "any strategy";
}

Error invalid(std::string what) {
  return make_error(ErrorCode::kInvalidArgument, std::move(what));
}

bool is_placed(const void* at, std::uintptr_t alignment) {
  return reinterpret_cast<std::uintptr_t>(at) % alignment == 0;
}

Status check_side(const JoinColumn& column, const std::string& side) {
  const KeyTypeFacts type = facts_of(column.type);
  if (type.bytes == 0) return invalid("the " + side + " side has keys of an unknown type");
  if (column.rows > kMostRows) {
    return invalid("the " + side + " side has " + grouped(column.rows) + " rows, and " +
                   grouped(kMostRows) + " is the most");
  }
  if (column.rows > 0 && column.d_keys == nullptr) {
    return invalid("the " + side + " side has " + grouped(column.rows) + " rows and no keys");
  }
  if (!is_placed(column.d_keys, type.bytes)) {
    return invalid("the keys of the " + side + " side are not at a multiple of their " +
                   std::to_string(type.bytes) + " bytes");
  }
  return {};
}

Status check_request(const JoinRequest& request) {
  PRESSO_TRY(check_side(request.build, "build"));
  PRESSO_TRY(check_side(request.probe, "probe"));
  if (request.build.type != request.probe.type) {
    return invalid(std::string("the keys of the build side are ") +
                   facts_of(request.build.type).name + ", those of the probe side " +
                   facts_of(request.probe.type).name);
  }
  if (request.strategy == JoinStrategy::kMerge && !request.ascends) {
    return invalid("merging wants keys that are known to ascend");
  }
  return {};
}

/// One join. Whatever it has enqueued is done before its memory goes.
class JoinRun {
 public:
  JoinRun(JoinWorkplace& place, const JoinRequest& request, Stream stream)
      : place_(place), request_(request), stream_(stream) {}
  JoinRun(const JoinRun&) = delete;
  JoinRun& operator=(const JoinRun&) = delete;
  ~JoinRun() {
    if (is_enqueued_) static_cast<void>(place_.device().wait(stream_));
  }

  Result<PairMemory> run() {
    PRESSO_TRY(check_request(request_));
    const DeviceStep step(place_.device(), "join of columns");
    PRESSO_ASSIGN(back_, place_.memory().allocate_pinned(kBackBytes));
    is_enqueued_ = true;
    PRESSO_TRY(await(request_.build));
    PRESSO_TRY(await(request_.probe));
    JoinInput input;
    PRESSO_ASSIGN(input.build, rows_of(request_.build));
    PRESSO_ASSIGN(input.probe, rows_of(request_.probe));
    const KeyTypeFacts type = facts_of(request_.build.type);
    input.key_bytes = type.bytes;
    input.is_signed = type.is_signed;
    input.kind = request_.kind;
    input.strategy = request_.strategy;
    input.ordered = request_.ordered;
    input.unique = request_.unique;
    input.ascends = request_.ascends;
    input.range = request_.range;
    if (wants_range(input)) {
      PRESSO_ASSIGN(input.range, range_of(input));
    }
    PRESSO_ASSIGN(const JoinPlan plan, JoinPlan::make(input));
    return join(plan);
  }

 private:
  static constexpr std::uint64_t kBackBytes = 64;  ///< for totals or a range

  Status await(const JoinColumn& column) {
    if (column.ready == nullptr) return {};
    return place_.device().stream_wait(stream_, *static_cast<Event*>(column.ready));
  }

  /// As kernels want it: memory that does not suit is copied.
  Result<JoinRows> rows_of(const JoinColumn& column) {
    JoinRows rows;
    rows.count = static_cast<std::uint32_t>(column.rows);
    if (rows.count == 0) return rows;
    rows.d_keys = column.d_keys;
    if (!is_placed(column.d_keys, kKeyAlignment)) {
      const std::uint64_t bytes = column.rows * facts_of(column.type).bytes;
      PRESSO_ASSIGN(Byte* const to, allocate(bytes, "a copy of keys"));
      PRESSO_TRY(place_.device().copy_within(to, static_cast<const Byte*>(column.d_keys),
                                             static_cast<std::size_t>(bytes), stream_));
      rows.d_keys = to;
    }
    PRESSO_ASSIGN(rows.d_valid, bits_of(column.d_valid, column.first_valid, column.rows));
    PRESSO_ASSIGN(rows.d_selected, bits_of(column.d_selected, 0, column.rows));
    return rows;
  }

  Result<const std::uint32_t*> bits_of(const void* d_bits, std::uint64_t first,
                                       std::uint64_t rows) {
    if (d_bits == nullptr) return static_cast<const std::uint32_t*>(nullptr);
    const auto* const from = static_cast<const Byte*>(d_bits) + first / 8;
    const std::uint64_t first_of_byte = first % 8;
    if (first_of_byte == 0 && rows % kBitsOfWord == 0 && is_placed(from, sizeof(std::uint32_t))) {
      return reinterpret_cast<const std::uint32_t*>(from);
    }
    const std::uint64_t words = (rows + kBitsOfWord - 1) / kBitsOfWord;
    PRESSO_ASSIGN(Byte* const to, allocate(words * sizeof(std::uint32_t), "a copy of a bitmap"));
    auto* const d_to = reinterpret_cast<std::uint32_t*>(to);
    PRESSO_TRY(place_.kernels().copy_bits(from, first_of_byte, rows, d_to, stream_));
    return static_cast<const std::uint32_t*>(d_to);
  }

  static bool wants_range(const JoinInput& input) {
    if (input.range) return false;
    if (input.strategy == JoinStrategy::kDirect) return true;
    return input.strategy == JoinStrategy::kAuto && !input.ascends;
  }

  /// One place where no build row takes part.
  Result<std::optional<JoinKeyRange>> range_of(const JoinInput& input) {
    JoinKeyRange range;
    if (input.build.count == 0) return std::optional(range);
    PRESSO_ASSIGN(Byte* const d_memory, allocate(sizeof range, "the range of keys"));
    const KeyColumn column{input.build, input.key_bytes, input.is_signed};
    PRESSO_TRY(
        place_.kernels().find_range(column, reinterpret_cast<JoinKeyRange*>(d_memory), stream_));
    PRESSO_TRY(read_back(range, d_memory));
    if (range.least > range.most) return std::optional(JoinKeyRange{});
    const std::uint64_t sign =
        input.is_signed ? std::uint64_t{1} << (8 * input.key_bytes - 1) : std::uint64_t{0};
    return std::optional(JoinKeyRange{range.least ^ sign, range.most ^ sign});
  }

  Result<PairMemory> join(const JoinPlan& plan) {
    out_.kind = request_.kind;
    out_.strategy = plan.input().strategy;
    PRESSO_ASSIGN(
        Byte* const d_temporary,
        allocate(plan.temporary_bytes(), std::string("joining ") + grouped(request_.build.rows) +
                                             " and " + grouped(request_.probe.rows) + " rows by " +
                                             name_of(out_.strategy)));
    PRESSO_TRY(place_.kernels().count(plan, d_temporary, stream_));
    PRESSO_TRY(read_back(out_.totals, d_temporary + plan.memory().totals));
    const std::uint64_t rows = out_.totals.rows();
    const std::string what = grouped(rows) + " pairs";
    PRESSO_ASSIGN(out_.probe, allocate_numbers(rows, what));
    if (gives_pairs(out_.kind)) {
      PRESSO_ASSIGN(out_.build, allocate_numbers(rows, what));
    }
    const JoinPairs pairs{reinterpret_cast<std::uint32_t*>(out_.probe.get()),
                          reinterpret_cast<std::uint32_t*>(out_.build.get()), rows};
    if (rows > 0) PRESSO_TRY(place_.kernels().write(plan, d_temporary, pairs, stream_));
    PRESSO_TRY(place_.device().wait(stream_));
    is_enqueued_ = false;
    return std::move(out_);
  }

  /// Waits.
  template <class T>
  Status read_back(T& to, const Byte* d_from) {
    static_assert(sizeof(T) <= kBackBytes);
    PRESSO_TRY(place_.device().copy_out(back_.get(), d_from, sizeof(T), stream_));
    PRESSO_TRY(place_.device().wait(stream_));
    std::memcpy(static_cast<void*>(&to), back_.get(), sizeof(T));
    return {};
  }

  /// Until this object goes.
  Result<Byte*> allocate(std::uint64_t bytes, const std::string& what) {
    PRESSO_ASSIGN(DeviceMemory memory, allocate_for(bytes, what));
    held_.push_back(std::move(memory));
    return held_.back().get();
  }
  Result<DeviceMemory> allocate_numbers(std::uint64_t count, const std::string& what) {
    // What has no bytes needs an address all the same.
    return allocate_for(sizeof(std::uint32_t) * (count == 0 ? 1 : count), what);
  }
  Result<DeviceMemory> allocate_for(std::uint64_t bytes, const std::string& what) {
    auto memory = place_.memory().allocate(bytes);
    if (memory.ok() || !is_out_of_memory(memory.error())) return memory;
    Error error = memory.error();
    error.what = grouped(bytes) + " bytes for " + what + ": " + error.what;
    return error;
  }

  JoinWorkplace& place_;
  const JoinRequest& request_;
  Stream stream_;
  PinnedMemory back_;
  std::vector<DeviceMemory> held_;
  PairMemory out_;
  bool is_enqueued_ = false;
};

}  // namespace

Result<DeviceJoin> DeviceJoin::plan(const JoinInput& input) {
  return without_bad_alloc([&]() -> Result<DeviceJoin> {
    PRESSO_ASSIGN(const JoinPlan plan, JoinPlan::make(input));
    return DeviceJoin(std::make_shared<const JoinPlan>(plan));
  });
}

std::uint64_t DeviceJoin::temporary_bytes() const {
  return plan_->temporary_bytes();
}

std::uint64_t DeviceJoin::most_pairs() const {
  return plan_->most_pairs();
}

JoinStrategy DeviceJoin::strategy() const {
  return plan_->input().strategy;
}

const JoinTotals* DeviceJoin::totals(const void* d_temporary) const {
  return reinterpret_cast<const JoinTotals*>(static_cast<const Byte*>(d_temporary) +
                                             plan_->memory().totals);
}

DeviceJoiner::DeviceJoiner(std::unique_ptr<Device> device, std::shared_ptr<JoinKernels> kernels,
                           const MemoryLimits& limits, const MemoryLimits& kept, int number)
    : place_(std::make_shared<JoinWorkplace>(std::move(device), std::move(kernels), limits, kept,
                                             number)) {}

Result<JoinedPairs> DeviceJoiner::join(const JoinRequest& request, CUstream_st* stream) const {
  return without_bad_alloc([&]() -> Result<JoinedPairs> {
    JoinRun run(*place_, request, stream);
    PRESSO_ASSIGN(PairMemory pairs, run.run());
    auto body = std::make_shared<JoinedPairs::Body>();
    body->place = place_;
    body->pairs = std::move(pairs);
    return JoinedPairs(std::move(body));
  });
}

std::uint64_t JoinedPairs::size() const {
  return body_->pairs.totals.rows();
}

const std::uint32_t* JoinedPairs::probe_rows() const {
  return reinterpret_cast<const std::uint32_t*>(body_->pairs.probe.get());
}

const std::uint32_t* JoinedPairs::build_rows() const {
  return reinterpret_cast<const std::uint32_t*>(body_->pairs.build.get());
}

std::uint64_t JoinedPairs::unmatched() const {
  return body_->pairs.totals.unmatched;
}

JoinStrategy JoinedPairs::strategy() const {
  return body_->pairs.strategy;
}

std::uint64_t JoinedPairs::device_bytes() const {
  return body_->pairs.probe.bytes() + body_->pairs.build.bytes();
}

}  // namespace presso::gpu
