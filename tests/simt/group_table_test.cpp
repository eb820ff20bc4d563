// SPDX-License-Identifier: MIT
// A key has one place in a bucket, however old what was read of the bucket is.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "decompress/gpu/simt/emulator/emulator.h"
#include "query/gpu/kernels/group_table.cuh"
#include "query/gpu/kernels/pipeline.h"

namespace presso::gpu::group_table_test {
namespace {

using Keys = std::array<u64, kBucketKeys>;

/// The place that a key gets in a bucket of `keys`, of which `read` was read.
u32 place_of(u64 key, Keys& keys, const Keys& read) {
  Pipeline of;
  of.table_buckets = 1;
  of.table_keys = keys.data();
  KeyBucket found;
  std::copy(read.begin(), read.end(), found.key);
  u32 place = 0;
  const simt::Report report = simt::run({1, simt::kWarpSize, 0}, {}, [&] {
    if (simt::lane() == 0) place = place_in_bucket(of, key, 0, found);
  });
  EXPECT_TRUE(report.ok()) << report.what;
  return place;
}

/// Keys are 1, 2, ... in their order; each of what was read may be from before its key came.
TEST(GroupTable, KeysHaveOnePlaceWhateverWasRead) {
  for (u32 count = 0; count <= kBucketKeys; ++count) {
    for (u32 seen = 0; seen < 1u << count; ++seen) {
      SCOPED_TRACE(std::to_string(count) + " keys, seen " + std::to_string(seen));
      Keys keys, read;
      for (u32 i = 0; i < kBucketKeys; ++i) {
        keys[i] = i < count ? i + u64{1} : kNoKey;
        read[i] = (seen >> i & 1) != 0 ? keys[i] : kNoKey;
      }
      const Keys before = keys;
      for (u32 i = 0; i < count; ++i) EXPECT_EQ(place_of(keys[i], keys, read), i);
      EXPECT_EQ(keys, before);
      const u32 place = place_of(99, keys, read);
      if (count == kBucketKeys) {
        EXPECT_EQ(place, kNoPlace);
        EXPECT_EQ(keys, before);
      } else {
        EXPECT_EQ(place, count);
        EXPECT_EQ(keys[count], 99u);
      }
    }
  }
}

}  // namespace
}  // namespace presso::gpu::group_table_test
