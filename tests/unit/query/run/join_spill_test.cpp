// SPDX-License-Identifier: MIT
// Joins of tables that do not fit into memory: in passes over the root, by way of files, and where
// rows with one key do not fit. The answer is that of nested loops, in the same order as ever.
#include "tests/unit/query/run/join_fixture.h"

namespace presso::join_spill_test {
namespace {

class JoinMemoryTest : public JoinTest {
 protected:
  static QueryOptions with(std::uint64_t memory_bytes, unsigned threads) {
    QueryOptions options;
    options.memory_bytes = memory_bytes;
    options.threads = threads;
    return options;
  }
};

// --- passes

TEST_F(JoinMemoryTest, ReadsTheLargerTableSeveralTimesWhereMemoryIsShort) {
  const Rows left = make_rows(9000, 4000, 5), right = make_rows(8000, 4000, 6);
  for (const JoinKind kind : kKinds) {
    const Query query = joined(left, right, kind, "left.k = right.k");
    const std::string expected = run(query);
    ASSERT_EQ(expected, nested_loop(left, right, kind));
    std::uint64_t most_passes = 0;
    for (const std::uint64_t memory : {400u << 10, 200u << 10, 100u << 10}) {
      for (const unsigned threads : {1u, 3u}) {
        QueryOptions options;
        options.memory_bytes = memory;
        options.threads = threads;
        EXPECT_EQ(run(query, options), expected) << memory << " bytes, " << threads << " threads";
        most_passes = std::max(most_passes, summary.passes);
      }
    }
    EXPECT_GT(most_passes, 2u);
  }
}

TEST_F(JoinMemoryTest, ManyPassesGiveGroupsAndSortedRowsInTheSameOrder) {
  const Rows left = make_rows(9000, 4000, 5), right = make_rows(8000, 4000, 6);
  QueryOptions options;
  options.memory_bytes = 200u << 10;
  Query groups = Query::from(left_table(left));
  groups.join({right_table(right)}, {}, JoinKind::kFull, "k").group_by("v").aggregate("count(*)");
  const std::string expected = run(groups);
  EXPECT_EQ(run(groups, options), expected);
  EXPECT_GT(summary.passes, 1u);
  Query sorted = joined(left, right, JoinKind::kFull, "left.k = right.k");
  sorted.order_by("w desc nulls first").limit(3000, 10);
  const std::string all = run(sorted);
  EXPECT_EQ(run(sorted, options), all);
  EXPECT_GT(summary.passes, 1u);
}

TEST_F(JoinMemoryTest, PartsMayLieBesideAllNumbersOfAColumn) {
  // Keys of the table that is kept go far beyond those that int8 can have.
  std::string left = "k,v\n";
  for (const Row& row : make_rows(9000, 100, 21)) {
    left += (row.key ? std::to_string(*row.key) : "") + "," + std::to_string(row.value) + "\n";
  }
  std::uint64_t most_passes = 0;
  for (const JoinKind kind : kKinds) {
    Query query = Query::from(table(left, 2048, "int8"));
    query.join({right_table(make_rows(8000, 4000, 22))}, {}, kind, "left.k = right.k");
    query.select(has_right_columns(kind) ? "left.k, v, right.id" : "left.k, v");
    const std::string expected = run(query);
    for (const unsigned threads : {1u, 3u}) {
      EXPECT_EQ(run(query, with(80u << 10, threads)), expected);
      most_passes = std::max(most_passes, summary.passes);
    }
  }
  EXPECT_GT(most_passes, 1u);
}

TEST_F(JoinMemoryTest, KeysOfALaterTableMayBeDividedToo) {
  // The rows of the second table are few, those of the third many; each row has several partners.
  const Rows first = make_rows(9000, 50, 7), second = make_rows(100, 50, 8),
             third = make_rows(8000, 4000, 9);
  Query query = Query::from(left_table(first));
  query.join({table(csv_of(second, "a,k,b"), 64, kTypes)}, {}, JoinKind::kInner, "k");
  query.join({table(csv_of(third, "c,d,e"), 128, kTypes)}, {}, JoinKind::kLeft, "id - a * 3 = d");
  query.select("id, a, c");
  const std::string expected = run(query);
  QueryOptions options;
  options.memory_bytes = 200u << 10;
  EXPECT_EQ(run(query, options), expected);
  EXPECT_GT(summary.passes, 1u);
}

// --- files

/// Strings have no range by which passes could be told apart.
constexpr const char* kStringKeys = "cast(left.k as string) = cast(right.k as string)";

TEST_F(JoinMemoryTest, WritesBothSidesToFilesWhereThereWouldBeManyPasses) {
  const Rows left = make_rows(9000, 4000, 5), right = make_rows(8000, 4000, 6);
  for (const JoinKind kind : kKinds) {
    const Query query = joined(left, right, kind, kStringKeys);
    const std::string expected = nested_loop(left, right, kind);
    for (const unsigned threads : {1u, 3u}) {
      ASSERT_EQ(run(query, with(60u << 10, threads)), expected) << threads << " threads";
      EXPECT_GT(summary.spilled_bytes, 0u);
      EXPECT_EQ(summary.passes, 1u);
    }
  }
}

TEST_F(JoinMemoryTest, JoinsRowsWithOneKeyThatDoNotFitInChunks) {
  // Most rows have the same key, of which others are chosen by conditions on pairs.
  Rows left = make_rows(700, 9, 5), right = make_rows(600, 9, 6);
  for (std::size_t i = 0; i < left.size(); i += 3) left[i].key = 4;
  for (std::size_t i = 0; i < right.size(); i += 2) right[i].key = 4;
  for (const JoinKind kind : kKinds) {
    const Query every = joined(left, right, kind, "left.k = right.k");
    const Query some = joined(left, right, kind, "left.k = right.k and left.v + 60 < right.w");
    const auto fits = [](const Row& a, const Row& b) { return a.value + 60 < b.value; };
    for (const unsigned threads : {1u, 3u}) {
      ASSERT_EQ(run(every, with(10u << 10, threads)), nested_loop(left, right, kind));
      EXPECT_GT(summary.spilled_bytes, 0u);
      ASSERT_EQ(run(some, with(10u << 10, threads)), nested_loop(left, right, kind, fits));
      EXPECT_GT(summary.spilled_bytes, 0u);
    }
  }
}

TEST_F(JoinMemoryTest, ChunksAreInOrderThoughMostRowsHaveNoKey) {
  Rows left = equal_rows(4500), right = equal_rows(4000);
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (i % 50 != 0) left[i].key.reset();
  }
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (i % 9 != 0) right[i].key.reset();
  }
  for (const JoinKind kind : {JoinKind::kInner, JoinKind::kLeft}) {
    Query query = Query::from(left_table(left));
    query.join({right_table(right)}, {}, kind, "left.k = right.k and left.v < right.w");
    query.select("left.id, right.id");
    const std::string expected = run(query);
    EXPECT_EQ(run(query, with(10u << 10, 1)), expected);
    EXPECT_GT(summary.spilled_bytes, 0u);
    EXPECT_EQ(run(query, with(10u << 10, 3)), expected);
  }
}

