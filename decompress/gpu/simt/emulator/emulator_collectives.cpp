// SPDX-License-Identifier: MIT
// What lanes and warps do together: collectives of a warp, barriers of a block, copies on their
// way.
#include <cstring>
#include <utility>

#include "decompress/gpu/simt/emulator/emulator_block.h"

namespace presso::simt {
namespace {

/// What a collective reads from a lane that has exited.
constexpr std::uint64_t kExitedValue = 0xDEADDEADDEADDEADull;

}  // namespace

// --- collectives and barriers

Block::Exchanged Block::warp_collective(const Site& site, std::uint64_t value, Combine combine) {
  Warp& warp = warp_of(*current_);
  if (warp.live != ~0u && !options_.allow_exited_lanes) {
    fail(Failure::kExitedLane,
         lanes_text(~warp.live, current_->warp()) + " exited before the collective ", {site});
  }
  return arrive(site, Warp::Reach::kWarp, value, combine, 0);
}

// Counts within each warp first; block_arrival() adds the warps up.
std::uint32_t Block::block_barrier(const Site& site, bool predicate) {
  const Combine count = [](const WarpValues& in, std::uint32_t present, WarpValues& out) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      if (((present >> i) & 1) != 0) sum += static_cast<std::uint32_t>(in[i]);
    }
    out[0] = sum;
  };
  const Exchanged result = arrive(site, Warp::Reach::kBlock, predicate ? 1 : 0, count, 0);
  return static_cast<std::uint32_t>(result.out[0]);
}

// Preconditions of the hardware, whose violation would hang or be undefined there.
void Block::named_barrier(const Site& site, std::uint32_t threads, bool wait) {
  if (site.detail == 0 || site.detail >= kNamedBarriers) {
    fail(Failure::kBadCall, "a named barrier has a number from 1 to 15: ", {site});
  }
  if (threads == 0 || threads % kLanes != 0 || threads > launch_.block_threads) {
    fail(Failure::kBadCall,
         std::to_string(threads) + " threads are not a multiple of 32 within the block: ", {site});
  }
  arrive(site, wait ? Warp::Reach::kNamedSync : Warp::Reach::kNamedArrive, threads, nullptr,
         threads);
}

// The first lane of a warp states what the collective is, the others must agree, the last one
// completes it. Returns when the lane runs again.
Block::Exchanged Block::arrive(const Site& site, Warp::Reach reach, std::uint64_t value,
                               Combine combine, std::uint32_t threads) {
  Lane& lane = *current_;
  Warp& warp = warp_of(lane);
  if (warp.arrived == 0) {
    warp.site = site;
    warp.reach = reach;
    warp.combine = combine;
    warp.threads = threads;
  } else {
    check_arrival(warp, site);
    if (warp.threads != threads) {
      fail(Failure::kMismatch, "lanes of a warp disagree about the threads of ", {site});
    }
  }
  const std::uint32_t turn = warp.turn % 2;
  warp.in[turn][lane.in_warp()] = value;
  warp.arrived |= lane.bit();
  set_ready(warp, warp.ready & ~lane.bit());
  lane.waits_at = site;
  if (warp.arrived == warp.live) complete(warp, lane.warp());
  yield();
  return {warp.in[turn], warp.out[turn]};
}

// Equal calls at different places of the source are a mismatch as well: such code works on a
// GPU only by chance.
void Block::check_arrival(const Warp& warp, const Site& site) {
  if (warp.site == site) return;
  const Lane& lane = *current_;
  fail(Failure::kMismatch,
       lanes_text(warp.arrived, lane.warp()) + " of block " + std::to_string(index_) +
           " and lane " + std::to_string(lane.in_warp()) + " are at different collectives: ",
       {warp.site, site});
}

