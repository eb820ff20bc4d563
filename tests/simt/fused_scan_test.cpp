// SPDX-License-Identifier: MIT
// Fused scans in the emulator: blocks of all codings and rules, lines across every border, count as
// a scalar run of the automaton does; damage is told and leaves the count alone.
#include "scan/gpu/fused_scan.cuh"

#include <gtest/gtest.h>

#include "scan/gpu/fused_steps.h"
#include "tests/simt/batch_case.h"
#include "tests/simt/emulated_chain.h"
#include "tests/simt/emulated_launcher.h"
#include "tests/simt/scan_texts.h"
#include "tests/support/line_dfas.h"
#include "tests/support/pattern_dfa.h"
#include "tests/support/placed_bytes.h"
#include "tests/support/test_data.h"

namespace presso::gpu::test {
namespace {

using presso::test::counting_dfa;
using presso::test::dfa_of;
using presso::test::LineDfa;
using presso::test::PlacedBytes;
using presso::test::random_dfa;
using presso::test::random_text;
using presso::test::ScalarScan;
using presso::test::words_dfa;

using Relay = ManyBlocks::Relay;

/// The steps of a fused scan; those of a batch are its base's.
class FusedLauncher : public EmulatedLauncher {
 public:
  explicit FusedLauncher(u32 seed) : EmulatedLauncher(seed) {}

  Status clear(std::uint64_t* word) { return EmulatedLauncher::clear(word); }
  Status clear(void* memory, std::size_t bytes) {
    std::fill_n(static_cast<Byte*>(memory), bytes, Byte{0});
    return {};
  }
  Status decode(const FusedScanRequest& request, const FusedScanArguments& fused) {
    fused_ = &fused;
    return enqueue_batch(request.batch, request.options, *this);
  }
  Status left_blocks(const FusedScanArguments& fused) {
    return run("left blocks", 2, 64, kClassMapBytes, [&] { left_blocks_body(fused); });
  }
  Status chain(const LineScanArguments& scan) {
    const auto run_step = [&](std::size_t shared, const std::function<void()>& body) {
      return run("chain", 2, 64, shared, body);
    };
    presso::test::EmulatedChain chain(scan, 2, run_step);
    PRESSO_TRY(enqueue_tile_chain<GlobalRows>(scan, chain));
    broken = *scan.d_broken;
    return {};
  }
  Status add_lines(const FusedScanArguments& fused) {
    for (u32 i = 0; i < fused.blocks; ++i) scanned += fused.scan.d_tiles[i].reserved == kScanned;
    return run("add lines", 1, 32, 0, [&] { add_lines_body(fused); });  // allow(bare-32): threads
  }

  // Of enqueue_batch and enqueue_decoders.
  Status decode(const DecodeLaunch& launch) { return enqueue_decoders(launch, *this); }
  bool is_small(const BlockBatch&) const { return false; }
  template <class Tuning, bool kBit>
  Status relay_decoder(const BlockBatch& batch) {
    return run("fused relay", batch.blocks, Relay::kThreads, GramSink<Relay>::kSharedBytes,
               [&] { fused_relay_body<Relay, kBit>(batch, *fused_); });
  }

  u32 broken = 0;   ///< blocks whose guess was wrong
  u32 scanned = 0;  ///< blocks that the relay decoder's warp has scanned

 private:
  const FusedScanArguments* fused_ = nullptr;
};

/// A text in blocks of equal sizes, each compressed by itself.
struct Text {
  explicit Text(u32 bytes) : block_bytes(bytes) {}

  void add(std::vector<Byte> bytes, const CompressOptions& options) {
    CompressOptions with = options;
    with.block_bytes = block_bytes;
    add_compressed(batch, bytes, with);
    plain.insert(plain.end(), bytes.begin(), bytes.end());
  }
  void add(const std::string& text, const CompressOptions& options) {
    add(std::vector<Byte>(text.begin(), text.end()), options);
  }

