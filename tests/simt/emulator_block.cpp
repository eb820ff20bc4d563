// SPDX-License-Identifier: MIT
#include "tests/simt/emulator_block.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

namespace presso::simt {
namespace {

thread_local Block* running = nullptr;

constexpr std::size_t kSharedAlignment = 128;
constexpr int kSharedPattern = 0xA5;
/// What a collective reads from a lane that has exited.
constexpr std::uint64_t kExitedValue = 0xDEADDEADDEADDEADull;

/// {0, 1, 2, 5} as "0-2, 5".
std::string ranges(std::uint32_t mask) {
  std::string text;
  while (mask != 0) {
    const int first = std::countr_zero(mask);
    const int length = std::countr_one(mask >> first);
    if (!text.empty()) text += ", ";
    text += std::to_string(first);
    if (length > 1) text += "-" + std::to_string(first + length - 1);
    if (first + length >= static_cast<int>(kLanes)) break;
    mask = mask >> (first + length) << (first + length);
  }
  return text;
}

std::string lanes_text(std::uint32_t mask, std::uint32_t warp) {
  return (std::popcount(mask) == 1 ? "lane " : "lanes ") + ranges(mask) + " of warp " +
         std::to_string(warp);
}

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

bool Site::operator==(const Site& other) const {
  return where.line == other.where.line && detail == other.detail &&
         std::strcmp(name, other.name) == 0 && std::strcmp(where.file, other.where.file) == 0;
}

std::string Site::text() const {
  return std::string(name) + (detail != 0 ? " " + std::to_string(detail) : "") + " at " +
         where.file + ":" + std::to_string(where.line) + " (" + where.function + ")";
}

void Block::Free::operator()(Byte* memory) const {
  std::free(memory);
}

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

void Block::run(std::uint32_t index) {
  index_ = index;
  Block* const outer = std::exchange(running, this);
  start_lanes();
  current_ = choose_lane();
  main_.switch_to(current_->fibre);
  running = outer;
}

void Block::start_lanes() {
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    lane.block = this;
    lane.thread = i;
    lane.fibre.prepare(stacks_.bottom(i), stacks_.stack_bytes(), &Block::lane_entry, &lane);
  }
  for (Warp& warp : warps_) draw_order(warp);
}

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

void Block::lane_exits(Lane& lane) {
  Warp& warp = warp_of(lane);
  lane.exited = true;
  lane.copies.clear();
  warp.live &= ~lane.bit();
  warp.ready &= ~lane.bit();
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

std::uint32_t Block::live_warps() const {
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < warps_.size(); ++i) mask |= (warps_[i].live != 0 ? 1u : 0u) << i;
  return mask;
}

std::string Block::place(const Lane& lane) const {
  return "lane " + std::to_string(lane.in_warp()) + " of warp " + std::to_string(lane.warp()) +
         " of block " + std::to_string(index_);
}

// --- scheduler

/// Who runs next; nullptr when all lanes have exited. With nobody ready but lanes left, that is a
/// deadlock, and they run once more to be unwound.
Lane* Block::choose_lane() {
  std::uint32_t ready_warps = 0;
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    ready_warps |= (warps_[i].ready != 0 ? 1u : 0u) << i;
  }
  if (!failing_ && ready_warps == 0 && live_warps() != 0) report_deadlock();
  if (failing_) return any_unfinished();
  if (ready_warps == 0) return nullptr;
  const std::uint32_t number = choose_warp(ready_warps);
  return &next_ready(warps_[number], number);
}

Lane* Block::any_unfinished() {
  for (Lane& lane : lanes_) {
    if (!lane.exited) return &lane;
  }
  return nullptr;
}

/// Mostly the warp that runs already; in random order another one now and then.
std::uint32_t Block::choose_warp(std::uint32_t ready_warps) {
  if (current_ != nullptr) {
    const std::uint32_t same = current_->warp();
    const bool stay = options_.order != Order::kRandom || !one_in_sixteen();
    if (stay && ((ready_warps >> same) & 1) != 0) return same;
  }
  const auto first = [](std::uint32_t mask) {
    return static_cast<std::uint32_t>(std::countr_zero(mask));
  };
  if (options_.order == Order::kForward) return first(ready_warps);
  if (options_.order == Order::kReverse) {
    return kLanes - 1 - static_cast<std::uint32_t>(std::countl_zero(ready_warps));
  }
  const auto turn = static_cast<std::uint32_t>(random_() % kLanes);
  return (first(std::rotr(ready_warps, static_cast<int>(turn))) + turn) % kLanes;
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
  if (next != self) {
    current_ = next;
    self->fibre.switch_to(next->fibre);
  }
  if (failing_) throw Unwind{};
}

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

void Block::give_way(const Site& site) {
  if (++spins_ > options_.spin_limit) {
    fail(Failure::kDeadlock, "nothing but atomics happens any more, for example ", {site});
  }
  const bool now = options_.order == Order::kRandom ? one_in_sixteen() : spins_ % 64 == 0;
  if (!now) return;
  current_->waits_at = site;
  yield();
}

// --- collectives and barriers

Block::Exchanged Block::warp_collective(const Site& site, std::uint64_t value, Combine combine) {
  Warp& warp = warp_of(*current_);
  if (warp.live != ~0u && !options_.allow_exited_lanes) {
    fail(Failure::kExitedLane,
         lanes_text(~warp.live, current_->warp()) + " exited before the collective ", {site});
  }
  return arrive(site, Warp::Reach::kWarp, value, combine, 0);
}

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