TEST_F(JoinMemoryTest, SpillingStrategiesAgree) {
  const Rows left = make_rows(7000, 1500, 5), right = make_rows(6000, 1500, 6);
  const Query query = joined(left, right, JoinKind::kFull, kStringKeys);
  const std::string expected = nested_loop(left, right, JoinKind::kFull);
  int spilled = 0;
  for (std::size_t i = 0; i < kJoinStrategyNames.size(); ++i) {
    QueryOptions options = with(60u << 10, 2);
    options.join_strategy = static_cast<JoinStrategy>(i);
    const std::string text = run(query, options);
    const bool suits = text.find("error") == text.npos;
    if (suits) {
      ASSERT_EQ(text, expected) << kJoinStrategyNames[i];
    }
    spilled += suits && summary.spilled_bytes > 0 ? 1 : 0;
  }
  EXPECT_EQ(spilled, 2);  // kAuto and kUnchained; kDirect and kMerge do not take strings
}

TEST_F(JoinMemoryTest, RowsAtTheEndHaveNullsInColumnsOfATableThatSpilled) {
  // No row comes to it, so that nothing of it is read back.
  Rows first = make_rows(5000, 2500, 7);
  for (Row& row : first) row.key = std::nullopt;
  const Rows second = make_rows(4000, 2500, 8), third = make_rows(60, 4000, 9);
  Query query = Query::from(left_table(first));
  query.join({table(csv_of(second, "a,l,b"), 64, kTypes)}, {}, JoinKind::kInner,
             "cast(k as string) = cast(l as string)");
  query.join({table(csv_of(third, "c,d,e"), 128, kTypes)}, {}, JoinKind::kFull, "id = d");
  query.select("id, a, c, b");
  const std::string expected = run(query);
  ASSERT_NE(expected.find("\n,,"), expected.npos) << expected;
  EXPECT_EQ(run(query, with(60u << 10, 2)), expected);
  EXPECT_GT(summary.spilled_bytes, 0u);
}

