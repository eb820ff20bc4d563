// SPDX-License-Identifier: MIT
// The comments of TPC-H's tables: text by the grammar of the specification's section 4.2.2.14,
// from a place anywhere in a sentence on. dbgen cuts its comments out of one pool of 300 MB; here
// every comment is made for itself, so that nothing has to be made in advance and no comment is a
// copy of another. A comment costs about 4 ns a word.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "corpora/random.h"

namespace presso::corpora::tpch {

/// Not thread-safe.
class CommentText {
 public:
  /// From `shortest` to `longest` <= kMaxBytes letters, each length as often as every other. Valid
  /// until the next call.
  std::string_view make(Random& random, std::uint32_t shortest, std::uint32_t longest);

  static constexpr std::uint32_t kMaxBytes = 256;

 private:
  /// A comment begins somewhere in the first letters of a sentence, of which the mean is about 60.
  static constexpr std::uint32_t kMaxSkipped = 64;
  static constexpr std::size_t kMaxSentence = 20 * 16;

  std::array<char, kMaxBytes + kMaxSkipped + kMaxSentence> buffer_{};
};

}  // namespace presso::corpora::tpch
