// SPDX-License-Identifier: MIT
// Slot: the copies and kernels of one batch, and decoding of a batch on the CPU.
#include "decompress/gpu/pipeline/slot.h"

#include <algorithm>
#include <mutex>
#include <string>

namespace presso::gpu {
namespace {

/// Whether decoded bytes lie in the slot's own device memory first.
bool is_through_slot(const PlainTarget& target) {
  return target.kind != PlainTarget::Kind::kDirect;
}

/// Where the statuses begin in the slot's device memory: after the plain bytes.
std::uint64_t device_status_offset(const SlotBatch& batch, const PlainTarget& target) {
  return is_through_slot(target) ? batch.plain_bytes() : 0;
}

/// Decodes one block on the CPU. The decoder needs slack around input and output, and there may be
/// none between neighbouring blocks, so both are copied.
Status decode_one(const SlotBatch& batch, std::size_t block, const DecodeOptions& options,
                  Buffer& plain) {
  const BlockSpan& span = batch.blocks()[block];
  Buffer stored;
  stored.append({batch.stored(block), span.stored_bytes});
  PRESSO_ASSIGN(const BlockHeader header, parse_block_header(stored.data()));
  const Byte id = header.dictionary_id;
  const Dictionary* dictionary = id < kTableDictionaries ? batch.dictionaries()[id].get() : nullptr;
  plain.resize_discarding(span.plain_bytes);
  return decode_block(header, stored.data() + kBlockHeaderBytes, dictionary, options, plain.data());
}

}  // namespace

void append_piece(std::vector<PlainPiece>& pieces, const PlainPiece& piece) {
  if (piece.bytes == 0) return;
  if (!pieces.empty()) {
    PlainPiece& last = pieces.back();
    if (last.slot_offset + last.bytes == piece.slot_offset &&
        last.target_offset + last.bytes == piece.target_offset) {
      last.bytes += piece.bytes;
      return;
    }
  }
  pieces.push_back(piece);
}

// A slot without memory has capacity zero.
Result<std::unique_ptr<Slot>> Slot::make(Device& device, std::size_t number) {
  std::unique_ptr<Slot> slot(new Slot);
  slot->number_ = number;
  PRESSO_ASSIGN(slot->stream_, make_stream(device));
  PRESSO_ASSIGN(slot->arrived_, make_event(device));
  PRESSO_ASSIGN(slot->decoded_, make_event(device));
  PRESSO_ASSIGN(slot->copied_, make_event(device));
  PRESSO_ASSIGN(slot->done_, make_event(device));
  return slot;
}

// All is freed before anything is allocated, so that the sum never passes what the new size
// needs.
Status Slot::resize(Memory& memory, BatchDecoder& decoder, const SlotCapacity& capacity,
                    const BatchOptions& options) {
  capacity_ = {};
  for (PinnedMemory* part : {&in_, &out_}) part->reset();
  for (DeviceMemory* part : {&d_in_, &d_out_, &d_temporary_}) part->reset();
  PRESSO_ASSIGN(in_, memory.allocate_pinned(capacity.in_bytes()));
  PRESSO_ASSIGN(out_, memory.allocate_pinned(capacity.pinned_bytes() - capacity.in_bytes()));
  PRESSO_ASSIGN(d_in_, memory.allocate(capacity.in_bytes()));
  PRESSO_ASSIGN(d_out_, memory.allocate(capacity.out_bytes()));
  const std::size_t temporary =
      decoder.temporary_bytes(capacity.blocks, capacity.plain_bytes, options);
  if (temporary != 0) {
    PRESSO_ASSIGN(d_temporary_, memory.allocate(temporary));
  }
  capacity_ = capacity;
  return {};
}

// One copy where blocks are staged, since tables stand right after them; else one for each
// pinned piece and one for the tables.
Status Slot::copy_in(const Lanes& lanes, const SlotBatch& batch,
                     const DictionaryTable& table) const {
  const bool in_place = !batch.pieces().empty();
  const std::uint64_t stored = batch.stored_bytes();
  Byte* tables = in_.get() + (in_place ? 0 : stored);
  batch.write_tables(table, tables);
  if (!in_place) {
    return lanes.device.copy_in(d_in_.get(), in_.get(), stored + batch.table_bytes(), lanes.in);
  }
  for (const PinnedPiece& piece : batch.pieces()) {
    PRESSO_TRY(
        lanes.device.copy_in(d_in_.get() + piece.stored_offset, piece.from, piece.bytes, lanes.in));
  }
  return lanes.device.copy_in(d_in_.get() + stored, tables, batch.table_bytes(), lanes.in);
}

// To pinned memory by the shared stream, within the device by the slot's own.
Status Slot::copy_pieces(const Lanes& lanes, const PlainTarget& target) const {
  const bool to_host = target.kind == PlainTarget::Kind::kHost;
  for (const PlainPiece& piece : target.pieces) {
    Byte* to = target.base + piece.target_offset;
    const Byte* from = d_out_.get() + piece.slot_offset;
    PRESSO_TRY(to_host ? lanes.device.copy_out(to, from, piece.bytes, lanes.out)
                       : lanes.device.copy_within(to, from, piece.bytes, stream_.get()));
  }
  return {};
}

/// What goes by the shared stream waits for decoding, and what follows on the slot's own for that.
/// Statuses on their way to the host go with the bytes that do: a second stream for the same
/// direction would keep its turn while it waits for its decoder, and would hold up the
/// copies that wait after it.
Status Slot::copy_out(const Lanes& lanes, const SlotBatch& batch, const PlainTarget& target) {
  Device& device = lanes.device;
  const Stream own = stream_.get();
  const std::uint64_t status_bytes = std::uint64_t{batch.block_count()} * sizeof(std::uint32_t);
  const std::uint64_t d_status_at = device_status_offset(batch, target);
  const bool in_one = target.kind == PlainTarget::Kind::kSlot;
  const bool shared = in_one || target.kind == PlainTarget::Kind::kHost;
  if (shared) {
    PRESSO_TRY(device.record(decoded_.get(), own));
    PRESSO_TRY(device.stream_wait(lanes.out, decoded_.get()));
  }
  status_at_ = in_one ? d_status_at : 0;
  if (in_one) {
    PRESSO_TRY(device.copy_out(out_.get(), d_out_.get(), d_status_at + status_bytes, lanes.out));
  } else {
    PRESSO_TRY(copy_pieces(lanes, target));
    PRESSO_TRY(device.copy_out(out_.get(), d_out_.get() + d_status_at, status_bytes,
                               shared ? lanes.out : own));
  }
  if (shared) {
    PRESSO_TRY(device.record(copied_.get(), lanes.out));
    PRESSO_TRY(device.stream_wait(own, copied_.get()));
  }
  return device.record(done_.get(), own);
}

// Pageable memory; it stays with the slot for later blocks.
Byte* Slot::stage_on_host(std::uint64_t stored_bytes) {
  host_.resize_discarding(static_cast<std::size_t>(stored_bytes));
  return host_.data();
}

// Whether there are Bit blocks is told apart, since their kernels need not run otherwise.
Status Slot::decode(BatchDecoder& decoder, const SlotBatch& batch, const BatchOptions& options,
                    const PlainTarget& target) const {
  const Byte* d_spans = d_in_.get() + batch.stored_bytes();
  const Byte* d_table = d_spans + batch.blocks().size() * sizeof(BlockSpan);
  Byte* d_status = d_out_.get() + device_status_offset(batch, target);
  BatchArguments arguments;
  arguments.d_stored = d_in_.get();
  arguments.d_plain = is_through_slot(target) ? d_out_.get() : target.base;
  arguments.d_spans = reinterpret_cast<const BlockSpan*>(d_spans);
  arguments.blocks = batch.block_count();
  arguments.largest_plain_bytes = batch.largest_plain_bytes();
  arguments.d_dictionaries = reinterpret_cast<const DictionarySpan*>(d_table);
  arguments.d_status = reinterpret_cast<std::uint32_t*>(d_status);
  arguments.d_temporary = d_temporary_.get();
  arguments.temporary_bytes = d_temporary_.bytes();
  BatchOptions needed = options;
  needed.bit_blocks = batch.has_bit_blocks();
  return decoder.decode(arguments, needed, stream_.get());
}

// Three stages, ordered by events: the slot's stream waits for the copy in, and copy_out() for
// decoding.
Status Slot::send(const Lanes& lanes, const SlotBatch& batch, const DictionaryTable& table,
                  const BatchOptions& options, const PlainTarget& target, Memory& memory) {
  PRESSO_TRY(copy_in(lanes, batch, table));
  PRESSO_TRY(lanes.device.record(arrived_.get(), lanes.in));
  PRESSO_TRY(lanes.device.stream_wait(stream_.get(), arrived_.get()));
  PRESSO_TRY(decode(lanes.decoder, batch, options, target));
  if (target.consumer != nullptr) PRESSO_TRY(target.consumer->enqueue(view(batch, memory)));
  return copy_out(lanes, batch, target);
}

// Statuses that are neither kOk nor damage can only come from a device that has failed.
Status Slot::read_codes(SlotBatch& batch) const {
  batch.codes().clear();
  for (std::uint32_t block = 0; block < batch.block_count(); ++block) {
    const auto status =
        load<std::uint32_t>(out_.get() + status_at_ + block * sizeof(std::uint32_t));
    const auto code = static_cast<ErrorCode>(std::min<std::uint32_t>(status, UINT16_MAX));
    const bool is_declined = code == ErrorCode::kUnsupported && batch.is_for_cpu(block);
    if (code != ErrorCode::kOk && !is_damage(code) && !is_declined) {
      return make_error(ErrorCode::kDeviceLost,
                        "a block was left with status " + std::to_string(status));
    }
    batch.codes().push_back(code);
  }
  return {};
}

// Each thread decodes into a buffer of its own and copies, since decoders may write past a block's
// end (decode_one). Errors of blocks show in the batch's codes.
Buffer decode_on_cpu(SlotBatch& batch, const DecodeOptions& options, Team& team) {
  Buffer all;
  all.resize_discarding(static_cast<std::size_t>(batch.plain_bytes()));
  batch.codes().assign(batch.block_count(), ErrorCode::kOk);
  std::mutex mutex;
  const Status done = team.run(batch.block_count(), [&](std::size_t block) -> Status {
    Buffer plain;
    Status decoded = decode_one(batch, block, options, plain);
    if (decoded.ok()) {
      std::copy_n(plain.data(), plain.size(), all.data() + batch.blocks()[block].plain_offset);
      return {};
    }
    const std::lock_guard lock(mutex);
    batch.set_error(static_cast<std::uint32_t>(block), std::move(decoded.error()));
    return {};
  });
  static_cast<void>(done.ok());  // codes tell
  return all;
}

// That both decoders agree on damage is also a check of the device: where the CPU finds a block
// sound, GPU memory or kernels are faulty.
Status diagnose_on_cpu(SlotBatch& batch, const DecodeOptions& options, Team& team) {
  std::vector<std::uint32_t> bad;
  for (std::uint32_t block = 0; block < batch.block_count(); ++block) {
    const ErrorCode code = batch.codes()[block];
    // kUnsupported is no damage: a GPU does not decode such blocks.
    if (code != ErrorCode::kOk && code != ErrorCode::kUnsupported) bad.push_back(block);
  }
  std::mutex mutex;
  return team.run(bad.size(), [&](std::size_t i) {
    return without_bad_alloc([&]() -> Status {
      Buffer plain;
      Status decoded = decode_one(batch, bad[i], options, plain);
      if (decoded.ok()) {
        return make_error(ErrorCode::kDeviceLost, "it took a block for damaged that is not");
      }
      const std::lock_guard lock(mutex);
      batch.set_error(bad[i], std::move(decoded.error()));
      return {};
    });
  });
}

}  // namespace presso::gpu
