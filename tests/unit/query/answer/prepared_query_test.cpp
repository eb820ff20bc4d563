// SPDX-License-Identifier: MIT
// A prepared query answers several questions, each as if it alone had been asked, and reads the
// directories of row groups once for all of them.
#include <gtest/gtest.h>

#include <atomic>

#include "presso/compress_table.h"
#include "presso/query.h"
#include "tests/unit/query/answer/text_sink.h"

namespace presso {
namespace {

constexpr std::uint32_t kGroupRows = 1000;
constexpr std::uint64_t kGroups = 8;

/// Counts how often a file is read.
class CountedFile final : public RandomAccess {
 public:
  explicit CountedFile(Bytes bytes) : file_(bytes) {}
  std::uint64_t size() const override { return file_.size(); }
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    ++reads_;
    return file_.read_at(offset, into);
  }
  std::uint64_t reads() const { return reads_; }

 private:
  MemoryRandomAccess file_;
  mutable std::atomic<std::uint64_t> reads_ = 0;
};

class PreparedQueryTest : public ::testing::Test {
 protected:
  PreparedQueryTest() {
    std::string csv = "id,kind,name\n";
    for (std::uint64_t i = 0; i < kGroups * kGroupRows; ++i) {
      csv += std::to_string(i) + "," + std::to_string(i % 7) + ",n" + std::to_string(i % 5) + "\n";
    }
    VectorSink sink(bytes_);
    MemorySource source({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
    MemorySource again({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
    TableOptions options;
    options.group_rows = kGroupRows;
    EXPECT_TRUE(compress_table(source, &again, sink, options).ok());
    file_.emplace(bytes_);
    table_.emplace(*Table::open(*file_));
    EXPECT_EQ(table_->row_groups(), kGroups);
  }

  Query groups() const {
    Query query = Query::from({*table_}, {"t.csv"});
    query.where("id >= 100 and kind <> 3")
        .group_by("name")
        .aggregate("count(*) as n, sum(id) as s");
    query.order_by("name");
    return query;
  }
  Query joined() const {
    Query query = Query::from({*table_}, {"a.csv"});
    query.join({*table_}, {"b.csv"}, JoinKind::kInner, "a.id = b.kind").where("b.id < 50");
    query.select("a.id, b.id as other, b.name");
    return query;
  }

  static std::string answer(const PreparedQuery& prepared) {
    TextSink sink;
    const auto done = prepared.run(sink);
    return done.ok() ? sink.text : "error: " + done.error().what;
  }

  std::vector<Byte> bytes_;
  std::optional<CountedFile> file_;
  std::optional<Table> table_;
};

TEST_F(PreparedQueryTest, AnswersEachQuestionAsIfItAloneWereAsked) {
  for (const Query& query : {groups(), joined()}) {
    const auto prepared = query.prepare({});
    ASSERT_TRUE(prepared.ok()) << prepared.error().what;
    EXPECT_EQ(prepared->schema().columns.size(), query.schema()->columns.size());
    EXPECT_EQ(prepared->schema().columns[1].name, query.schema()->columns[1].name);
    const std::string plan = *prepared->explain();
    EXPECT_EQ(plan, *query.explain({}));
    const double rows = prepared->forecast()->rows;
    TextSink alone;
    ASSERT_TRUE(query.run({}, alone).ok());
    EXPECT_FALSE(alone.text.empty());
    EXPECT_EQ(answer(*prepared), alone.text);
    EXPECT_TRUE(prepared->explain(true).ok());
    EXPECT_EQ(answer(*prepared), alone.text);
    EXPECT_EQ(*prepared->explain(), plan);
    EXPECT_EQ(prepared->forecast()->rows, rows);
  }
}

TEST_F(PreparedQueryTest, ReadsEachDirectoryOnce) {
  const auto prepared = groups().prepare({});
  ASSERT_TRUE(prepared.ok());
  TextSink sink;
  const std::uint64_t before = file_->reads();
  const auto first = prepared->run(sink);
  const std::uint64_t after_first = file_->reads();
  const auto second = prepared->run(sink);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->blocks_read, second->blocks_read);
  EXPECT_EQ(first->bytes_read, second->bytes_read);
  const std::uint64_t directories = (after_first - before) - (file_->reads() - after_first);
  constexpr std::uint64_t kReadsOfDirectory = 2;  // its header, then the rest
  EXPECT_EQ(directories, kReadsOfDirectory * kGroups);
}

TEST_F(PreparedQueryTest, TellsWhatIsWrongWithNamesWhenItIsPrepared) {
  Query unknown = Query::from(*table_);
  unknown.where("nothing = 1");
  const auto prepared = unknown.prepare({});
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.error().what, unknown.schema().error().what);
}

TEST_F(PreparedQueryTest, NamesTablesInErrorsWhateverTheirConditionsLeave) {
  Query apart = Query::from({*table_}, {"a.csv"});
  apart.join({*table_}, {"b.csv"}, JoinKind::kInner, "a.id < 5");
  EXPECT_EQ(apart.prepare({}).error().what, apart.schema().error().what);
}

TEST_F(PreparedQueryTest, TellsWhatIsWrongWithAPlanWhenItIsNeeded) {
  QueryOptions options;
  options.plan.plan = "7";
  const auto prepared = groups().prepare(options);
  ASSERT_TRUE(prepared.ok());
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(prepared->explain().error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(prepared->forecast().error().code, ErrorCode::kInvalidArgument);
    TextSink sink;
    EXPECT_EQ(prepared->run(sink).error().code, ErrorCode::kInvalidArgument);
  }
}

TEST_F(PreparedQueryTest, OutlivesItsQuery) {
  std::optional<PreparedQuery> prepared;
  {
    const Query query = groups();
    prepared = *query.prepare({});
  }
  EXPECT_EQ(answer(*prepared).substr(0, 3), "n0,");
}

}  // namespace
}  // namespace presso
