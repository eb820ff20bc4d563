// SPDX-License-Identifier: MIT
// The parts of a file give what a scan of all of it gives: random texts with line ends at and
// around block borders, filters, members, damage. More of it is tested through the Python package
// (python/tests/test_partitions.py).
#include "presso/line_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "presso/compress.h"
#include "presso/scan.h"
#include "tests/unit/scan/text/scan_reference.h"

namespace presso::line_parts_test {
namespace {

using scan_test::as_bytes;
using scan_test::Line;

constexpr std::uint32_t kBlock = kMinBlockBytes;

Pattern literal(const std::string& text) {
  return *Pattern::compile_literals(std::vector{text});
}

Pattern expression(const std::string& text) {
  return *Pattern::compile(std::vector{text});
}

std::string random_text(std::mt19937& random, std::size_t longest) {
  std::string text;
  while (text.size() < 6 * kBlock) {
    for (std::size_t left = random() % (longest + 1); left > 0; --left) {
      text += "abc d"[random() % 5];
      if (random() % 500 == 0) text += "needle";
    }
    text += random() % 20 == 0 ? "\n\n\n" : "\n";
  }
  for (std::size_t at = kBlock - 1; at < text.size() && random() % 2 == 0; at += kBlock) {
    text[at] = '\n';
  }
  if (random() % 2 == 0) text.pop_back();
  return text;
}

std::vector<Byte> packed(const std::string& text, std::uint32_t filter_permille) {
  CompressOptions options;
  options.level = 1;
  options.block_bytes = kBlock;
  options.filter_permille = filter_permille;
  const auto compressed = compress_buffer(as_bytes(text), options);
  EXPECT_TRUE(compressed.ok());
  return *compressed;
}

struct Found {
  std::vector<Line> lines;
  std::vector<std::uint64_t> damage;

