// SPDX-License-Identifier: MIT
// Any number of threads gives the same bytes, compressed and decompressed.
#include <gtest/gtest.h>

#include "presso/compress.h"
#include "presso/decompress.h"
#include "tests/support/test_data.h"

namespace presso::threads_test {
namespace {

TEST(Threads, OutputDoesNotDependOnTheirNumber) {
  const std::vector<Byte> plain = test::log_lines(3000000, 6);
  CompressOptions options;
  options.coding = Coding::kByte;
  options.threads = 1;
  const auto one = compress_buffer(plain, options);
  options.threads = 5;
  const auto five = compress_buffer(plain, options);
  ASSERT_TRUE(one.ok() && five.ok());
  EXPECT_TRUE(*one == *five);
  DecompressOptions decode;
  decode.threads = 5;
  const auto decoded = decompress_buffer(*one, decode);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message();
  EXPECT_TRUE(*decoded == plain);
}

}  // namespace
}  // namespace presso::threads_test
