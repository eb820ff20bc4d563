// SPDX-License-Identifier: MIT
// Decompressor and decompress_host, but for the opening of a CUDA device (open_device.cpp).
#include "decompress/gpu/pipeline/engine.h"
#include "decompress/gpu/pipeline/runner.h"

namespace presso::gpu {
namespace {

/// As far as an index tells.
WorkHint hint_of(const DecodeJob& job) {
  WorkHint hint;
  hint.keeps_output = job.sink != nullptr || job.into.has_value();
  if (job.stream != nullptr) return hint;
  const MemoryRandomAccess memory(job.memory.value_or(Bytes()));
  const RandomAccess& file = job.file != nullptr ? *job.file : memory;
  const auto index = ArchiveIndex::open(file);
  if (!index.ok() || index->plain_bytes() == 0) return hint;
  hint.plain_bytes = index->plain_bytes();
  hint.stored_bytes = file.size();
  if (job.range && job.range->begin < job.range->end) {
    const double share = static_cast<double>(job.range->end - job.range->begin) /
                         static_cast<double>(hint.plain_bytes);
    hint.plain_bytes = job.range->end - job.range->begin;
    hint.stored_bytes = static_cast<std::uint64_t>(static_cast<double>(hint.stored_bytes) * share);
  }
  return hint;
}

}  // namespace

struct Decompressor::State {
  std::unique_ptr<Engine> engine;
};

Decompressor::Decompressor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;
Decompressor::~Decompressor() = default;

Result<Decompressor> Decompressor::over(std::unique_ptr<Device> device, const GpuOptions& options) {
  return without_bad_alloc([&]() -> Result<Decompressor> {
    PRESSO_ASSIGN(std::unique_ptr<Engine> engine, Engine::make(std::move(device), options));
    return Decompressor(std::make_unique<State>(State{std::move(engine)}));
  });
}

Status Decompressor::run(const std::function<std::optional<DecodeJob>()>& next,
                         const WorkHint& hint) {
  return without_bad_alloc([&]() -> Status {
    PRESSO_TRY(state_->engine->prepare(hint));
    return Runner(*state_->engine, next).run();
  });
}

Result<DecompressSummary> Decompressor::run(const DecodeJob& job) {
  Result<DecompressSummary> result = make_error(ErrorCode::kCancelled);
  std::optional<DecodeJob> only = job;
  only->finished = [&result](Result<DecompressSummary> summary) { result = std::move(summary); };
  const auto next = [&only] { return std::exchange(only, std::nullopt); };
  PRESSO_TRY(run(next, hint_of(job)));
  return result;
}

}  // namespace presso::gpu
