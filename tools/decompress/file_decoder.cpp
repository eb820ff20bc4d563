// SPDX-License-Identifier: MIT
// With --device=auto a file goes to the GPU only if its index is sound, since without one its
// size is unknown; what a GPU could gain on a damaged file is not worth the second reading.
#include "tools/decompress/file_decoder.h"

#include <algorithm>
#include <chrono>

#include "tools/cli/message.h"
#include "tools/io/file_sink.h"

namespace presso::cli {
namespace {

class Stopwatch {
 public:
  double seconds() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    return passed.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Whether the CPU may succeed where the GPU failed with this error.
bool is_of_the_device(ErrorCode code) {
  return code == ErrorCode::kNoDevice || code == ErrorCode::kDeviceMemory ||
         code == ErrorCode::kDeviceLost || code == ErrorCode::kOutOfMemory ||
         code == ErrorCode::kUnsupported;
}

/// Whether the file begins with a block that a GPU leaves to the CPU; mostly all its blocks are
/// alike.
bool is_for_cpu(const ArchiveIndex& index) {
  if (index.block_count() == 0) return false;
  const auto header = index.read_block_header(0);
  return header.ok() && header->has_sub_blocks();
}

}  // namespace

FileDecoder::FileDecoder(const DeviceFlags& flags, unsigned threads)
    : flags_(flags), threads_(threads), choice_(gpu_costs(), threads_or_all(threads)) {}

Status FileDecoder::start() {
  return flags_.device == Device::kGpu ? open() : Status();
}

Status FileDecoder::open() {
  gpu::GpuOptions options;
  options.strategy = flags_.strategy;
  options.max_device_bytes = flags_.max_device_bytes;
  options.max_pinned_bytes = flags_.max_pinned_bytes;
  options.cpu_fallback = flags_.device == Device::kAuto;
  options.on_fallback = [this](const Error& error) { leave_gpu("", error); };
  PRESSO_ASSIGN(gpu_, open_gpu(options));
  choice_.gpu_started();
  return {};
}

void FileDecoder::leave_gpu(const std::string& name, const Error& error) {
  if (gpu_failed_.exchange(true)) return;
  verbose(name, "the GPU is not used any more: " + error.message());
}

/// With --device=auto; `plain_bytes` is 0 if it is not known.
DecodeWork FileDecoder::work_of(const InputFile& input, bool keeps_output) const {
  DecodeWork work{input.size(), 0, keeps_output};
  const bool looks = flags_.device == Device::kAuto && !gpu_failed_ && input.is_regular() &&
                     !input.is_standard_input() &&
                     choice_.gpu_may_be_faster(input.size(), keeps_output);
  if (!looks) return work;
  const FdRandomAccess file(input.fd(), input.size());
  const auto index = ArchiveIndex::open(file);
  if (index.ok() && !index->rebuilt() && !is_for_cpu(*index)) {
    work.plain_bytes = index->plain_bytes();
  }
  return work;
}

bool FileDecoder::takes_gpu(const std::string& name, const DecodeWork& work) {
  if (flags_.device != Device::kAuto) return flags_.device == Device::kGpu;
  if (gpu_failed_ || work.plain_bytes == 0 || !choice_.gpu_is_faster(work)) return false;
  if (gpu_) return true;
  const Status opened = open();
  if (!opened.ok()) leave_gpu(name, opened.error());
  return opened.ok();
}

/// nullopt: the CPU is to decode it; nothing was written.
std::optional<Result<DecompressSummary>> FileDecoder::try_gpu(const std::string& name,
                                                              gpu::DecodeJob job,
                                                              const DecodeWork& work) {
  on_gpu_ = takes_gpu(name, work);
  if (!on_gpu_) return std::nullopt;
  bool begun = false;
  const auto progress = job.options.on_progress;
  job.options.on_progress = [&begun, progress](std::uint64_t compressed, std::uint64_t plain) {
    begun = true;
    return !progress || progress(compressed, plain);
  };
  const Stopwatch time;
  Result<DecompressSummary> done = gpu_(job);
  const bool leaves =
      flags_.device == Device::kAuto && !done.ok() && !begun && is_of_the_device(done.error().code);
  if (leaves) {
    leave_gpu(name, done.error());
    on_gpu_ = false;
    return std::nullopt;
  }
  if (done.ok() && !gpu_failed_) {
    choice_.measured_gpu({work.stored_bytes, done->plain_bytes, work.keeps_output}, time.seconds());
  }
  return done;
}

Result<DecompressSummary> FileDecoder::decode(const std::string& name, const InputFile& input,
                                              ByteSink* sink, const DecompressOptions& options) {
  const DecodeWork work = work_of(input, sink != nullptr);
  const FdRandomAccess file(input.fd(), input.size());
  FdSource source(input.fd());
  gpu::DecodeJob job;
  // Standard input begins where other programs stopped reading it.
  const bool at_once = input.is_regular() && !input.is_standard_input();
  if (at_once) job.file = &file;
  if (!at_once) job.stream = &source;
  job.sink = sink;
  job.options = options;
  if (auto done = try_gpu(name, job, work)) return std::move(*done);
  NullSink nowhere;
  const Stopwatch time;
  Result<DecompressSummary> done =
      decompress_stream(source, sink != nullptr ? *sink : nowhere, options);
  if (done.ok()) {
    choice_.measured_cpu({work.stored_bytes, done->plain_bytes, work.keeps_output}, time.seconds());
  }
  return done;
}

Result<std::uint64_t> FileDecoder::decode_span(const std::string& name, const RandomAccess& file,
                                               const CompressedFile& archive, PlainSpan span,
                                               const DecodeOptions& options, ByteSink& sink) {
  const auto share = static_cast<double>(span.end - span.begin) /
                     static_cast<double>(std::max<std::uint64_t>(archive.plain_bytes(), 1));
  const auto stored = static_cast<std::uint64_t>(static_cast<double>(file.size()) * share);
  gpu::DecodeJob job;
  job.file = &file;
  job.range = gpu::PlainRange{span.begin, span.end};
  job.sink = &sink;
  job.options.decode = options;
  job.options.threads = threads_;
  const bool left_to_cpu = flags_.device == Device::kAuto && is_for_cpu(archive.index());
  const std::uint64_t plain_bytes = left_to_cpu ? 0 : span.end - span.begin;
  if (auto done = try_gpu(name, job, {stored, plain_bytes, true})) {
    if (!done->ok()) return std::move(done->error());
    return (*done)->plain_bytes;
  }
  return write_span(archive, span, threads_, sink);
}

}  // namespace presso::cli
