// SPDX-License-Identifier: MIT
// Decompressor and decompress_host(), over any Device: engine.h has the memory, runner.h the stages
// of a run. A CUDA device is opened in cuda_decoder.cpp.
#include "decompress/gpu/pipeline/cpu_decoder.h"
#include "decompress/gpu/pipeline/engine.h"
#include "decompress/gpu/pipeline/runner.h"

namespace presso::gpu {
namespace {

/// What the index tells about the job's work. A damaged file has no index, and is decoded in slots
/// of the usual size.
WorkHint hint_of(const DecodeJob& job, const std::optional<ArchiveIndex>& index,
                 std::uint64_t stored_bytes, Device& device) {
  WorkHint hint;
  const bool direct =
      job.into && !job.options.salvage && device.is_pinned(job.into->data(), job.into->size());
  hint.keeps_output = job.sink != nullptr || (job.into && !direct);
  if (!index || index->plain_bytes() == 0) return hint;
  hint.plain_bytes = index->plain_bytes();
  hint.stored_bytes = stored_bytes;
  if (job.range && job.range->begin < job.range->end) {
    const double share = static_cast<double>(job.range->end - job.range->begin) /
                         static_cast<double>(hint.plain_bytes);
    hint.plain_bytes = job.range->end - job.range->begin;
    hint.stored_bytes = static_cast<std::uint64_t>(static_cast<double>(hint.stored_bytes) * share);
  }
  return hint;
}

}  // namespace

Decompressor::Decompressor(std::shared_ptr<BatchEngine> engine) : engine_(std::move(engine)) {}
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;
Decompressor::~Decompressor() = default;

// For any Device: tests pass an emulated one.
Result<Decompressor> Decompressor::over(DecodingDevice device, const GpuOptions& options) {
  return without_bad_alloc([&]() -> Result<Decompressor> {
    PRESSO_ASSIGN(std::shared_ptr<BatchEngine> engine,
                  BatchEngine::make(std::move(device), options));
    return Decompressor(std::move(engine));
  });
}

// Many jobs: slots are made for the hint, which speaks of all jobs together, before any job is
// seen.
Status Decompressor::run(const std::function<std::optional<DecodeJob>()>& next,
                         const WorkHint& hint) {
  const auto next_request = [&next]() -> std::optional<JobRequest> {
    std::optional<DecodeJob> job = next();
    if (!job) return std::nullopt;
    return JobRequest{std::move(*job)};
  };
  return without_bad_alloc([&]() -> Status {
    PRESSO_TRY(engine_->prepare({.hint = hint}));
    return Runner(*engine_, next_request, hint.plain_bytes).run();
  });
}

// A single job: the index gives the hint. Where not even the smallest slots can be made, the
// CPU decodes the whole job if options and job allow it.
Result<DecompressSummary> Decompressor::run(const DecodeJob& job,
                                            std::optional<ArchiveIndex> index) {
  return without_bad_alloc([&]() -> Result<DecompressSummary> {
    const MemoryRandomAccess memory(job.memory.value_or(Bytes()));
    const RandomAccess& file = job.file != nullptr ? *job.file : memory;
    JobRequest request{job};
    request.index = std::move(index);
    const bool has_file = job.file != nullptr || job.memory;
    if (has_file && !request.index) request.index = index_of(file);
    const WorkHint hint = hint_of(job, request.index, file.size(), engine_->device());
    Status prepared = engine_->prepare({hint, false, job.on_device != nullptr});
    if (prepared.ok()) return run_prepared(std::move(request), *engine_, hint.plain_bytes);
    const GpuOptions& options = engine_->options();
    const bool falls_back = options.cpu_fallback && can_decode_on_cpu(job) &&
                            prepared.error().code != ErrorCode::kInvalidArgument;
    if (!falls_back) return std::move(prepared.error());
    if (options.on_fallback) options.on_fallback(prepared.error());
    return decode_on_cpu(job);
  });
}

Result<DecompressSummary> run_one(JobRequest request, BatchEngine& engine, const WorkHint& hint) {
  const bool into_device = request.d_into.has_value();
  const std::uint64_t expected = into_device ? request.d_into->size() : hint.plain_bytes;
  PRESSO_TRY(engine.prepare({hint, into_device, request.job.on_device != nullptr}));
  return run_prepared(std::move(request), engine, expected);
}

// `next` gives the job once. Should the run end before the job does, the result is kCancelled.
Result<DecompressSummary> run_prepared(JobRequest request, BatchEngine& engine,
                                       std::uint64_t expected) {
  Result<DecompressSummary> result = make_error(ErrorCode::kCancelled);
  request.job.finished = [&result](Result<DecompressSummary> summary) {
    result = std::move(summary);
  };
  std::optional<JobRequest> only = std::move(request);
  const Runner::Next next = [&only] { return std::exchange(only, std::nullopt); };
  PRESSO_TRY(Runner(engine, next, expected).run());
  return result;
}

Result<std::uint64_t> decompress_host(Decompressor& decompressor, Bytes compressed,
                                      MutableBytes into, bool verify) {
  DecodeJob job;
  job.memory = compressed;
  job.into = into;
  job.options.decode.verify = verify;
  PRESSO_ASSIGN(const DecompressSummary summary, decompressor.run(job));
  return summary.plain_bytes;
}

}  // namespace presso::gpu
