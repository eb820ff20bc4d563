// SPDX-License-Identifier: MIT
#include "tools/scan/scan_device.h"

#include <algorithm>
#include <chrono>

#include "presso/ordered_pipeline.h"
#include "tools/cli/message.h"

namespace presso::cli {
namespace {

constexpr const char* kNoGpu = "there is no GPU to use";

/// Plain bytes a second: one thread of a Xeon searches 2.5 GB/s of text in blocks that it decodes,
/// four 9, sixteen 25, in logs 40.
double cpu_rate(const ScanSettings& settings) {
  return std::min(2.5e9 * threads_or_all(settings.threads), 30e9);
}

GpuCosts costs_of_scan() {
  GpuCosts costs = gpu_costs();
  costs.start_seconds = costs.scan_start_seconds;
  return costs;
}

}  // namespace

ScanDevice::ScanDevice(const ScanSettings& settings, const Pattern& pattern)
    : settings_(settings),
      pattern_(pattern),
      choice_(costs_of_scan(), threads_or_all(settings.threads), cpu_rate(settings)) {}

Status ScanDevice::start() {
  return settings_.device.device == Device::kGpu ? open() : Status();
}

Status ScanDevice::open() {
  gpu::GpuOptions options;
  options.strategy = settings_.device.strategy;
  options.max_device_bytes = settings_.device.max_device_bytes;
  options.max_pinned_bytes = settings_.device.max_pinned_bytes;
  options.cpu_fallback = settings_.device.device == Device::kAuto;
  options.on_fallback = [this](const Error& error) { leave_gpu("", error); };
  PRESSO_ASSIGN(gpu_, open_gpu_search(options, pattern_));
  choice_.gpu_started();
  return {};
}

void ScanDevice::leave_gpu(const std::string& name, const Error& error) {
  if (gpu_failed_.exchange(true)) return;
  if (settings_.explain) inform(name, "the GPU is not used any more: " + error.message());
}

/// Why the CPU gets a file that it searches in less time. Only --explain asks whether there is a
/// GPU at all, as starting CUDA takes a tenth of a second.
std::string ScanDevice::why_cpu_is_faster() {
  if (settings_.explain && !has_gpu_) {
    const auto devices = gpu_devices();
    has_gpu_ = devices.ok() && !devices->empty();
  }
  return has_gpu_.value_or(true) ? "the GPU is predicted to be slower" : kNoGpu;
}

/// With --device=auto. By the time that the GPU and the CPU are predicted to take.
std::optional<std::string> ScanDevice::slower_on_gpu(const ScanInput& input,
                                                     const ScanOptions& options) {
  const RandomAccess& file = *input.compressed_file();
  work_ = {file.size(), 0, false};
  if (!choice_.gpu_may_be_faster(file.size(), false)) return why_cpu_is_faster();
  const auto index = ArchiveIndex::open(file);
  if (!index.ok() || index->rebuilt()) return "the file's index is damaged";
  work_.plain_bytes = index->plain_bytes();
  if (!choice_.gpu_is_faster(work_)) return why_cpu_is_faster();
  if (can_skip_blocks(file, pattern_, options)) return "the search index leaves blocks out";
  return std::nullopt;
}

/// nullopt: it is the GPU's.
std::optional<std::string> ScanDevice::reason_for_cpu(const std::string& name,
                                                      const ScanInput& input,
                                                      const ScanOptions& options,
                                                      bool has_callback) {
  if (settings_.device.device == Device::kCpu) return "--device=cpu";
  if (input.compressed_file() == nullptr) return "it is no presso file that can be read anywhere";
  if (auto reason = gpu::what_is_for_cpu(options, has_callback)) return reason;
  if (settings_.device.device == Device::kAuto) {
    if (gpu_failed_) return "the GPU has failed";
    if (auto reason = slower_on_gpu(input, options)) return reason;
    const Status opened = gpu_ ? Status() : open();
    if (!opened.ok()) {
      leave_gpu(name, opened.error());
      return kNoGpu;
    }
  }
  return gpu_->why_not(options, has_callback);
}

/// nullopt: it is left to the CPU, and nothing was reported.
std::optional<Result<ScanSummary>> ScanDevice::try_gpu(const std::string& name,
                                                       const ScanInput& input,
                                                       const ScanOptions& options,
                                                       const LineCallback& on_line) {
  if (const auto reason = reason_for_cpu(name, input, options, static_cast<bool>(on_line))) {
    where_ = "on the CPU: " + *reason;
    if (settings_.device.device == Device::kGpu && *reason != said_) {
      said_ = *reason;
      warning(name, "searched " + where_);
    }
    return std::nullopt;
  }
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Result<ScanSummary> done = gpu_->scan(*input.compressed_file(), options, on_line);
  const std::chrono::duration<double> passed = Clock::now() - start;
  where_ = gpu_->used_gpu() ? "on the GPU: " + gpu_->description
           : gpu_failed_    ? "on the CPU: the GPU has failed"
                            : "on the CPU: the text holds bytes that the GPU leaves to it";
  const bool all = done.ok() && done->plain_bytes == work_.plain_bytes;
  if (all && !gpu_failed_ && gpu_->used_gpu()) choice_.measured_gpu(work_, passed.count());
  return done;
}

Result<ScanSummary> ScanDevice::scan(const std::string& name, ScanInput& input,
                                     const ScanOptions& options, const LineCallback& on_line) {
  work_ = {};
  if (auto done = try_gpu(name, input, options, on_line)) return std::move(*done);
  return input.scan(pattern_, options, on_line);
}

}  // namespace presso::cli
