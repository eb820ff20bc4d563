// SPDX-License-Identifier: MIT
// A compressed file whose blocks are found by its index gives what the same bytes give as a stream,
// which are read in order: lines, damage, order and figures, for sound files, for every flipped
// byte, cuts, frames lost, doubled and put in, and for indexes that lie. That blocks really are
// read by their places, and when no longer, is checked, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <random>

#include "presso/checksum.h"
#include "presso/compress.h"
#include "presso/scan.h"
#include "scan/blocks/block_places.h"
#include "tests/support/frame_map.h"

namespace presso::block_places_test {
namespace {

using File = std::vector<Byte>;
using scan_detail::BlockPlaces;

constexpr std::uint32_t kBlock = kMinBlockBytes;

Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

/// Short lines, one of eight with "needle".
std::string some_lines(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < bytes) {
    text += "line " + std::to_string(random() % 90);
    text += random() % 8 == 0 ? " has a needle in it\n" : " has none\n";
  }
  text.resize(bytes);
  return text;
}

File packed(std::string_view text, std::uint32_t filter_size = 0, bool with_dictionary = false) {
  CompressOptions options;
  options.coding = Coding::kByte;
  options.level = 6;
  options.block_bytes = kBlock;
  options.threads = 1;
  options.filter_permille = filter_size;
  options.dictionary.mode = DictionaryChoice::Mode::kNone;
  if (with_dictionary) {
    options.dictionary.mode = DictionaryChoice::Mode::kGiven;
    const Bytes content = as_bytes(text).first(400);
    options.dictionary.content = std::make_shared<File>(content.begin(), content.end());
  }
  const auto compressed = compress_buffer(as_bytes(text), options);
  EXPECT_TRUE(compressed.ok());
  return compressed.ok() ? *compressed : File();
}

File joined(File first, const File& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Two members: one of three blocks with a filter, one of two with a dictionary; the last of each
/// is short.
File two_members() {
  return joined(packed(some_lines(2 * kBlock + 700, 1), 500),
                packed(some_lines(kBlock + 90, 2), 0, true));
}

/// All that a caller sees, in the order in which it is told.
template <class Input>
std::string log_of(Input& input, ScanOptions options, const std::string& literal = "needle") {
  const Pattern pattern = *Pattern::compile_literals({literal});
  std::string log;
  options.use_index = false;
  options.line_numbers = true;
  options.on_damage = [&](const DamagedBlock& d) {
    log += "damage " + std::to_string(d.plain_offset) + '+' + std::to_string(d.plain_bytes) + ' ' +
           d.error.message() + '\n';
  };
  const auto summary = scan(input, pattern, options, [&](const MatchedLine& line) {
    log += std::to_string(line.number) + '@' + std::to_string(line.offset) + ' ';
    log.append(line.text.begin(), line.text.end());
    return true;
  });
  if (!summary.ok()) return log + "error " + summary.error().message();
  for (const std::uint64_t figure :
       {summary->lines, summary->plain_bytes, summary->damaged_blocks, summary->blocks,
        summary->blocks_read, summary->bytes_read, summary->binary_offset.value_or(999999)}) {
    log += std::to_string(figure) + ' ';
  }
  return log;
}

std::string log_of_file(const File& file, const ScanOptions& options) {
  const MemoryRandomAccess access(file);
  return log_of(access, options);
}

std::string log_of_stream(const File& file, const ScanOptions& options) {
  MemorySource source(file);
  return log_of(source, options);
}

void expect_same(const File& file, ScanOptions options, const std::string& what) {
  options.threads = 1;
  const std::string expected = log_of_stream(file, options);
  ASSERT_EQ(log_of_file(file, options), expected) << what;
  options.threads = 3;
  ASSERT_EQ(log_of_file(file, options), expected) << what << ", three threads";
}

/// With salvage, without, and of some blocks only.
void expect_same_in_all_ways(const File& file, const std::string& what) {
  expect_same(file, {}, what);
  expect_same(file, {.fail_fast = true}, what + ", fail fast");
  expect_same(file, {.first_block = 1, .last_block = 3}, what + ", blocks 1 to 3");
}

/// How many blocks have places; negative where what follows them is in doubt.
int places_in(const File& file, const ScanOptions& options = {}) {
  const MemoryRandomAccess access(file);
  const auto places = BlockPlaces::open(access, std::nullopt, options);
  if (!places) return 0;
  int count = 0;
  while (places->next()) ++count;
  EXPECT_EQ(places->passed(), options.first_block + static_cast<std::uint64_t>(count));
  return places->in_doubt() ? -count : count;
}

// --- Sound files --------------------------------------------------------------------------------

TEST(BlockPlaces, AreThoseOfAReaderInOrder) {
  const File file = two_members();
  const MemoryRandomAccess access(file);
  const ScanOptions options;
  const auto places = BlockPlaces::open(access, std::nullopt, options);
  ASSERT_TRUE(places);
  MemorySource source(file);
  BlockStream stream(source, {});
  for (int number = 0; number < 5; ++number) {
    const auto expected = stream.next();
    const auto placed = places->next();
    ASSERT_TRUE(placed && expected.ok() && *expected);
    const StoredBlock& block = (*expected)->block;
    EXPECT_EQ(placed->block.number, block.number);
    EXPECT_EQ(placed->block.file_offset, block.file_offset);
    EXPECT_EQ(placed->block.plain_offset, block.plain_offset);
    EXPECT_EQ(placed->block.member, block.member);
    EXPECT_EQ(placed->block.header.content_checksum, block.header.content_checksum);
    EXPECT_EQ(placed->dictionary != nullptr, (*expected)->dictionary != nullptr);
    EXPECT_TRUE(placed->block.payload.empty());
  }
  EXPECT_FALSE(places->next());
  EXPECT_FALSE(places->in_doubt());
}

/// Counts what is read, and fails from some offset on.
class WatchedFile final : public RandomAccess {
 public:
  explicit WatchedFile(Bytes bytes) : bytes_(bytes), file_(bytes) {}

  std::uint64_t size() const override { return bytes_.size(); }
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    if (offset + into.size() > sound_bytes) return make_error(failure, "as the test wants it");
    read_bytes += into.size();
    std::size_t largest = largest_read;
    while (into.size() > largest && !largest_read.compare_exchange_weak(largest, into.size())) {
    }
    return file_.read_at(offset, into);
  }

  mutable std::atomic<std::size_t> read_bytes = 0;
  mutable std::atomic<std::size_t> largest_read = 0;
  std::atomic<std::uint64_t> sound_bytes = ~std::uint64_t{0};
  ErrorCode failure = ErrorCode::kIo;

 private:
  Bytes bytes_;
  MemoryRandomAccess file_;
};

/// Text that hardly compresses, so that blocks are most of the file.
std::string random_lines(std::size_t bytes) {
  std::mt19937 random(7);
  std::string text;
  while (text.size() < bytes) text += static_cast<char>('!' + random() % 90);
  for (std::size_t at = 50; at < bytes; at += 90) text[at] = '\n';
  return text;
}

TEST(BlockPlaces, ThreadsInTheirTurnReadHeadersOnly) {
  const File file = packed(random_lines(40 * kBlock));
  const WatchedFile watched(file);
  const ScanOptions options;
  const auto places = BlockPlaces::open(watched, std::nullopt, options);
  ASSERT_TRUE(places);
  watched.read_bytes = 0;
  while (places->next()) {
  }
  // At the end also the header of the line facts, to pass by them.
  EXPECT_EQ(watched.read_bytes, 40 * kBlockHeaderBytes + kSectionHeaderBytes);
}

TEST(BlockPlaces, EveryPayloadIsReadOnceAndAlone) {
  const File file = packed(random_lines(40 * kBlock));
  for (const unsigned threads : {1u, 4u}) {
    const WatchedFile watched(file);
    const std::string log = log_of(watched, {.threads = threads}, "#");
    EXPECT_GT(std::count(log.begin(), log.end(), '\n'), 100);
    EXPECT_LE(watched.largest_read, kBlock);
    EXPECT_LE(watched.read_bytes, file.size() + 1000);
  }
}

TEST(BlockPlaces, OnlyWantedBlocksAreRead) {
  const File file = packed(random_lines(40 * kBlock));
  const WatchedFile watched(file);
  const std::string log = log_of(watched, {.first_block = 30, .last_block = 31}, "#");
  EXPECT_LE(watched.read_bytes, 3 * kBlock);
  EXPECT_GT(std::count(log.begin(), log.end(), '\n'), 10);
}

TEST(BlockPlaces, SoundFilesGiveWhatStreamsGive) {
  const std::string marked = "\xEF\xBB\xBF" + some_lines(3 * kBlock, 4);
  std::string with_nul = some_lines(6 * kBlock, 5);
  with_nul[4 * kBlock + 5] = '\0';
  const File empty = packed("");
  const std::vector<File> files = {
      two_members(),
      empty,
      packed("needle"),
      packed(some_lines(4 * kBlock, 3)),
      packed(marked),
      packed(with_nul),
      joined(empty, joined(two_members(), empty)),
      packed("needle" + std::string(5 * kBlock, 'x') + "needle\n"),
  };
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string what = "file " + std::to_string(i);
    expect_same_in_all_ways(files[i], what);
    for (const BinaryRule rule : {BinaryRule::kMatchOnly, BinaryRule::kQuit, BinaryRule::kText}) {
      expect_same(files[i], {.binary = rule}, what + ", rule " + std::to_string(int(rule)));
    }
    expect_same(files[i], {.max_lines = 3}, what + ", three lines");
    expect_same(files[i], {.before_context = 1, .after_context = 2}, what + ", context");
    expect_same(files[i], {.first_line = 40, .last_line = 600}, what + ", lines");
    EXPECT_GE(places_in(files[i]), 0) << what;
  }
}

