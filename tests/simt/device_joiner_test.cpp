// SPDX-License-Identifier: MIT
// DeviceJoiner over the emulated device: all kinds and strategies compared with a map on the CPU,
// columns that lie anywhere and come from Arrow, answers as Arrow's arrays, and every step failing.
// Several keys: device_joiner_keys_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/simt/joined_columns.h"

namespace presso::gpu::device_joiner_test {
namespace {

using namespace test;

TEST(DeviceJoiner, GivesWhatAMapGives) {
  Joiner at;
  for (const DeviceJoinAlgorithm strategy : kStrategies) {
    for (const JoinKind kind : kKinds) {
      const JoinKeyType type = kWidths[below(4)];
      const std::int64_t first = is_signed(type) ? -100 : 0;
      const bool sorted = strategy == DeviceJoinAlgorithm::kMerge;
      TestColumn build = column_of(1100, first, 1 + below(3), sorted);
      TestColumn probe = column_of(1500, first, 1 + below(3), sorted);
      if (below(3) != 0) {
        build.valid = random_bits(1100, 8);
        probe.valid = random_bits(1500, 7);
        build.selected = random_bits(1100, 6);
        probe.selected = random_bits(1500, 9);
      }
      const std::size_t skip = below(40);
      const Placed build_at(build, type, skip), probe_at(probe, type, below(40));
      JoinRequest request{.build = build_at.side(), .probe = probe_at.side()};
      request.kind = kind;
      request.strategy = strategy;
      request.ascends = sorted;
      for (const bool ordered : {false, true}) {
        SCOPED_TRACE("strategy " + std::to_string(static_cast<int>(strategy)) + ", kind " +
                     std::to_string(static_cast<int>(kind)) + ", type " +
                     std::to_string(static_cast<int>(type)) + (ordered ? ", ordered" : ""));
        request.ordered = ordered;
        const auto found = at.joiner.join(request, nullptr);
        ASSERT_TRUE(found.ok()) << found.error().message();
        const auto expected = expected_pairs(build, probe, kind);
        expect_pairs(*found, expected, ordered);
        EXPECT_NE(found->strategy(), DeviceJoinAlgorithm::kAuto);
        if (strategy != DeviceJoinAlgorithm::kAuto) {
          EXPECT_EQ(found->strategy(), strategy);
        }
        const bool has_build = kind != JoinKind::kSemi && kind != JoinKind::kAnti;
        EXPECT_EQ(found->device_bytes(), (has_build ? 8u : 4u) * expected.size());
        EXPECT_EQ(at.faults->live_bytes, found->device_bytes());
      }
    }
  }
  EXPECT_EQ(at.faults->live_bytes, 0u);
  EXPECT_EQ(at.faults->live_handles, 0u);
}

TEST(DeviceJoiner, OfSidesWithoutRows) {
  Joiner at;
  const TestColumn none, some = column_of(40, 0, 1, true);
  for (const DeviceJoinAlgorithm strategy : kStrategies) {
    for (const JoinKind kind : kKinds) {
      for (const bool build_is_empty : {false, true}) {
        const Placed empty(none, JoinKeyType::kInt64), filled(some, JoinKeyType::kInt64);
        JoinRequest request;
        request.build = build_is_empty ? empty.side() : filled.side();
        request.probe = build_is_empty ? filled.side() : empty.side();
        request.kind = kind;
        request.strategy = strategy;
        request.ordered = true;
        request.ascends = true;
        const auto found = at.joiner.join(request, nullptr);
        ASSERT_TRUE(found.ok()) << found.error().message();
        EXPECT_EQ(pairs_of(*found),
                  expected_pairs(build_is_empty ? none : some, build_is_empty ? some : none, kind));
      }
    }
  }
}

TEST(DeviceJoiner, ChoosesByTheKeys) {
  Joiner at;
  const auto chosen = [&](const TestColumn& build, bool ascends) {
    const Placed build_at(build, JoinKeyType::kInt64), probe_at(build, JoinKeyType::kInt64);
    JoinRequest request{.build = build_at.side(), .probe = probe_at.side()};
    request.ascends = ascends;
    const auto found = at.joiner.join(request, nullptr);
    EXPECT_TRUE(found.ok());
    return found->strategy();
  };
  TestColumn build = column_of(1000, -500, 2, true);
  EXPECT_EQ(chosen(build, false), DeviceJoinAlgorithm::kDirect);
  EXPECT_EQ(chosen(build, true), DeviceJoinAlgorithm::kMerge);
  build.keys[3] = std::int64_t{1} << 50;
  EXPECT_EQ(chosen(build, false), DeviceJoinAlgorithm::kTable);
  // Keys of rows that take no part do not count.
  build.valid.assign(1000, true);
  build.valid[3] = false;
  EXPECT_EQ(chosen(build, false), DeviceJoinAlgorithm::kDirect);
  build.valid.assign(1000, false);
  EXPECT_EQ(chosen(build, false), DeviceJoinAlgorithm::kDirect);
}

TEST(DeviceJoiner, CopiesOnlyWhatDoesNotSuit) {
  Joiner at;
  TestColumn side = column_of(64, 0, 1, false);
  side.valid = random_bits(64, 5);
  const auto copies = [&](std::size_t skip) {
    const Placed placed(side, JoinKeyType::kInt64, skip);
    at.kernels->copied_bitmaps = 0;
    const auto found = at.joiner.join({.build = placed.side(), .probe = placed.side()}, nullptr);
    EXPECT_TRUE(found.ok());
    return at.kernels->copied_bitmaps;
  };
  EXPECT_EQ(copies(0), 0);
  EXPECT_EQ(copies(32), 0);
  EXPECT_EQ(copies(5), 2);
}

TEST(DeviceJoiner, SaysWhatIsWrong) {
  Joiner at;
  const TestColumn side = column_of(50, 0, 1, false);
  const Placed ints(side, JoinKeyType::kInt64), small(side, JoinKeyType::kInt32);
  const auto refused = [&](const JoinRequest& request) {
    const auto found = at.joiner.join(request, nullptr);
    EXPECT_FALSE(found.ok());
    EXPECT_EQ(found.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(at.faults->live_bytes, 0u);
    return found.ok() ? std::string() : found.error().what;
  };
  const JoinRequest right{.build = ints.side(), .probe = ints.side()};
  JoinRequest wrong = right;
  wrong.probe = small.side();
  EXPECT_EQ(refused(wrong), "the keys of the build side are int64, those of the probe side int32");
  wrong = right;
  wrong.build.keys[0].rows = std::uint64_t{1} << 32;
  EXPECT_EQ(refused(wrong), "the build side has 4,294,967,296 rows, and 4,294,967,294 is the most");
  wrong = right;
  wrong.probe.keys[0].d_keys = nullptr;
  EXPECT_EQ(refused(wrong), "the probe side has 50 rows and no keys");
  wrong = right;
  wrong.probe.keys[0].d_keys = static_cast<const Byte*>(ints.column.d_keys) + 4;
  EXPECT_EQ(refused(wrong), "the keys of the probe side are not at a multiple of their 8 bytes");
  wrong = right;
  wrong.strategy = DeviceJoinAlgorithm::kMerge;
  EXPECT_EQ(refused(wrong), "merging wants keys that are known to ascend");
  TestColumn wide = side;
  wide.keys[7] = std::int64_t{1} << 40;
  const Placed wide_at(wide, JoinKeyType::kInt64);
  wrong = right;
  wrong.build = wide_at.side();
  wrong.strategy = DeviceJoinAlgorithm::kDirect;
  EXPECT_NE(refused(wrong).find("too large a range of keys"), std::string::npos);
}

TEST(DeviceJoiner, TakesColumnsOfArrow) {
  Joiner at;
  TestColumn build = column_of(300, -40, 2, false), probe = column_of(500, -40, 2, false);
  build.valid = random_bits(300, 7);
  probe.valid = random_bits(500, 7);
  struct Format {
    const char* text;
    JoinKeyType type;
    JoinKeyType width;
  };
  for (const Format& format :
       {Format{"i", JoinKeyType::kInt32, JoinKeyType::kInt32},
        Format{"I", JoinKeyType::kUint32, JoinKeyType::kUint32},
        Format{"l", JoinKeyType::kInt64, JoinKeyType::kInt64},
        Format{"L", JoinKeyType::kUint64, JoinKeyType::kUint64},
        Format{"tdD", JoinKeyType::kDate32, JoinKeyType::kInt32},
        Format{"tdm", JoinKeyType::kDate64, JoinKeyType::kInt64},
        Format{"tss:", JoinKeyType::kTimestampSeconds, JoinKeyType::kInt64},
        Format{"tsu:UTC", JoinKeyType::kTimestampMicros, JoinKeyType::kInt64}}) {
    SCOPED_TRACE(format.text);
    // The test's own words for signed keys are right for unsigned ones, too: bits are compared.
    const Placed build_at(build, format.width, 13), probe_at(probe, format.width, 3);
    const ArrowColumn build_arrow(build_at, format.text, 13);
    const ArrowColumn probe_arrow(probe_at, format.text, 3);
    JoinRequest request;
    auto column = JoinColumn::from_arrow(build_arrow.device, build_arrow.schema);
    ASSERT_TRUE(column.ok()) << column.error().message();
    EXPECT_EQ(column->type, format.type);
    request.build.keys = {*column};
    column = JoinColumn::from_arrow(probe_arrow.device, probe_arrow.schema);
    ASSERT_TRUE(column.ok()) << column.error().message();
    request.probe.keys = {*column};
    request.kind = JoinKind::kFull;
    request.ordered = true;
    const auto found = at.joiner.join(request, nullptr);
    ASSERT_TRUE(found.ok()) << found.error().message();
    EXPECT_EQ(pairs_of(*found), expected_pairs(build, probe, JoinKind::kFull));
  }
}

TEST(DeviceJoiner, TakesAStructOfOneColumnOfArrow) {
  const TestColumn side = column_of(20, 0, 1, false);
  const Placed placed(side, JoinKeyType::kInt64, 4);
  ArrowColumn column(placed, "l", 1);
  ArrowArray* arrays[] = {&column.device.array};
  ArrowSchema* schemas[] = {&column.schema};
  ArrowDeviceArray all = {};
  all.array.length = 20;
  all.array.offset = 3;
  all.array.n_children = 1;
  all.array.children = arrays;
  all.array.release = no_release;
  all.device_type = ARROW_DEVICE_CUDA;
  ArrowSchema schema = {};
  schema.format = "+s";
  schema.n_children = 1;
  schema.children = schemas;
  schema.release = no_schema_release;
  const auto found = JoinColumn::from_arrow(all, schema);
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_EQ(found->rows, 20u);
  EXPECT_EQ(found->d_keys, placed.column.d_keys);
  schema.n_children = 2;
  EXPECT_EQ(JoinColumn::from_arrow(all, schema).error().code, ErrorCode::kUnsupported);
}

TEST(DeviceJoiner, RefusesWhatArrowHandsOverOtherwise) {
  const TestColumn side = column_of(20, 0, 1, false);
  const Placed placed(side, JoinKeyType::kInt64);
  const auto code_of = [&](auto change) {
    ArrowColumn column(placed, "l", 0);
    change(column);
    const auto found = JoinColumn::from_arrow(column.device, column.schema);
    return found.ok() ? ErrorCode::kOk : found.error().code;
  };
  EXPECT_EQ(code_of([](ArrowColumn&) {}), ErrorCode::kOk);
  EXPECT_EQ(code_of([](ArrowColumn& of) { of.schema.format = "U"; }), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of([](ArrowColumn& of) { of.schema.dictionary = &of.schema; }),
            ErrorCode::kUnsupported);
  EXPECT_EQ(code_of([](ArrowColumn& of) { of.device.device_type = ARROW_DEVICE_CPU; }),
            ErrorCode::kUnsupported);
  EXPECT_EQ(code_of([](ArrowColumn& of) { of.device.array.release = nullptr; }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([](ArrowColumn& of) { of.buffers[1] = nullptr; }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([](ArrowColumn& of) { of.device.array.n_buffers = 3; }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([](ArrowColumn& of) { of.device.array.offset = -1; }),
            ErrorCode::kInvalidArgument);
}

TEST(DeviceJoiner, GivesItsPairsToArrow) {
  const TestColumn build = column_of(300, 0, 2, false), probe = column_of(700, 100, 2, false);
  for (const JoinKind kind : kKinds) {
    Joiner at;
    const auto expected = expected_pairs(build, probe, kind);
    ArrowDeviceArray array = {};
    ArrowOwner<ArrowSchema> schema;
    {
      const Placed build_at(build, JoinKeyType::kInt64), probe_at(probe, JoinKeyType::kInt64);
      JoinRequest request{.build = build_at.side(), .probe = probe_at.side()};
      request.kind = kind;
      request.ordered = true;
      const auto found = at.joiner.join(request, nullptr);
      ASSERT_TRUE(found.ok());
      ASSERT_TRUE(found->to_arrow(array, *schema.out()).ok());
    }
    const bool has_build = kind != JoinKind::kSemi && kind != JoinKind::kAnti;
    EXPECT_EQ(array.device_type, ARROW_DEVICE_CUDA);
    EXPECT_EQ(array.device_id, 0);
    EXPECT_EQ(array.sync_event, nullptr);
    ASSERT_EQ(array.array.n_children, has_build ? 2 : 1);
    ASSERT_EQ(schema->n_children, array.array.n_children);
    EXPECT_EQ(array.array.length, static_cast<std::int64_t>(expected.size()));
    EXPECT_STREQ(schema->children[0]->name, "probe_row");
    EXPECT_STREQ(schema->children[0]->format, "I");
    if (has_build) {
      EXPECT_STREQ(schema->children[1]->name, "build_row");
    }
    for (std::int64_t i = 0; i < array.array.n_children; ++i) {
      const ArrowArray& column = *array.array.children[i];
      ASSERT_EQ(column.length, array.array.length);
      const auto* const bits = static_cast<const Byte*>(column.buffers[0]);
      const auto* const rows = static_cast<const std::uint32_t*>(column.buffers[1]);
      std::int64_t nulls = 0;
      for (std::size_t row = 0; row < expected.size(); ++row) {
        const std::uint32_t wanted = i == 0 ? expected[row].first : expected[row].second;
        const bool is_there = bits == nullptr || (bits[row / 8] >> row % 8 & 1) != 0;
        EXPECT_EQ(is_there, wanted != kNoRow);
        EXPECT_EQ(rows[row], wanted);
        nulls += wanted == kNoRow ? 1 : 0;
      }
      EXPECT_TRUE(column.null_count == nulls || column.null_count == -1);
    }
    // Columns may be moved out and live on, the joiner and the pairs gone.
    ArrowOwner<ArrowArray> moved(*array.array.children[0]);
    array.array.release(&array.array);
    EXPECT_GT(at.faults->live_bytes, 0u);
    moved.reset();
    EXPECT_EQ(at.faults->live_bytes, 0u);
    EXPECT_EQ(at.faults->live_handles, 0u);
  }
}

TEST(DeviceJoiner, EveryStepMayFail) {
  TestColumn build = column_of(500, -40, 2, false), probe = column_of(700, -40, 2, false);
  build.valid = random_bits(500, 7);
  const Placed build_at(build, JoinKeyType::kInt64, 3), probe_at(probe, JoinKeyType::kInt64, 1);
  for (const DeviceJoinAlgorithm strategy :
       {DeviceJoinAlgorithm::kRadix, DeviceJoinAlgorithm::kAuto, DeviceJoinAlgorithm::kChained,
        DeviceJoinAlgorithm::kChainedShared}) {
    const auto run = [&](const Joiner& at) -> Status {
      JoinRequest request{.build = build_at.side(), .probe = probe_at.side()};
      request.kind = JoinKind::kFull;
      request.strategy = strategy;
      PRESSO_ASSIGN(const JoinedPairs pairs, at.joiner.join(request, nullptr));
      ArrowDeviceArray array = {};
      ArrowOwner<ArrowSchema> schema;
      PRESSO_TRY(pairs.to_arrow(array, *schema.out()));
      array.array.release(&array.array);
      return {};
    };
    expect_faults_told(run);
  }
}

TEST(DeviceJoiner, SaysHowMuchMemoryItWanted) {
  const auto faults = std::make_shared<EmulatedFaults>();
  const DeviceJoiner joiner(presso::test::make_host_device(faults),
                            std::make_shared<EmulatedJoinKernels>(faults),
                            MemoryLimits{4096, ~std::uint64_t{0}}, MemoryLimits{0, 0});
  const TestColumn side = column_of(1000, 0, 1, false);
  const Placed placed(side, JoinKeyType::kInt64);
  JoinRequest request{.build = placed.side(), .probe = placed.side()};
  request.strategy = DeviceJoinAlgorithm::kTable;
  const auto found = joiner.join(request, nullptr);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kDeviceMemory);
  EXPECT_NE(found.error().what.find(" bytes for joining 1,000 and 1,000 rows by a table: "),
            std::string::npos)
      << found.error().what;
  EXPECT_NE(found.error().what.find("limit of 4096"), std::string::npos) << found.error().what;
}

TEST(DeviceJoin, PlansInTheCallersMemory) {
  alignas(16) const std::uint64_t keys[4] = {};
  JoinInput input;
  input.build = {keys, nullptr, nullptr, 4};
  input.probe = {keys, nullptr, nullptr, 4};
  const auto join = DeviceJoin::plan(input);
  ASSERT_TRUE(join.ok());
  EXPECT_EQ(join->strategy(), DeviceJoinAlgorithm::kTable);
  EXPECT_GT(join->temporary_bytes(), 0u);
  alignas(256) Byte memory[512];
  const auto* const totals = reinterpret_cast<const Byte*>(join->totals(memory));
  EXPECT_GE(totals, memory);
  EXPECT_LT(static_cast<std::uint64_t>(totals - memory), join->temporary_bytes());
  input.key_bytes = 3;
  EXPECT_EQ(DeviceJoin::plan(input).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace presso::gpu::device_joiner_test