  LineCallback callback() {
    return [this](const MatchedLine& line) {
      lines.push_back({std::string(line.text.begin(), line.text.end()), line.offset, line.number});
      return true;
    };
  }
};

ScanOptions options_for(Found& found) {
  ScanOptions options;
  options.line_numbers = true;
  options.on_damage = [&found](const DamagedBlock& block) {
    found.damage.push_back(block.error.block);
  };
  return options;
}

Found whole_of(const RandomAccess& file, const Pattern& pattern) {
  Found found;
  EXPECT_TRUE(scan(file, pattern, options_for(found), found.callback()).ok());
  return found;
}

std::optional<std::vector<LinePart>> parts_of(const RandomAccess& file, const Pattern& pattern,
                                              std::uint64_t target_bytes,
                                              const ScanOptions& options = {},
                                              bool with_layout = false) {
  auto opened = ScannedFile::open(file);
  return divide_lines(*opened, pattern, options, target_bytes, with_layout);
}

Found parts_together(const RandomAccess& file, const Pattern& pattern, std::uint64_t target,
                     bool with_layout = false) {
  Found found;
  const auto parts = parts_of(file, pattern, target, {}, with_layout);
  EXPECT_TRUE(parts.has_value());
  for (const LinePart& part : *parts) {
    const std::size_t before = found.lines.size();
    const auto done = scan_part(file, part, pattern, options_for(found), found.callback());
    EXPECT_TRUE(done.ok());
    EXPECT_EQ(done->lines, found.lines.size() - before);
  }
  return found;
}

TEST(LineParts, AreTheWhole) {
  std::mt19937 random(1);
  const Pattern patterns[] = {literal("needle"), literal(""), expression("^a|d$")};
  for (int round = 0; round < 12; ++round) {
    auto bytes = packed(random_text(random, round % 2 == 0 ? 40 : 3 * kBlock), round % 3 * 500);
    const auto second = packed(random_text(random, 100), 500);
    if (round % 4 == 0) bytes.insert(bytes.end(), second.begin(), second.end());
    const MemoryRandomAccess file{Bytes(bytes)};
    for (const Pattern& pattern : patterns) {
      const Found whole = whole_of(file, pattern);
      for (const std::uint64_t target : {1u, kBlock + 1, 1u << 30}) {
        EXPECT_EQ(parts_together(file, pattern, target).lines, whole.lines) << round;
        EXPECT_EQ(parts_together(file, pattern, target, true).lines, whole.lines) << round;
      }
    }
  }
}

TEST(LineParts, KeepWhatHolesLeave) {
  std::mt19937 random(2);
  const Pattern pattern = expression("[abcd]");
  for (int round = 0; round < 12; ++round) {
    const std::string text = random_text(random, round % 2 == 0 ? 40 : 3 * kBlock);
    auto bytes = packed(text, 0);
    {
      const MemoryRandomAccess intact{Bytes(bytes)};
      const auto index = ArchiveIndex::open(intact);
      const std::uint64_t block = random() % index->block_count();
      bytes[static_cast<std::size_t>(index->block_offset(block)) + kBlockHeaderBytes] ^= 1;
    }
    const MemoryRandomAccess file{Bytes(bytes)};
    Found whole = whole_of(file, pattern);
    for (Line& line : whole.lines) {
      const auto end = text.begin() + static_cast<std::ptrdiff_t>(line.offset);
      line.number = 1 + static_cast<std::uint64_t>(std::count(text.begin(), end, '\n'));
    }
    for (const std::uint64_t target : {1u, kBlock + 1, 1u << 30}) {
      for (const bool with_layout : {false, true}) {
        const Found found = parts_together(file, pattern, target, with_layout);
        EXPECT_EQ(found.lines, whole.lines) << round;
        for (const std::uint64_t block : found.damage) EXPECT_EQ(block, whole.damage[0]);
      }
    }
  }
}

TEST(LineParts, AreNotThereWhereNothingCanBeFound) {
  std::mt19937 random(3);
  std::string text = random_text(random, 40);
  text.replace(3 * kBlock + 100, 9, "here once");
  const auto bytes = packed(text, 500);
  const MemoryRandomAccess file{Bytes(bytes)};
  const auto parts = parts_of(file, literal("here once"), 1);
  ASSERT_TRUE(parts.has_value());
  EXPECT_GE(parts->size(), 1u);
  EXPECT_LE(parts->size(), 2u);
  const auto some = parts_of(file, literal(""), 1, {.last_line = 1});
  ASSERT_TRUE(some.has_value());
  EXPECT_EQ(some->size(), 1u);
}

TEST(LineParts, AreNoneWhereAFileIsSearchedAsAWhole) {
  const Pattern pattern = literal("a");
  const std::string text = "a\nb\n";
  const MemoryRandomAccess plain{as_bytes(text)};
  EXPECT_FALSE(parts_of(plain, pattern, 1).has_value());
  const auto bytes = packed(text, 0);
  const MemoryRandomAccess file{Bytes(bytes)};
  EXPECT_TRUE(parts_of(file, pattern, 1).has_value());
  EXPECT_FALSE(parts_of(file, pattern, 1, {.before_context = 1}).has_value());
  EXPECT_FALSE(parts_of(file, pattern, 1, {.max_lines = 1}).has_value());
  const MemoryRandomAccess cut{Bytes(bytes).first(bytes.size() - 1)};
  EXPECT_FALSE(parts_of(cut, pattern, 1).has_value());
}

/// Refuses to read what stands behind the blocks.
class OnlyBlocks final : public RandomAccess {
 public:
  OnlyBlocks(const RandomAccess& file, std::uint64_t blocks_end)
      : file_(file), blocks_end_(blocks_end) {}

  std::uint64_t size() const override { return file_.size(); }
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    if (offset + into.size() > blocks_end_) return make_error(ErrorCode::kIo, "not a block");
    return file_.read_at(offset, into);
  }

