// SPDX-License-Identifier: MIT
// Runs kernel bodies on the CPU: grid x block_threads lanes, each a fibre, 32 to a warp. A body
// that reaches the GPU through decompress/gpu/simt/simt.h only runs here unchanged, under
// sanitizers, and what a GPU would leave undefined becomes a failure with its place in the source:
//
//   - lanes of a warp at different collectives (a full-warp call in divergent code);
//   - a collective that names a lane which has exited, unless Options allow it;
//   - warps at different block barriers, unless Options allow it; block barriers do not count
//     lanes that have exited, as in CUDA;
//   - deadlock: no lane can go on; what each lane waits for is listed. A loop that only spins on an
//     atomic counts as one after Options::spin_limit rounds;
//   - asynchronous copies: misaligned, outside shared memory, or with a source that changes on the
//     way. Their target holds 0xEF until the wait, so reading too early gives wrong results.
//
// Shared memory is allocated with exactly the size asked for and filled with 0xA5 before each
// block. Lanes run one at a time, between synchronisation points in an order drawn from a seed, so
// that a missing barrier has a chance to show; run a test with several seeds and with kReverse.
// Blocks run one after another, in that order too. What cannot be seen: a spin on plain memory
// hangs, and lanes of a warp never run in lockstep, so racing stores are seen in one order only.
//
//     const Report report = run({.grid = 2, .block_threads = 128, .shared_bytes = 4096}, {},
//                               [&] { foo_body<Policy>(args); });
//     EXPECT_TRUE(report.ok()) << report.what;
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace presso::simt {

/// A place in the source. (std::source_location is missing from clang 14.)
struct Location {
  const char* file = "";
  unsigned line = 0;
  const char* function = "";

  static constexpr Location here(const char* file = __builtin_FILE(),
                                 unsigned line = __builtin_LINE(),
                                 const char* function = __builtin_FUNCTION()) {
    return {file, line, function};
  }
};

/// The shape of a launch, as CUDA has it.
struct Launch {
  std::uint32_t grid = 1;
  std::uint32_t block_threads = 32;  ///< a multiple of 32, at most 1024; allow(bare-32): warps
  std::size_t shared_bytes = 0;
};

/// In which order lanes, warps and blocks run: drawn, rising or falling.
enum class Order { kRandom, kForward, kReverse };

/// What the emulator forgives, and how it schedules.
struct Options {
  Order order = Order::kRandom;
  std::uint32_t seed = 1;
  /// Collectives go on with the lanes that are left; else they fail.
  bool allow_exited_lanes = false;
  /// block_sync may be reached at different places of the source by different warps.
  bool allow_split_block_sync = false;
  std::size_t stack_bytes = 128 << 10;
  /// How often lanes may give way in atomics while no barrier is completed and no lane exits.
  std::uint64_t spin_limit = 4'000'000;
};

/// Why a run has ended; the first failure counts.
enum class Failure {
  kNone,
  kBadLaunch,
  kMismatch,       ///< lanes or warps at different collectives
  kExitedLane,     ///< a collective names a lane that has exited
  kDeadlock,       ///< nobody can go on, or everybody spins
  kBadCall,        ///< a primitive's precondition does not hold
  kSourceChanged,  ///< the source of an asynchronous copy changed before the wait
  kException,      ///< the body threw
};

struct [[nodiscard]] Report {
  Failure failure = Failure::kNone;
  std::string what;             ///< for people: what went wrong, which lanes wait where
  std::vector<unsigned> lines;  ///< the source lines that `what` names, in order
  std::uint64_t collectives = 0;
  std::uint64_t barriers = 0;

  bool ok() const { return failure == Failure::kNone; }
};

/// Calls `body` once for each lane of the grid.
Report run(const Launch& launch, const Options& options, const std::function<void()>& body);

}  // namespace presso::simt
