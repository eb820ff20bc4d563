// SPDX-License-Identifier: MIT
// Queries by the library's interface on tables of several row groups, compared with what plain
// loops give; all numbers of threads give the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "corpora/random.h"
#include "presso/compress_table.h"
#include "presso/query.h"
#include "tests/unit/query/answer/text_sink.h"

namespace presso::query_test {
namespace {

struct Row {
  int id;
  int value;         ///< -1: null
  std::string word;  ///< of a few
  std::string note;  ///< each one different
};

constexpr int kRows = 20'000;

std::vector<Row> make_rows() {
  static const char* const kWords[] = {"red", "green", "blue", "", "special requests"};
  corpora::Random random(5);
  std::vector<Row> rows;
  for (int i = 0; i < kRows; ++i) {
    const int value = random.below(10) == 0 ? -1 : static_cast<int>(random.below(1000));
    std::string note = "note " + std::to_string(random.below(1'000'000)) + " of special " +
                       std::to_string(i) + " requests";
    rows.push_back({i, value, kWords[random.below(5)], std::move(note)});
  }
  return rows;
}

class QueryTest : public ::testing::Test {
 protected:
  static std::string csv_of(const std::vector<Row>& rows) {
    std::string csv = "id,value,word,note\n";
    for (const Row& row : rows) {
      csv += std::to_string(row.id) + "," + (row.value < 0 ? "" : std::to_string(row.value)) + "," +
             (row.word.empty() ? "\"\"" : row.word) + "," + row.note + "\n";
    }
    return csv;
  }

