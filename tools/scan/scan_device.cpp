// SPDX-License-Identifier: MIT
// The choice for a file is made from its size and index alone; a pattern that the GPU cannot take
// goes to the CPU for each file. The GPU is opened at most once, at the first file that is worth
// it. Tested by tests/cli/test_scan_device.py.
#include "tools/scan/scan_device.h"

#include <chrono>

#include "tools/cli/message.h"

namespace presso::cli {
namespace {

constexpr const char* kNoGpu = "there is no GPU to use";

}  // namespace

/// References are kept; the selector decides for each file where the device is auto.
ScanDevice::ScanDevice(const ScanSettings& settings, const Pattern& pattern)
    : settings_(settings),
      pattern_(pattern),
      selector_(settings.device, settings.threads, DeviceSelector::Task::kSearch,
                [&settings](const std::string& name, const std::string& text) {
                  if (settings.explain) inform(name, text);
                }) {}

/// Starts the GPU if it was asked for by name. Error: why it cannot be used.
Status ScanDevice::start() {
  return selector_.is_gpu() ? open() : Status();
}

/// Opens the first GPU and compiles the pattern for it. Errors: no GPU, or a pattern it cannot
/// take.
Status ScanDevice::open() {
  PRESSO_ASSIGN(gpu_, open_gpu_search(selector_.gpu_options(), pattern_));
  selector_.gpu_opened();
  return {};
}

/// Why the CPU gets a file that it searches in less time. Only --explain asks CUDA whether there is
/// a GPU at all, because starting CUDA takes a tenth of a second.
std::string ScanDevice::why_cpu_is_faster() {
  if (settings_.explain && !has_gpu_) has_gpu_ = !selector_.no_gpu() && gpu_devices().ok();
  return has_gpu_.value_or(true) ? "the GPU is predicted to be slower" : kNoGpu;
}

/// With --device=auto, why the CPU is predicted to be faster for a file; nullopt if it is not.
std::optional<std::string> ScanDevice::slower_on_gpu(ScannedFile& file,
                                                     const ScanOptions& options) {
  if (!selector_.may_take_gpu(file.file().size(), false)) return why_cpu_is_faster();
  const ArchiveIndex* const index = file.index();
  if (index == nullptr) return "the file's index is damaged";
  // The index tells how much plain text there is, which decides the time on either device.
  work_ = {file.file().size(), index->plain_bytes(), false};
  if (!selector_.takes_gpu(work_)) return why_cpu_is_faster();
  if (file.filters(pattern_, options) != nullptr) return "the search index leaves blocks out";
  return std::nullopt;
}

/// Why a file goes to the CPU, as far as that is known before the GPU is asked. nullopt: nothing
/// speaks against the GPU, and it is open. `file` is nullptr unless it can be read at any place.
std::optional<std::string> ScanDevice::reason_for_cpu(const std::string& name, ScannedFile* file,
                                                      const ScanOptions& options,
                                                      bool has_callback) {
  // The reasons are tried from the cheapest to find out to the most expensive: flags, the kind of
  // file, the options, the prediction, and last the start of the GPU.
  if (selector_.is_cpu()) return "--device=cpu";
  if (file == nullptr || !file->is_compressed()) {
    return "it is not a presso file that can be read anywhere";
  }
  if (selector_.is_gpu()) return std::nullopt;
  if (selector_.has_left_gpu()) return "the GPU has failed";
  // Starting a GPU to learn this from it would take too long.
  if (auto reason = gpu::what_is_for_cpu(options, has_callback)) return reason;
  if (settings_.line_end == ScanSettings::LineEnd::kNul) return "lines end at NUL bytes";
  if (pattern_.spans_lines()) return "matches may span lines";
  if (auto reason = slower_on_gpu(*file, options)) return reason;
  const Status opened = gpu_ ? Status() : open();
  if (opened.ok()) return std::nullopt;
  selector_.leave_gpu(name, opened.error());
  return kNoGpu;
}

/// Searches on the GPU; the rate is remembered if the GPU has searched all of the file. A search
/// that stopped early or went on with the CPU would give a wrong rate.
Result<ScanSummary> ScanDevice::scan_on_gpu(ScannedFile& file, const ScanOptions& options,
                                            const LineCallback& on_line) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Result<ScanSummary> done = gpu_->scan(file, options, on_line);
  const std::chrono::duration<double> passed = Clock::now() - start;
  const bool all = done.ok() && done->plain_bytes == work_.plain_bytes;
  const bool by_gpu = !gpu_->why_cpu() && !selector_.has_left_gpu();
  if (all && by_gpu) selector_.measured_gpu(work_, passed.count());
  return done;
}

/// With --device=gpu, tells why the CPU searches a file, once for each reason. --device=auto does
/// not promise a GPU, so nothing is said then.
void ScanDevice::tell(const std::string& name, const std::string& why_cpu) {
  if (!selector_.is_gpu() || why_cpu == said_) return;
  said_ = why_cpu;
  warning(name, "searched on the CPU: " + why_cpu);
}

/// Searches one file where it is best done, and keeps for --explain where and why.
Result<ScanSummary> ScanDevice::scan(const std::string& name, ScanInput& input,
                                     const ScanOptions& options, const LineCallback& on_line) {
  work_ = {};
  ScannedFile* const file = input.scanned_file();
  auto why_cpu = reason_for_cpu(name, file, options, static_cast<bool>(on_line));
  if (input.is_recoded() && !selector_.is_cpu()) why_cpu = "its text is converted to UTF-8";
  if (why_cpu) {
    where_ = "on the CPU: " + *why_cpu;
    tell(name, *why_cpu);
    return input.scan(pattern_, options, on_line);
  }
  // The library falls back to the CPU by itself if the GPU fails in the middle; why_cpu() tells.
  Result<ScanSummary> done = scan_on_gpu(*file, options, on_line);
  why_cpu = gpu_->why_cpu();
  where_ = why_cpu ? "on the CPU: " + *why_cpu : "on the GPU: " + gpu_->describe();
  if (why_cpu && done.ok()) tell(name, *why_cpu);
  return done;
}

}  // namespace presso::cli
