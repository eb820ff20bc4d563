// SPDX-License-Identifier: MIT
// plan_kernel's answer to a block header is parse_block_header's, and its plans point where the
// streams are.
#include <array>
#include <random>

#include "decompress/payload.h"
#include "tests/simt/test_batch.h"
#include "tests/support/test_data.h"

namespace presso::gpu::test::plan_test {
namespace {

using presso::test::random_bytes;

/// A header whose streams take 60 of 71 bytes, so that five long lengths and one byte are left.
BlockHeader some_header() {
  BlockHeader header;
  header.number = 3;
  header.plain_bytes = 5000;
  header.payload_bytes = 70;
  header.coding = Coding::kByte;
  header.layout = {3, true, 5};
  header.rule = DependencyRule::kTwoWave;
  header.group_log2 = 6;
  header.sequences = 10;
  header.literals = 20;
  header.far_offsets = 3;
  header.literal_escapes = 4;
  header.match_escapes = 3;
  header.content_checksum = 0x0123456789ABCDEFu;
  return header;
}

std::vector<Byte> store_with_random_payload(const BlockHeader& header) {
  return stored_block(header, random_bytes(header.payload_bytes, header.payload_bytes));
}

std::uint32_t planned_status(const std::vector<Byte>& stored, std::uint32_t plain_bytes) {
  TestBatch batch;
  batch.add(stored, plain_bytes);
  batch.run_plan();
  return batch.status(0);
}

TEST(Plan, HasTheHeadersFieldsAndFindsTheStreams) {
  TestBatch batch;
  const BlockHeader header = some_header();
  batch.add(store_with_random_payload(header), header.plain_bytes);
  batch.add(store_with_random_payload(header), header.plain_bytes);
  batch.run_plan();
  for (std::size_t block = 0; block < 2; ++block) {
    ASSERT_EQ(batch.status(block), kPlanned);
    const BlockPlan& plan = batch.plan(block);
    const auto view = view_payload(header, batch.stored(block) + kBlockHeaderBytes);
    EXPECT_EQ(plan.offsets(), view->offsets);
    EXPECT_EQ(plan.tokens(), view->tokens);
    EXPECT_EQ(plan.far_bytes(), view->far);
    EXPECT_EQ(plan.literal_escape_bytes(), view->literal_escapes);
    EXPECT_EQ(plan.match_escape_bytes(), view->match_escapes);
    EXPECT_EQ(plan.long_length_bytes(), view->long_lengths);
    EXPECT_EQ(plan.long_lengths, view->long_count);
    EXPECT_EQ(plan.literal_bytes(), view->literals);
    EXPECT_EQ(plan.out, batch.out(block).data());
    EXPECT_EQ(plan.content_checksum, header.content_checksum);
    EXPECT_EQ(plan.plain_bytes, header.plain_bytes);
    EXPECT_EQ(plan.payload_bytes, header.payload_bytes);
    EXPECT_EQ(plan.sequences, header.sequences);
    EXPECT_EQ(plan.literals, header.literals);
    EXPECT_EQ(plan.coding, static_cast<Byte>(Coding::kByte));
    EXPECT_EQ(plan.rule, static_cast<Byte>(DependencyRule::kTwoWave));
    EXPECT_EQ(plan.group_log2, 6);
    EXPECT_EQ(plan.literal_bits, 3);
    EXPECT_EQ(plan.far, 1);
    EXPECT_EQ(plan.min_match, 5);
    EXPECT_EQ(plan.dictionary, nullptr);
  }
  EXPECT_EQ(std::abs(batch.plan(1).segment_hashes - batch.plan(0).segment_hashes), 6);
  EXPECT_EQ(batch.claimed_segments(), 12u);
}

/// Random values in random fields, sealed again now and then: most are errors of every kind.
TEST(Plan, AnswersDamagedHeadersAsTheCpuDoes) {
  std::mt19937_64 random(1);
  TestBatch batch;
  std::vector<std::uint32_t> expected;
  std::array<std::uint32_t, 64> seen{};
  for (int round = 0; round < 6000; ++round) {
    BlockHeader header = some_header();
    if (round % 8 == 0) {
      header = BlockHeader{};
      header.plain_bytes = header.payload_bytes = 70;
    }
    std::vector<Byte> stored = store_with_random_payload(header);
    for (std::uint64_t wounds = random() % 3; wounds > 0; --wounds) {
      const Byte extremes[] = {0, 1, 0x1F, 0x40, 0xFF, static_cast<Byte>(random())};
      const std::size_t at = random() % (round % 16 == 1 ? 4 : kBlockHeaderBytes);
      stored[at] = extremes[random() % 6];
    }
    if (round % 10 != 0) seal_header(stored);
    const auto parsed = parse_block_header(stored.data());
    if (parsed.ok()) stored.resize(parsed->stored_bytes());
    batch.add(stored, parsed.ok() ? parsed->plain_bytes : 1);
    const bool odd = parsed.ok() && parsed->coding == Coding::kByte &&
                     !view_payload(*parsed, stored.data() + kBlockHeaderBytes).ok();
    ErrorCode code = parsed.ok() ? ErrorCode::kOk : parsed.error().code;
    if (odd) code = ErrorCode::kBadPayloadSize;
    if (parsed.ok() && parsed->dictionary_id != 0) code = ErrorCode::kMissingDictionary;
    expected.push_back(code == ErrorCode::kOk ? std::uint32_t{kPlanned} : status_of(code));
    ++seen[status_of(code)];
  }
  batch.run_plan(256);
  for (std::size_t block = 0; block < batch.size(); ++block) {
    ASSERT_EQ(batch.status(block), expected[block]) << block;
  }
  for (const ErrorCode code :
       {ErrorCode::kOk, ErrorCode::kLostSync, ErrorCode::kHeaderChecksum, ErrorCode::kBadHeader,
        ErrorCode::kUnknownCoding, ErrorCode::kBadPayloadSize, ErrorCode::kMissingDictionary}) {
    EXPECT_GT(seen[status_of(code)], 20u) << status_of(code);
  }
}

TEST(Plan, FindsDictionaries) {
  const std::vector<Byte> content = random_bytes(100, 5);
  TestBatch batch;
  batch.set_dictionary(1, content);
  batch.set_dictionary(16, {});
  for (const int id : {0, 1, 16, 2, 17, 255}) {
    BlockHeader header = some_header();
    header.dictionary_id = static_cast<Byte>(id);
    batch.add(store_with_random_payload(header), header.plain_bytes);
  }
  batch.run_plan();
  for (const std::size_t block : {0u, 1u, 2u}) EXPECT_EQ(batch.status(block), kPlanned) << block;
  EXPECT_EQ(batch.plan(0).dictionary_bytes, 0u);
  EXPECT_EQ(batch.plan(1).dictionary, batch.dictionary(1).d_content);
  EXPECT_EQ(batch.plan(1).dictionary_bytes, 100u);
  EXPECT_EQ(batch.plan(2).dictionary_bytes, 0u);
  for (const std::size_t block : {3u, 4u, 5u}) {
    EXPECT_EQ(batch.status(block), status_of(ErrorCode::kMissingDictionary)) << block;
  }
}

TEST(Plan, MissesADictionaryBeforeItSeesHalfALongLength) {
  BlockHeader header = some_header();
  header.payload_bytes = 71;
  EXPECT_EQ(planned_status(store_with_random_payload(header), header.plain_bytes),
            status_of(ErrorCode::kBadPayloadSize));
  header.dictionary_id = 1;
  EXPECT_EQ(planned_status(store_with_random_payload(header), header.plain_bytes),
            status_of(ErrorCode::kMissingDictionary));
}

TEST(Plan, RefusesSpansThatDisagreeWithTheirHeader) {
  const BlockHeader header = some_header();
  const std::vector<Byte> stored = store_with_random_payload(header);
  const std::uint32_t bad = status_of(ErrorCode::kBadIndex);
  EXPECT_EQ(planned_status(stored, header.plain_bytes), kPlanned);
  EXPECT_EQ(planned_status(stored, header.plain_bytes - 1), bad);
  EXPECT_EQ(planned_status(stored, header.plain_bytes + 1), bad);
  for (const std::size_t size : {0u, 16u, 32u, 47u, 48u, 112u}) {
    EXPECT_EQ(planned_status({stored.begin(), stored.begin() + size}, header.plain_bytes), bad);
  }
  std::vector<Byte> longer = stored;
  longer.resize(stored.size() + 16);
  EXPECT_EQ(planned_status(longer, header.plain_bytes), bad);
}

TEST(Plan, RefusesOffsetsThatAreNotAligned) {
  const BlockHeader header = some_header();
  TestBatch batch;
  batch.add(store_with_random_payload(header), header.plain_bytes);
  batch.span(0).stored_offset = 8;
  batch.span(0).stored_bytes -= 16;
  batch.run_plan();
  EXPECT_EQ(batch.status(0), status_of(ErrorCode::kBadIndex));
}

TEST(Plan, RefusesBlocksForWhichThereIsNoRoom) {
  const BlockHeader header = some_header();
  TestBatch batch;
  batch.add(store_with_random_payload(header), header.plain_bytes);
  batch.largest_plain_bytes() = 4096;
  batch.run_plan();
  EXPECT_EQ(batch.status(0), status_of(ErrorCode::kInvalidArgument));
}

/// Whoever claims first. Threads of a GPU do so in any order.
TEST(Plan, GivesEachBlockRoomOfItsOwn) {
  for (const simt::Order order :
       {simt::Order::kForward, simt::Order::kReverse, simt::Order::kRandom}) {
    TestBatch batch;
    batch.options.order = order;
    for (int i = 0; i < 50; ++i) {
      const BlockHeader header = some_header();
      batch.add(store_with_random_payload(header), header.plain_bytes);
    }
    batch.run_plan();
    std::vector<std::pair<const Byte*, const Byte*>> rooms;
    for (std::size_t block = 0; block < batch.size(); ++block) {
      const BlockPlan& plan = batch.plan(block);
      rooms.emplace_back(plan.survey,
                         plan.survey + kSurveyCellBytes * survey_cells_of(plan.plain_bytes));
    }
    std::sort(rooms.begin(), rooms.end());
    for (std::size_t i = 1; i < rooms.size(); ++i) {
      EXPECT_LE(rooms[i - 1].second, rooms[i].first) << i;
    }
  }
}

TEST(Plan, RefusesBlocksWhoseHashesHaveNoRoom) {
  const BlockHeader header = some_header();  // of five segments, and one more
  for (const std::uint64_t room : {0u, 5u, 6u, 11u, 12u, 18u}) {
    TestBatch batch;
    for (int i = 0; i < 3; ++i) batch.add(store_with_random_payload(header), header.plain_bytes);
    batch.limit_segments(room);
    batch.run_plan();
    std::uint64_t planned = 0;
    for (std::size_t block = 0; block < 3; ++block) {
      planned += batch.status(block) == kPlanned;
      if (batch.status(block) != kPlanned) {
        EXPECT_EQ(batch.status(block), status_of(ErrorCode::kInvalidArgument));
      }
    }
    EXPECT_EQ(planned, room / 6) << room;
  }
}

}  // namespace
}  // namespace presso::gpu::test::plan_test
