// SPDX-License-Identifier: MIT
// Answers as Arrow streams: what is read, what errors look like, and that a stream that is given up
// stops its query. Runs under ThreadSanitizer.
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <thread>

#include "presso/compress_table.h"
#include "query/answer/answer_stream.h"

namespace presso::query::answer_stream_test {
namespace {

using Stream = ArrowOwner<ArrowArrayStream>;
using Array = ArrowOwner<ArrowArray>;

class AnswerStreamTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string csv = "id,name\n";
    for (int i = 0; i < 5000; ++i) {
      csv.append(std::to_string(i)).append(",n").append(std::to_string(i % 7)).append("\n");
    }
    VectorSink sink(file_);
    MemorySource source({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
    TableOptions options;
    options.group_rows = 100;
    ASSERT_TRUE(compress_table(source, nullptr, sink, options).ok());
    access_ = std::make_unique<MemoryRandomAccess>(file_);
    table_.emplace(*Table::open(*access_));
  }

  std::vector<Byte> file_;
  std::unique_ptr<MemoryRandomAccess> access_;
  std::optional<Table> table_;
};

TEST_F(AnswerStreamTest, GivesSchemaThenBatchesInOrderThenTheEnd) {
  Query query = Query::from(*table_);
  query.where("id >= 150").select("id * 2 as twice, name");
  Stream stream;
  QueryOptions options;
  options.threads = 3;
  ASSERT_TRUE(query.run(options, *stream.out()).ok());
  ArrowOwner<ArrowSchema> schema;
  ASSERT_EQ(stream->get_schema(stream.get(), schema.out()), 0);
  ASSERT_EQ(schema->n_children, 2);
  EXPECT_STREQ(schema->children[0]->name, "twice");
  EXPECT_STREQ(schema->children[0]->format, "l");
  std::int64_t expected = 150;
  while (true) {
    Array batch;
    ASSERT_EQ(stream->get_next(stream.get(), batch.out()), 0);
    if (batch.empty()) break;
    const auto* const values = static_cast<const std::int64_t*>(batch->children[0]->buffers[1]);
    for (std::int64_t i = 0; i < batch->length; ++i) ASSERT_EQ(values[i], 2 * expected++);
  }
  EXPECT_EQ(expected, 5000);
}

TEST_F(AnswerStreamTest, TheQueryMayGoBeforeItsStream) {
  Stream stream;
  {
    Query query = Query::from(*table_);
    query.group_by("name").aggregate("count(*) as n");
    ASSERT_TRUE(query.run({}, *stream.out()).ok());
  }
  Array batch;
  ASSERT_EQ(stream->get_next(stream.get(), batch.out()), 0);
  EXPECT_EQ(batch->length, 7);
}

TEST_F(AnswerStreamTest, ReleaseStopsAQueryWhoseBatchesNobodyReads) {
  for (int read = 0; read < 3; ++read) {
    Query query = Query::from(*table_);
    Stream stream;
    QueryOptions options;
    options.threads = 2;
    ASSERT_TRUE(query.run(options, *stream.out()).ok());
    for (int i = 0; i < read; ++i) {
      Array batch;
      ASSERT_EQ(stream->get_next(stream.get(), batch.out()), 0);
      EXPECT_EQ(batch->length, 100);
    }
  }  // 50 batches do not fit into the queue: the query waits when it is given up
}

TEST_F(AnswerStreamTest, AnErrorComesAfterTheBatchesBeforeIt) {
  Query query = Query::from(*table_);
  query.select("10 // (id - 1234) as q");
  Stream stream;
  QueryOptions options;
  options.threads = 1;
  ASSERT_TRUE(query.run(options, *stream.out()).ok());
  int batches = 0;
  int code = 0;
  while (true) {
    Array batch;
    code = stream->get_next(stream.get(), batch.out());
    if (code != 0 || batch.empty()) break;
    ++batches;
  }
  EXPECT_EQ(batches, 12);
  EXPECT_EQ(code, EINVAL);
  EXPECT_NE(std::string(stream->get_last_error(stream.get())).find("row 1,235"), std::string::npos);
}

TEST_F(AnswerStreamTest, MistakesInTheQueryAreErrorsAtOnce) {
  Query query = Query::from(*table_);
  query.where("nome = 'n1'");
  ArrowArrayStream stream = {};
  const Status started = query.run({}, stream);
  ASSERT_FALSE(started.ok());
  EXPECT_NE(started.error().what.find("Did you mean 'name'?"), std::string::npos);
  EXPECT_EQ(stream.release, nullptr);
}

TEST(AnswerStream, AWaitingReaderStopsWhereItIsCancelled) {
  TableSchema schema;
  schema.columns.resize(1);
  schema.columns[0].name.push_back('a');
  std::atomic<bool> wish{true};
  std::atomic<bool> stopped{false};
  {
    Stream stream;
    const auto run = [&](ResultSink&, const std::atomic<bool>& cancelled) -> Status {
      while (!cancelled) std::this_thread::yield();
      stopped = true;
      return make_error(ErrorCode::kCancelled);
    };
    ASSERT_TRUE(stream_answer(schema, {}, run, &wish, 2, *stream.out()).ok());
    Array batch;
    EXPECT_EQ(stream->get_next(stream.get(), batch.out()), ECANCELED);
  }
  EXPECT_TRUE(stopped);
}

}  // namespace
}  // namespace presso::query::answer_stream_test
