// SPDX-License-Identifier: MIT
// One running block of the emulator: its lanes, warps, barriers and scheduler. The primitives of
// simt_emulated.h call it through current_block(); tests see emulator.h only.
//
// A collective of a warp: each lane leaves its value, the last one to arrive combines them and
// makes all of them ready again in a new order. A block barrier or named barrier is a collective of
// each warp first (the hardware's are, too), whose last lane then takes the warp to the barrier.
// Values are kept for two turns: a lane may be at the next collective while others still read the
// last.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "decompress/gpu/simt/emulator/async_copies.h"
#include "decompress/gpu/simt/emulator/emulator.h"
#include "decompress/gpu/simt/emulator/fibre.h"
#include "presso/bytes.h"

namespace presso::simt {

/// A call of a primitive: which, and from where. `detail` is a barrier's number.
struct Site {
  const char* name = "";
  Location where;
  std::uint32_t detail = 0;

  bool operator==(const Site& other) const;
  /// Whether both are calls of one primitive, from whatever place.
  bool is_same_call(const Site& other) const;
  bool is_none() const { return *name == '\0'; }
  std::string text() const;
};

constexpr std::uint32_t kLanes = 32;  // allow(bare-32): as kWarpSize in simt.h
constexpr std::uint32_t kNamedBarriers = 16;

/// "lanes 0-3, 7 of warp 2".
std::string lanes_text(std::uint32_t mask, std::uint32_t warp);

using WarpValues = std::array<std::uint64_t, kLanes>;
/// Fills `out` from the values of the lanes in the mask `present`.
using Combine = void (*)(const WarpValues& in, std::uint32_t present, WarpValues& out);

class Block;

/// One thread of the block: its fibre and what it waits for.
struct Lane {
  Block* block = nullptr;
  std::uint32_t thread = 0;
  bool exited = false;
  Site waits_at;  ///< the collective, wait or atomic that it came to last
  Fibre fibre;
  LaneCopies copies;

  std::uint32_t in_warp() const { return thread % kLanes; }
  std::uint32_t warp() const { return thread / kLanes; }
  std::uint32_t bit() const { return 1u << in_warp(); }
};

/// 32 lanes, and the collective at which they meet.
struct Warp {
  enum class Reach { kWarp, kBlock, kNamedSync, kNamedArrive };

  std::uint32_t live = ~0u;   ///< lanes that have not exited
  std::uint32_t ready = 0;    ///< lanes that can run; see Block::set_ready
  std::uint32_t arrived = 0;  ///< lanes at the collective `site`
  Site site;
  Reach reach = Reach::kWarp;
  Combine combine = nullptr;
  std::uint32_t threads = 0;  ///< what a named barrier was told
  std::uint32_t turn = 0;     ///< collectives completed
  std::array<WarpValues, 2> in{};
  std::array<WarpValues, 2> out{};
  std::array<std::uint8_t, kLanes> order{};  ///< in which lanes take their turns
  std::uint32_t next = 0;                    ///< position in `order`
};

/// The barrier of one number; it begins anew when all expected threads have arrived.
struct NamedBarrier {
  std::uint32_t arrived = 0;   ///< threads
  std::uint32_t expected = 0;  ///< threads; 0 while nobody has arrived
  std::uint32_t waiting = 0;   ///< mask of warps
  Site first;
};

/// Runs on one thread. A failure is recorded once; then every lane is resumed to be unwound by
/// an exception, so that destructors of the body run.
class Block {
 public:
  Block(const Launch& launch, const Options& options, const std::function<void()>& body,
        FibreStacks& stacks, std::mt19937& random, Report& report);

  /// Runs block number `index` to its end; the report says whether it got there.
  void run(std::uint32_t index);

  // What the primitives need. All of them belong to the lane that runs now.
  Lane& lane() { return *current_; }
  const Launch& launch() const { return launch_; }
  std::uint32_t index() const { return index_; }
  Byte* shared() { return shared_.get(); }

