// SPDX-License-Identifier: MIT
// Lanes as fibres, and who of them runs next.
#include "decompress/gpu/simt/emulator/emulator_block.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

namespace presso::simt {
namespace {

/// Launches may be nested in tests, and each thread has its own.
thread_local Block* running = nullptr;

constexpr std::size_t kSharedAlignment = 128;
constexpr int kSharedPattern = 0xA5;

/// Exactly `bytes` long, so that a sanitizer sees what lies beyond.
Byte* new_shared(std::size_t bytes) {
  void* memory = nullptr;
  if (posix_memalign(&memory, kSharedAlignment, bytes) != 0) throw std::bad_alloc();
  std::memset(memory, kSharedPattern, bytes);
  return static_cast<Byte*>(memory);
}

}  // namespace

Block& current_block() {
  return *running;
}

void Block::Free::operator()(Byte* memory) const {
  std::free(memory);
}

// Everything that is kept from block to block is the caller's.
Block::Block(const Launch& launch, const Options& options, const std::function<void()>& body,
             FibreStacks& stacks, std::mt19937& random, Report& report)
    : launch_(launch),
      options_(options),
      body_(body),
      stacks_(stacks),
      random_(random),
      report_(report),
      shared_(new_shared(launch.shared_bytes)),
      lanes_(launch.block_threads),
      warps_(launch.block_threads / kLanes) {}

// --- lanes

// Returns when the last lane has switched back to main_.
void Block::run(std::uint32_t index) {
  index_ = index;
  Block* const outer = std::exchange(running, this);
  start_lanes();
  current_ = choose_lane();
  main_.switch_to(current_->fibre);
  running = outer;
}

// Stacks are those of the block before, whose lanes have all ended.
void Block::start_lanes() {
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    lane.block = this;
    lane.thread = i;
    lane.fibre.prepare(stacks_.bottom(i), stacks_.stack_bytes(), &Block::lane_entry, &lane);
  }
  for (Warp& warp : warps_) {
    set_ready(warp, ~0u);
    draw_order(warp);
  }
}

// A fibre must not return: it ends by switching to the next lane for good.
void Block::lane_entry(void* argument) {
  Lane& lane = *static_cast<Lane*>(argument);
  Block& block = *lane.block;
  block.run_body(lane);
  block.lane_exits(lane);
  Lane* const next = block.choose_lane();
  if (next == nullptr) lane.fibre.finish(block.main_);
  block.current_ = next;
  lane.fibre.finish(next->fibre);
}

/// Nothing may leave a fibre as an exception: there is no caller to catch it.
void Block::run_body(Lane& lane) {
  if (failing_) return;
  try {
    body_();
  } catch (const Unwind&) {
  } catch (const std::exception& error) {
    record(Failure::kException, place(lane) + " threw " + error.what(), {});
  } catch (...) {
    record(Failure::kException, place(lane) + " threw", {});
  }
}

// An exit may be what a barrier was waiting for.
void Block::lane_exits(Lane& lane) {
  Warp& warp = warp_of(lane);
  lane.exited = true;
  lane.copies.clear();
  warp.live &= ~lane.bit();
  set_ready(warp, warp.ready & ~lane.bit());
  spins_ = 0;
  if (failing_) return;
  if (warp.live == 0) {
    try_block_release();
  } else if (warp.arrived != 0) {
    if (warp.reach == Warp::Reach::kWarp && !options_.allow_exited_lanes) {
      record(Failure::kExitedLane,
             place(lane) + " exits while " + lanes_text(warp.arrived, lane.warp()) + " wait at ",
             {warp.site});
    } else if (warp.arrived == warp.live) {
      complete(warp, lane.warp());
    }
  }
}

// A bit for each warp with a lane that has not exited.
std::uint32_t Block::live_warps() const {
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < warps_.size(); ++i) mask |= (warps_[i].live != 0 ? 1u : 0u) << i;
  return mask;
}

// --- scheduler

