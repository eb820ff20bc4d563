// SPDX-License-Identifier: MIT
// The emulator's primitives are those of the GPU: one body, run by both, word for word.
#include <gtest/gtest.h>

#include <random>

#include "presso/gpu_devices.h"
#include "tests/gpu/primitives_body.h"
#include "tests/gpu/primitives_kernel.h"

namespace presso::gpu::primitives_on_device_test {
namespace {

struct AnyPolicy {};

std::vector<std::uint32_t> random_input(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> input(simt::kProbeInputs);
  for (auto& word : input) word = static_cast<std::uint32_t>(random()) >> (random() % 32);
  return input;
}

ProbeResults probe_in_emulator(const std::vector<std::uint32_t>& input, std::uint32_t seed) {
  // Vector loads need 16-byte alignment, which a vector's memory has.
  ProbeResults results;
  results.rows.resize(simt::kProbeThreads * simt::kProbes);
  results.streamed.resize(simt::kProbeInputs);
  const simt::ProbeArgs args{input.data(), results.rows.data(), results.streamed.data()};
  const simt::Report report =
      simt::run({.block_threads = simt::kProbeThreads, .shared_bytes = simt::kProbeSharedBytes},
                {.seed = seed}, [&] { simt::primitives_body<AnyPolicy>(args); });
  EXPECT_TRUE(report.ok()) << report.what;
  return results;
}

TEST(Primitives, ProbesFillTheirRowsInTheEmulator) {
  const auto input = random_input(1);
  const ProbeResults one = probe_in_emulator(input, 1), two = probe_in_emulator(input, 2);
  EXPECT_EQ(one.rows, two.rows) << "depends on the order of lanes";
  EXPECT_EQ(one.streamed, input);
  const std::uint32_t used = one.rows[simt::kProbes - 1] & 0xFF;
  EXPECT_EQ(one.rows[simt::kProbes - 1], 0xC0FFEE00u + used);
  EXPECT_GT(used, 30u);
  EXPECT_EQ(one.rows[used - 1], 1u) << "the clock";
}

TEST(Primitives, AreTheSameOnTheDevice) {
  const auto devices = list_devices();
  if (!devices.ok()) GTEST_SKIP() << devices.error().message();
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const auto input = random_input(seed);
    const auto on_device = probe_on_device(input);
    ASSERT_TRUE(on_device.ok()) << on_device.error().message();
    const ProbeResults emulated = probe_in_emulator(input, seed);
    EXPECT_EQ(on_device->streamed, emulated.streamed);
    for (std::uint32_t i = 0; i < emulated.rows.size(); ++i) {
      ASSERT_EQ(on_device->rows[i], emulated.rows[i])
          << "thread " << i / simt::kProbes << ", probe " << i % simt::kProbes << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace presso::gpu::primitives_on_device_test
