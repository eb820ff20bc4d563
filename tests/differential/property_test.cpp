// SPDX-License-Identifier: MIT
// Properties that hold for every text and every choice of options, checked on inputs that
// RapidCheck makes up, and makes smaller where a property fails. The inputs are the same in every
// run; the environment variable RC_PARAMS ("seed=1 max_success=10000") chooses others.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "presso/compress.h"
#include "presso/decompress.h"

namespace presso::property_test {
namespace {

/// Read by RapidCheck before its first test.
[[maybe_unused]] const int kParameters =
    setenv("RC_PARAMS", "seed=20 max_success=150 max_size=150", 0);

/// Part of a text: `count` bytes that are new, or repeat the text from `distance` bytes before.
struct Piece {
  Byte byte;
  std::uint32_t distance;  ///< 0: `byte`, counted up from one to the next
  std::uint32_t count;
};

void showValue(const Piece& piece, std::ostream& out) {
  out << "{" << int{piece.byte} << ", " << piece.distance << ", " << piece.count << "}";
}

std::vector<Byte> text_of(const std::vector<Piece>& pieces) {
  std::vector<Byte> text;
  for (const Piece& piece : pieces) {
    const std::size_t distance = std::min<std::size_t>(piece.distance, text.size());
    for (std::uint32_t i = 0; i < piece.count; ++i) {
      text.push_back(distance == 0 ? static_cast<Byte>(piece.byte + i)
                                   : text[text.size() - distance]);
    }
  }
  return text;
}

rc::Gen<std::vector<Piece>> pieces() {
  const auto distance = rc::gen::weightedOneOf<std::uint32_t>(
      {{2, rc::gen::inRange(0u, 20u)}, {3, rc::gen::inRange(1u, 70000u)}});
  const auto count = rc::gen::weightedOneOf<std::uint32_t>(
      {{8, rc::gen::inRange(0u, 40u)}, {1, rc::gen::inRange(0u, 9000u)}});
  return rc::gen::container<std::vector<Piece>>(
      rc::gen::construct<Piece>(rc::gen::arbitrary<Byte>(), distance, count));
}

CompressOptions any_options() {
  CompressOptions options;
  options.level = *rc::gen::inRange(kMinLevel, kMaxLevel + 1).as("level");
  options.coding = *rc::gen::element(Coding::kByte, Coding::kBit).as("coding");
  options.block_bytes = 1024 * *rc::gen::inRange(16u, 80u).as("KiB in a block");
  options.rule = *rc::gen::element(DependencyRule::kNone, DependencyRule::kStrict,
                                   DependencyRule::kLiteralAware, DependencyRule::kTwoWave,
                                   DependencyRule::kTile)
                      .as("rule");
  options.filter_permille = *rc::gen::element(0u, 80u).as("filter size");
  return options;
}

void require(const Status& status) {
  if (!status.ok()) RC_FAIL(status.error().message());
}

RC_GTEST_PROP(Properties, EveryRangeOfACompressedFileReadsAsInItsText, ()) {
  const std::vector<Byte> text = text_of(*pieces().as("pieces"));
  const auto compressed = compress_buffer(text, any_options());
  if (!compressed.ok()) RC_FAIL(compressed.error().message());
  const MemoryRandomAccess file(*compressed);
  const auto opened = CompressedFile::open(file);
  if (!opened.ok()) RC_FAIL(opened.error().message());
  RC_ASSERT(opened->plain_bytes() == text.size());
  const auto begin = *rc::gen::inRange<std::size_t>(0, text.size() + 1).as("begin");
  const auto end = *rc::gen::inRange<std::size_t>(begin, text.size() + 1).as("end");
  for (const auto& [first, last] : {std::pair(std::size_t{0}, text.size()), {begin, end}}) {
    std::vector<Byte> got(last - first);
    require(opened->read(first, got));
    RC_ASSERT(std::equal(got.begin(), got.end(), text.begin() + static_cast<long>(first)));
  }
}

RC_GTEST_PROP(Properties, CompressionDependsOnTextAndOptionsOnlyNotOnThreads, ()) {
  const std::vector<Byte> text = text_of(*pieces().as("pieces"));
  CompressOptions options = any_options();
  options.threads = 1;
  const auto alone = compress_buffer(text, options);
  options.threads = *rc::gen::inRange(2u, 5u).as("threads");
  const auto together = compress_buffer(text, options);
  RC_ASSERT(alone.ok() && together.ok());
  RC_ASSERT(*alone == *together);
}

}  // namespace
}  // namespace presso::property_test