TEST_F(JoinMemoryTest, SeveralTablesMaySpill) {
  const Rows first = make_rows(5000, 2500, 7), second = make_rows(4000, 2500, 8),
             third = make_rows(4500, 2500, 9);
  const JoinKind later_kinds[] = {JoinKind::kInner, JoinKind::kLeft, JoinKind::kFull,
                                  JoinKind::kSemi, JoinKind::kAnti};
  for (const JoinKind kind : {JoinKind::kFull, JoinKind::kRight}) {
    for (const JoinKind later : later_kinds) {
      Query query = Query::from(left_table(first));
      query.join({table(csv_of(second, "a,l,b"), 64, kTypes)}, {}, kind,
                 "cast(k as string) = cast(l as string)");
      query.join({table(csv_of(third, "c,d,e"), 128, kTypes)}, {}, later, "v + a * 3 = d + 40");
      query.select(has_right_columns(later) ? "id, a, c, b" : "id, a, b");
      const std::string expected = run(query);
      ASSERT_EQ(summary.spilled_bytes, 0u);
      ASSERT_GT(expected.size(), 10'000u) << expected;
      for (const unsigned threads : {1u, 3u}) {
        ASSERT_EQ(run(query, with(40u << 10, threads)), expected)
            << static_cast<int>(kind) << " " << static_cast<int>(later);
        EXPECT_GT(summary.spilled_bytes, 0u);
      }
    }
  }
}

TEST_F(JoinMemoryTest, RowsOfASpilledTableMayBeJoinedThemselves) {
  // The third table has equalities with the second one only, which both do not fit.
  const Rows first = make_rows(9000, 900, 7), second = make_rows(8000, 900, 8),
             third = make_rows(8000, 8000, 9);
  Query query = Query::from(left_table(first));
  query.join({table(csv_of(second, "a,b,e"), 64, kTypes)}, {}, JoinKind::kInner,
             "cast(k as string) = cast(b as string)");
  query.join({table(csv_of(third, "c,d,f"), 128, kTypes)}, {}, JoinKind::kInner,
             "cast(a as string) = cast(d as string)");
  query.select("id, a, c");
  const std::string expected = run(query);
  ASSERT_EQ(summary.spilled_bytes, 0u);
  ASSERT_GT(expected.size(), 10'000u);
  for (const unsigned threads : {1u, 3u}) {
    ASSERT_EQ(run(query, with(140u << 10, threads)), expected);
    EXPECT_GT(summary.spilled_bytes, 0u);
  }
}

TEST_F(JoinMemoryTest, SpilledRowsMayBeGroupedAndSorted) {
  const Rows left = make_rows(9000, 4000, 5), right = make_rows(8000, 4000, 6);
  const auto make = [&] {
    Query query = Query::from(left_table(left));
    query.join({right_table(right)}, {}, JoinKind::kFull, kStringKeys);
    return query;
  };
  Query groups = make();
  groups.group_by("v, w").aggregate("count(*), sum(left.id)");
  const std::string expected = run(groups);
  EXPECT_EQ(run(groups, with(60u << 10, 3)), expected);
  EXPECT_GT(summary.spilled_bytes, 0u);
  // Groups that do not fit either: the joins are run again.
  QueryOptions hash = with(40u << 10, 1);
  hash.group_strategy = GroupStrategy::kHash;
  EXPECT_EQ(run(groups, hash), expected);
  Query sorted = make();
  sorted.select("left.id, right.id").order_by("w desc nulls first").limit(3000, 10);
  const std::string all = run(sorted);
  EXPECT_EQ(run(sorted, with(60u << 10, 3)), all);
  EXPECT_GT(summary.spilled_bytes, 0u);
}

TEST_F(JoinMemoryTest, NamesTheFolderInWhichNoFileCanBeMade) {
  const Rows rows = make_rows(3000, 400, 5);
  QueryOptions options = with(24u << 10, 2);
  options.temporary_directory = "/no/such/folder";
  const std::string text = run(joined(rows, rows, JoinKind::kInner, kStringKeys), options);
  EXPECT_NE(text.find("/no/such/folder"), text.npos) << text.substr(0, 200);
}

}  // namespace
}  // namespace presso::join_spill_test