  static std::vector<Byte> compressed(const std::string& csv) {
    std::vector<Byte> bytes;
    VectorSink sink(bytes);
    MemorySource source({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
    MemorySource again({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
    TableOptions options;
    options.group_rows = 3000;
    const auto done = compress_table(source, &again, sink, options);
    EXPECT_TRUE(done.ok()) << done.error().message();
    return bytes;
  }

  void SetUp() override {
    rows = make_rows();
    file = compressed(csv_of(rows));
    access = std::make_unique<MemoryRandomAccess>(file);
    table.emplace(*Table::open(*access));
    ASSERT_GT(table->row_groups(), 3u);
  }

  /// The answer's text; the same with 1, 2 and 3 threads.
  std::string run(Query& query, QueryOptions options = {}) {
    std::string first;
    for (unsigned threads = 1; threads <= 3; ++threads) {
      options.threads = threads;
      TextSink sink;
      const auto done = query.run(options, sink);
      if (!done.ok()) return "error: " + done.error().what;
      summary = *done;
      if (threads == 1) first = sink.text;
      EXPECT_EQ(sink.text, first) << threads << " threads";
    }
    return first;
  }

  std::vector<Row> rows;
  std::vector<Byte> file;
  std::unique_ptr<MemoryRandomAccess> access;
  std::optional<Table> table;
  QuerySummary summary;
};

TEST_F(QueryTest, TakesConditionsThatContradictEachOtherWithinOthers) {
  Query query = Query::from(*table);
  query.where("id = 7 or (value = 1 and value = 2 and word = 'red')").select("id");
  EXPECT_EQ(run(query), "7\n");
  Query all = Query::from(*table);
  all.where("id < 2 and (value < 500 or value >= 500 or value is null or word = 'red')")
      .select("id");
  EXPECT_EQ(run(all), "0\n1\n");
}

TEST_F(QueryTest, GivesRowsThatFulfilTheConditionInTheirOrder) {
  Query query = Query::from(*table);
  query.where("value between 100 and 120 and word <> 'red'").select("id, word");
  std::string expected;
  for (const Row& row : rows) {
    if (row.value >= 100 && row.value <= 120 && row.word != "red") {
      expected += std::to_string(row.id) + "," + (row.word.empty() ? "\"\"" : row.word) + "\n";
    }
  }
  EXPECT_EQ(run(query), expected);
  EXPECT_EQ(summary.rows,
            static_cast<std::uint64_t>(std::count(expected.begin(), expected.end(), '\n')));
}

TEST_F(QueryTest, FindsStringsInDictionariesAndInTexts) {
  for (const char* column : {"word", "note"}) {
    Query query = Query::from(*table);
    query.where(std::string(column) + " like '%special%requests%'").aggregate("count(*)");
    const auto expected = std::count_if(rows.begin(), rows.end(), [&](const Row& row) {
      const std::string& text = std::string(column) == "word" ? row.word : row.note;
      const auto at = text.find("special");
      return at != std::string::npos && text.find("requests", at) != std::string::npos;
    });
    EXPECT_EQ(run(query), std::to_string(expected) + "\n");
  }
}

TEST_F(QueryTest, CountsSumsAndAveragesGroupsInTheOrderOfTheirFirstRows) {
  Query query = Query::from(*table);
  query.group_by("word").aggregate("count(*), count(value), sum(value), min(value), max(value)");
  struct Sums {
    int order, rows = 0, values = 0, sum = 0, least = 1 << 30, most = -1;
  };
  std::map<std::string, Sums> sums;
  for (const Row& row : rows) {
    Sums& of = sums.try_emplace(row.word, Sums{static_cast<int>(sums.size())}).first->second;
    ++of.rows;
    if (row.value < 0) continue;
    ++of.values;
    of.sum += row.value;
    of.least = std::min(of.least, row.value);
    of.most = std::max(of.most, row.value);
  }
  std::vector<std::string> lines(sums.size());
  for (const auto& [word, of] : sums) {
    lines[static_cast<std::size_t>(of.order)] =
        (word.empty() ? "\"\"" : word) + "," + std::to_string(of.rows) + "," +
        std::to_string(of.values) + "," + std::to_string(of.sum) + "," + std::to_string(of.least) +
        "," + std::to_string(of.most) + "\n";
  }
  std::string expected;
  for (const std::string& line : lines) expected += line;
  for (const GroupStrategy strategy :
       {GroupStrategy::kAuto, GroupStrategy::kDense, GroupStrategy::kHash, GroupStrategy::kRadix}) {
    QueryOptions options;
    options.group_strategy = strategy;
    EXPECT_EQ(run(query, options), expected);
  }
}

TEST_F(QueryTest, GroupsByExpressionsAndKeepsSomeByHaving) {
  Query query = Query::from(*table);
  query.select("value // 100 as hundred, count(*) as n")
      .group_by("hundred")
      .having("n > 10 and hundred is not null")
      .order_by("hundred desc")
      .limit(3);
  std::map<int, int> counts;
  for (const Row& row : rows) {
    if (row.value >= 0) ++counts[row.value / 100];
  }
  std::string expected;
  for (int hundred = 9; hundred > 6; --hundred) {
    expected += std::to_string(hundred) + "," + std::to_string(counts[hundred]) + "\n";
  }
  EXPECT_EQ(run(query), expected);
}

TEST_F(QueryTest, SortsByAnythingWithNullsLast) {
  Query query = Query::from(*table);
  query.select("id").order_by("value desc, word, id desc").limit(50, 10);
  std::vector<const Row*> sorted;
  for (const Row& row : rows) sorted.push_back(&row);
  std::sort(sorted.begin(), sorted.end(), [](const Row* a, const Row* b) {
    if (a->value != b->value) return a->value > b->value;  // -1 is null, the last
    if (a->word != b->word) return a->word < b->word;
    return a->id > b->id;
  });
  std::string expected;
  for (std::size_t i = 10; i < 60; ++i) expected += std::to_string(sorted[i]->id) + "\n";
  EXPECT_EQ(run(query), expected);
}

/// The other columns of a few first rows are read when these are known.
TEST_F(QueryTest, FindsFewFirstRowsByTheirKeys) {
  const auto query_of = [&](std::uint64_t limit) {
    Query query = Query::from(*table);
    query.where("word = 'red'").select("id, value, note").order_by("value desc, word");
    query.limit(limit, 1);
    return query;
  };
  std::vector<const Row*> sorted;
  for (const Row& row : rows) {
    if (row.word == "red") sorted.push_back(&row);
  }
  const std::uint64_t red = sorted.size();
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Row* a, const Row* b) { return a->value > b->value; });
  std::string expected;
  for (std::size_t i = 1; i < 4; ++i) {
    expected += std::to_string(sorted[i]->id) + "," + std::to_string(sorted[i]->value) + "," +
                sorted[i]->note + "\n";
  }
  Query few = query_of(3);
  EXPECT_EQ(run(few), expected);
  EXPECT_EQ(summary.rows_matched, red);
  EXPECT_EQ(summary.passes, 1u);
  Query many = query_of(1000);
  EXPECT_EQ(run(many).substr(0, expected.size()), expected);
  EXPECT_EQ(summary.rows_matched, red);
}

TEST_F(QueryTest, ALimitBeyondAllRowsWithAnOffsetLeavesTheRest) {
  Query query = Query::from(*table);
  query.select("id").order_by("id desc").limit(~std::uint64_t{0} - 1, kRows - 2);
  EXPECT_EQ(run(query), "1\n0\n");
}

TEST_F(QueryTest, EveryPlanGivesTheSameRows) {
  Query query = Query::from(*table);
  query.where("value < 500 and word = 'blue' and note like '%9%' and id % 3 = 1").select("id");
  const std::string expected = run(query);
  EXPECT_GT(std::count(expected.begin(), expected.end(), '\n'), 100);
  for (const char* plan : {"1&2&3&4", "4&&3&&2&&1", "2;3;1;4", "3;1&2&&4", "1&&2;4&3"}) {
    for (const auto passed : {PlanChoice::Rows::kList, PlanChoice::Rows::kBitmap}) {
      QueryOptions options;
      options.plan = {plan, passed};
      EXPECT_EQ(run(query, options), expected) << plan;
    }
  }
  QueryOptions options;
  options.plan.plan = "1&2";
  EXPECT_NE(run(query, options).find("a condition is missing"), std::string::npos);
}

TEST_F(QueryTest, ReadsOnlyBlocksThatZonesDoNotExclude) {
  Query query = Query::from(*table);
  query.where("id >= 19900").aggregate("count(*), sum(value)");
  run(query);
  EXPECT_GT(summary.blocks_skipped, 2 * summary.blocks_read);
  EXPECT_EQ(summary.rows_matched, 100u);
}

TEST_F(QueryTest, AnswersAboutNoRowsAreOneGroupOrNone) {
  Query sums = Query::from(*table);
  sums.where("id < 0").aggregate("count(*), sum(value), min(word), avg(value)");
  EXPECT_EQ(run(sums), "0,,,\n");
  Query groups = Query::from(*table);
  groups.where("id < 0").group_by("word").aggregate("count(*)");
  EXPECT_EQ(run(groups), "");
  EXPECT_EQ(summary.rows, 0u);
}

TEST_F(QueryTest, SumsOfDoublesTakeTheGreatestValueOfATableOfOneRow) {
  for (const char* value : {"0.5", "4096.5", "1e+300", "1.7976931348623157e+308", "5e-324"}) {
    const std::vector<Byte> one = compressed(std::string("x,y\n").append(value).append(",a\n"));
    const MemoryRandomAccess one_access(one);
    Query query = Query::from(*Table::open(one_access));
    query.aggregate("sum(x) = max(x) as same, avg(x) = max(x) as mean");
    EXPECT_EQ(run(query), "true,true\n") << value;
  }
}

TEST_F(QueryTest, SeveralTablesAreReadOneAfterAnother) {
  const std::vector<Byte> other_file =
      compressed(csv_of({{7, 70, "red", "x"}, {8, 80, "new", "y"}}));
  const MemoryRandomAccess other_access(other_file);
  const auto other = Table::open(other_access);
  Query query = Query::from({*table, *other}, {"a.csv.presso", "b.csv.presso"});
  query.where("id in (7, 8) or word = 'new'").select("id, word").order_by("id, word");
  const std::string answer = run(query);
  EXPECT_NE(answer.find("8,new\n"), std::string::npos);
  EXPECT_EQ(std::count(answer.begin(), answer.end(), '\n'), 4);
  Query groups = Query::from({*table, *other});
  groups.group_by("word").aggregate("max(id)").having("word = 'new'");
  EXPECT_EQ(run(groups), "new,8\n");
}

TEST_F(QueryTest, RefusesTablesWithOtherColumns) {
  const std::vector<Byte> other_file = compressed("a,b,c,d\n1,2,x,y\n");
  const MemoryRandomAccess other_access(other_file);
  Query query = Query::from({*table, *Table::open(other_access)}, {"a", "b.presso"});
  EXPECT_NE(run(query).find("b.presso"), std::string::npos);
}

TEST_F(QueryTest, GroupsThatMemoryDoesNotHoldAreMadeInParts) {
  Query query = Query::from(*table);
  query.group_by("note").aggregate("max(id) as m").order_by("m").limit(5);
  const std::string expected = run(query);
  ASSERT_EQ(summary.passes, 1u);
  QueryOptions options;
  options.memory_bytes = 1 << 20;
  EXPECT_EQ(run(query, options), expected);
  EXPECT_GT(summary.passes, 1u);
  EXPECT_LE(summary.peak_bytes, options.memory_bytes);
}

TEST_F(QueryTest, GroupsOfManyPartsGoThroughATemporaryFile) {
  Query query = Query::from(*table);
  query.group_by("note, value").aggregate("max(id) as m, count(*), min(word), sum(value), avg(id)");
  const std::string expected = run(query);
  QueryOptions options;
  options.memory_bytes = 300 << 10;
  EXPECT_EQ(run(query, options), expected);
  EXPECT_GT(summary.spilled_bytes, 0u);
  options.memory_bytes = 1;
  EXPECT_NE(run(query, options).find("--memory"), std::string::npos);
}

TEST_F(QueryTest, KeysInDictionariesThatMemoryDoesNotHoldAreGroupedByTheirStrings) {
  corpora::Random random(9);
  std::vector<std::string> names(200);
  for (std::string& name : names) {
    while (name.size() < 100) name += static_cast<char>('a' + random.below(26));
  }
  std::string csv = "name,number\n";
  for (int i = 0; i < kRows; ++i) {
    csv += names[random.below(200)] + "," + std::to_string(i) + "\n";
  }
  const std::vector<Byte> bytes = compressed(csv);
  const MemoryRandomAccess own(bytes);
  Query query = Query::from(*Table::open(own));
  query.group_by("name").aggregate("count(*), max(number) as m");
  const std::string expected = run(query);
  EXPECT_EQ(summary.groups, 200u);
  EXPECT_NE(query.explain({}, true)->find("groups: dense, 200 places"), std::string::npos)
      << *query.explain({}, true);
  QueryOptions options;
  options.memory_bytes = 150 << 10;  // of which a dictionary may take a quarter
  EXPECT_EQ(query.explain(options, true)->find("dense"), std::string::npos);
  EXPECT_EQ(run(query, options), expected);
}

TEST_F(QueryTest, BatchesOfASortedAnswerAreSmallBesideTheMemory) {
  std::vector<Query> queries;
  queries.push_back(std::move(Query::from(*table).select("note, id").order_by("note")));
  queries.push_back(std::move(Query::from(*table).group_by("note").aggregate("max(id)")));
  for (const Query& query : queries) {
    QueryOptions options;
    options.threads = 2;
    TextSink plenty;
    ASSERT_TRUE(query.run(options, plenty).ok());
    options.memory_bytes = 2 << 20;
    TextSink little;
    ASSERT_TRUE(query.run(options, little).ok());
    EXPECT_EQ(little.text, plenty.text);
    // An eighth for all batches that wait, of which each thread has two.
    EXPECT_LT(little.largest_text, (2u << 20) / 8 / 4 + (64u << 10));
    EXPECT_GT(plenty.largest_text, little.largest_text);
  }
}

TEST_F(QueryTest, ErrorsShowThePlaceAndNameTheRow) {
  Query unknown = Query::from(*table);
  unknown.where("valu > 3");
  const auto schema = unknown.schema();
  ASSERT_FALSE(schema.ok());
  EXPECT_NE(schema.error().what.find("valu > 3\n"), std::string::npos) << schema.error().what;
  EXPECT_NE(schema.error().what.find("Did you mean 'value'?"), std::string::npos);
  Query division = Query::from(*table);
  division.where("10 // (id - 12345) > 0").select("id");
  EXPECT_NE(run(division).find("row 12,346: division by zero"), std::string::npos);
  for (const char* guarded :
       {"10 // (id - 12345) > 0 and id <> 12345", "id <> 12345 and 10 // (id - 12345) > 0",
        "(id = 12345 or 10 // (id - 12345) > 0) and id > 19990"}) {
    Query fine = Query::from(*table);
    fine.where(guarded).aggregate("count(*)");
    EXPECT_EQ(run(fine).substr(0, 5) == "error", false) << guarded;
  }
  Query not_grouped = Query::from(*table);
  not_grouped.group_by("word").select("id");
  EXPECT_NE(run(not_grouped).find("many values in a group"), std::string::npos);
}

TEST_F(QueryTest, StopsWhereTheSinkWantsNoMoreAndWhereItIsCancelled) {
  Query query = Query::from(*table);
  query.select("id");
  TextSink sink;
  sink.most_batches = 1;
  QueryOptions options;
  options.threads = 2;
  ASSERT_TRUE(query.run(options, sink).ok());
  EXPECT_EQ(sink.batches, 1);
  std::atomic<bool> cancelled = true;
  options.cancelled = &cancelled;
  const auto done = query.run(options, sink);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::kCancelled);
}

TEST_F(QueryTest, AnswersAsAStreamThatOutlivesTheQuery) {
  ArrowArrayStream stream;
  {
    Query query = Query::from(*table);
    query.where("word = 'red'").select("id").order_by("id desc");
    ASSERT_TRUE(query.run({}, stream).ok());
  }
  std::vector<std::int64_t> expected;
  for (const Row& row : rows) {
    if (row.word == "red") expected.insert(expected.begin(), row.id);
  }
  std::vector<std::int64_t> ids;
  while (true) {
    ArrowArray array;
    ASSERT_EQ(stream.get_next(&stream, &array), 0) << stream.get_last_error(&stream);
    if (array.release == nullptr) break;
    const auto* const values = static_cast<const std::int64_t*>(array.children[0]->buffers[1]);
    ids.insert(ids.end(), values, values + array.length);
    array.release(&array);
  }
  EXPECT_EQ(ids, expected);
  stream.release(&stream);
}

TEST_F(QueryTest, AStreamEndsWithItsReleaseAndRefusesWhatDoesNotParse) {
  ArrowArrayStream stream;
  ASSERT_TRUE(Query::from(*table).run({}, stream).ok());
  stream.release(&stream);
  EXPECT_EQ(stream.release, nullptr);
  Query wrong = Query::from(*table);
  wrong.where("id <");
  const Status refused = wrong.run({}, stream);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(QueryTest, ExplainsPlanZonesAndWhatHappened) {
  Query query = Query::from(*table);
  query.where("id < 100 and word = 'red'").group_by("word").aggregate("sum(value * 2)");
  const auto text = query.explain({}, true);
  ASSERT_TRUE(text.ok()) << text.error().what;
  for (const char* part :
       {"where: plan", "id in 1 interval", "slices have no such row", "group by: word",
        "aggregates of: (value * 2)", "matched: ", "read: ", "answer: 1 row"}) {
    EXPECT_NE(text->find(part), std::string::npos) << part << "\n" << *text;
  }
}

TEST_F(QueryTest, DamagedBlocksAreNamed) {
  std::vector<Byte> damaged = file;
  damaged[damaged.size() / 2] ^= 1;
  const MemoryRandomAccess damaged_access(damaged);
  const auto opened = Table::open(damaged_access);
  ASSERT_TRUE(opened.ok());
  Query query = Query::from(*opened);
  query.aggregate("count(note), sum(value), min(word), max(id)");
  TextSink sink;
  const auto done = query.run({}, sink);
  ASSERT_FALSE(done.ok());
  EXPECT_TRUE(is_damage(done.error().code)) << done.error().message();
  EXPECT_NE(done.error().byte_offset, Error::kNone);
}

}  // namespace
}  // namespace presso::query_test
