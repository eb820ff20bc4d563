// SPDX-License-Identifier: MIT
// Scans that leave out blocks by their filters find what scans of everything find: random texts and
// literals, all options, literals and long lines at block borders, members, damage of blocks and of
// the filters themselves. That blocks are left out is checked, too.
#include <gtest/gtest.h>

#include <random>

#include "format/block_filter.h"
#include "presso/checksum.h"
#include "presso/compress.h"
#include "presso/scan.h"

namespace presso::scan_index_test {
namespace {

constexpr std::uint32_t kBlock = kMinBlockBytes;

Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

std::vector<Byte> packed(std::string_view text, std::uint32_t filter_size = 500,
                         unsigned threads = 1) {
  CompressOptions options;
  options.coding = Coding::kByte;
  options.level = 1;
  options.block_bytes = kBlock;
  options.dictionary.mode = DictionaryChoice::Mode::kNone;
  options.filter_permille = filter_size;
  options.threads = threads;
  const auto compressed = compress_buffer(as_bytes(text), options);
  EXPECT_TRUE(compressed.ok());
  return compressed.ok() ? *compressed : std::vector<Byte>();
}

std::vector<Byte> joined(std::vector<Byte> first, const std::vector<Byte>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

struct Seen {
  std::string text;
  std::uint64_t offset = 0;
  std::uint64_t number = 0;
  std::vector<MatchSpan> matches;
  friend bool operator==(const Seen&, const Seen&) = default;
};

struct Outcome {
  std::vector<Seen> lines;
  std::vector<std::uint64_t> damage;
  ScanSummary summary;
  unsigned bad_index = 0;
  std::string error;
};

Outcome run(Bytes file, const Pattern& pattern, ScanOptions options, bool with_callback = true) {
  Outcome outcome;
  options.on_damage = [&](const DamagedBlock& d) { outcome.damage.push_back(d.error.block); };
  options.on_bad_index = [&](const Error&) { ++outcome.bad_index; };
  LineCallback on_line;
  if (with_callback) {
    on_line = [&](const MatchedLine& line) {
      outcome.lines.push_back({std::string(line.text.begin(), line.text.end()),
                               line.offset,
                               line.number,
                               {line.matches.begin(), line.matches.end()}});
      return true;
    };
  }
  const MemoryRandomAccess access(file);
  const auto summary = scan(access, pattern, options, on_line);
  if (summary.ok()) {
    outcome.summary = *summary;
  } else {
    outcome.error = summary.error().message();
  }
  return outcome;
}

void expect_same(const Outcome& got, const Outcome& want, const std::string& what) {
  ASSERT_EQ(got.error, want.error) << what;
  ASSERT_EQ(got.lines.size(), want.lines.size()) << what;
  for (std::size_t i = 0; i < got.lines.size(); ++i) {
    ASSERT_EQ(got.lines[i].offset, want.lines[i].offset) << what;
    ASSERT_EQ(got.lines[i].number, want.lines[i].number) << what;
    ASSERT_TRUE(got.lines[i] == want.lines[i]) << what;
  }
  ASSERT_EQ(got.summary.lines, want.summary.lines) << what;
  ASSERT_EQ(got.summary.matches, want.summary.matches) << what;
  ASSERT_EQ(got.summary.binary_offset, want.summary.binary_offset) << what;
  ASSERT_EQ(got.damage, want.damage) << what;
}

/// With the index, without it, and on the plain text; returns the first.
Outcome compare(std::string_view plain, Bytes file, const Pattern& pattern,
                const ScanOptions& options, const std::string& what, bool with_callback = true) {
  ScanOptions without = options;
  without.use_index = false;
  const Outcome by_index = run(file, pattern, options, with_callback);
  expect_same(by_index, run(file, pattern, without, with_callback), what + ", without index");
  expect_same(by_index, run(as_bytes(plain), pattern, options, with_callback), what + ", plain");
  return by_index;
}

Pattern literals(const std::vector<std::string>& texts, const PatternOptions& options = {}) {
  return *Pattern::compile_literals(texts, options);
}

/// Words of `seed`'s own, lines of up to `line_words`; now and then a line longer than blocks.
std::string some_text(std::size_t bytes, unsigned seed, unsigned line_words, bool long_lines) {
  std::mt19937 random(seed);
  std::vector<std::string> words;
  for (int i = 0; i < 300; ++i) {
    std::string word;
    for (auto n = 2 + random() % 7; n > 0; --n) word += static_cast<char>('a' + random() % 26);
    if (random() % 4 == 0) word[0] = static_cast<char>(word[0] - 32);
    words.push_back(word);
  }
  std::string text;
  std::size_t line_end = 0;
  while (text.size() < bytes) {
    // What is in use drifts, so that blocks differ.
    text += words[(text.size() / 9000 * 7 + random() % 60) % words.size()];
    const bool inside_long = long_lines && text.size() < line_end;
    const bool ends = !inside_long && random() % line_words == 0;
    text += ends ? '\n' : ' ';
    if (ends && long_lines && random() % 200 == 0) line_end = text.size() + random() % 60000;
  }
  text.resize(bytes);
  return text;
}

/// Strings from the text and strings that are not in it.
std::vector<std::string> some_literals(const std::string& text, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> found;
  while (found.size() < 6) {
    const std::size_t size = 3 + random() % 40;
    const std::size_t at = random() % (text.size() - size);
    std::string literal = text.substr(at, size);
    if (literal.find('\n') != std::string::npos) continue;
    found.push_back(literal);
    if (random() % 2 == 0) continue;
    literal[random() % size] = 'Z';
    found.push_back(literal);
  }
  return found;
}

ScanOptions random_options(std::mt19937& random) {
  ScanOptions options;
  options.threads = 1 + static_cast<unsigned>(random() % 3);
  options.invert = random() % 5 == 0;
  options.line_numbers = random() % 2 == 0;
  options.matches = random() % 2 == 0;
  if (random() % 4 == 0) options.max_lines = 1 + random() % 4;
  options.binary = static_cast<BinaryRule>(random() % 3);
  return options;
}

TEST(ScanIndex, FindsWhatAScanOfEverythingFinds) {
  std::mt19937 random(5);
  std::uint64_t skipped = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    const std::size_t bytes = 1 + random() % (12 * kBlock);
    std::string text = some_text(bytes + 100, seed, seed % 3 == 0 ? 2000 : 8, seed % 2 == 0);
    if (seed % 5 == 1) text.insert(0, "\xEF\xBB\xBF");
    if (seed % 6 == 2) text[random() % text.size()] = '\0';
    const auto file = packed(text, seed % 4 == 0 ? 100 : 600, 1 + seed % 2);
    for (const std::string& literal : some_literals(text, seed)) {
      for (int i = 0; i < 4; ++i) {
        const bool ignore_case = random() % 3 == 0;
        const Pattern pattern = literals({literal}, {.ignore_case = ignore_case});
        const ScanOptions options = random_options(random);
        const auto outcome = compare(text, file, pattern, options,
                                     literal + " seed " + std::to_string(seed), i % 2 == 0);
        if (HasFatalFailure()) return;
        skipped += outcome.summary.blocks_skipped;
      }
    }
  }
  EXPECT_GT(skipped, 1000u);
}

TEST(ScanIndex, LeavesOutBlocksOfARareLiteral) {
  std::string text = some_text(40 * kBlock, 1, 10, false);
  text.replace(20 * kBlock + 5000, 8, "Qy7#zz!k");
  const auto file = packed(text);
  const auto outcome = compare(text, file, literals({"Qy7#zz!k"}), {}, "rare");
  EXPECT_EQ(outcome.summary.lines, 1u);
  EXPECT_TRUE(outcome.summary.index_used);
  EXPECT_EQ(outcome.summary.blocks, 40u);
  EXPECT_LE(outcome.summary.blocks_read, 5u);
  EXPECT_EQ(outcome.summary.blocks_read + outcome.summary.blocks_skipped, 40u);
  EXPECT_EQ(outcome.summary.blocks_read_in_vain + 1, outcome.summary.blocks_read);
  const auto absent = run(file, literals({"Qy7#zq!k"}), {});
  EXPECT_EQ(absent.summary.blocks_read, absent.summary.blocks_read_in_vain);
  EXPECT_LE(absent.summary.blocks_read, 4u);
}

/// At every offset around a border, in the text with short lines, with one line, and with lines
/// that end just there.
TEST(ScanIndex, FindsLiteralsAcrossBorders) {
  const std::string needle = "Xq_9#needle-over-the-border";
  for (const int kind : {0, 1, 2}) {
    const std::string base = some_text(6 * kBlock, 3, kind == 1 ? 1u << 30 : 12, false);
    for (std::size_t back = 0; back <= needle.size() + 2; ++back) {
      std::string text = base;
      const std::size_t at = 3 * kBlock + 1 - back;
      text.replace(at, needle.size(), needle);
      if (kind == 2) text[at - 1] = text[at + needle.size()] = '\n';
      const auto outcome = compare(text, packed(text), literals({needle}), {.line_numbers = true},
                                   std::to_string(kind) + " back " + std::to_string(back));
      if (HasFatalFailure()) return;
      EXPECT_EQ(outcome.summary.lines, 1u);
      EXPECT_TRUE(kind == 1 || outcome.summary.blocks_skipped > 0);
    }
  }
}

/// Members of one byte and more, with and without a line feed at their end.
TEST(ScanIndex, FindsLiteralsAcrossMembers) {
  const std::string needle = "Xq_9#needle";
  for (const std::size_t cut : {1u, 3u, 7u, 10u}) {
    for (const bool without_filter : {false, true}) {
      const std::string base = some_text(5 * kBlock, 4, 12, false);
      std::string first = base + needle.substr(0, cut);
      std::string middle = needle.substr(cut, 1);
      std::string last = needle.substr(cut + 1) + base;
      auto file = joined(packed(first), packed(middle, without_filter ? 0 : 500));
      file = joined(std::move(file), packed(last));
      std::string text = first + middle + last;
      const auto outcome = compare(text, file, literals({needle}), {.line_numbers = true}, "cut");
      if (HasFatalFailure()) return;
      EXPECT_EQ(outcome.summary.lines, 1u);
      EXPECT_GT(outcome.summary.blocks_skipped, 0u);
      file = joined(packed(base + "\n"), file);
      compare(base + "\n" + text, file, literals({needle}), {}, "four members");
    }
  }
}

TEST(ScanIndex, FindsLongLiteralsAndSets) {
  std::string text = some_text(12 * kBlock, 6, 1u << 30, false);
  const std::string longer_than_a_block = text.substr(3 * kBlock - 77, kBlock + 500);
  const auto file = packed(text);
  const auto outcome = compare(text, file, literals({longer_than_a_block}), {}, "long");
  EXPECT_EQ(outcome.summary.lines, 1u);
  compare(text, file, literals({"Zq#Zq#", text.substr(5 * kBlock - 9, 20)}), {}, "set");
  // Too short to say anything of: everything is read.
  EXPECT_FALSE(compare(text, file, literals({"Zq#Zq#", "a"}), {}, "short").summary.index_used);
  EXPECT_FALSE(compare(text, file, literals({""}), {}, "empty").summary.index_used);
}

/// k and s have relatives beyond ASCII, so that a folded literal is searched by what is between.
TEST(ScanIndex, IgnoresCaseBeyondAscii) {
  std::string text = some_text(20 * kBlock, 8, 9, false);
  text.replace(4 * kBlock + 100, 9, "THUNDER\xC3\x96");
  text.replace(9 * kBlock - 3, 12,
               "\xE2\x84\xAA"
               "ELVIN#"
               "\xC5\xBF!");
  const auto file = packed(text);
  const PatternOptions folded{.ignore_case = true};
  const auto thunder = compare(text, file, literals({"thunder\xC3\xB6"}, folded), {}, "thunder");
  EXPECT_EQ(thunder.summary.lines, 1u);
  EXPECT_GT(thunder.summary.blocks_skipped, 0u);
  EXPECT_EQ(compare(text, file, literals({"Kelvin#S!"}, folded), {}, "kelvin").summary.lines, 1u);
}

// --- Damage -------------------------------------------------------------------------------------

/// Where the section of this kind begins, one of those after the blocks.
std::size_t section_at(const std::vector<Byte>& file, FrameKind kind) {
  const MemoryRandomAccess access(file);
  std::uint64_t at = ArchiveIndex::open(access)->members().back().blocks_end;
  for (;;) {
    const SectionHeader header = *parse_section_header(file.data() + at);
    if (header.kind == kind || header.kind == FrameKind::kIndex) return at;
    at += header.stored_bytes();
  }
}

void seal_section(std::vector<Byte>& file, std::size_t at) {
  SectionHeader header = *parse_section_header(file.data() + at);
  header.payload_checksum =
      checksum64(Bytes(file).subspan(at + kSectionHeaderBytes, header.payload_bytes));
  write_section_header(header, file.data() + at);
}

void expect_ignored(const std::string& text, const std::vector<Byte>& file, const Pattern& pattern,
                    unsigned bad_index) {
  const auto outcome = compare(text, file, pattern, {.line_numbers = true}, "checksum");
  EXPECT_FALSE(outcome.summary.index_used);
  EXPECT_EQ(outcome.bad_index, bad_index);
}

TEST(ScanIndex, DamagedFiltersAndLineFactsAreIgnored) {
  const std::string text = some_text(10 * kBlock, 9, 9, true);
  const auto good = packed(text);
  const Pattern pattern = literals({text.substr(60000, 12)});
  for (const auto& [kind, bytes] : {std::pair{FrameKind::kFilter, 400}, {FrameKind::kLines, 120}}) {
    const std::size_t at = section_at(good, kind) + kSectionHeaderBytes;
    for (int offset = 0; offset < bytes; ++offset) {
      auto file = good;
      file[at + static_cast<std::size_t>(offset)] ^= 0x10;
      expect_ignored(text, file, pattern, 1);
      if (HasFatalFailure()) return;
    }
  }
}

/// Made to be of another layout, the line facts are passed by, and the filter with them.
TEST(ScanIndex, FiltersWithoutLineFactsAreIgnored) {
  const std::string text = some_text(10 * kBlock, 9, 9, true);
  const auto good = packed(text);
  const Pattern pattern = literals({text.substr(60000, 12)});
  EXPECT_TRUE(compare(text, good, pattern, {}, "good").summary.index_used);
  for (const FrameKind kind : {FrameKind::kFilter, FrameKind::kLines}) {
    auto file = good;
    const std::size_t at = section_at(file, kind);
    SectionHeader header = *parse_section_header(file.data() + at);
    header.parameter = 77;
    write_section_header(header, file.data() + at);
    expect_ignored(text, file, pattern, 0);
  }
}

/// Forged fields with right checksums may cost matches but nothing worse; those that contradict the
/// file are refused.
TEST(ScanIndex, HostileFiltersAreSafe) {
  const std::string text = some_text(10 * kBlock, 10, 9, true);
  const auto good = packed(text);
  const std::size_t lines_at = section_at(good, FrameKind::kLines);
  const std::size_t filter_at = section_at(good, FrameKind::kFilter);
  const std::size_t payload = parse_section_header(good.data() + filter_at)->payload_bytes;
  const Pattern pattern = literals({text.substr(60000, 12), "Zq#not there"});
  std::mt19937 random(3);
  unsigned refused = 0;
  for (int i = 0; i < 1500; ++i) {
    auto file = good;
    for (auto n = 1 + random() % 3; n > 0; --n) {
      const bool filter = random() % 2 == 0;
      const std::size_t size = !filter ? 12 * 10 : random() % 2 == 0 ? 16 + 16 : payload;
      const std::size_t at = filter ? filter_at : lines_at;
      file[at + kSectionHeaderBytes + random() % size] = static_cast<Byte>(random());
      seal_section(file, at);
    }
    const auto outcome = run(file, pattern, {.line_numbers = i % 2 == 0});
    EXPECT_EQ(outcome.error, "");
    refused += outcome.bad_index;
    EXPECT_FALSE(outcome.bad_index != 0 && outcome.summary.index_used);
  }
  EXPECT_GT(refused, 500u);
}

TEST(ScanIndex, DamagedBlocksAreReportedWhereTheyAreRead) {
  std::string text = some_text(10 * kBlock, 11, 1u << 30, false);
  const std::string needle = "Xq_9#needle";
  for (std::size_t block = 0; block < 10; ++block) text[block * kBlock + 4000] = '\n';
  text.replace(5 * kBlock + 8, needle.size(), needle);     // its line begins in block 4
  text.replace(8 * kBlock + 8000, needle.size(), needle);  // this one ends in block 9
  const auto good = packed(text);
  const MemoryRandomAccess access(good);
  const auto opened = ArchiveIndex::open(access);
  const ArchiveIndex& index = *opened;
  for (std::uint64_t block = 0; block < 10; ++block) {
    for (const std::size_t place : {std::size_t{10}, kBlockHeaderBytes + 100}) {
      auto file = good;
      file[index.block_offset(block) + place] ^= 0x20;
      const Pattern pattern = literals({needle});
      Outcome with = run(file, pattern, {});
      const Outcome without = run(file, pattern, {.use_index = false});
      EXPECT_GT(with.summary.blocks_skipped, 0u);
      ASSERT_EQ(with.lines, without.lines) << block;
      const bool matters = block == 4 || block == 5 || block == 8 || block == 9;
      EXPECT_TRUE(!matters || with.damage == without.damage) << block;
      EXPECT_LE(with.damage.size(), 1u);
      if (!matters) continue;
      const Outcome failing = run(file, pattern, {.fail_fast = true});
      EXPECT_NE(failing.error, "") << block;
      const Outcome without_it = run(file, pattern, {.fail_fast = true, .use_index = false});
      EXPECT_EQ(failing.lines, without_it.lines) << block;
    }
  }
}

/// Block 4 is left out and damaged; a line with the needle ends in it and another begins in it.
TEST(ScanIndex, ABlockThatTwoLinesReachIntoIsReportedOnce) {
  std::string text = some_text(10 * kBlock, 11, 1u << 30, false);
  const std::string needle = "Xq_9#needle";
  for (std::size_t block = 0; block < 10; ++block) text[block * kBlock + 4000] = '\n';
  text.replace(4 * kBlock - 100, needle.size(), needle);
  text.replace(5 * kBlock + 8, needle.size(), needle);
  auto file = packed(text);
  const auto index = ArchiveIndex::open(MemoryRandomAccess(file));
  ASSERT_TRUE(index.ok());
  file[index->block_offset(4) + kBlockHeaderBytes + 100] ^= 0x20;
  const Outcome with = run(file, literals({needle}), {});
  const Outcome without = run(file, literals({needle}), {.use_index = false});
  EXPECT_GT(with.summary.blocks_skipped, 0u);
  EXPECT_EQ(with.damage.size(), 1u);
  EXPECT_EQ(with.damage, without.damage);
  EXPECT_EQ(with.summary.damaged_blocks, 1u);
  EXPECT_EQ(with.lines, without.lines);
}

/// The line that ends in block 5 reaches into block 4, which is damaged and was left out. Lines of
/// block 5 after that one were searched already when block 4 is read.
TEST(ScanIndex, FailFastReportsNoLineAfterTheDamage) {
  std::string text = some_text(10 * kBlock, 11, 1u << 30, false);
  const std::string needle = "Xq_9#needle";
  for (std::size_t block = 0; block < 10; ++block) {
    for (const std::size_t at : {4000u, 5000u, 6000u}) text[block * kBlock + at] = '\n';
  }
  for (const std::size_t at : {2 * kBlock + 4500, 5 * kBlock + 1000, 5 * kBlock + 4500,
                               5 * kBlock + 5500, 7 * kBlock + 4500}) {
    text.replace(at, needle.size(), needle);
  }
  auto file = packed(text);
  const MemoryRandomAccess access(file);
  file[ArchiveIndex::open(access)->block_offset(4) + 10] ^= 0x20;
  const Pattern pattern = literals({needle});
  for (const bool with_callback : {true, false}) {
    const Outcome with = run(file, pattern, {.fail_fast = true}, with_callback);
    const Outcome without =
        run(file, pattern, {.fail_fast = true, .use_index = false}, with_callback);
    EXPECT_EQ(with.lines, without.lines);
    EXPECT_EQ(with.lines.size(), with_callback ? 1u : 0u);
    EXPECT_EQ(with.error, without.error);
    EXPECT_NE(with.error, "");
  }
}

}  // namespace
}  // namespace presso::scan_index_test