TEST(BlockPlaces, BlocksAreCountedThroughMembers) {
  const File file = two_members();
  const std::uint64_t most = ~std::uint64_t{0};
  for (std::uint64_t first = 0; first < 7; ++first) {
    for (const std::uint64_t last : {first, first + 1, std::uint64_t{4}, most}) {
      const ScanOptions options{.first_block = first, .last_block = last};
      expect_same(file, options, std::to_string(first) + " to " + std::to_string(last));
      const std::uint64_t end = std::min<std::uint64_t>(last, 4) + 1;
      EXPECT_EQ(places_in(file, options), first < 5 ? int(end - first) : 0);
    }
  }
}

/// Finding members takes reading, too: not where they are many and small.
TEST(BlockPlaces, ManySmallMembersAreReadInOrder) {
  const File one = packed(some_lines(300, 1));
  File file;
  for (int i = 0; i < 16; ++i) file = joined(std::move(file), one);
  EXPECT_EQ(places_in(file), 16);
  expect_same(file, {}, "16 members");
  file = joined(std::move(file), one);
  EXPECT_EQ(places_in(file), 0);
  expect_same(file, {}, "17 members");
}

// --- Damage -------------------------------------------------------------------------------------

TEST(BlockPlaces, EveryFlippedByteIsReportedAsInAStream) {
  const File good = two_members();
  ASSERT_EQ(places_in(good), 5);
  int in_doubt = 0;
  for (std::size_t at = 8; at < good.size(); ++at) {
    File file = good;
    file[at] ^= at % 2 == 0 ? 0x01 : 0x80;
    const std::string what = "byte " + std::to_string(at);
    if (at % 5 == 0) {
      expect_same_in_all_ways(file, what);
    } else {
      ASSERT_EQ(log_of_file(file, {.threads = 1}), log_of_stream(file, {.threads = 1})) << what;
    }
    if (HasFatalFailure()) return;
    in_doubt += places_in(file) < 0 ? 1 : 0;
  }
  EXPECT_GT(in_doubt, 4 * int(kBlockHeaderBytes));  // block 0 in doubt has no places before it
}