/// The last lane of a warp has arrived.
void Block::complete(Warp& warp, std::uint32_t number) {
  const std::uint32_t turn = warp.turn % 2;
  for (std::uint32_t i = 0; i < kLanes && warp.live != ~0u; ++i) {
    if (((warp.live >> i) & 1) == 0) warp.in[turn][i] = kExitedValue;
  }
  if (warp.combine != nullptr) warp.combine(warp.in[turn], warp.live, warp.out[turn]);
  ++report_.collectives;
  switch (warp.reach) {
    case Warp::Reach::kWarp:
      return release(warp);
    case Warp::Reach::kBlock:
      return block_arrival(warp, number);
    case Warp::Reach::kNamedSync:
    case Warp::Reach::kNamedArrive:
      return named_arrival(warp, number);
  }
}

// All live lanes may run again, in an order drawn anew.
void Block::release(Warp& warp) {
  warp.arrived = 0;
  ++warp.turn;
  set_ready(warp, warp.live);
  spins_ = 0;
  draw_order(warp);
}

// One warp is at the barrier; whether it was the last is checked in try_block_release().
void Block::block_arrival(Warp& warp, std::uint32_t number) {
  const bool same_call = block_site_.is_same_call(warp.site);
  const bool same_place = options_.allow_split_block_sync || block_site_ == warp.site;
  if (block_waiting_ == 0) {
    block_site_ = warp.site;
  } else if (!same_call || !same_place) {
    record(Failure::kMismatch,
           "warps of block " + std::to_string(index_) + " are at different block barriers: ",
           {block_site_, warp.site});
    return;
  }
  block_waiting_ |= 1u << number;
  block_count_ += static_cast<std::uint32_t>(warp.out[warp.turn % 2][0]);
  try_block_release();
}

/// Also called when a warp exits: the barrier does not wait for it.
void Block::try_block_release() {
  if (block_waiting_ == 0 || block_waiting_ != live_warps()) return;
  const std::uint32_t waiting = std::exchange(block_waiting_, 0);
  const std::uint32_t count = std::exchange(block_count_, 0);
  ++report_.barriers;
  for (std::uint32_t i = 0; i < warps_.size(); ++i) {
    if (((waiting >> i) & 1) == 0) continue;
    warps_[i].out[warps_[i].turn % 2][0] = count;
    release(warps_[i]);
  }
}

/// The hardware counts a warp as 32 threads even where some of them have exited.
void Block::named_arrival(Warp& warp, std::uint32_t number) {
  NamedBarrier& barrier = named_[warp.site.detail];
  if (barrier.expected == 0) {
    barrier.expected = warp.threads;
    barrier.first = warp.site;
  } else if (barrier.expected != warp.threads) {
    record(Failure::kMismatch,
           "warps expect " + std::to_string(barrier.expected) + " and " +
               std::to_string(warp.threads) + " threads at one barrier: ",
           {barrier.first, warp.site});
    return;
  }
  barrier.arrived += kLanes;
  if (warp.reach == Warp::Reach::kNamedSync) {
    barrier.waiting |= 1u << number;
  } else {
    release(warp);
  }
  if (barrier.arrived < barrier.expected) return;
  const std::uint32_t waiting = barrier.waiting;
  barrier = NamedBarrier{};
  ++report_.barriers;
  for (std::uint32_t i = 0; i < warps_.size(); ++i) {
    if (((waiting >> i) & 1) != 0) release(warps_[i]);
  }
}

// --- asynchronous copies

void Block::check_shared(const Site& site, const void* at, std::size_t bytes) {
  const auto* begin = static_cast<const Byte*>(at);
  if (begin < shared_.get() || begin > shared_.get() + launch_.shared_bytes ||
      static_cast<std::size_t>(shared_.get() + launch_.shared_bytes - begin) < bytes) {
    fail(Failure::kBadCall,
         std::to_string(bytes) + " bytes are not all in shared memory: ", {site});
  }
}

void Block::check_unchanged(const Site& site, bool unchanged) {
  if (unchanged) return;
  fail(Failure::kSourceChanged, "the source of a copy changed on its way; waited for by ", {site});
}

