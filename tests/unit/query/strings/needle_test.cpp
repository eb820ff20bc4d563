// SPDX-License-Identifier: MIT
// Strings compared by words of 8 bytes, against the library's search, with exactly the text's
// memory, so that ASan sees what reads beyond.
#include "query/strings/needle.h"

#include <gtest/gtest.h>

#include <vector>

#include "corpora/random.h"

namespace presso::query::needle_test {
namespace {

TEST(Needle, FindsWhatTheLibraryFinds) {
  corpora::Random random(1);
  for (int i = 0; i < 4000; ++i) {
    std::vector<Byte> text(random.below(90));
    for (Byte& byte : text) byte = "ab\n\0"[random.below(4)];
    std::string wanted(random.below(random.one_in(2) ? 4 : 14), 'a');
    for (char& byte : wanted) byte = "ab\n\0"[random.below(4)];
    const Needle needle(wanted);
    const auto end = random.below(static_cast<std::uint32_t>(text.size()) + 1);
    const auto begin = random.below(end + 1);
    const std::string part(text.begin() + begin, text.begin() + end);
    const std::size_t expected = part.find(wanted);
    const auto found = needle.find(text, begin, end);
    ASSERT_EQ(found.has_value(), expected != std::string::npos);
    ASSERT_EQ(found.value_or(begin), found ? begin + expected : begin);
    if (begin + wanted.size() <= text.size()) {
      const bool stands = std::equal(wanted.begin(), wanted.end(), text.begin() + begin,
                                     [](char a, Byte b) { return static_cast<Byte>(a) == b; });
      ASSERT_EQ(needle.stands_at(text, begin), stands);
    }
  }
}

}  // namespace
}  // namespace presso::query::needle_test
