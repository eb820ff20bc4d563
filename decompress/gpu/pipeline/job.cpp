// SPDX-License-Identifier: MIT
// The consuming side does what decompress_stream() does with each block, but writes neighbouring
// blocks in one piece.
#include "decompress/gpu/pipeline/job.h"

#include <algorithm>
#include <cstring>

namespace presso::gpu {
namespace {

constexpr std::uint64_t kCopyBytes = 4u << 20;

Error invalid(const char* what) {
  return make_error(ErrorCode::kInvalidArgument, what);
}

}  // namespace

PlainPiece piece_of(const BlockBatch& batch, const BatchPlace& place, const PlainRange& range) {
  const std::uint64_t begin = std::max(range.begin, place.plain_offset);
  const std::uint64_t end = std::min(range.end, place.plain_offset + place.plain_bytes);
  if (begin >= end) return {};
  const std::uint64_t in_slot = batch.blocks()[place.slot_block].plain_offset;
  return {in_slot + begin - place.plain_offset, begin - range.begin, end - begin};
}

Status OpenJob::check_arguments() const {
  const int inputs = (job_.file != nullptr) + job_.memory.has_value() + (job_.stream != nullptr);
  if (inputs != 1) return invalid("a job has one of file, memory and stream");
  if (job_.sink != nullptr && job_.into) {
    return invalid("a job has a sink or memory to write to, not both");
  }
  if (job_.range && job_.stream != nullptr) return invalid("ranges need a file, not a stream");
  if (job_.range && job_.options.salvage) return invalid("salvage works on whole files");
  return {};
}

Status OpenJob::open_range(FeedFile file, Engine& engine, const FeedOptions& options) {
  range_ = *job_.range;
  PRESSO_ASSIGN(opened_, CompressedFile::open(file.file, job_.options.decode));
  const ArchiveIndex& index = opened_->index();
  if (range_.begin > range_.end || range_.end > index.plain_bytes()) {
    return invalid("range is not inside the file");
  }
  BlockSelection selection;
  if (range_.begin < range_.end) {
    selection.first = index.block_at(range_.begin);
    selection.count = index.block_at(range_.end - 1) + 1 - selection.first;
  }
  feed_ = make_selection_feed(file, index, selection, engine.readers(), options);
  return {};
}

Status OpenJob::open(Engine& engine) {
  PRESSO_TRY(check_arguments());
  Device& device = engine.device();
  const FeedOptions options{job_.options.salvage, engine.most_dictionaries()};
  // Salvage moves blocks up to where lost ones would have been.
  writes_directly_ = job_.into && !job_.options.salvage &&
                     device.is_pinned(job_.into->data(), job_.into->size());
  if (job_.stream != nullptr) {
    feed_ = make_stream_feed(*job_.stream, options);
    return {};
  }
  memory_ = MemoryRandomAccess(job_.memory.value_or(Bytes()));
  FeedFile file{job_.file != nullptr ? *job_.file : memory_};
  if (job_.memory && device.is_pinned(job_.memory->data(), job_.memory->size())) {
    file.pinned = job_.memory->data();
  }
  if (job_.range) return open_range(file, engine, options);
  feed_ = make_file_feed(file, engine.readers(), options);
  return {};
}

bool OpenJob::copies_through_slot() const {
  return job_.sink != nullptr || (job_.into && !writes_directly_);
}

PlainTarget OpenJob::target_of(const BlockBatch& batch) const {
  if (copies_through_slot()) return {PlainTarget::Kind::kSlot};
  if (!job_.into) return {PlainTarget::Kind::kNowhere};
  PlainTarget target{PlainTarget::Kind::kHost, job_.into->data()};
  for (const BatchPlace& place : batch.places()) {
    const PlainPiece piece = piece_of(batch, place, range_);
    // consume() makes an error of what does not fit.
    const bool fits = piece.target_offset + piece.bytes <= job_.into->size();
    if (fits) append_piece(target.pieces, piece);
  }
  return target;
}

Status OpenJob::consume(const BlockBatch& batch, const Byte* plain, Team& writers) {
  for (const BatchPlace& place : batch.places()) {
    const ErrorCode code = place.damage ? place.damage->code : batch.codes()[place.slot_block];
    PRESSO_TRY(take(batch, place, code, plain, writers));
  }
  return flush(plain, writers);
}

Status OpenJob::take(const BlockBatch& batch, const BatchPlace& place, ErrorCode code,
                     const Byte* plain, Team& writers) {
  ++summary_.blocks;
  if (code == ErrorCode::kOk) {
    const PlainPiece piece = piece_of(batch, place, range_);
    append_piece(pending_, piece);
    passed_bytes_ = place.passed_bytes;
    return {};
  }
  PRESSO_TRY(flush(plain, writers));
  Error error = place.damage ? *place.damage : make_error(code);
  if (!place.damage) {
    error.block = place.number;
    error.byte_offset = place.file_offset;
  }
  if (!job_.options.salvage) return error;
  return report_damage(place, std::move(error));
}

Status OpenJob::report_damage(const BatchPlace& place, Error error) {
  DecodedBlock block;
  block.number = place.number;
  block.plain_offset = place.plain_offset;
  block.file_offset = place.file_offset;
  block.plain_bytes = place.plain_bytes;
  block.lost_blocks = place.damage ? place.lost_blocks : 1;
  block.status = std::move(error);
  ++summary_.damaged_blocks;
  summary_.lost_blocks += block.lost_blocks;
  if (job_.options.on_damage) job_.options.on_damage(block);
  return {};
}

/// Hands on what has gathered since the last damage.
Status OpenJob::flush(const Byte* plain, Team& writers) {
  if (pending_.empty()) return {};
  for (const PlainPiece& piece : std::exchange(pending_, {})) {
    const Bytes bytes(plain == nullptr ? nullptr : plain + piece.slot_offset, piece.bytes);
    if (job_.sink != nullptr) PRESSO_TRY(job_.sink->write(bytes));
    if (job_.into) PRESSO_TRY(copy_into(bytes, writers));
    summary_.plain_bytes += bytes.size();
  }
  const auto& on_progress = job_.options.on_progress;
  if (on_progress && !on_progress(passed_bytes_, summary_.plain_bytes)) {
    return make_error(ErrorCode::kCancelled);
  }
  return {};
}

Status OpenJob::copy_into(Bytes bytes, Team& writers) {
  if (bytes.size() > job_.into->size() - summary_.plain_bytes) {
    return invalid("the memory to decode into is too small");
  }
  if (bytes.data() == nullptr) return {};  // the GPU wrote there
  Byte* to = job_.into->data() + summary_.plain_bytes;
  return run_over_bytes(writers, bytes.size(), kCopyBytes,
                        [&](std::uint64_t begin, std::uint64_t end) -> Status {
                          std::memcpy(to + begin, bytes.data() + begin, end - begin);
                          return {};
                        });
}

void OpenJob::stop(Error error) {
  if (!error_) error_ = std::move(error);
  stopped_ = true;
}

void OpenJob::finish() {
  if (!job_.finished) return;
  if (error_) return job_.finished(std::move(*error_));
  summary_.compressed_bytes = feed_->compressed_bytes();
  summary_.metadata = feed_->metadata();
  job_.finished(std::move(summary_));
}

}  // namespace presso::gpu