TEST(BlockPlaces, DamagedPayloadsLeaveTheOthersTheirPlaces) {
  const File good = two_members();
  const auto blocks = test::frames_of_kind(test::map_frames(good), 'B');
  File file = good;
  for (const std::size_t number : {1u, 3u, 4u}) file[blocks[number].payload() + 20] ^= 0x10;
  EXPECT_EQ(places_in(file), 5);
  expect_same_in_all_ways(file, "three payloads");
  const std::string log = log_of_file(file, {.threads = 3});
  for (const char* number : {"block 1", "block 3", "block 4"}) {
    EXPECT_NE(log.find(number), std::string::npos) << log;
  }
  file[blocks[2].offset + 9] ^= 0x10;
  EXPECT_EQ(places_in(file), -2);
  expect_same_in_all_ways(file, "and a header");
}

TEST(BlockPlaces, CutFilesAreReportedAsStreamsAre) {
  const File good = two_members();
  for (std::size_t size = 8; size < good.size(); size += 11) {
    expect_same_in_all_ways(File(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)),
                            "cut to " + std::to_string(size));
    if (HasFatalFailure()) return;
  }
}

/// Every frame left out, doubled, and with strange bytes in front of it.
TEST(BlockPlaces, FramesOutOfPlaceAreReportedAsInAStream) {
  const File good = two_members();
  const File strange(48, Byte{'?'});
  for (const test::FrameSpan& frame : test::map_frames(good)) {
    if (frame.parent != test::FrameSpan::kNoParent) continue;
    const auto at = [&](File& file, std::size_t offset) {
      return file.begin() + static_cast<std::ptrdiff_t>(offset);
    };
    const std::string what = frame.kind + std::to_string(frame.offset);
    File file = good;
    file.erase(at(file, frame.offset), at(file, frame.end));
    if (frame.offset > 0) expect_same_in_all_ways(file, what + " left out");
    file = good;
    const File copy(at(file, frame.offset), at(file, frame.end));
    file.insert(at(file, frame.end), copy.begin(), copy.end());
    expect_same_in_all_ways(file, what + " doubled");
    file = good;
    file.insert(at(file, frame.offset), strange.begin(), strange.end());
    if (frame.offset > 0) expect_same_in_all_ways(file, "strange bytes in front of " + what);
    file.insert(file.end(), strange.begin(), strange.end());
    if (frame.offset > 0) expect_same_in_all_ways(file, what + " and behind the end");
  }
}

