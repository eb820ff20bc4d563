// SPDX-License-Identifier: MIT
// FileScanner: chooses between GPU and CPU for each file, and lets the CPU take over if the GPU
// cannot finish.
#include <utility>

#include "decompress/gpu/pipeline/engine.h"
#include "presso/scan_gpu.h"
#include "scan/gpu/file/file_scan.h"
#include "scan/pattern/pattern_access.h"

namespace presso::gpu {
namespace {

/// Counts the lines and the damage that the GPU's pass over a file has reported. If the GPU fails,
/// the CPU takes over only if that is nothing (scan_file()). If the scan gives up, the CPU's pass
/// leaves out as many lines and as much damage as were reported, so that the caller is told nothing
/// twice: both passes report the same in the same order. Keeps its arguments by reference; used by
/// one thread.
class Repeated {
 public:
  Repeated(const ScanOptions& options, const LineCallback& on_line)
      : options_(options), on_line_(on_line) {}

  /// Counts lines on their way to the caller, in the pass on the GPU.
  LineCallback counting_lines() {
    if (!on_line_) return {};
    return [this](const MatchedLine& line) {
      ++lines_;
      return on_line_(line);
    };
  }
  /// Counts damage on its way to the caller.
  ScanOptions counting_damage() {
    ScanOptions options = options_;
    if (options_.on_damage) {
      options.on_damage = [this](const DamagedBlock& damage) {
        ++damages_;
        options_.on_damage(damage);
      };
    }
    return options;
  }

  /// Passes over as many lines as were reported before, in the pass on the CPU.
  LineCallback later_lines() {
    if (!on_line_) return {};
    return [this](const MatchedLine& line) {
      if (lines_ == 0) return on_line_(line);
      --lines_;
      return true;
    };
  }
  bool has_reported() const { return lines_ > 0 || damages_ > 0; }

  /// Passes over as much damage as was reported before.
  ScanOptions later_damage() {
    ScanOptions options = options_;
    if (options_.on_damage) {
      options.on_damage = [this](const DamagedBlock& damage) {
        if (damages_ == 0) return options_.on_damage(damage);
        --damages_;
      };
    }
    return options;
  }

 private:
  const ScanOptions& options_;
  const LineCallback& on_line_;
  std::uint64_t lines_ = 0;
  std::uint64_t damages_ = 0;
};

}  // namespace

// The scanner's state, of which the engine's tables are placed once, with the first file. An engine
// that cannot search the pattern is kept as its error: then the CPU searches every file.
struct FileScanner::State {
  State(Decompressor& to_use, Pattern to_find, std::shared_ptr<BatchKernels> to_run,
        TextEngine wanted)
      : decompressor(to_use),
        pattern(std::move(to_find)),
        kernels(std::move(to_run)),
        engine(choose_engine(scan_detail::matcher_of(pattern), wanted)) {}

  /// Translates the options to what kernels are asked for: only a count if nothing more is wanted,
  /// lines where the CPU has to look at them.
  BatchSearch plan_of(const ScanOptions& options, bool has_callback) const;
  Status place_table();
  /// One file by the GPU. Sets `gave_up` where the file is for the CPU; the summary is void then.
  Result<ScanSummary> scan_on_gpu(ScannedFile& file, std::optional<Bytes> memory,
                                  const ScanOptions& options, const LineCallback& on_line);

