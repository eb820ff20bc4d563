// SPDX-License-Identifier: MIT
// Long runs of literals by a warp: any sizes between any addresses, nothing around them touched.
#include "decompress/gpu/warp/run_copy.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "decompress/gpu/simt/emulator/emulator.h"
#include "tests/support/test_data.h"

namespace presso::gpu::run_copy_test {
namespace {

constexpr u32 kSizes[] = {0, 1, 15, 16, 17, 31, 511, 512, 513, 2047, 2048, 2049, 2063, 4099, 9000};

TEST(RunCopy, AnySizesBetweenAnyAddresses) {
  constexpr u32 kRoom = 9100;
  const std::vector<Byte> source = presso::test::random_bytes(kRoom, 1);
  for (const u32 size : kSizes) {
    for (u32 from = 0; from < 8; ++from) {
      for (u32 to = 0; to < 16; to += 1 + from % 3) {
        alignas(16) Byte out[kRoom];
        std::fill_n(out, kRoom, Byte{0xEE});
        simt::Options options;
        options.seed = size + from + to;
        const simt::Report report = simt::run({1, kWarpSize, 0}, options, [&] {
          copy_run(address_of(out + to), address_of(source.data() + from), size);
        });
        ASSERT_TRUE(report.ok()) << report.what;
        ASSERT_TRUE(std::equal(out + to, out + to + size, source.data() + from));
        EXPECT_TRUE(std::all_of(out, out + to, [](Byte byte) { return byte == 0xEE; }));
        EXPECT_TRUE(std::all_of(out + to + size, out + kRoom, [](Byte b) { return b == 0xEE; }));
      }
    }
  }
}

}  // namespace
}  // namespace presso::gpu::run_copy_test