void Block::copy_async(const Site& site, void* to, const void* from, std::uint32_t bytes) {
  check_shared(site, to, bytes);
  const auto both = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if (both % bytes != 0) fail(Failure::kBadCall, "misaligned ", {site});
  if (lane().copies.reach(static_cast<const Byte*>(to), bytes)) {
    fail(Failure::kBadCall, "another copy is on its way to the same place: ", {site});
  }
  lane().copies.issue(static_cast<Byte*>(to), static_cast<const Byte*>(from), bytes);
}

void Block::copy_async_wait(const Site& site, std::size_t groups_in_flight) {
  check_unchanged(site, lane().copies.wait(groups_in_flight));
}

void Block::mbarrier_init(const Site& site, std::uint64_t* barrier, std::uint32_t arrivals) {
  check_shared(site, barrier, sizeof *barrier);
  if (arrivals == 0) fail(Failure::kBadCall, "a barrier that nobody arrives at: ", {site});
  const auto [made, is_new] = mbarriers_.try_emplace(barrier);
  if (!is_new) fail(Failure::kBadCall, "initialised twice: ", {site});
  made->second.arrivals = arrivals;
  *barrier = 0;
}

Mbarrier& Block::mbarrier(const Site& site, std::uint64_t* barrier) {
  const auto found = mbarriers_.find(barrier);
  if (found == mbarriers_.end()) fail(Failure::kBadCall, "not an initialised barrier: ", {site});
  return found->second;
}

Mbarrier& Block::mbarrier_in_phase(const Site& site, std::uint64_t* at) {
  Mbarrier& barrier = mbarrier(site, at);
  if (barrier.can_complete()) check_unchanged(site, barrier.complete());
  return barrier;
}

void Block::mbarrier_arrive(const Site& site, std::uint64_t* at) {
  Mbarrier& barrier = mbarrier_in_phase(site, at);
  if (barrier.arrived == barrier.arrivals) {
    fail(Failure::kBadCall,
         "more arrivals than the phase has, whose bytes are not there: ", {site});
  }
  ++barrier.arrived;
  wake_waiters(barrier);
}

void Block::bulk_expect(const Site& site, std::uint64_t* at, std::uint32_t bytes) {
  if (bytes == 0 || bytes % 16 != 0) fail(Failure::kBadCall, "not a multiple of 16: ", {site});
  mbarrier_in_phase(site, at).expected += bytes;
}

void Block::bulk_copy(const Site& site, std::uint64_t* at, void* to, const void* from,
                      std::uint32_t bytes) {
  Mbarrier& barrier = mbarrier(site, at);
  check_shared(site, to, bytes);
  const auto all = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if ((all | bytes) % 16 != 0 || bytes == 0) fail(Failure::kBadCall, "misaligned ", {site});
  barrier.copies.emplace_back(static_cast<Byte*>(to), static_cast<const Byte*>(from), bytes);
  barrier.issued += bytes;
  if (barrier.issued > barrier.expected) {
    fail(Failure::kBadCall, "more bytes than the barrier expects: ", {site});
  }
  wake_waiters(barrier);
}

void Block::wake_waiters(Mbarrier& barrier) {
  if (!barrier.can_complete()) return;
  for (const std::uint32_t thread : barrier.waiting) {
    Warp& warp = warp_of(lanes_[thread]);
    set_ready(warp, warp.ready | lanes_[thread].bit());
  }
  barrier.waiting.clear();
}

void Block::mbarrier_wait(const Site& site, std::uint64_t* at, std::uint32_t parity) {
  Mbarrier& barrier = mbarrier(site, at);
  while (!barrier.is_done(parity)) {
    if (barrier.can_complete()) {
      check_unchanged(site, barrier.complete());
      continue;
    }
    barrier.waiting.push_back(lane().thread);
    Warp& warp = warp_of(lane());
    set_ready(warp, warp.ready & ~lane().bit());
    lane().waits_at = site;
    yield();
  }
}

}  // namespace presso::simt
