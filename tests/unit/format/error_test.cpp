// SPDX-License-Identifier: MIT
// What an error's code says: its text, whether the file is to blame or the device.
#include "presso/error.h"

#include <gtest/gtest.h>

#include <set>

namespace presso::error_test {
namespace {

TEST(Errors, EveryCodeHasATextOfItsOwn) {
  std::set<std::string_view> texts;
  unsigned codes = 0;
  for (unsigned number = 0; number < 100; ++number) {
    const std::string_view text = describe(static_cast<ErrorCode>(number));
    if (text == "unknown error") continue;
    ++codes;
    EXPECT_TRUE(texts.insert(text).second) << text;
  }
  EXPECT_EQ(codes, 35u);  // as FORMAT.md 11 lists them, and success
}

TEST(Errors, AreOfTheFileOrOfTheWorldOutside) {
  EXPECT_FALSE(is_damage(ErrorCode::kOk));
  EXPECT_TRUE(is_damage(ErrorCode::kNotPresso));
  EXPECT_TRUE(is_damage(ErrorCode::kBadBits));
  EXPECT_FALSE(is_damage(ErrorCode::kIo));
  EXPECT_FALSE(is_damage(ErrorCode::kDeviceLost));
}

TEST(Errors, OfTheDeviceAreThoseThatTheCpuMayNotHave) {
  for (const ErrorCode code :
       {ErrorCode::kNoDevice, ErrorCode::kDeviceMemory, ErrorCode::kDeviceLost,
        ErrorCode::kOutOfMemory, ErrorCode::kUnsupported}) {
    EXPECT_TRUE(is_of_the_device(code)) << describe(code);
  }
  EXPECT_FALSE(is_of_the_device(ErrorCode::kContentChecksum));
  EXPECT_FALSE(is_of_the_device(ErrorCode::kCancelled));
}

TEST(Errors, ThatHaveAPlaceAreNamedInFull) {
  Error error = make_error(ErrorCode::kIo, "cannot open: No such file or directory");
  EXPECT_EQ(error.text(), "cannot open: No such file or directory");
  error.block = 8653211;
  EXPECT_EQ(error.text(),
            "block 8,653,211: input/output error: cannot open: No such file or directory");
  EXPECT_EQ(make_error(ErrorCode::kIo).text(), "input/output error");
  EXPECT_EQ(make_error(ErrorCode::kBadBits, "sub-stream 15").text(),
            "the compressed data is corrupt (a stream has the wrong end): sub-stream 15");
}

TEST(Errors, GroupDigitsByThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(~std::uint64_t{0}), "18,446,744,073,709,551,615");
}

}  // namespace
}  // namespace presso::error_test