// --- Indexes that lie ---------------------------------------------------------------------------

/// Where the sizes of the only member's blocks stand in its index.
std::size_t sizes_at(const File& file) {
  return test::frames_of_kind(test::map_frames(file), 'I').front().payload() + 24;
}

/// The same file with changes to it, and with its index's checksum right.
File with_index(const File& good, const std::function<void(File&)>& change) {
  const auto frames = test::map_frames(good);
  File file = good;
  change(file);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].kind == 'I' || frames[i].kind == 'T') test::seal(file, frames, i);
  }
  return file;
}

TEST(BlockPlaces, AnIndexIsBelievedAsFarAsBlocksBearItOut) {
  const File good = packed(some_lines(8 * kBlock + 100, 6));
  const std::size_t sizes = sizes_at(good);
  const auto add = [&](File& file, std::size_t block, std::uint32_t count) {
    Byte* at = file.data() + sizes + 4 * block;
    store<std::uint32_t>(at, load<std::uint32_t>(at) + count);
  };
  const File longer = with_index(good, [&](File& file) { add(file, 3, 16 + 32 + 9 * 12 + 4); });
  EXPECT_EQ(places_in(longer), 0);  // the last would reach into the index
  const File into_facts = with_index(good, [&](File& file) { add(file, 3, 16); });
  EXPECT_EQ(places_in(into_facts), -3);  // into the line facts, which the index does not mention
  const File shifted = with_index(good, [&](File& file) {
    add(file, 3, 16);
    add(file, 6, ~std::uint32_t{15});
  });
  EXPECT_EQ(places_in(shifted), -3);
  const File shorter = with_index(good, [&](File& file) { add(file, 8, ~std::uint32_t{15}); });
  EXPECT_EQ(places_in(shorter), -8);
  const File outside = with_index(good, [&](File& file) { add(file, 2, 0xF0000000u); });
  EXPECT_EQ(places_in(outside), 0);
  const File empty =
      with_index(good, [&](File& file) { store<std::uint32_t>(file.data() + sizes, 0); });
  EXPECT_LE(places_in(empty), 0);
  const File less_plain = with_index(good, [&](File& file) { file[sizes - 16] -= 1; });
  EXPECT_EQ(places_in(less_plain), -8);
  for (const File* file :
       {&longer, &into_facts, &shifted, &shorter, &outside, &empty, &less_plain}) {
    expect_same_in_all_ways(*file, "lying index " + std::to_string(places_in(*file)));
  }
}

TEST(BlockPlaces, RandomIndexesAreSafe) {
  const File good = packed(some_lines(8 * kBlock + 100, 6));
  const std::size_t sizes = sizes_at(good);
  std::mt19937 random(11);
  for (int i = 0; i < 600; ++i) {
    const File file = with_index(good, [&](File& changed) {
      for (auto n = 1 + random() % 3; n > 0; --n) {
        Byte& byte = changed[sizes - 24 + random() % (24 + 4 * 9)];
        byte = static_cast<Byte>(random() % 3 == 0 ? random() : byte + 16);
      }
    });
    expect_same(file, {.fail_fast = i % 4 == 0}, "round " + std::to_string(i));
    if (HasFatalFailure()) return;
  }
}

