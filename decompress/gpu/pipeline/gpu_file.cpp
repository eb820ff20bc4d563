// SPDX-License-Identifier: MIT
// GpuFile: each read is a job and a run of its own (runner.h); what it keeps between them is the
// index, decoded dictionaries, and the engine with its slots and the dictionaries' copies on the
// device.
#include "decompress/gpu/pipeline/engine.h"
#include "decompress/gpu/pipeline/runner.h"

namespace presso::gpu {

// The file shares the engine with its Decompressor, so that either may be destroyed first.
GpuFile::GpuFile(std::shared_ptr<BatchEngine> engine, const RandomAccess& file,
                 std::unique_ptr<OpenedFile> opened, DecodeOptions options)
    : engine_(std::move(engine)), file_(&file), opened_(std::move(opened)), options_(options) {}
GpuFile::GpuFile(GpuFile&&) noexcept = default;
GpuFile& GpuFile::operator=(GpuFile&&) noexcept = default;
GpuFile::~GpuFile() = default;

// Decodes all dictionaries here once, so that a damaged one is an error of open() and not of a
// read.
Result<GpuFile> GpuFile::open(const std::shared_ptr<BatchEngine>& engine, const RandomAccess& file,
                              DecodeOptions options) {
  PRESSO_ASSIGN(std::unique_ptr<OpenedFile> opened,
                OpenedFile::open(file, engine->readers(), options.dictionaries));
  return GpuFile(engine, file, std::move(opened), options);
}

Result<GpuFile> GpuFile::open(Decompressor& decompressor, const RandomAccess& file,
                              DecodeOptions options) {
  return without_bad_alloc([&] { return open(decompressor.engine_, file, options); });
}

Result<GpuFile> GpuFile::open(Decompressor& decompressor, Bytes memory, DecodeOptions options) {
  return without_bad_alloc([&]() -> Result<GpuFile> {
    auto over_memory = std::make_unique<MemoryRandomAccess>(memory);
    PRESSO_ASSIGN(GpuFile file, open(decompressor.engine_, *over_memory, options));
    file.memory_ = memory;
    file.over_memory_ = std::move(over_memory);
    return file;
  });
}

const ArchiveIndex& GpuFile::index() const {
  return opened_->index;
}

// Common to all reads: one job that selects either a range or blocks. An empty target is no job
// at all.
Status GpuFile::decode(std::optional<PlainRange> range, std::span<const std::uint64_t> blocks,
                       MutableBytes d_into) {
  if (d_into.empty()) return {};
  return without_bad_alloc([&]() -> Status {
    JobRequest request;
    request.job.memory = memory_;
    if (!memory_) request.job.file = file_;
    request.job.range = range;
    request.job.options.decode = options_;
    request.opened = opened_.get();
    request.blocks = blocks;
    request.d_into = d_into;
    // Slots for the whole file, so that they stay as they are from call to call.
    const WorkHint hint{plain_bytes(), file_->size(), 1, false};
    PRESSO_TRY(run_one(std::move(request), *engine_, hint));
    return {};
  });
}

// The second comparison cannot overflow, unlike plain_offset + size.
Status GpuFile::read(std::uint64_t plain_offset, MutableBytes d_into) {
  if (plain_offset > plain_bytes() || d_into.size() > plain_bytes() - plain_offset) {
    return make_error(ErrorCode::kInvalidArgument, "range is not inside the file");
  }
  return decode(PlainRange{plain_offset, plain_offset + d_into.size()}, {}, d_into);
}

// kInvalidArgument where a number is past the last block; numbers may repeat.
Result<std::uint64_t> GpuFile::plain_bytes_of(std::span<const std::uint64_t> blocks) const {
  std::uint64_t bytes = 0;
  for (const std::uint64_t block : blocks) {
    if (block >= index().block_count()) {
      return make_error(ErrorCode::kInvalidArgument, "there is no such block");
    }
    bytes += opened_->block_plain_bytes(block);
  }
  return bytes;
}

Status GpuFile::read_blocks(std::span<const std::uint64_t> blocks, MutableBytes d_into) {
  PRESSO_ASSIGN(const std::uint64_t bytes, plain_bytes_of(blocks));
  if (bytes != d_into.size()) {
    return make_error(ErrorCode::kInvalidArgument, "the blocks have another size together");
  }
  return decode(std::nullopt, blocks, d_into);
}

// The bytes keep the engine alive, since its Memory takes them back.
Result<DeviceBytes> GpuFile::allocate(std::uint64_t bytes) const {
  struct Owner {
    std::shared_ptr<BatchEngine> engine;  // whose memory it is
    DeviceMemory memory;
  };
  DeviceBytes owned;
  if (bytes == 0) return owned;
  PRESSO_ASSIGN(DeviceMemory memory, engine_->memory().allocate(bytes));
  const auto owner = std::make_shared<Owner>(Owner{engine_, std::move(memory)});
  owned.memory_ = std::shared_ptr<Byte>(owner, owner->memory.get());
  owned.size_ = bytes;
  return owned;
}

Result<DeviceBytes> GpuFile::read(PlainRange range) {
  if (range.begin > range.end || range.end > plain_bytes()) {
    return make_error(ErrorCode::kInvalidArgument, "range is not inside the file");
  }
  return without_bad_alloc([&]() -> Result<DeviceBytes> {
    PRESSO_ASSIGN(DeviceBytes owned, allocate(range.end - range.begin));
    PRESSO_TRY(read(range.begin, {owned.data(), static_cast<std::size_t>(owned.size())}));
    return owned;
  });
}

Result<DeviceBytes> GpuFile::read_blocks(std::span<const std::uint64_t> blocks) {
  return without_bad_alloc([&]() -> Result<DeviceBytes> {
    PRESSO_ASSIGN(const std::uint64_t bytes, plain_bytes_of(blocks));
    PRESSO_ASSIGN(DeviceBytes owned, allocate(bytes));
    PRESSO_TRY(read_blocks(blocks, {owned.data(), static_cast<std::size_t>(owned.size())}));
    return owned;
  });
}

}  // namespace presso::gpu
