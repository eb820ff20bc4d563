// SPDX-License-Identifier: MIT
// With --device=auto a file goes to the GPU only if its index is sound, because without one its
// plain size is unknown, and what a GPU could gain on a damaged file is not worth reading it twice.
// A table is decoded by the CPU alone. A GPU that fails is given up for all later files. Tested by
// tests/cli/test_device.py.
#include "tools/decompress/file_decoder.h"

#include <algorithm>

#include "format/damaged_magic.h"
#include "presso/stopwatch.h"
#include "presso/table.h"
#include "presso/wire.h"
#include "tools/cli/message.h"
#include "tools/io/file_sink.h"
#include "tools/io/presso_check.h"

namespace presso::cli {
namespace {

/// Whether the file begins with a block that a GPU leaves to the CPU; usually all its blocks are
/// alike. Sub-blocks (--sub-block) are an experiment that no kernel decodes.
bool is_for_cpu(const ArchiveIndex& index) {
  if (index.block_count() == 0) return false;
  const auto header = index.read_block_header(0);
  return header.ok() && header->has_sub_blocks();
}

}  // namespace

/// `flags` decides between CPU and GPU; with auto the choice is made for each file.
FileDecoder::FileDecoder(const DeviceFlags& flags, unsigned threads)
    : threads_(threads), selector_(flags, threads, DeviceSelector::Task::kDecode, verbose) {}

/// Starts the GPU where it was asked for by name. Error: why it cannot be used.
Status FileDecoder::start() {
  return selector_.is_gpu() ? open() : Status();
}

/// Errors: those of open_gpu().
Status FileDecoder::open() {
  PRESSO_ASSIGN(gpu_, open_gpu(selector_.gpu_options()));
  selector_.gpu_opened();
  return {};
}

/// The sizes of a file for the choice of --device=auto. `plain_bytes` stays 0 if the CPU gets the
/// file anyway.
FileDecoder::Job FileDecoder::job_of(const RandomAccess& file, const InputFile& input,
                                     bool keeps_output) {
  Job job{{input.size(), 0, keeps_output}};
  const bool looks = selector_.is_auto() && input.is_regular() && !input.is_standard_input() &&
                     selector_.may_take_gpu(input.size(), keeps_output);
  // Reading an index pays only if the GPU might be faster whatever is in the file.
  if (!looks) return job;
  Result<ArchiveIndex> index = ArchiveIndex::open(file);
  if (!index.ok() || index->rebuilt() || is_for_cpu(*index)) return job;
  job.work.plain_bytes = index->plain_bytes();
  job.index = std::move(*index);
  return job;
}

/// Whether the file goes to the GPU, which is opened for the first such file.
bool FileDecoder::takes_gpu(const std::string& name, const DecodeWork& work) {
  if (!selector_.is_auto()) return selector_.is_gpu();
  if (!selector_.takes_gpu(work)) return false;
  if (gpu_) return true;
  const Status opened = open();
  if (!opened.ok()) selector_.leave_gpu(name, opened.error());
  return opened.ok();
}

/// Runs a job and, if it stayed on the GPU, remembers its rate for later choices.
Result<DecompressSummary> FileDecoder::run_on_gpu(const gpu::DecodeJob& job, Job about) {
  const Stopwatch time;
  Result<DecompressSummary> done = gpu_->run(job, std::move(about.index));
  // The library may have gone on with the CPU, in which case the time says nothing of the GPU.
  on_gpu_ = !selector_.has_left_gpu();
  if (done.ok() && on_gpu_) {
    about.work.plain_bytes = done->plain_bytes;
    selector_.measured_gpu(about.work, time.seconds());
  }
  return done;
}

/// Decodes a whole file to `sink`, or nowhere to test it. A table is told by its first bytes and
/// decoded by the CPU. What the CPU's decoding has taken is kept as a measurement.
Result<DecompressSummary> FileDecoder::decode(const std::string& name, const InputFile& input,
                                              ByteSink* sink, const DecompressOptions& options) {
  on_gpu_ = false;
  const FdRandomAccess file(input.fd(), input.size());
  // Standard input begins where other programs stopped reading it.
  const bool at_once = input.is_regular() && !input.is_standard_input();
  FdSource rest(input.fd());
  Byte begun[kMagicEvidenceBytes];
  PRESSO_ASSIGN(const std::size_t got, read_fully(rest, begun));
  PRESSO_TRY(check_is_presso(Bytes(begun, got), at_once ? &file : nullptr, name, options.salvage));
  const bool has_magic = got >= sizeof kFileMagic && has_file_magic(begun);
  if (!has_magic && got == sizeof begun) {
    // Salvage, which has let this pass: the magic number is put right, and the rest decoded.
    std::copy_n(kFileMagic, sizeof kFileMagic, begun);
    return decode_repaired(begun, rest, sink, options);
  }
  // The first bytes have been read and are put back, since the input may be a pipe.
  PrefixedSource source(Bytes(begun, got), rest);
  NullSink nowhere;
  if (begins_table(Bytes(begun, got))) {
    return decompress_table(source, sink != nullptr ? *sink : nowhere, options);
  }
  Job about = job_of(file, input, sink != nullptr);
  if (takes_gpu(name, about.work)) {
    gpu::DecodeJob job;
    if (at_once) job.file = &file;
    if (!at_once) job.stream = &source;
    job.sink = sink;
    job.options = options;
    return run_on_gpu(job, std::move(about));
  }
  // The CPU's time is measured as well, so that a later choice compares two rates of this machine.
  const Stopwatch time;
  Result<DecompressSummary> done =
      decompress_stream(source, sink != nullptr ? *sink : nowhere, options);
  if (done.ok()) {
    about.work.plain_bytes = done->plain_bytes;
    selector_.measured_cpu(about.work, time.seconds());
  }
  return done;
}

/// Decodes a file whose magic number was damaged, by the CPU; the damage is reported and counted.
Result<DecompressSummary> FileDecoder::decode_repaired(Bytes begun, ByteSource& rest,
                                                       ByteSink* sink,
                                                       const DecompressOptions& options) {
  DecodedBlock damage;
  damage.status = make_error(ErrorCode::kNotPresso);
  if (options.on_damage) options.on_damage(damage);
  PrefixedSource source(begun, rest);
  NullSink nowhere;
  ByteSink& into = sink != nullptr ? *sink : nowhere;
  Result<DecompressSummary> done = begins_table(begun) ? decompress_table(source, into, options)
                                                       : decompress_stream(source, into, options);
  if (done.ok()) ++done->damaged_blocks;
  return done;
}

/// Decodes the plain bytes of the span. The stored bytes that this reads are estimated, for the
/// choice of device, by the span's share of the file. Returns how many bytes were written.
Result<std::uint64_t> FileDecoder::decode_span(const std::string& name, const RandomAccess& file,
                                               CompressedFile archive, PlainSpan span,
                                               const DecodeOptions& options, ByteSink& sink) {
  on_gpu_ = false;
  const auto share = static_cast<double>(span.end - span.begin) /
                     static_cast<double>(std::max<std::uint64_t>(archive.plain_bytes(), 1));
  const auto stored = static_cast<std::uint64_t>(static_cast<double>(file.size()) * share);
  // The first block of the file stands for those of the part, although they may differ.
  const bool left_to_cpu = selector_.is_auto() && is_for_cpu(archive.index());
  Job about{{stored, left_to_cpu ? 0 : span.end - span.begin, true}};
  if (!takes_gpu(name, about.work)) {
    PRESSO_TRY(decompress_range(archive, span.begin, span.end, threads_, sink));
    return span.end - span.begin;
  }
  gpu::DecodeJob job;
  job.file = &file;
  job.range = gpu::PlainRange{span.begin, span.end};
  job.sink = &sink;
  job.options.decode = options;
  job.options.threads = threads_;
  // The decoder takes the index over, so that it is not read a second time.
  about.index = std::move(archive).take_index();
  PRESSO_ASSIGN(const DecompressSummary done, run_on_gpu(job, std::move(about)));
  return done.plain_bytes;
}

}  // namespace presso::cli