/// A section of `kind` between the blocks and the index, which knows nothing of it.
File with_section(const File& good, char kind, bool mandatory, bool sealed = true) {
  SectionHeader header;
  header.kind = static_cast<FrameKind>(kind);
  header.mandatory = mandatory;
  header.payload_bytes = 40;
  File section(static_cast<std::size_t>(header.stored_bytes()));
  header.payload_checksum = checksum64({section.data() + kSectionHeaderBytes, 40});
  write_section_header(header, section.data());
  if (!sealed) section[10] ^= 1;
  const test::FrameSpan index = test::frames_of_kind(test::map_frames(good), 'I').front();
  File file = good;
  file.insert(file.begin() + static_cast<std::ptrdiff_t>(index.offset), section.begin(),
              section.end());
  write_trailer({index.offset + section.size(), file.size()},
                file.data() + file.size() - kTrailerBytes);
  return file;
}

TEST(BlockPlaces, WhatStandsBehindTheBlocksIsJudgedAsInAStream) {
  for (const File& good : {packed(some_lines(2 * kBlock, 6)), packed("")}) {
    const int blocks = good.size() > 300 ? 2 : 0;
    EXPECT_EQ(places_in(with_section(good, 'x', false)), blocks);
    EXPECT_EQ(places_in(with_section(good, 'x', true)), -blocks);
    EXPECT_EQ(places_in(with_section(good, 'x', false, false)), -blocks);
    for (const char kind : {'x', 'F', 'M', 'D', 'I', 'B', 'T', 'd'}) {
      const File file = with_section(good, kind, false);
      EXPECT_EQ(places_in(file) == blocks,
                kind == 'x' || kind == 'F' || kind == 'd' || blocks == 0);
      expect_same_in_all_ways(file, std::string(1, kind));
      expect_same_in_all_ways(joined(file, good), std::string(1, kind) + " in the first member");
      expect_same_in_all_ways(with_section(good, kind, true), std::string("mandatory ") + kind);
      expect_same_in_all_ways(with_section(good, kind, false, false),
                              std::string("broken ") + kind);
    }
  }
}

/// The checksum of the section is right, that of a block in it is not.
TEST(BlockPlaces, ADamagedDictionaryIsReportedWhereItStands) {
  const File good = two_members();
  const auto frames = test::map_frames(good);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].parent == test::FrameSpan::kNoParent) continue;
    File file = good;
    file[frames[i].payload() + 3] ^= 0x20;
    test::seal(file, frames, frames[i].parent);
    EXPECT_EQ(places_in(file), -3);
    expect_same_in_all_ways(file, "dictionary");
    EXPECT_NE(log_of_file(file, {}).find("damage"), std::string::npos);
  }
}

// --- Reading that fails -------------------------------------------------------------------------

/// Fails inside the payload of block 12 once the first line is reported: before block 12 is taken,
/// since at most nine blocks are under way.
TEST(BlockPlaces, AnErrorOfReadingEndsTheScanBehindTheLinesBefore) {
  const std::string text = random_lines(20 * kBlock);
  const File file = packed(text);
  const test::FrameSpan block = test::frames_of_kind(test::map_frames(file), 'B')[12];
  const Pattern pattern = *Pattern::compile_literals({"#"});
  std::string before;
  const auto add_to = [](std::string& lines) {
    return [&lines](const MatchedLine& line) {
      lines.append(line.text.begin(), line.text.end());
      return true;
    };
  };
  MemorySource plain(as_bytes(text).first(12 * kBlock));
  ASSERT_TRUE(scan(plain, pattern, {}, add_to(before)).ok());
  for (const ErrorCode failure : {ErrorCode::kIo, ErrorCode::kTruncated}) {
    for (const unsigned threads : {1u, 3u}) {
      WatchedFile failing(file);
      failing.failure = failure;
      std::string lines;
      const auto summary =
          scan(failing, pattern, {.threads = threads}, [&](const MatchedLine& line) {
            failing.sound_bytes = block.payload() + 7;
            return add_to(lines)(line);
          });
      ASSERT_FALSE(summary.ok());
      EXPECT_EQ(summary.error().code, failure);
      EXPECT_EQ(summary.error().block, 12u);
      EXPECT_EQ(summary.error().byte_offset, block.offset);
      EXPECT_EQ(lines, before);
    }
  }
}

}  // namespace
}  // namespace presso::block_places_test
