// SPDX-License-Identifier: MIT
// The small tools of the parsers against byte-by-byte models.
#include "compress/parse/match.h"

#include <gtest/gtest.h>

#include <random>

#include "compress/parse/last_distances.h"
#include "tests/support/test_data.h"

namespace presso::match_test {
namespace {

std::uint32_t model_length(const Byte* a, const Byte* b, std::uint32_t limit) {
  std::uint32_t length = 0;
  while (length < limit && a[length] == b[length]) ++length;
  return length;
}

TEST(CommonLength, AgreesWithTheModelAtEveryPlaceOfADifference) {
  for (std::uint32_t limit = 0; limit < 80; ++limit) {
    for (std::uint32_t difference = 0; difference <= limit; ++difference) {
      const std::vector<Byte> a(limit, 'x');
      std::vector<Byte> b = a;
      if (difference < limit) b[difference] = 'y';
      ASSERT_EQ(common_length(a.data(), b.data(), limit), difference);
    }
  }
}

TEST(CommonLength, BackAgreesWithTheModelAtEveryPlaceOfADifference) {
  for (std::uint32_t readable = 0; readable < 40; ++readable) {
    for (std::uint32_t limit = 0; limit <= readable; ++limit) {
      for (std::uint32_t difference = 0; difference <= readable; ++difference) {
        const std::vector<Byte> a(readable, 'x');
        std::vector<Byte> b = a;
        if (difference < readable) b[readable - 1 - difference] = 'y';
        const std::uint32_t length =
            common_length_back(a.data() + readable, b.data() + readable, limit, readable);
        ASSERT_EQ(length, std::min(limit, difference));
      }
    }
  }
}

TEST(AllowedLength, IsWhatIsAllowedOfAllThatIsCommon) {
  const std::vector<Byte> zeros(5000);
  for (const std::uint32_t limit : {0u, 1u, 255u, 256u, 257u, 1024u, 4999u}) {
    for (const std::uint32_t allowed : {0u, 1u, 255u, 256u, 257u, 1025u, 5000u}) {
      const auto cut = [&](std::uint32_t length) { return std::min(length, allowed); };
      EXPECT_EQ(allowed_length(zeros.data() + 1, zeros.data(), limit, cut),
                std::min(limit, allowed));
    }
  }
}

TEST(CommonLength, OverlapsLikeACopy) {
  const std::vector<Byte> plain = test::few_letters(5000, 2, 3);
  for (std::uint32_t distance = 1; distance < 20; ++distance) {
    for (std::uint32_t at = distance; at + 300 < plain.size(); at += 37) {
      const Byte* const here = plain.data() + at;
      ASSERT_EQ(common_length(here, here - distance, 300),
                model_length(here, here - distance, 300));
    }
  }
}

TEST(LastDistances, TakenAsOffsetValueAndMoveSay) {
  std::mt19937 random(1);
  LastDistances last = std::to_array(bit::kFirstDistances);
  LastDistances model = last;
  for (int i = 0; i < 2000; ++i) {
    const auto distance = static_cast<std::uint32_t>(1 + random() % 6);
    const std::uint32_t value = offset_value(distance, model);
    model = moved(model, value, distance);
    ASSERT_EQ(take_distance(distance, last), value);
    ASSERT_EQ(last, model);
  }
}

}  // namespace
}  // namespace presso::match_test
