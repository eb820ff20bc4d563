// SPDX-License-Identifier: MIT
// Records of several lines, against a plain search over all records: chunk borders at every offset,
// inverted, with limits and context, several threads, damaged blocks and records that are too long.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "presso/compress.h"
#include "presso/scan.h"
#include "tests/unit/scan/text/scan_reference.h"
#include "tests/unit/scan/text/stepped_source.h"

namespace presso::records_test {
namespace {

using scan_test::as_bytes;
using scan_test::SteppedSource;

struct Shown {
  LineKind kind = LineKind::kOther;
  std::string text;
  std::uint64_t offset = 0;
  std::uint64_t number = 0;
  std::vector<MatchSpan> matches = {};

  friend bool operator==(const Shown&, const Shown&) = default;
};

RecordRule rule_of(RecordRule::Kind kind) {
  RecordRule rule;
  rule.kind = kind;
  if (kind == RecordRule::Kind::kStart)
    rule.start = *Pattern::compile(std::vector<std::string>{"^b"});
  if (kind == RecordRule::Kind::kTime) rule.times.emplace();
  return rule;
}

bool begins_record(RecordRule::Kind kind, std::string_view line) {
  if (kind == RecordRule::Kind::kStart) return line.starts_with('b');
  if (kind == RecordRule::Kind::kTime) return line.starts_with("2026-");
  const bool closes = line.starts_with('}') || line.starts_with(']');
  if (kind == RecordRule::Kind::kJson && closes) return false;
  return !line.starts_with(' ') && !line.starts_with('\t');
}

std::vector<Shown> all_records(std::string_view text, RecordRule::Kind kind) {
  std::vector<Shown> records;
  std::uint64_t number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, end - at);
    if (records.empty() || begins_record(kind, line)) {
      records.push_back({LineKind::kOther, "", at, number});
    }
    records.back().text += line;
    at = end;
  }
  return records;
}

std::vector<MatchSpan> all_foos(std::string_view text) {
  std::vector<MatchSpan> spans;
  for (std::size_t at = text.find("foo"); at != text.npos; at = text.find("foo", at + 3)) {
    spans.push_back({at, at + 3});
  }
  return spans;
}

/// Marks records one after another. Context lines have matches only in inverted scans.
std::vector<Shown> expected(std::string_view text, const ScanOptions& options) {
  std::vector<Shown> records = all_records(text, options.records->kind);
  std::vector<bool> shown(records.size());
  std::uint64_t matches = 0;
  std::uint64_t after = 0;
  std::size_t end = records.size();
  for (std::size_t i = 0; i < end; ++i) {
    records[i].matches = all_foos(records[i].text);
    const bool hit = records[i].matches.empty() == options.invert;
    if (hit) {
      const std::uint64_t reach = std::min<std::uint64_t>(options.before_context, i);
      for (std::size_t j = i - reach; j < i; ++j) {
        if (!shown[j]) records[j].kind = LineKind::kBefore;
        shown[j] = true;
      }
      records[i].kind = LineKind::kMatch;
      after = ++matches <= options.max_lines ? options.after_context : after - 1;
    } else if (after > 0) {
      records[i].kind = LineKind::kAfter;
      --after;
    }
    if (hit || records[i].kind == LineKind::kAfter) shown[i] = true;
    if (matches >= options.max_lines && after == 0) end = i + 1;
  }
  std::vector<Shown> result;
  for (std::size_t i = 0; i < end; ++i) {
    if (shown[i]) result.push_back(records[i]);
  }
  return result;
}

template <class Source>
std::vector<Shown> collect(Source& source, ScanOptions options) {
  std::vector<Shown> records;
  options.line_numbers = true;
  options.matches = true;
  const Pattern pattern = *Pattern::compile_literals({"foo"});
  const auto summary = scan(source, pattern, options, [&](const MatchedLine& line) {
    records.push_back({line.kind,
                       std::string(line.text.begin(), line.text.end()),
                       line.offset,
                       line.number,
                       {line.matches.begin(), line.matches.end()}});
    return true;
  });
  EXPECT_TRUE(summary.ok()) << summary.error().text();
  return records;
}

