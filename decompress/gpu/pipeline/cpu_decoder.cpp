// SPDX-License-Identifier: MIT
// Decodes a job as decompress.h does for files, memory and streams, into what the job names: a
// sink, memory, or nothing at all.
#include "decompress/gpu/pipeline/cpu_decoder.h"

#include <cstring>

namespace presso::gpu {
namespace {

/// Writes into the caller's memory from its beginning; kInvalidArgument past its end.
class MemorySink final : public ByteSink {
 public:
  explicit MemorySink(MutableBytes rest) : rest_(rest) {}
  Status write(Bytes bytes) override {
    if (bytes.size() > rest_.size()) {
      return make_error(ErrorCode::kInvalidArgument, "the memory to decode into is too small");
    }
    if (!bytes.empty()) std::memcpy(rest_.data(), bytes.data(), bytes.size());
    rest_ = rest_.subspan(bytes.size());
    return {};
  }

 private:
  MutableBytes rest_;
};

/// For jobs that only test a file.
class NoSink final : public ByteSink {
 public:
  Status write(Bytes) override { return {}; }
};

/// The summary tells of plain bytes alone: a range does not count blocks.
Result<DecompressSummary> decode_range(const DecodeJob& job, const RandomAccess& file,
                                       ByteSink& sink) {
  PRESSO_ASSIGN(const CompressedFile archive, CompressedFile::open(file, job.options.decode));
  PRESSO_TRY(
      decompress_range(archive, job.range->begin, job.range->end, job.options.threads, sink));
  DecompressSummary summary;
  summary.plain_bytes = job.range->end - job.range->begin;
  return summary;
}

}  // namespace

bool can_decode_on_cpu(const DecodeJob& job) {
  const int inputs = (job.file != nullptr) + job.memory.has_value() + (job.stream != nullptr);
  const bool ranges_make_sense = !job.range || (job.stream == nullptr && !job.options.salvage);
  return inputs == 1 && ranges_make_sense && job.on_device == nullptr;
}

Result<DecompressSummary> decode_on_cpu(const DecodeJob& job) {
  MemorySink memory_sink(job.into.value_or(MutableBytes()));
  NoSink no_sink;
  ByteSink* sink = &no_sink;
  if (job.into) sink = &memory_sink;
  if (job.sink != nullptr) sink = job.sink;
  if (job.stream != nullptr) return decompress_stream(*job.stream, *sink, job.options);
  const MemoryRandomAccess memory(job.memory.value_or(Bytes()));
  const RandomAccess& file = job.file != nullptr ? *job.file : memory;
  if (job.range) return decode_range(job, file, *sink);
  RangeSource source(file, 0, file.size());
  return decompress_stream(source, *sink, job.options);
}

}  // namespace presso::gpu