  u32 block_bytes;
  BatchCase batch;
  std::vector<Byte> plain;
};

CompressOptions relay_options(Coding coding = Coding::kByte) {
  CompressOptions options;
  options.level = 3;
  options.rule = DependencyRule::kTile;
  options.group = kTileBytes;
  options.favor = Favor::kDecode;
  options.coding = coding;
  options.dictionary = {DictionaryChoice::Mode::kNone, 0};
  return options;
}

struct Run {
  bool verify = true;
  bool complete = true;
  u32 state_in = ~0u;  ///< ~0: none
  u32 seed = 1;
  std::vector<std::string> literals = {};  ///< of whose lines it is the automaton
  bool ignore_case = false;
};

struct Found {
  u64 lines = 0;
  u32 failed = 0, state = 0, broken = 0, scanned = 0;
};

constexpr u64 kLinesBefore = 1000;

Found scan_fused(const Text& text, const LineDfa& dfa, const Run& run) {
  std::vector<Byte> stored;
  std::vector<BlockSpan> spans;
  u64 offset = 0;
  for (const BatchItem& item : text.batch.blocks) {
    spans.push_back(
        {stored.size(), offset, static_cast<u32>(item.stored.size()), item.plain_bytes});
    stored.insert(stored.end(), item.stored.begin(), item.stored.end());
    offset += text.block_bytes;
  }
  const auto blocks = static_cast<u32>(spans.size());
  const auto table = lay_out_fused(dfa.view());
  EXPECT_TRUE(table.ok());
  const PlacedBytes image(table->image, 0), placed(Bytes(stored), 0);
  PlacedBytes plain(std::vector<Byte>(text.plain.size(), Byte{'\n'}), 0);
  FusedScanRequest request;
  request.options.verify = run.verify;
  const BatchMemory memory(blocks, request.options);
  PlacedBytes temporary(
      memory.bytes(BatchMemory::segments_of_batch(blocks, text.batch.plain_bytes())), 0);
  PlacedBytes scan_temporary(FusedScanMemory(blocks).bytes, 0);
  std::fill_n(scan_temporary.data(), scan_temporary.size(), Byte{0xA5});
  std::vector<u32> statuses(blocks, 0xDEADBEEF);
  Found found;
  found.lines = kLinesBefore;
  request.batch.d_stored = placed.data();
  request.batch.d_plain = plain.data();
  request.batch.d_spans = spans.data();
  request.batch.blocks = blocks;
  request.batch.largest_plain_bytes = text.batch.largest_plain_bytes();
  request.batch.d_status = statuses.data();
  request.batch.d_temporary = temporary.data();
  request.batch.temporary_bytes = temporary.size();
  request.block_bytes = text.block_bytes;
  request.plain_bytes = text.plain.size();
  request.table = table->view;
  request.table.lines.d_image = image.data();
  if (!run.literals.empty()) {
    request.literals = lay_out_literals(run.literals, run.ignore_case)->view;
  }
  if (run.state_in != ~0u) request.d_state_in = &run.state_in;
  if (!run.complete) request.d_state_out = &found.state;
  request.d_lines = &found.lines;
  request.d_failed_blocks = &found.failed;
  request.d_scan_temporary = scan_temporary.data();
  request.scan_temporary_bytes = scan_temporary.size();
  FusedLauncher launcher(run.seed);
  const Status status = enqueue_fused_scan(request, launcher);
  EXPECT_TRUE(status.ok()) << status.error().message();
  found.broken = launcher.broken;
  found.scanned = launcher.scanned;
  return found;
}

Found expect_right(const Text& text, const LineDfa& dfa, const Run& run) {
  const ScalarScan expected(dfa.view(), text.plain, run.complete,
                            run.state_in == ~0u ? dfa.start : run.state_in);
  const Found found = scan_fused(text, dfa, run);
  EXPECT_EQ(found.failed, 0u);
  EXPECT_EQ(found.lines, kLinesBefore + expected.ends.size()) << "seed " << run.seed;
  if (!run.complete) {
    EXPECT_EQ(found.state, expected.state);
  }
  return found;
}

/// With and without checksums, whole texts and pieces.
u32 expect_all_right(const Text& text, const LineDfa& dfa,
                     const std::vector<std::string>& literals = {}, bool ignore_case = false) {
  u32 broken = 0;
  for (u32 seed = 0; seed < 6; ++seed) {
    const u32 state_in = seed < 2 ? ~0u : seed % dfa.states;
    const Found found =
        expect_right(text, dfa, {seed < 3, seed % 3 != 0, state_in, seed, literals, ignore_case});
    broken += found.broken;
  }
  return broken;
}

Text log_text(u32 block_bytes, std::size_t bytes) {
  Text text(block_bytes);
  text.add(presso::test::log_lines(bytes, 5), relay_options());
  return text;
}

TEST(FusedScan, CountsLinesOfBlocksOfSeveralStretches) {
  const Text text = log_text(256 << 10, 700001);
  const Found found = expect_right(text, words_dfa({"user", "error"}), {});
  EXPECT_EQ(found.scanned, 3u);
  expect_right(text, dfa_of("[0-9]{2}:[0-9]{2}"), {false, false, 1, 2});
}

TEST(FusedScan, CountsLinesOfBlocksAroundEverySize) {
  for (const std::size_t size : {1u, 2u, 15u, 63u, 64u, 65u, 4095u, 4096u, 4097u, 16383u, 16384u,
                                 16385u, 20000u, 32768u, 40000u}) {
    SCOPED_TRACE(size);
    Text text(16 << 10);
    text.add(random_text(size, "abc", 30, size), relay_options());
    expect_all_right(text, words_dfa({"ab", "bca"}));
    expect_all_right(text, random_dfa(9, "abc", size));
  }
}

TEST(FusedScan, KnowsEmptyLinesAndUnfinishedOnes) {
  const LineDfa even = counting_dfa(2);  // empty lines match
  for (const std::string& end : {std::string(), std::string("\n"), std::string("aa"),
                                 std::string("a"), std::string("\n\n"), std::string("\naa")}) {
    for (const char filling : {'\n', 'a'}) {
      Text text(16 << 10);
      text.add(std::string((32 << 10) + 64 * (filling == 'a'), filling) + end, relay_options());
      expect_all_right(text, even);
    }
  }
}

/// No '\n' for blocks on end; then what must be mended comes from far before.
TEST(FusedScan, FollowsLinesThroughBlocks) {
  u32 broken = 0;
  for (const std::size_t line : {200u, 3000u, 20000u, 70000u}) {
    Text text(16 << 10);
    std::string lines;
    for (u32 i = 0; lines.size() < 150000; ++i) {
      std::string filling = random_text(line, "abcdefg ", 1u << 30, i);
      filling.replace(i % 40, 5, "error");
      if (i % 2 == 0) filling.replace(filling.size() - 10, 4, "user");
      lines += filling + '\n';
    }
    text.add(lines, relay_options());
    broken += expect_all_right(text, words_dfa({"error"}, {"user"}));
    broken += expect_all_right(text, counting_dfa(31));
  }
  EXPECT_GT(broken, 20u);
}

TEST(FusedScan, AgreesOnRandomAutomata) {
  for (const u32 states : {1u, 2u, 7u, 33u, 128u, 255u, 400u}) {
    for (const u32 line : {5u, 300u, 6000u}) {
      SCOPED_TRACE(states);
      Text text(32 << 10);  // allow(bare-32): KiB
      text.add(random_text(70000, "abcde", line, states), relay_options());
      expect_right(text, random_dfa(states, "abcd", states), {false, true, ~0u, states + line});
    }
  }
}

/// Literals where pages and blocks begin and end, and nowhere else.
Text text_with_literals(const std::vector<std::string>& literals, bool ignore_case, u32 seed) {
  std::mt19937_64 random(seed);
  std::string plain = random_text(300000, "abcdefghij ", seed % 2 == 0 ? 90 : 9000, seed);
  for (const std::size_t border :
       {20480u, 40960u, 45057u, 61440u, 131072u, 151552u, 253952u, 262144u}) {
    std::string literal = literals[random() % literals.size()];
    if (ignore_case) literal[random() % literal.size()] ^= 0x20;
    plain.replace(border - random() % (literal.size() + 4), literal.size(), literal);
  }
  Text text(128 << 10);
  text.add(plain, relay_options(seed % 3 == 0 ? Coding::kBit : Coding::kByte));
  return text;
}

TEST(FusedScan, SkipsPagesWithoutLiterals) {
  const std::vector<std::string> alone{"jiggle"};
  const std::vector<std::string> three{"acidhead", "fadedbadfadedbadfadedbadfadedbad", "high"};
  for (u32 seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    expect_all_right(text_with_literals(alone, false, seed), words_dfa(alone), alone);
    expect_all_right(text_with_literals(three, false, seed), words_dfa(three), three);
    expect_all_right(text_with_literals(alone, true, seed), dfa_of("[jJ][iI][gG][gG][lL][eE]"),
                     alone, true);
  }
}

/// With literals that are not the automaton's, lines are missed: so nobody has looked at them.
TEST(FusedScan, DoesNotLookAtPagesWithoutLiterals) {
  const std::vector<std::string> words{"jiggle"};
  const Text text = text_with_literals(words, false, 2);
  const LineDfa dfa = words_dfa(words);
  const u64 lines = scan_fused(text, dfa, {}).lines;
  struct Run run;
  run.literals = {"somewhere else"};
  const u64 found = scan_fused(text, dfa, run).lines;
  EXPECT_GE(lines, kLinesBefore + 5);
  EXPECT_LT(found, lines - 2);
}

TEST(FusedScan, IgnoresLiteralsThatAreNoHelp) {
  const std::vector<std::string> lists[] = {
      {"hi"},
      {std::string(33, 'a')},
      {"high", "head", "jade", "deaf"}};  // allow(bare-32): one more
  for (const auto& literals : lists) {
    expect_right(text_with_literals(literals, false, 4), words_dfa(literals),
                 {true, true, ~0u, 1, literals});
  }
}

/// Raw blocks, both codings, blocks for the warp decoder, a short last one.
TEST(FusedScan, CountsLinesOfBlocksThatOthersDecode) {
  Text text(16 << 10);
  CompressOptions other = relay_options();
  other.favor = Favor::kRatio;
  other.rule = DependencyRule::kTwoWave;
  other.group = 32;  // allow(bare-32): sequences
  for (u32 i = 0; i < 3; ++i) {
    const auto piece = [&](u32 number) {
      std::vector<Byte> bytes = presso::test::log_lines(20000, 10 * i + number);
      bytes.resize(text.block_bytes);
      return bytes;
    };
    text.add(piece(0), relay_options());
    text.add(presso::test::random_bytes(text.block_bytes, i), relay_options());
    text.add(piece(1), relay_options(Coding::kBit));
    text.add(piece(2), other);
  }
  text.add("the last user", relay_options());
  const LineDfa dfa = words_dfa({"user", "error"});
  const Found found = expect_right(text, dfa, {});
  EXPECT_GT(found.scanned, 5u);
  EXPECT_LT(found.scanned, 8u);
  expect_all_right(text, dfa);
  expect_all_right(text, counting_dfa(3));
}

TEST(FusedScan, TellsDamageAndLeavesTheCountAlone) {
  for (const bool checksum : {false, true}) {
    Text text = log_text(16 << 10, 60000);
    std::vector<Byte>& stored = text.batch.blocks[1].stored;
    if (checksum) {  // the header's copy of the content checksum is wrong
      BlockHeader header = *parse_block_header(stored.data());
      header.content_checksum ^= 1;
      write_block_header(header, stored.data());
    } else {
      stored[3] ^= 0xFF;
    }
    const Found found = scan_fused(text, words_dfa({"user"}), {});
    EXPECT_EQ(found.lines, kLinesBefore);
    EXPECT_EQ(found.failed, 1u);
  }
}

TEST(FusedScan, RefusesAutomataThatAreTooLarge) {
  EXPECT_TRUE(lay_out_fused(random_dfa(255, "abcdefghijklmnopqrstuvwxyz", 3).view()).ok());
  LineDfa dfa = random_dfa(5000, "abcdefghijklmnopqrstuvwxyz", 3);
  const auto table = lay_out_fused(dfa.view());
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace presso::gpu::test