/// Who runs next; nullptr when all lanes have exited. With nobody ready but lanes left, that is a
/// deadlock, and they run once more to be unwound.
Lane* Block::choose_lane() {
  if (!failing_ && ready_warps_ == 0 && live_warps() != 0) report_stuck("deadlock in block ");
  if (failing_) return any_unfinished();
  if (ready_warps_ == 0) return nullptr;
  const std::uint32_t number = choose_warp();
  return &next_ready(warps_[number], number);
}

void Block::set_ready(Warp& warp, std::uint32_t lanes) {
  warp.ready = lanes;
  const std::uint32_t bit = 1u << (&warp - warps_.data());
  ready_warps_ = lanes != 0 ? ready_warps_ | bit : ready_warps_ & ~bit;
}

// For unwinding after a failure, when readiness no longer matters.
Lane* Block::any_unfinished() {
  for (Lane& lane : lanes_) {
    if (!lane.exited) return &lane;
  }
  return nullptr;
}

/// In random order mostly the warp that runs already, now and then another one. Else the first or
/// the last that can run; one that gives way lets all others come before it.
std::uint32_t Block::choose_warp() {
  const std::uint32_t same = current_ == nullptr ? 0 : current_->warp();
  // The first ready one from `from` on, round the end.
  const auto ready_from = [&](std::uint32_t from) {
    const auto turned = std::rotr(ready_warps_, static_cast<int>(from % kLanes));
    return (static_cast<std::uint32_t>(std::countr_zero(turned)) + from) % kLanes;
  };
  const auto ready_down_from = [&](std::uint32_t from) {
    const auto turned = std::rotl(ready_warps_, static_cast<int>(kLanes - 1 - from % kLanes));
    return (from - static_cast<std::uint32_t>(std::countl_zero(turned))) % kLanes;
  };
  switch (options_.order) {
    case Order::kForward:
      return ready_from(giving_way_ ? same + 1 : 0);
    case Order::kReverse:
      return ready_down_from(giving_way_ ? same - 1 : kLanes - 1);
    case Order::kRandom:
      break;
  }
  if (((ready_warps_ >> same) & 1) != 0 && !one_in_sixteen()) return same;
  return ready_from(static_cast<std::uint32_t>(random_()));
}

Lane& Block::next_ready(Warp& warp, std::uint32_t number) {
  for (;;) {
    const std::uint32_t lane = warp.order[warp.next];
    warp.next = (warp.next + 1) % kLanes;
    if (((warp.ready >> lane) & 1) != 0) return lanes_[number * kLanes + lane];
  }
}

/// Random order: start, stride and mirror are drawn, which costs one number instead of 31.
void Block::draw_order(Warp& warp) {
  std::uint32_t start = 0, stride = 1, mirror = 0;
  if (options_.order == Order::kReverse) mirror = kLanes - 1;
  if (options_.order == Order::kRandom) {
    const auto drawn = static_cast<std::uint32_t>(random_());
    start = drawn % kLanes;
    stride = (drawn >> 8) % kLanes | 1;
    mirror = (drawn >> 16) % kLanes;
  }
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    warp.order[i] = static_cast<std::uint8_t>(((start + i * stride) % kLanes) ^ mirror);
  }
  warp.next = 0;
}

/// Gives way to whoever is next. A lane that waits comes back when it is ready again.
void Block::yield() {
  Lane* const self = current_;
  Lane* const next = choose_lane();
  giving_way_ = false;
  if (next != self) {
    current_ = next;
    self->fibre.switch_to(next->fibre);
  }
  if (failing_) throw Unwind{};
}

// Eight chances from one random number.
bool Block::one_in_sixteen() {
  if (chances_left_ == 0) {
    chances_ = static_cast<std::uint32_t>(random_());
    chances_left_ = 8;
  }
  --chances_left_;
  const bool hit = chances_ % 16 == 0;
  chances_ /= 16;
  return hit;
}

// Counts rounds in which nothing but atomics happened; release() and exits set the count back.
void Block::give_way(const Site& site) {
  current_->waits_at = site;
  if (++spins_ > options_.spin_limit) {
    report_stuck("nothing but atomics happens any more in block ");
    throw Unwind{};
  }
  if (options_.order == Order::kRandom ? one_in_sixteen() : spins_ % 64 == 0) {
    giving_way_ = true;
    yield();
  }
}

}  // namespace presso::simt