  Decompressor& decompressor;
  Pattern pattern;
  std::shared_ptr<BatchKernels> kernels;
  Result<EngineTable> engine;
  DeviceMemory d_image;
  std::deque<ExcerptMaker> makers;
  std::optional<std::string> why_cpu = "no file was searched";
  bool gave_up = false;
};

BatchSearch FileScanner::State::plan_of(const ScanOptions& options, bool has_callback) const {
  const scan_detail::LineScanOptions lines = scan_detail::line_scan_options(options, has_callback);
  BatchSearch plan;
  plan.engine = engine->placed(d_image.get());
  plan.wants.lines = lines.record || lines.matches || !engine->exact;
  plan.wants.numbers = lines.line_numbers || options.invert;
  plan.invert = options.invert;
  plan.probe_bytes = options.binary != BinaryRule::kText ? scan_detail::kBinaryProbeBytes : 0;
  return plan;
}

/// Copies the engine's tables to device memory, on the first call. Errors: those of the device.
Status FileScanner::State::place_table() {
  const std::vector<Byte>& tables = engine->image;
  if (d_image.get() != nullptr || tables.empty()) return {};
  Memory& memory = decompressor.engine_->memory();
  PRESSO_ASSIGN(const OwnedStream stream, make_stream(memory.device()));
  PRESSO_ASSIGN(DeviceMemory image, memory.allocate(tables.size()));
  PRESSO_TRY(memory.device().copy_in(image.get(), tables.data(), tables.size(), stream.get()));
  PRESSO_TRY(memory.device().wait(stream.get()));
  d_image = std::move(image);
  return {};
}

/// Decodes and searches the file. An error of a block is returned after what was found before it;
/// an error of the device is left to the caller, who may fall back.
Result<ScanSummary> FileScanner::State::scan_on_gpu(ScannedFile& file, std::optional<Bytes> memory,
                                                    const ScanOptions& options,
                                                    const LineCallback& on_line) {
  if (options.is_cancelled()) return make_error(ErrorCode::kCancelled);
  PRESSO_TRY(place_table());
  const BatchSearch plan = plan_of(options, static_cast<bool>(on_line));
  FileScan scan(scan_detail::matcher_of(pattern), options, on_line, plan, {*kernels, makers});
  DecodeJob job;
  job.memory = memory;
  if (!memory) job.file = &file.file();
  job.on_device = &scan;
  job.options.threads = options.threads;
  job.options.decode = options.decode;
  job.options.salvage = !options.fail_fast;
  const Result<DecompressSummary> decoded = decompressor.run(job, file.take_index());
  gave_up = scan.gave_up();
  if (gave_up) return ScanSummary();
  if (options.is_cancelled()) return make_error(ErrorCode::kCancelled);
  const ErrorCode code = decoded.ok() ? ErrorCode::kOk : decoded.error().code;
  // Else also on an error: what the file holds before it is reported.
  if (!is_of_the_device(code)) PRESSO_TRY(scan.finish());
  if (code != ErrorCode::kOk && !scan.has_enough()) return decoded.error();
  return scan.summary();
}

FileScanner::FileScanner(Decompressor& decompressor, Pattern pattern,
                         std::shared_ptr<BatchKernels> kernels, TextEngine engine)
    : state_(
          std::make_unique<State>(decompressor, std::move(pattern), std::move(kernels), engine)) {}
FileScanner::FileScanner(FileScanner&&) noexcept = default;
FileScanner& FileScanner::operator=(FileScanner&&) noexcept = default;
FileScanner::~FileScanner() = default;

/// Why the CPU has to search the file with these options, or nothing.
std::optional<std::string> FileScanner::why_not(const ScanOptions& options,
                                                bool has_callback) const {
  if (!state_->engine.ok()) return state_->engine.error().what;
  if (options.invert && !state_->engine->exact) return "lines that do not match are asked for";
  return what_is_for_cpu(options, has_callback);
}

Result<ScanSummary> FileScanner::scan(ScannedFile& file, const ScanOptions& options,
                                      const LineCallback& on_line) {
  return scan_file(file, std::nullopt, options, on_line);
}

Result<ScanSummary> FileScanner::scan(const RandomAccess& file, const ScanOptions& options,
                                      const LineCallback& on_line) {
  PRESSO_ASSIGN(ScannedFile opened, ScannedFile::open(file));
  return scan_file(opened, std::nullopt, options, on_line);
}

Result<ScanSummary> FileScanner::scan(Bytes memory, const ScanOptions& options,
                                      const LineCallback& on_line) {
  const MemoryRandomAccess file(memory);
  PRESSO_ASSIGN(ScannedFile opened, ScannedFile::open(file));
  return scan_file(opened, memory, options, on_line);
}

/// Chooses between GPU and CPU for one file and falls back where that is allowed. `why_cpu` says
/// afterwards why the CPU has searched it, or nothing.
Result<ScanSummary> FileScanner::scan_file(ScannedFile& file, std::optional<Bytes> memory,
                                           const ScanOptions& options,
                                           const LineCallback& on_line) {
  std::optional<std::string>& why_cpu = state_->why_cpu;
  why_cpu = "it is not a presso file";
  if (file.is_compressed()) why_cpu = why_not(options, static_cast<bool>(on_line));
  if (why_cpu) return presso::scan(file, state_->pattern, options, on_line);
  Repeated repeated(options, on_line);
  Result<ScanSummary> summary =
      state_->scan_on_gpu(file, memory, repeated.counting_damage(), repeated.counting_lines());
  const bool failed = !summary.ok() && is_of_the_device(summary.error().code);
  if (failed) why_cpu = "the GPU has failed";
  if (state_->gave_up) why_cpu = "the text holds bytes that the GPU leaves to it";
  const GpuOptions& gpu = state_->decompressor.engine_->options();
  const bool falls_back = failed && !repeated.has_reported() && gpu.cpu_fallback;
  if (falls_back && gpu.on_fallback) gpu.on_fallback(summary.error());
  if (!state_->gave_up && !falls_back) return summary;
  return presso::scan(file, state_->pattern, repeated.later_damage(), repeated.later_lines());
}

std::optional<std::string> FileScanner::why_cpu() const {
  return state_->why_cpu;
}

bool FileScanner::used_gpu() const {
  return !state_->why_cpu;
}

std::string FileScanner::describe() const {
  return state_->engine.ok() ? state_->engine->describe() : state_->engine.error().what;
}

}  // namespace presso::gpu