void Block::named_barrier(const Site& site, std::uint32_t threads, bool wait) {
  if (site.detail == 0 || site.detail >= kNamedBarriers) {
    fail(Failure::kBadCall, "a named barrier has a number from 1 to 15: ", {site});
  }
  if (threads == 0 || threads % kLanes != 0 || threads > launch_.block_threads) {
    fail(Failure::kBadCall,
         std::to_string(threads) + " threads are no multiple of 32 within the block: ", {site});
  }
  arrive(site, wait ? Warp::Reach::kNamedSync : Warp::Reach::kNamedArrive, threads, nullptr,
         threads);
}

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
  warp.ready &= ~lane.bit();
  lane.waits_at = site;
  if (warp.arrived == warp.live) complete(warp, lane.warp());
  yield();
  return {warp.in[turn], warp.out[turn]};
}

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

void Block::release(Warp& warp) {
  warp.arrived = 0;
  ++warp.turn;
  warp.ready = warp.live;
  spins_ = 0;
  draw_order(warp);
}

void Block::block_arrival(Warp& warp, std::uint32_t number) {
  const bool same_call = std::strcmp(block_site_.name, warp.site.name) == 0;
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
  lane().copies.issue(static_cast<Byte*>(to), static_cast<const Byte*>(from), bytes);
}

void Block::copy_async_wait(const Site& site, std::size_t groups_in_flight) {
  check_unchanged(site, lane().copies.wait(groups_in_flight));
}

void Block::bulk_init(const Site& site, std::uint64_t* barrier) {
  check_shared(site, barrier, sizeof *barrier);
  if (!bulk_.try_emplace(barrier).second) fail(Failure::kBadCall, "initialised twice: ", {site});
  *barrier = 0;
}

BulkBarrier& Block::bulk_barrier(const Site& site, std::uint64_t* barrier) {
  const auto found = bulk_.find(barrier);
  if (found == bulk_.end()) fail(Failure::kBadCall, "not an initialised barrier: ", {site});
  return found->second;
}

void Block::bulk_expect(const Site& site, std::uint64_t* at, std::uint32_t bytes) {
  BulkBarrier& barrier = bulk_barrier(site, at);
  if (barrier.expected != 0) {
    fail(Failure::kBadCall, "the phase before has not been waited for: ", {site});
  }
  if (bytes == 0 || bytes % 16 != 0) fail(Failure::kBadCall, "not a multiple of 16: ", {site});
  barrier.expected = bytes;
  wake_bulk_waiters(barrier);
}

void Block::bulk_copy(const Site& site, std::uint64_t* at, void* to, const void* from,
                      std::uint32_t bytes) {
  BulkBarrier& barrier = bulk_barrier(site, at);
  check_shared(site, to, bytes);
  const auto all = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if ((all | bytes) % 16 != 0 || bytes == 0) fail(Failure::kBadCall, "misaligned ", {site});
  barrier.copies.emplace_back(static_cast<Byte*>(to), static_cast<const Byte*>(from), bytes);
  barrier.issued += bytes;
  if (barrier.expected != 0 && barrier.issued > barrier.expected) {
    fail(Failure::kBadCall, "more bytes than the barrier expects: ", {site});
  }
  wake_bulk_waiters(barrier);
}

void Block::wake_bulk_waiters(BulkBarrier& barrier) {
  if (!barrier.can_complete()) return;
  for (const std::uint32_t thread : barrier.waiting) {
    warp_of(lanes_[thread]).ready |= lanes_[thread].bit();
  }
  barrier.waiting.clear();
}

void Block::bulk_wait(const Site& site, std::uint64_t* at, std::uint32_t parity) {
  BulkBarrier& barrier = bulk_barrier(site, at);
  while (!barrier.is_done(parity)) {
    if (barrier.can_complete()) {
      check_unchanged(site, barrier.complete());
      continue;
    }
    barrier.waiting.push_back(lane().thread);
    warp_of(lane()).ready &= ~lane().bit();
    lane().waits_at = site;
    yield();
  }
}

// --- failures

void Block::record(Failure failure, const std::string& what, const std::vector<Site>& sites) {
  if (failing_) return;
  failing_ = true;
  report_.failure = failure;
  report_.what = what;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    report_.what += (i > 0 ? " and " : "") + sites[i].text();
    report_.lines.push_back(sites[i].where.line);
  }
}

void Block::fail(Failure failure, const std::string& what, const std::vector<Site>& sites) {
  record(failure, sites.empty() ? place(*current_) + ": " + what : what, sites);
  throw Unwind{};
}

/// Groups the lanes of each warp by the call that they wait at.
void Block::report_deadlock() {
  record(Failure::kDeadlock, "deadlock in block " + std::to_string(index_), {});
  for (std::uint32_t number = 0; number < warps_.size(); ++number) {
    std::uint32_t left = warps_[number].live;
    if (left != ~0u) report_.what += "\n  " + lanes_text(~left, number) + ": exited";
    while (left != 0) {
      const Lane* const lanes = &lanes_[number * kLanes];
      const Site& site = lanes[std::countr_zero(left)].waits_at;
      std::uint32_t group = 0;
      for (std::uint32_t i = 0; i < kLanes; ++i) {
        if (((left >> i) & 1) != 0 && lanes[i].waits_at == site) group |= 1u << i;
      }
      left &= ~group;
      report_.what += "\n  " + lanes_text(group, number) + ": at " + site.text();
      report_.lines.push_back(site.where.line);
    }
  }
  for (std::size_t id = 0; id < named_.size(); ++id) {
    if (named_[id].expected == 0) continue;
    report_.what += "\n  named barrier " + std::to_string(id) + ": " +
                    std::to_string(named_[id].arrived) + " of " +
                    std::to_string(named_[id].expected) + " threads have arrived";
  }
}

}  // namespace presso::simt