std::string some_lines(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  const char* words[] = {"foo\n",
                         "b foo foo\n",
                         "b\n",
                         "\n",
                         "  c\n\tfoo",
                         " x y\n",
                         "\nb",
                         "\n d",
                         "}\n]",
                         "2026-01-02 03:04:05 foo\n",
                         "2026-01-02 03:04:06\n"};
  std::string text = "2026-01-02 03:04:05 a";
  while (text.size() < bytes) text += words[random() % std::size(words)];
  return text;
}

std::vector<ScanOptions> option_sets() {
  std::vector<ScanOptions> sets;
  for (const auto kind : {RecordRule::Kind::kStart, RecordRule::Kind::kIndent,
                          RecordRule::Kind::kJson, RecordRule::Kind::kTime}) {
    for (const std::uint64_t before : {0u, 1u, 3u}) {
      for (const std::uint64_t after : {0u, 2u}) {
        for (const bool invert : {false, true}) {
          for (const std::uint64_t limit : {~std::uint64_t{0}, std::uint64_t{2}}) {
            ScanOptions options;
            options.invert = invert;
            options.max_lines = limit;
            options.before_context = before;
            options.after_context = after;
            options.records = rule_of(kind);
            sets.push_back(options);
          }
        }
      }
    }
  }
  return sets;
}

TEST(Records, ChunkBordersAnywhereChangeNothing) {
  for (const std::string& text : {some_lines(200, 1), some_lines(250, 2) + "foo",
                                  "  foo\n" + some_lines(120, 3), some_lines(20, 4)}) {
    for (ScanOptions options : option_sets()) {
      const auto wanted = expected(text, options);
      for (std::size_t step = 1; step <= text.size() + 1; step += 1 + step / 8) {
        options.threads = 1 + static_cast<unsigned>(step % 3);
        SteppedSource source(text, step);
        ASSERT_TRUE(collect(source, options) == wanted)
            << "step " << step << " -B" << options.before_context << " -A" << options.after_context
            << " -m" << options.max_lines << " invert " << options.invert << " in '" << text << "'";
        SteppedSource counted(text, step);
        options.matches = false;
        const auto count = scan(counted, *Pattern::compile_literals({"foo"}), options);
        ASSERT_TRUE(count.ok());
        const auto hits = std::count_if(wanted.begin(), wanted.end(), [](const Shown& record) {
          return record.kind == LineKind::kMatch;
        });
        ASSERT_EQ(count->lines,
                  std::min<std::uint64_t>(static_cast<std::uint64_t>(hits), options.max_lines));
      }
    }
  }
}

std::vector<Byte> compressed_in_blocks(std::string_view text) {
  CompressOptions small;
  small.coding = Coding::kByte;
  small.level = 1;
  small.block_bytes = kMinBlockBytes;
  small.dictionary.mode = DictionaryChoice::Mode::kNone;
  const auto compressed = compress_buffer(as_bytes(text), small);
  EXPECT_TRUE(compressed.ok());
  return std::vector<Byte>(compressed->begin(), compressed->end());
}

TEST(Records, FilesAndCompressedFilesAgreeWithTheReference) {
  std::string text = some_lines(300000, 4) + "\nb" + std::string(300000, 'x');
  for (int i = 0; i < 30000; ++i) text += "\n  c y";
  text += "\n  foo\n" + some_lines(1000, 5);
  const std::vector<Byte> compressed = compressed_in_blocks(text);
  for (ScanOptions options : option_sets()) {
    options.threads = 3;
    const auto wanted = expected(text, options);
    const MemoryRandomAccess plain(as_bytes(text));
    EXPECT_TRUE(collect(plain, options) == wanted);
    const MemoryRandomAccess packed(compressed);
    EXPECT_TRUE(collect(packed, options) == wanted);
  }
}

