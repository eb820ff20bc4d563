// SPDX-License-Identifier: MIT
// How fast a GPU reads its memory: the limit that the rates of queries over columns in it are
// compared with. A kernel adds up all words of an array, 16 bytes a load and eight loads of a
// thread on their way at once; the sum is compared with the right one. Prints a line of CSV: bytes,
// milliseconds (the median of all runs), GB/s.
#include <vector>

#include "lab/harness/command_line.h"
#include "lab/harness/gpu.h"
#include "lab/harness/report.h"
#include "query/gpu/join/join_launcher.cuh"

namespace presso::gpu::bench {
namespace {

using namespace presso::harness;

/// Threads to data: neighbouring threads have neighbouring loads, and a round of a thread's loads
/// lies a whole grid apart.
struct ReadMemory {
  static constexpr const char* kName = "reading memory";
  static constexpr u32 kThreads = 512;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = false;
  static constexpr u32 kItems = 8;

  struct Arguments {
    const simt::Vec4* items;
    u64 count;  ///< a multiple of kItems
    u64* sum;   ///< before: 0
  };

  PRESSO_DEVICE static void run(const Arguments& arguments) {
    const u64 round = arguments.count / kItems;
    const u64 step = u64{simt::grid_blocks()} * simt::block_threads();
    u64 sum = 0;
    for (u64 i = u64{simt::block_index()} * simt::block_threads() + simt::thread_in_block();
         i < round; i += step) {
      simt::Vec4 items[kItems];
      PRESSO_UNROLL
      for (u32 j = 0; j < kItems; ++j) {
        items[j] = simt::load_streaming(arguments.items + i + j * round);
      }
      PRESSO_UNROLL
      for (u32 j = 0; j < kItems; ++j) {
        sum += u64{items[j].x} + items[j].y + items[j].z + items[j].w;
      }
    }
    for (u32 mask = kWarpSize / 2; mask != 0; mask /= 2) sum += simt::shuffle_xor(sum, mask);
    if (simt::lane() == 0) simt::atomic_add(arguments.sum, sum);
  }
};

Result<bool> run(int count, char** arguments) {
  constexpr std::uint64_t kPeriod = 1 << 20;
  std::uint64_t bytes = std::uint64_t{4} << 30;
  int runs = 15;
  CommandLine line("", "Reads a GPU's memory. Exit status 1 where the sum was wrong.");
  line.add("--bytes N", "of memory, rounded up to 1 MiB (4G)", bytes, 1);
  line.add("--runs N", "timed runs (15)", runs, 1);
  line.parse(count, arguments, 0, 0);
  bytes = (bytes + kPeriod - 1) / kPeriod * kPeriod;

  std::vector<u32> words(kPeriod / sizeof(u32));
  u64 expected = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<u32>(i * 2654435761u);
    expected += words[i] * (bytes / kPeriod);
  }
  PRESSO_ASSIGN(const auto gpu, Gpu::open());
  PRESSO_ASSIGN(const DeviceMemory memory, gpu->allocate(bytes));
  PRESSO_ASSIGN(const DeviceMemory d_sum, gpu->allocate(sizeof(u64)));
  PRESSO_TRY(gpu->copy_in(memory.get(), words.data(), kPeriod));
  PRESSO_TRY(gpu->repeat(memory.get(), kPeriod, bytes));
  JoinLauncher launcher(gpu->stream());
  const ReadMemory::Arguments of{as<simt::Vec4>(memory), bytes / sizeof(simt::Vec4),
                                 as<u64>(d_sum)};
  const auto read = [&]() -> Status {
    PRESSO_TRY(gpu->fill(d_sum.get(), 0, sizeof(u64)));
    return launcher.run<ReadMemory>(~u64{0}, 0, of);
  };
  PRESSO_ASSIGN(const Times times, gpu->time(runs, read));
  PRESSO_ASSIGN(const u64 found, gpu->value<u64>(d_sum.get()));
  Report report(Report::Form::kCsv, "bytes,ms,GB/s");
  report.add(
      {bytes, fixed(times.median, 4), fixed(static_cast<double>(bytes) / times.median / 1e6, 1)});
  return found == expected;
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::gpu::bench::run(count, arguments));
}
