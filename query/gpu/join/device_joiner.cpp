// SPDX-License-Identifier: MIT
// The host side of DeviceJoin, and DeviceJoiner: columns are made fit for the kernels
// (key_columns.h), a strategy is chosen (device_join_plan.h), pairs are counted and written. Host
// code without CUDA, so that tests run it over the emulator. Tested by
// tests/simt/device_joiner_test.cpp.
#include <string>

#include "query/gpu/join/join_sizes.h"
#include "query/gpu/join/key_columns.h"

namespace presso::gpu {
namespace {

const char* name_of(DeviceJoinAlgorithm strategy) {
  switch (strategy) {
    case DeviceJoinAlgorithm::kDirect:
      return "an array";
    case DeviceJoinAlgorithm::kTable:
      return "a table";
    case DeviceJoinAlgorithm::kRadix:
      return "parts";
    case DeviceJoinAlgorithm::kMerge:
      return "merging";
    case DeviceJoinAlgorithm::kChained:
      return "chains of rows";
    case DeviceJoinAlgorithm::kChainedShared:
      return "chains of rows in shared memory";
    case DeviceJoinAlgorithm::kChainedSplit:
      return "chains of parts of the build side";
    case DeviceJoinAlgorithm::kAuto:
      break;
  }
  return "any strategy";
}

/// Counts and writes the pairs of a plan. `out` must outlive `scratch`, whose destructor waits for
/// the stream.
/// The host waits for the totals, because memory for pairs is allocated to measure.
Status join_into(PairMemory& out, const JoinPlan& plan, JoinScratch& scratch) {
  JoinKernels& kernels = scratch.place().kernels();
  const JoinInput& input = plan.input();
  out.kind = input.kind;
  out.strategy = input.strategy;
  PRESSO_ASSIGN(
      Byte* const d_temporary,
      scratch.allocate(plan.temporary_bytes(),
                       std::string("joining ") + grouped(input.build.count) + " and " +
                           grouped(input.probe.count) + " rows by " + name_of(out.strategy)));
  PRESSO_TRY(kernels.count(plan, d_temporary, scratch.stream()));
  PRESSO_TRY(scratch.read_back(&out.totals, d_temporary + plan.memory().totals, sizeof out.totals));
  const std::uint64_t rows = out.totals.rows();
  const std::string what = grouped(rows) + " pairs";
  PRESSO_ASSIGN(out.probe, scratch.allocate_for(rows * sizeof(std::uint32_t), what));
  if (gives_pairs(out.kind)) {
    PRESSO_ASSIGN(out.build, scratch.allocate_for(rows * sizeof(std::uint32_t), what));
  }
  const JoinPairs pairs{reinterpret_cast<std::uint32_t*>(out.probe.get()),
                        reinterpret_cast<std::uint32_t*>(out.build.get()), rows};
  if (rows > 0) PRESSO_TRY(kernels.write(plan, d_temporary, pairs, scratch.stream()));
  return scratch.finish();
}

/// The whole join of a request: check, prepare columns, plan, join.
Result<PairMemory> join(JoinWorkplace& place, const JoinRequest& request, Stream stream) {
  PRESSO_TRY(check_request(request));
  const DeviceStep step(place.device(), "join of columns");
  PairMemory out;
  JoinScratch scratch(place, stream);
  PRESSO_TRY(scratch.begin());
  PRESSO_ASSIGN(const JoinInput input, KeyColumns(request, scratch).input());
  PRESSO_ASSIGN(const JoinPlan plan, JoinPlan::make(input));
  PRESSO_TRY(join_into(out, plan, scratch));
  return out;
}

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

DeviceJoinAlgorithm DeviceJoin::strategy() const {
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
    PRESSO_ASSIGN(PairMemory pairs, gpu::join(*place_, request, stream));
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

DeviceJoinAlgorithm JoinedPairs::strategy() const {
  return body_->pairs.strategy;
}

std::uint64_t JoinedPairs::device_bytes() const {
  return body_->pairs.probe.bytes() + body_->pairs.build.bytes();
}

}  // namespace presso::gpu
