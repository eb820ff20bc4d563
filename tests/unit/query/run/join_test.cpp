// SPDX-License-Identifier: MIT
// Joins by the library's interface, compared with nested loops: kinds, sides, equal and missing
// keys, every strategy, passes, what is refused. tests/differential/join_oracle.py has the other
// types and conditions.
#include "tests/unit/query/run/join_fixture.h"

namespace presso::join_test {
namespace {

/// Hands batches on without keeping them.
class BatchSink final : public ResultSink {
 public:
  explicit BatchSink(std::function<bool(const ResultBatch&)> take) : take_(std::move(take)) {}
  Result<bool> write(ResultBatch batch, Buffer) override {
    largest = std::max(largest, batch[0].rows);
    return take_(batch);
  }
  std::uint64_t largest = 0;  ///< rows of a batch

 private:
  std::function<bool(const ResultBatch&)> take_;
};

struct Sides {
  int left;
  int right;
  unsigned keys;
};
constexpr Sides kSides[] = {{300, 200, 40}, {200, 300, 40}, {250, 250, 1000}, {60, 50, 1},
                            {1, 40, 3},     {40, 0, 5},     {0, 40, 5},       {0, 0, 1}};

TEST_F(JoinTest, GivesWhatANestedLoopGivesWhicheverSideIsLarger) {
  for (const Sides& sides : kSides) {
    const Rows left = make_rows(sides.left, sides.keys, 1);
    const Rows right = make_rows(sides.right, sides.keys, 2);
    for (const JoinKind kind : kKinds) {
      SCOPED_TRACE(std::to_string(sides.left) + " rows, " + std::to_string(sides.right) +
                   ", kind " + std::to_string(static_cast<int>(kind)));
      expect_always(joined(left, right, kind, "left.k = right.k"), nested_loop(left, right, kind));
    }
  }
}

TEST_F(JoinTest, TestsPairsForConditionsBesideTheirKeys) {
  const Condition less = [](const Row& a, const Row& b) { return a.value < b.value; };
  const Condition some = [](const Row& a, const Row& b) {
    return a.value > 30 && b.value > 10 && a.value < b.value;
  };
  for (const Sides& sides : kSides) {
    const Rows left = make_rows(sides.left, sides.keys, 3);
    const Rows right = make_rows(sides.right, sides.keys, 4);
    for (const JoinKind kind : kKinds) {
      SCOPED_TRACE(std::to_string(sides.left) + " rows, " + std::to_string(sides.right) +
                   ", kind " + std::to_string(static_cast<int>(kind)));
      expect_always(joined(left, right, kind, "left.k = right.k and v < w"),
                    nested_loop(left, right, kind, less));
      const Query query = joined(left, right, kind, "left.k = right.k, v > 30 and w > 10, v < w");
      const std::string expected = nested_loop(left, right, kind, some);
      if (kind == JoinKind::kInner) {  // which side is read depends on what v and w leave
        EXPECT_EQ(sorted_lines(run(query)), sorted_lines(expected));
      } else {
        expect_always(query, expected);
      }
    }
  }
}

TEST_F(JoinTest, ConditionsOfRowsWithManyPartnersAreTestedInSeveralRounds) {
  const Rows left = equal_rows(3), right = equal_rows(3000);
  for (const JoinKind kind : kKinds) {
    for (const int least : {0, 98, 99}) {
      const Condition greater = [&](const Row& a, const Row& b) {
        return b.value - a.value > least;
      };
      const std::string on = "left.k = right.k and w - v > " + std::to_string(least);
      EXPECT_EQ(run(joined(left, right, kind, on)), nested_loop(left, right, kind, greater));
      // The other way round the rows of the larger table have few partners.
      const Condition less = [&](const Row& a, const Row& b) { return a.value - b.value > least; };
      const std::string mirrored = "left.k = right.k and v - w > " + std::to_string(least);
      EXPECT_EQ(run(joined(right, left, kind, mirrored)), nested_loop(right, left, kind, less));
    }
  }
}

TEST_F(JoinTest, CountsMorePairsThanFitInto32Bits) {
  for (const int rows : {65'536, 65'537}) {
    const Rows equal = equal_rows(rows);
    Query query = Query::from(table(csv_of(equal, "id,k,v"), 20'000, kTypes));
    query.join({table(csv_of(equal, "id,k,w"), 20'000, kTypes)}, {}, JoinKind::kInner, "k");
    query.select("count(*)");
    const std::uint64_t pairs =
        std::uint64_t{static_cast<unsigned>(rows)} * static_cast<unsigned>(rows);
    EXPECT_EQ(run(query), std::to_string(pairs) + "\n");
    EXPECT_EQ(summary.rows_matched, pairs);
  }
}

/// A slice of 1,000 rows has three million pairs.
class ManyPairsTest : public JoinTest {
 protected:
  static constexpr int kRows = 3000;
  Query many() {
    Query query = Query::from(table(csv_of(equal_rows(kRows), "id,k,v"), 1000, kTypes));
    query.join({table(csv_of(equal_rows(kRows), "id,k,w"), 1000, kTypes)}, {}, JoinKind::kInner,
               "k");
    query.select("left.id, right.id");
    return query;
  }
};

TEST_F(ManyPairsTest, GoToTheSinkAsTheyAreMade) {
  for (const unsigned threads : {1u, 3u}) {
    int row = 0;
    bool in_order = true;
    BatchSink sink([&](const ResultBatch& batch) {
      const auto* const left = reinterpret_cast<const std::int32_t*>(batch[0].view().values);
      const auto* const right = reinterpret_cast<const std::int32_t*>(batch[1].view().values);
      for (std::uint64_t i = 0; i < batch[0].rows; ++i, ++row) {
        in_order = in_order && left[i] == row / kRows && right[i] == row % kRows;
      }
      return true;
    });
    QueryOptions options;
    options.threads = threads;
    const auto done = many().run(options, sink);
    ASSERT_TRUE(done.ok()) << done.error().message();
    EXPECT_EQ(row, kRows * kRows);
    EXPECT_TRUE(in_order);
    EXPECT_LT(sink.largest, 100'000u);
    EXPECT_EQ(done->rows_matched, std::uint64_t{kRows} * kRows);
  }
}

TEST_F(ManyPairsTest, StopAtTheLimit) {
  for (const unsigned threads : {1u, 3u}) {
    QueryOptions options;
    options.threads = threads;
    Query first = many();
    first.limit(2);
    EXPECT_EQ(run(first, options), "0,0\n0,1\n");
    EXPECT_LT(summary.rows_matched, 4'000'000u) << "not all pairs were made";
    Query later = many();
    later.limit(3, 4'000'000);
    EXPECT_EQ(run(later, options), "1333,1000\n1333,1001\n1333,1002\n");
  }
}

TEST_F(ManyPairsTest, StopWhenTheSinkWantsNoMore) {
  int batches = 0;
  BatchSink sink([&](const ResultBatch&) { return ++batches < 3; });
  const auto done = many().run({}, sink);
  EXPECT_TRUE(done.ok());
  EXPECT_EQ(batches, 3);
}

TEST_F(ManyPairsTest, EndWhenTheQueryIsCancelled) {
  std::atomic<bool> cancelled{true};
  QueryOptions options;
  options.cancelled = &cancelled;
  TextSink nothing;
  const auto at_once = many().run(options, nothing);
  ASSERT_FALSE(at_once.ok());
  EXPECT_EQ(at_once.error().code, ErrorCode::kCancelled);
  cancelled = false;
  BatchSink sink([&](const ResultBatch&) {
    cancelled = true;
    return true;
  });
  const auto later = many().run(options, sink);
  ASSERT_FALSE(later.ok());
  EXPECT_EQ(later.error().code, ErrorCode::kCancelled);
}

// --- several tables

class ThreeTablesTest : public JoinTest {
 protected:
  /// "select ... from a ... b ... c", of tables with columns id, k, v of their own names.
  std::string answer(const std::string& statement) {
    const auto parsed = parse_sql(statement);
    if (!parsed.ok()) return parsed.error().message();
    std::vector<Table> tables = {named(parsed->from.path)};
    for (const SqlJoin& join : parsed->joins) tables.push_back(named(join.source.path));
    const Query query = Query::from(*parsed, statement, tables);
    return error_of(query) == "no error" ? run(query) : error_of(query);
  }
  Table named(const std::string& letter) {
    const Rows& rows = letter == "a" ? a : letter == "b" ? b : c;
    return table(csv_of(rows, letter + "id,k," + letter + "v"), 64, kTypes);
  }
  static bool equal(const Row* left, const Row* right) {
    return left != nullptr && right != nullptr && left->key && right->key &&
           *left->key == *right->key;
  }

  Rows a = make_rows(120, 40, 11), b = make_rows(70, 40, 12), c = make_rows(60, 40, 13);
};

TEST_F(ThreeTablesTest, ConditionsOfInnerJoinsDoNotDropRowsOfLaterOuterJoins) {
  std::vector<bool> found(c.size());
  std::string expected;
  for (const Row& x : a) {
    for (const Row& y : b) {
      if (!equal(&x, &y) || x.value >= y.value) continue;
      for (std::size_t i = 0; i < c.size(); ++i) {
        if (!equal(&x, &c[i])) continue;
        found[i] = true;
        expected += text_of(&x) + "," + text_of(&y) + "," + text_of(&c[i]) + "\n";
      }
    }
  }
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (!found[i]) expected += ",," + text_of(&c[i]) + "\n";
  }
  EXPECT_EQ(answer("select aid, bid, cid from a join b on a.k = b.k and av < bv right join c on "
                   "c.k = a.k"),
            expected);
}

TEST_F(ThreeTablesTest, WhereDropsRowsThatOuterJoinsHaveAdded) {
  std::string expected;
  for (const Row& x : a) {
    for (const Row& y : b) {
      if (!equal(&x, &y)) continue;
      for (const Row& z : c) {
        if (!equal(&y, &z) || z.value != x.value) continue;
        expected += text_of(&x) + "," + text_of(&y) + "," + text_of(&z) + "\n";
      }
    }
  }
  EXPECT_EQ(answer("select aid, bid, cid from a join b on a.k = b.k full join c on c.k = b.k "
                   "where av = cv"),
            expected);
}

TEST_F(ThreeTablesTest, CommasJoinBehindOuterJoinsToo) {
  std::string expected;
  for (const Row& x : a) {
    std::vector<const Row*> partners;
    for (const Row& y : b) {
      if (equal(&x, &y)) partners.push_back(&y);
    }
    if (partners.empty()) partners.push_back(nullptr);
    for (const Row* const y : partners) {
      for (const Row& z : c) {
        if (z.value != x.value) continue;
        expected += text_of(&x) + "," + text_of(y) + "," + text_of(&z) + "\n";
      }
    }
  }
  EXPECT_EQ(answer("select aid, bid, cid from a left join b on a.k = b.k, c where cv = av"),
            expected);
}

TEST_F(ThreeTablesTest, ColumnsOfUsingMeanTheFirstValueThatThereIs) {
  // b's rows first, then a's that no row of b has, then c's.
  std::string merged = answer(
      "select k, a.k, b.k, c.k from a full join b using (k) full join c using (k) where aid is "
      "null or cid is null");
  std::size_t rows = 0;
  for (std::size_t begin = 0; begin < merged.size(); ++rows) {
    const std::string line = merged.substr(begin, merged.find('\n', begin) - begin);
    begin += line.size() + 1;
    std::vector<std::string> fields;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find(',', at), line.size());
      fields.push_back(line.substr(at, end - at));
      at = end + 1;
    }
    ASSERT_EQ(fields.size(), 4u) << line;
    const auto first = std::find_if(fields.begin() + 1, fields.end(),
                                    [](const std::string& field) { return !field.empty(); });
    EXPECT_EQ(fields[0], first == fields.end() ? "" : *first) << line;
  }
  EXPECT_GT(rows, 20u);
  // The second USING joins by what the first one has made.
  std::size_t pairs = 0;
  for (const Row& y : b) {
    const bool alone =
        std::none_of(a.begin(), a.end(), [&](const Row& x) { return equal(&x, &y); });
    for (const Row& z : c) pairs += alone && equal(&y, &z) ? 1 : 0;
  }
  ASSERT_GT(pairs, 0u);
  EXPECT_EQ(answer("select count(*) from a full join b using (k) full join c using (k) where aid "
                   "is null and bid is not null and cid is not null"),
            std::to_string(pairs) + "\n");
}

TEST_F(ThreeTablesTest, AStarHasColumnsOfUsingOnce) {
  const auto names = [this](const std::string& statement) {
    const auto parsed = parse_sql(statement);
    std::vector<Table> tables = {named(parsed->from.path), named(parsed->joins[0].source.path)};
    const auto schema = Query::from(*parsed, statement, tables).schema();
    std::string text;
    for (const ColumnSchema& column : schema->columns) text += column.name + " ";
    return text;
  };
  EXPECT_EQ(names("select * from a join b using (k)"), "aid k av bid bv ");
  EXPECT_EQ(names("select * from a join b on a.k = b.k"), "aid a.k av bid b.k bv ");
  EXPECT_EQ(names("select b.* from a join b using (k)"), "bid k bv ");
  EXPECT_EQ(names("select * from a semi join b on a.k = b.k"), "aid k av ");
  EXPECT_EQ(names("select * from a right join b using (k)"), "aid k av bid bv ");
}

TEST_F(ThreeTablesTest, UsingAfterARightJoinMeansItsRightSide) {
  std::size_t rows = 0;
  for (const Row& y : b) {
    const auto left = static_cast<std::size_t>(
        std::count_if(a.begin(), a.end(), [&](const Row& x) { return equal(&x, &y); }));
    const auto right = static_cast<std::size_t>(
        std::count_if(c.begin(), c.end(), [&](const Row& z) { return equal(&y, &z); }));
    rows += std::max<std::size_t>(left, 1) * right;
  }
  EXPECT_EQ(answer("select count(*) from a right join b using (k) join c using (k)"),
            std::to_string(rows) + "\n");
}

TEST_F(ThreeTablesTest, NamesInOnMeanTablesThatStandBefore) {
  // av is a column of the first and the third one.
  EXPECT_EQ(answer("select count(*) from a join b on a.k = b.k and av < bv join a as d on d.aid = "
                   "a.aid"),
            answer("select count(*) from a join b on a.k = b.k where av < bv"));
  const std::string early = answer("select aid from a join b on a.k = c.k join c on b.k = c.k");
  EXPECT_NE(early.find("joined later"), early.npos) << early;
}

// --- what is refused

TEST_F(JoinTest, JoinsWithoutAnEqualityTryAllPairs) {
  const Rows rows = make_rows(100, 40, 1);
  std::string expected;
  for (const Row& x : rows) {
    for (const Row& y : rows) {
      if (x.key && y.key && *x.key < *y.key) expected += pair_text(&x, &y);
    }
  }
  expect_always(joined(rows, rows, JoinKind::kInner, "left.k < right.k"), expected);
}

TEST_F(JoinTest, RefusesNamesThatItDoesNotKnowOrKnowTwice) {
  const Rows rows = make_rows(10, 4, 1);
  Query ambiguous = joined(rows, rows, JoinKind::kInner, "left.k = right.k");
  ambiguous.where("k > 3");
  EXPECT_NE(error_of(ambiguous).find("left.k"), std::string::npos) << error_of(ambiguous);
  EXPECT_NE(error_of(ambiguous).find("right.k"), std::string::npos) << error_of(ambiguous);
  const std::string table = error_of(joined(rows, rows, JoinKind::kInner, "lef.k = right.k"));
  EXPECT_NE(table.find("there is no table 'lef'"), table.npos) << table;
  EXPECT_NE(table.find("left"), table.npos) << table;
  const std::string column = error_of(joined(rows, rows, JoinKind::kInner, "left.kk = right.k"));
  EXPECT_NE(column.find("'kk'"), column.npos) << column;
  const std::string both = error_of(joined(rows, rows, JoinKind::kInner, "v"));
  EXPECT_NE(both.find("'v'"), both.npos) << both;
}

TEST_F(JoinTest, RefusesColumnsOfTheRightSideOfASemiJoin) {
  const Rows rows = make_rows(10, 4, 1);
  for (const char* name : {"right.w", "w"}) {
    Query semi = joined(rows, rows, JoinKind::kSemi, "left.k = right.k");
    semi.where(std::string(name) + " > 3");
    EXPECT_NE(error_of(semi).find("on the right of a semi join"), std::string::npos)
        << error_of(semi);
    Query anti = joined(rows, rows, JoinKind::kAnti, "left.k = right.k");
    anti.order_by(name);
    EXPECT_NE(error_of(anti).find("on the right of an anti join"), std::string::npos)
        << error_of(anti);
  }
  Query star = Query::from(left_table(rows));
  star.join({right_table(rows)}, {}, JoinKind::kSemi, "k");
  ASSERT_TRUE(star.schema().ok());
  EXPECT_EQ(star.schema()->columns.size(), 3u);
}

TEST_F(JoinTest, RefusesKeysThatCannotBeCompared) {
  Query query = Query::from(left_table(make_rows(10, 4, 1)));
  query.join({table("id,word\n1,red\n2,blue\n")}, {}, JoinKind::kInner, "k = word");
  EXPECT_NE(error_of(query).find("utf8"), std::string::npos) << error_of(query);
}

TEST_F(JoinTest, RefusesMoreTablesThanAreJoined) {
  const Table one = left_table(make_rows(3, 4, 1));
  Query query = Query::from(one);
  for (std::size_t i = 1; i <= kMostJoined; ++i) {
    query.join({one}, {}, JoinKind::kInner, "t1.id = t" + std::to_string(i + 1) + ".id");
  }
  EXPECT_NE(error_of(query).find("at most 16 tables"), std::string::npos) << error_of(query);
}

TEST_F(JoinTest, ErrorsOfEitherFileSayWhere) {
  const Rows rows = make_rows(3000, 400, 1);
  for (const std::size_t damaged : {std::size_t{0}, std::size_t{1}}) {
    files.clear();
    accesses.clear();
    const Query query = joined(rows, make_rows(2500, 400, 2), JoinKind::kInner, "left.k = right.k");
    std::vector<Byte>& bytes = files[damaged];
    for (std::size_t i = 200; i < 300; ++i) bytes[i] ^= 0xff;
    TextSink sink;
    const auto done = query.run({}, sink);
    ASSERT_FALSE(done.ok());
    EXPECT_NE(done.error().byte_offset, Error::kNone) << done.error().message();
  }
}

TEST_F(JoinTest, TablesAreCalledByTheirNamesWhateverElseTheyMayBeCalled) {
  const Rows rows = make_rows(20, 10, 1), more = make_rows(15, 10, 2);
  Query query = Query::from({left_table(rows)}, {"right.presso"});
  query.join({right_table(more)}, {"t1.presso"}, JoinKind::kInner, "right.k = t1.k");
  query.select("right.id, t1.id");
  EXPECT_EQ(run(query), nested_loop(rows, more, JoinKind::kInner));
}

TEST_F(JoinTest, ExplainsWhichTableIsReadAndWhichAreKept) {
  const Query query =
      joined(make_rows(300, 40, 1), make_rows(200, 40, 2), JoinKind::kLeft, "left.k = right.k");
  const auto plan = query.explain({});
  ASSERT_TRUE(plan.ok()) << plan.error().message();
  EXPECT_NE(plan->find("root: left, 300 rows"), std::string::npos) << *plan;
  EXPECT_NE(plan->find("with right, 200 rows, on left.k = right.k; outer"), std::string::npos)
      << *plan;
  const auto analyzed = query.explain({}, true);
  ASSERT_TRUE(analyzed.ok()) << analyzed.error().message();
  EXPECT_NE(analyzed->find("200 rows"), std::string::npos) << *analyzed;
}

}  // namespace
}  // namespace presso::join_test