  /// What the lanes brought to a collective and what was combined of it; valid until the lane's
  /// next but one.
  struct Exchanged {
    const WarpValues& in;
    const WarpValues& out;
  };
  Exchanged warp_collective(const Site& site, std::uint64_t value, Combine combine);
  /// Returns the number of lanes in the block for which `predicate` holds.
  std::uint32_t block_barrier(const Site& site, bool predicate);
  void named_barrier(const Site& site, std::uint32_t threads, bool wait);
  /// Lets others run now and then; a loop around an atomic would otherwise never end.
  void give_way(const Site& site);

  void copy_async(const Site& site, void* to, const void* from, std::uint32_t bytes);
  void copy_async_wait(const Site& site, std::size_t groups_in_flight);
  void mbarrier_init(const Site& site, std::uint64_t* barrier, std::uint32_t arrivals);
  void mbarrier_arrive(const Site& site, std::uint64_t* barrier);
  void mbarrier_wait(const Site& site, std::uint64_t* barrier, std::uint32_t parity);
  void bulk_expect(const Site& site, std::uint64_t* barrier, std::uint32_t bytes);
  void bulk_copy(const Site& site, std::uint64_t* barrier, void* to, const void* from,
                 std::uint32_t bytes);

  /// Ends the run with a failure; every lane is unwound.
  [[noreturn]] void fail(Failure failure, const std::string& what,
                         const std::vector<Site>& sites = {});

 private:
  struct Unwind {};  ///< thrown through lanes of a block that has failed

  Warp& warp_of(const Lane& lane) { return warps_[lane.warp()]; }
  std::uint32_t live_warps() const;
  std::string place(const Lane& lane) const;

  // Lanes.
  void start_lanes();
  static void lane_entry(void* lane);
  void run_body(Lane& lane);
  void lane_exits(Lane& lane);

  // Scheduler.
  Lane* choose_lane();
  Lane* any_unfinished();
  std::uint32_t choose_warp();
  void set_ready(Warp& warp, std::uint32_t lanes);
  Lane& next_ready(Warp& warp, std::uint32_t number);
  void draw_order(Warp& warp);
  void yield();
  bool one_in_sixteen();

  // Collectives and barriers.
  Exchanged arrive(const Site& site, Warp::Reach reach, std::uint64_t value, Combine combine,
                   std::uint32_t threads);
  void check_arrival(const Warp& warp, const Site& site);
  void complete(Warp& warp, std::uint32_t number);
  void release(Warp& warp);
  void block_arrival(Warp& warp, std::uint32_t number);
  void try_block_release();
  void named_arrival(Warp& warp, std::uint32_t number);
  void check_shared(const Site& site, const void* at, std::size_t bytes);
  Mbarrier& mbarrier(const Site& site, std::uint64_t* barrier);
  /// The barrier, which must have completed its last phase.
  Mbarrier& mbarrier_in_phase(const Site& site, std::uint64_t* barrier);
  void wake_waiters(Mbarrier& barrier);
  void check_unchanged(const Site& site, bool unchanged);

  void record(Failure failure, const std::string& what, const std::vector<Site>& sites);
  void report_stuck(const std::string& what);
  void list_lanes(std::uint32_t warp);

  const Launch& launch_;
  const Options& options_;
  const std::function<void()>& body_;
  FibreStacks& stacks_;
  std::mt19937& random_;
  Report& report_;

  struct Free {
    void operator()(Byte* memory) const;
  };
  std::uint32_t index_ = 0;
  std::unique_ptr<Byte, Free> shared_;
  std::vector<Lane> lanes_;
  std::vector<Warp> warps_;
  Fibre main_;
  std::uint32_t ready_warps_ = 0;  ///< mask of warps with a lane that can run
  Lane* current_ = nullptr;
  bool failing_ = false;
  bool giving_way_ = false;  ///< the running lane could go on, but others come first

  std::uint32_t block_waiting_ = 0;  ///< mask of warps at the block barrier
  std::uint32_t block_count_ = 0;    ///< predicates that hold, so far
  Site block_site_;
  std::array<NamedBarrier, kNamedBarriers> named_{};
  Mbarriers mbarriers_;

  std::uint64_t spins_ = 0;
  std::uint32_t chances_ = 0;
  std::uint32_t chances_left_ = 0;
};

/// The block whose lane is running on this thread.
Block& current_block();

}  // namespace presso::simt