 private:
  const RandomAccess& file_;
  std::uint64_t blocks_end_;
};

TEST(LineParts, WithTheirLayoutNeedNothingButBlocks) {
  std::mt19937 random(4);
  const Pattern pattern = literal("needle");
  const auto bytes = packed(random_text(random, 40), 500);
  const MemoryRandomAccess file{Bytes(bytes)};
  const OnlyBlocks blocks(file, ArchiveIndex::open(file)->members()[0].blocks_end);
  for (const bool with_layout : {false, true}) {
    Found found;
    bool all = true;
    const auto parts = parts_of(file, pattern, kBlock, {}, with_layout);
    for (const LinePart& part : *parts) {
      EXPECT_EQ(part.layout.has_value(), with_layout);
      all &= scan_part(blocks, part, pattern, options_for(found), found.callback()).ok();
    }
    EXPECT_EQ(all, with_layout);
    EXPECT_EQ(found.lines == whole_of(file, pattern).lines, with_layout);
  }
}

TEST(LineParts, AreRefusedWithALayoutThatCannotBeTheirs) {
  std::mt19937 random(5);
  const Pattern pattern = literal("a");
  const auto bytes = packed(random_text(random, 40), 0);
  const MemoryRandomAccess file{Bytes(bytes)};
  const auto parts = parts_of(file, pattern, 2 * kBlock, {}, true);
  const LinePart& second = (*parts)[1];
  const auto is_refused = [&](auto change) {
    LinePart part = second;
    change(part, *part.layout);
    return !scan_part(file, part, pattern).ok();
  };
  ASSERT_FALSE(is_refused([](LinePart&, PartLayout&) {}));
  const auto of_excerpt = [&](std::uint64_t ArchiveExcerpt::*number, std::uint64_t value) {
    return is_refused([&](LinePart&, PartLayout& layout) { layout.blocks.*number = value; });
  };
  for (const std::uint64_t value : {std::uint64_t{7}, ~std::uint64_t{0}}) {
    EXPECT_TRUE(of_excerpt(&ArchiveExcerpt::file_offset, value));
    EXPECT_TRUE(of_excerpt(&ArchiveExcerpt::first_block, value));
    EXPECT_TRUE(of_excerpt(&ArchiveExcerpt::first, value));
    EXPECT_TRUE(of_excerpt(&ArchiveExcerpt::offset, value));
  }
  EXPECT_TRUE(of_excerpt(&ArchiveExcerpt::plain_offset, ~std::uint64_t{0}));
  EXPECT_TRUE(of_excerpt(&ArchiveExcerpt::plain_bytes, 7));
  EXPECT_TRUE(is_refused([](LinePart& part, PartLayout&) { part.end = ~std::uint64_t{0}; }));
  EXPECT_TRUE(is_refused([](LinePart& part, PartLayout&) { part.begin = 0; }));
  EXPECT_TRUE(is_refused([&](LinePart&, PartLayout& layout) { layout = *(*parts)[0].layout; }));
  EXPECT_TRUE(
      is_refused([](LinePart&, PartLayout& layout) { layout.blocks.stored_bytes.clear(); }));
  EXPECT_TRUE(
      is_refused([](LinePart&, PartLayout& layout) { layout.blocks.stored_bytes.back() = ~0u; }));
  EXPECT_TRUE(is_refused([](LinePart&, PartLayout& layout) { layout.line_facts.pop_back(); }));
  EXPECT_TRUE(is_refused([](LinePart&, PartLayout& layout) { layout.line_facts[11] = 0xff; }));
}

TEST(LineParts, AreRefusedForAnotherFile) {
  const Pattern pattern = literal("a");
  const auto bytes = packed("a\nb\n", 0);
  const MemoryRandomAccess file{Bytes(bytes)};
  LinePart part = (*parts_of(file, pattern, 1))[0];
  EXPECT_TRUE(scan_part(file, part, pattern).ok());
  for (const auto change : {&LinePart::file_bytes, &LinePart::layout_checksum, &LinePart::end}) {
    LinePart other = part;
    other.*change += 1;
    EXPECT_EQ(scan_part(file, other, pattern).error().code, ErrorCode::kIo);
  }
}

TEST(LineParts, AreRefusedForAFileOfTheSameSizeWithOtherLines) {
  const Pattern pattern = literal("a");
  const auto divided = packed("a\nbb\n", 0);
  const auto other = packed("aa\nb\n", 0);
  ASSERT_EQ(divided.size(), other.size());
  const LinePart part = (*parts_of(MemoryRandomAccess{Bytes(divided)}, pattern, 1))[0];
  const auto found = scan_part(MemoryRandomAccess{Bytes(other)}, part, pattern);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace presso::line_parts_test
