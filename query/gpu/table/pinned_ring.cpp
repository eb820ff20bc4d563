// SPDX-License-Identifier: MIT
// Implements pinned_ring.h: a mutex guards the slots; a thread that needs one takes a free one, or
// waits for the one that was sent first. Errors: those of the device and of allocation.
#include "query/gpu/table/pinned_ring.h"

#include <algorithm>

#include "presso/stopwatch.h"

namespace presso::gpu {

void PinnedRing::set_slots(std::uint64_t slot_bytes, std::size_t most_slots) {
  slots_.clear();
  slot_bytes_ = slot_bytes;
  most_slots_ = most_slots;
  reserved_ = 0;
  slots_.reserve(most_slots);
}

Status PinnedRing::reserve(std::size_t pieces) {
  while (slots_.size() < std::min(most_slots_, reserved_ + pieces)) {
    Slot slot;
    PRESSO_ASSIGN(slot.memory, memory_.allocate_pinned(slot_bytes_));
    PRESSO_ASSIGN(slot.sent, make_event(memory_.device()));
    const std::lock_guard lock(mutex_);
    slots_.push_back(std::move(slot));
  }
  reserved_ = std::min(most_slots_, reserved_ + pieces);
  changed_.notify_all();
  return {};
}

/// One that is free, else the one that was sent first; nullptr: all are being filled.
PinnedRing::Slot* PinnedRing::next_slot() {
  Slot* best = nullptr;
  for (Slot& slot : slots_) {
    if (slot.state == State::kFree) return &slot;
    if (slot.state == State::kSent && (best == nullptr || slot.number < best->number)) {
      best = &slot;
    }
  }
  return best;
}

Result<Byte*> PinnedRing::begin(Piece& piece) {
  std::unique_lock lock(mutex_);
  if (piece.here_ != nullptr) return piece.here_;
  const Stopwatch time;
  // Who comes first gets the memory for all. Pieces that have some never wait here, so that it
  // becomes free.
  while (piece.here_ == nullptr) {
    Slot* const slot = piece.is_beginning_ ? nullptr : next_slot();
    if (slot == nullptr) {
      changed_.wait(lock);
      continue;
    }
    piece.is_beginning_ = true;
    const bool is_under_way = slot->state == State::kSent;
    slot->state = State::kFilling;
    Status waited;
    if (is_under_way) {
      lock.unlock();
      waited = memory_.device().wait(slot->sent.get());
      lock.lock();
    }
    piece.is_beginning_ = false;
    if (waited.ok()) {
      piece.slot_ = slot;
      piece.here_ = slot->memory.get();
    } else {
      slot->state = State::kFree;
    }
    changed_.notify_all();
    if (!waited.ok()) return std::move(waited.error());
  }
  seconds_waited_ += time.seconds();
  return piece.here_;
}

Status PinnedRing::end(Piece& piece) {
  std::unique_lock lock(mutex_);
  if (--piece.batches != 0) return {};
  Slot* const slot = piece.slot_;
  if (slot == nullptr) return {};  // there was no memory for it
  const Byte* const from = piece.here_;
  lock.unlock();
  Status sent =
      memory_.device().copy_in(piece.there, from, static_cast<std::size_t>(piece.bytes), stream_);
  if (sent.ok()) sent = memory_.device().record(slot->sent.get(), stream_);
  lock.lock();
  slot->state = sent.ok() ? State::kSent : State::kFree;
  slot->number = ++sendings_;
  piece.slot_ = nullptr;
  changed_.notify_all();
  return sent;
}

void PinnedRing::give_up(Piece& piece) {
  const std::lock_guard lock(mutex_);
  if (piece.slot_ == nullptr) return;
  piece.slot_->state = State::kFree;
  piece.slot_ = nullptr;
  changed_.notify_all();
}

double PinnedRing::seconds_waited() const {
  const std::lock_guard lock(mutex_);
  return seconds_waited_;
}

}  // namespace presso::gpu