TEST(Records, DamageEndsARecordAndBeginsOne) {
  std::string text;
  for (int i = 0; text.size() < 3 * kMinBlockBytes; ++i) text += i % 400 == 0 ? "b\n" : " foo\n";
  std::vector<Byte> compressed = compressed_in_blocks(text);
  compressed[compressed.size() / 2] ^= 1;
  ScanOptions options;
  options.records = rule_of(RecordRule::Kind::kStart);
  std::vector<DamagedBlock> holes;
  options.on_damage = [&](const DamagedBlock& damage) { holes.push_back(damage); };
  const MemoryRandomAccess packed(compressed);
  const auto found = collect(packed, options);
  ASSERT_EQ(holes.size(), 1u);
  const std::size_t begin = holes[0].plain_offset;
  const std::size_t end = begin + holes[0].plain_bytes;
  std::vector<Shown> wanted = all_records(text.substr(0, begin), RecordRule::Kind::kStart);
  for (Shown record : all_records(text.substr(end), RecordRule::Kind::kStart)) {
    record.offset += end;
    wanted.push_back(record);
  }
  std::erase_if(wanted, [](const Shown& record) { return all_foos(record.text).empty(); });
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].text, wanted[i].text);
    EXPECT_EQ(found[i].offset, wanted[i].offset);
  }
}

TEST(Records, ARecordThatIsTooLongIsAnError) {
  std::mt19937 random(6);
  std::string text;
  for (int i = 0; i < 60; ++i) {
    std::string record = "b foo\n";
    while (record.size() < 25) record += random() % 3 == 0 ? "\n" : " c d\n";
    text += record;
  }
  ScanOptions options;
  options.records = rule_of(RecordRule::Kind::kStart);
  options.records->most_bytes = 30;
  for (std::size_t step = 1; step < 100; ++step) {
    SteppedSource source(text, step);
    ASSERT_TRUE(collect(source, options) == expected(text, options)) << step;
  }
  const std::string longer = text + "b\n" + std::string(40, 'x') + "\n" + text;
  for (std::size_t step = 1; step < 20; ++step) {
    SteppedSource source(longer, step);
    std::uint64_t records = 0;
    const auto summary = scan(source, *Pattern::compile_literals({"foo"}), options,
                              [&](const MatchedLine&) { return ++records > 0; });
    ASSERT_FALSE(summary.ok()) << step;
    EXPECT_EQ(summary.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(summary.error().text().find("offset " + std::to_string(text.size())),
              std::string::npos)
        << summary.error().text();
    EXPECT_EQ(records, 60u);
  }
}

TEST(Records, WhatDoesNotGoWithThemIsAnError) {
  ScanOptions options;
  options.records = rule_of(RecordRule::Kind::kIndent);
  MemorySource across(as_bytes("a\n"));
  const auto spanning = Pattern::compile(std::vector<std::string>{"a\\nb"}, {.multiline = true});
  EXPECT_EQ(scan(across, *spanning, options).error().code, ErrorCode::kUnsupported);
  MemorySource nul(as_bytes("a\n"));
  const auto ended = Pattern::compile_literals({"a"}, {.null_data = true});
  EXPECT_EQ(scan(nul, *ended, options).error().code, ErrorCode::kUnsupported);
  options.records = rule_of(RecordRule::Kind::kTime);
  MemorySource timeless(as_bytes("a\n"));
  const auto pattern = Pattern::compile_literals({"a"});
  EXPECT_EQ(scan(timeless, *pattern, options).error().code, ErrorCode::kInvalidArgument);
  MemorySource empty(as_bytes(""));
  EXPECT_TRUE(scan(empty, *pattern, options).ok());
}

}  // namespace
}  // namespace presso::records_test
