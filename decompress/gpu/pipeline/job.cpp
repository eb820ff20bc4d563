// SPDX-License-Identifier: MIT
// OpenJob: the consuming side does with each block what decompress_stream() does, except that it
// writes neighbouring blocks in one piece.
#include "decompress/gpu/pipeline/job.h"

#include <algorithm>
#include <cstring>

namespace presso::gpu {
namespace {

constexpr std::uint64_t kCopyBytes = 4u << 20;
/// Alignment of blocks that are decoded to their place. At addresses that are no multiple of 8 the
/// decoders through shared memory decline, and the others are so much slower that a copy within the
/// device costs nothing in comparison; at multiples of 16 checksums are fastest.
constexpr std::uintptr_t kDirectAlignment = 16;

Error invalid(const char* what) {
  return make_error(ErrorCode::kInvalidArgument, what);
}

}  // namespace

Status OpenJob::check_arguments() const {
  const DecodeJob& job = request_.job;
  const int inputs = (job.file != nullptr) + job.memory.has_value() + (job.stream != nullptr);
  const int outputs = (job.sink != nullptr) + (job.on_device != nullptr) + job.into.has_value() +
                      request_.d_into.has_value();
  if (inputs != 1) return invalid("a job has one of file, memory and stream");
  if (outputs > 1) return invalid("a job has one of sink, memory to write to and consumer");
  if (job.range && job.on_device != nullptr) return invalid("a consumer takes all of a file");
  if (job.range && job.stream != nullptr) return invalid("ranges need a file, not a stream");
  if (job.range && job.options.salvage) return invalid("salvage works on whole files");
  return {};
}

Status OpenJob::open_selection(FeedFile file, BatchEngine& engine, const FeedOptions& options) {
  if (request_.opened == nullptr) {
    const KnownDictionaries known = request_.job.options.decode.dictionaries;
    auto opened = request_.index
                      ? OpenedFile::with_index(std::move(*request_.index), engine.readers(), known)
                      : OpenedFile::open(file.file, engine.readers(), known);
    PRESSO_ASSIGN(opened_, std::move(opened));
    request_.opened = opened_.get();
  }
  const ArchiveIndex& index = request_.opened->index;
  BlockSelection selection{0, 0, request_.blocks};
  if (request_.job.range) {
    range_ = *request_.job.range;
    if (range_.begin > range_.end || range_.end > index.plain_bytes()) {
      return invalid("range is not inside the file");
    }
    if (range_.begin < range_.end) {
      selection.first = index.block_at(range_.begin);
      selection.count = index.block_at(range_.end - 1) + 1 - selection.first;
    }
  }
  feed_ = make_selection_feed(file, *request_.opened, selection, engine.readers(), options);
  return {};
}

Status OpenJob::open(BatchEngine& engine) {
  PRESSO_TRY(check_arguments());
  const DecodeJob& job = request_.job;
  const FeedOptions options{job.options.salvage, engine.most_dictionaries(),
                            job.options.decode.dictionaries};
  // Salvage moves blocks up to where lost ones would have been.
  const bool direct = job.into && !job.options.salvage &&
                      engine.device().is_pinned(job.into->data(), job.into->size());
  through_slot_ = job.sink != nullptr || (job.into && !direct);
  if (through_slot_ && !engine.keeps_output()) return invalid("the hint said that nothing is kept");
  if (job.stream != nullptr) {
    feed_ = make_stream_feed(*job.stream, options);
    return {};
  }
  memory_ = MemoryRandomAccess(job.memory.value_or(Bytes()));
  FeedFile file{job.file != nullptr ? *job.file : memory_};
  if (job.memory && engine.device().is_pinned(job.memory->data(), job.memory->size())) {
    file.pinned = job.memory->data();
  }
  if (job.range || !request_.blocks.empty()) return open_selection(file, engine, options);
  if (!request_.index) request_.index = index_of(file.file);
  feed_ = make_file_feed(file, std::move(request_.index), engine.readers(), options);
  return {};
}

/// The part of a block that the job's range covers and its place in the output; nullopt: none.
std::optional<PlainPiece> OpenJob::piece_of(const SlotBatch& batch, const BatchPlace& place) const {
  const std::uint64_t begin = std::max(range_.begin, place.out_offset);
  const std::uint64_t end = std::min(range_.end, place.out_offset + place.plain_bytes);
  if (begin >= end) return std::nullopt;
  const std::uint64_t in_slot = batch.blocks()[place.slot_block].plain_offset;
  return PlainPiece{in_slot + begin - place.out_offset, begin - range_.begin, end - begin};
}

// The GPU writes whole blocks only, so a block that the range cuts, or that would pass the end
// of the memory, goes through the slot.
bool OpenJob::is_direct(const BatchPlace& place) const {
  const MutableBytes into = *request_.d_into;
  const std::uint64_t end = place.out_offset + place.plain_bytes;
  const bool whole =
      range_.begin <= place.out_offset && end <= range_.end && end - range_.begin <= into.size();
  if (!whole) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(into.data()) + place.out_offset - range_.begin;
  return at % kDirectAlignment == 0;
}

// The five kinds of target, in the order of preference: through the slot where a sink or plain
// memory takes the bytes; nowhere without memory; directly; else piece by piece.
PlainTarget OpenJob::target_of(const SlotBatch& batch) const {
  if (through_slot_) return {PlainTarget::Kind::kSlot};
  const bool on_device = request_.d_into.has_value();
  const std::optional<MutableBytes>& into = on_device ? request_.d_into : request_.job.into;
  if (!into) {
    PlainTarget target{PlainTarget::Kind::kNowhere};
    target.consumer = request_.job.on_device;
    return target;
  }
  if (batch.is_direct()) {
    const std::uint64_t begin = batch.places().front().out_offset - range_.begin;
    return {PlainTarget::Kind::kDirect, into->data() + begin};
  }
  PlainTarget target{on_device ? PlainTarget::Kind::kDevice : PlainTarget::Kind::kHost,
                     into->data()};
  for (const BatchPlace& place : batch.places()) {
    if (place.damage) continue;
    const std::optional<PlainPiece> piece = piece_of(batch, place);
    // take() makes an error of what does not fit.
    const bool fits = piece && piece->target_offset + piece->bytes <= into->size();
    if (fits) append_piece(target.pieces, *piece);
  }
  return target;
}

// Good blocks gather into long pieces; each damaged one ends a piece, so that reports come in
// the order of the file.
Status OpenJob::consume(const SlotBatch& batch, const Byte* plain, Team& writers) {
  for (const BatchPlace& place : batch.places()) {
    const ErrorCode code = place.damage ? place.damage->code : batch.codes()[place.slot_block];
    PRESSO_TRY(take(batch, place, code, plain, writers));
  }
  return flush(plain, writers);
}

// Damage is only counted here: the consumer sees the codes itself.
Status OpenJob::consume_on_device(const SlotBatch& batch, std::size_t slot, const Byte* plain) {
  for (const BatchPlace& place : batch.places()) {
    ++summary_.blocks;
    const bool good = !place.damage && batch.codes()[place.slot_block] == ErrorCode::kOk;
    if (good) {
      summary_.plain_bytes += place.plain_bytes;
      continue;
    }
    ++summary_.damaged_blocks;
    summary_.lost_blocks += place.damage ? place.lost_blocks : 1;
  }
  PRESSO_ASSIGN(const bool more, request_.job.on_device->take(batch, slot, plain));
  if (!more) return make_error(ErrorCode::kCancelled);
  return {};
}

Status OpenJob::take(const SlotBatch& batch, const BatchPlace& place, ErrorCode code,
                     const Byte* plain, Team& writers) {
  ++summary_.blocks;
  if (code == ErrorCode::kOk) {
    if (const auto piece = piece_of(batch, place)) append_piece(pending_, *piece);
    passed_bytes_ = place.passed_bytes;
    return {};
  }
  PRESSO_TRY(flush(plain, writers));
  const bool is_declined = !place.damage && code == ErrorCode::kUnsupported;  // no damage
  Error error = batch.error_of(place);
  if (is_declined) error.what = "a GPU does not decode sub-blocks, the CPU does";
  if (!options().salvage || is_declined) return error;
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
  if (options().on_damage) options().on_damage(block);
  return {};
}

/// Hands on what has gathered since the last damage.
Status OpenJob::flush(const Byte* plain, Team& writers) {
  if (pending_.empty()) return {};
  const DecodeJob& job = request_.job;
  for (const PlainPiece& piece : std::exchange(pending_, {})) {
    const std::size_t size = static_cast<std::size_t>(piece.bytes);
    const Bytes bytes(plain == nullptr ? nullptr : plain + piece.slot_offset, size);
    if (job.sink != nullptr) PRESSO_TRY(job.sink->write(bytes));
    if (job.into || request_.d_into) PRESSO_TRY(copy_into(bytes, writers));
    summary_.plain_bytes += bytes.size();
  }
  const auto& on_progress = options().on_progress;
  if (on_progress && !on_progress(passed_bytes_, summary_.plain_bytes)) {
    return make_error(ErrorCode::kCancelled);
  }
  return {};
}

Status OpenJob::copy_into(Bytes bytes, Team& writers) {
  const MutableBytes into = request_.d_into ? *request_.d_into : *request_.job.into;
  if (bytes.size() > into.size() - summary_.plain_bytes) {
    return invalid("the memory to decode into is too small");
  }
  if (bytes.data() == nullptr) return {};  // the GPU wrote there
  Byte* to = into.data() + summary_.plain_bytes;
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
  const auto& finished = request_.job.finished;
  if (!finished) return;
  if (error_) return finished(std::move(*error_));
  summary_.compressed_bytes = feed_->compressed_bytes();
  summary_.metadata = feed_->metadata();
  finished(std::move(summary_));
}

}  // namespace presso::gpu
