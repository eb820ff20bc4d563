// SPDX-License-Identifier: MIT
// A ring of pinned memory through which blocks of tables go to a device. Several threads fill a
// piece, and the thread that completes it sends it. There is room for several pieces, so that
// threads wait neither for each other nor for the device at the end of a piece. Tested by
// tests/unit/query/gpu/pinned_ring_test.cpp.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "decompress/gpu/runtime/memory.h"

namespace presso::gpu {

class PinnedRing {
  struct Slot;

 public:
  /// A range of device memory on its way. It must not move between the first begin() and the last
  /// end().
  struct Piece {
    Byte* there = nullptr;    ///< device memory
    std::uint64_t bytes = 0;  ///< of it; at most those of a slot
    std::size_t batches = 0;  ///< of its blocks, for which end() has not been called

   private:
    friend class PinnedRing;
    Byte* here_ = nullptr;
    Slot* slot_ = nullptr;
    bool is_beginning_ = false;
  };

  /// `memory` is kept by reference. `stream`: for copies.
  PinnedRing(Memory& memory, Stream stream) : memory_(memory), stream_(stream) {}
  PinnedRing(const PinnedRing&) = delete;
  PinnedRing& operator=(const PinnedRing&) = delete;

  /// From now on there are at most so many slots, at least two. Only while nothing is under way.
  void set_slots(std::uint64_t slot_bytes, std::size_t most_slots);
  std::uint64_t slot_bytes() const { return slot_bytes_; }
  /// Makes slots for so many pieces more, as far as they may be that many. Errors: kOutOfMemory,
  /// kDeviceLost.
  Status reserve(std::size_t pieces);

  // By any thread; pieces must be begun in the order in which their batches are taken up.
  /// Where the piece's bytes are to be put. Waits until pinned memory is free. Error: kDeviceLost.
  Result<Byte*> begin(Piece& piece);
  /// A batch of the piece has been put there, or could not be; the last one has it sent.
  Status end(Piece& piece);
  /// Gives back the memory of a piece whose batches have all been given up.
  void give_up(Piece& piece);

  /// How long threads have waited in begin(), all together.
  double seconds_waited() const;

 private:
  enum class State { kFree, kFilling, kSent };
  struct Slot {
    PinnedMemory memory;
    OwnedEvent sent;
    State state = State::kFree;
    std::uint64_t number = 0;  ///< of its sending
  };

  Slot* next_slot();

  Memory& memory_;
  Stream stream_;
  std::uint64_t slot_bytes_ = 0;
  std::vector<Slot> slots_;  ///< room for all from the beginning: slots stay where they are
  std::size_t most_slots_ = 0;
  std::size_t reserved_ = 0;  ///< pieces
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t sendings_ = 0;
  double seconds_waited_ = 0;
};

}  // namespace presso::gpu
