// SPDX-License-Identifier: MIT
// Tables as Arrow's C structs: every type through the stream and back into a table, who owns what,
// ranges of rows, and errors.
#include "presso/arrow.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

#include "format/columns/bit_copy.h"
#include "presso/compress_arrow.h"
#include "presso/table_writer.h"
#include "tests/unit/decompress/table/row_groups.h"

namespace presso::export_test {
namespace {

using row_groups::column_schema;
using row_groups::first_difference;
using row_groups::make_column;
using row_groups::Nulls;
using row_groups::strings_column;
using row_groups::Values;

/// A table of one column `c` in memory.
struct Stored {
  std::vector<Byte> file;
  std::optional<MemoryRandomAccess> access;
  std::optional<Table> table;

  explicit Stored(std::vector<Byte> bytes) : file(std::move(bytes)) { open(); }
  Stored(const ColumnSchema& schema, const ColumnData& column, std::uint32_t group_rows = 0) {
    VectorSink sink(file);
    TableWriterOptions options;
    options.group_rows = group_rows;
    TableSchema table_schema;
    table_schema.columns.push_back(schema);
    auto writer = TableWriter::open(sink, table_schema, options);
    const ColumnView view = column.view();
    EXPECT_TRUE(writer->append({&view, 1}).ok());
    EXPECT_TRUE(writer->close().ok());
    open();
  }
  Stored(const Stored&) = delete;
  Stored& operator=(const Stored&) = delete;

 private:
  void open() {
    access.emplace(file);
    auto opened = Table::open(*access);
    EXPECT_TRUE(opened.ok());
    if (opened.ok()) table.emplace(std::move(*opened));
  }
};

ColumnSchema schema_of(ColumnType type) {
  ColumnSchema schema = column_schema(type, "c");
  schema.valid_utf8 = type == ColumnType::kUtf8;
  return schema;
}

/// Sorted values are also valid decimals and UTF-8.
ColumnData column_of(ColumnType type, std::uint64_t rows, Nulls nulls = Nulls::kNone) {
  return make_column(type, rows, nulls, Values::kSorted);
}

ArrowOwner<ArrowArrayStream> stream_of(const Table& table, const ArrowOptions& options = {}) {
  ArrowOwner<ArrowArrayStream> stream;
  const Status done = export_stream(table, options, *stream.out());
  EXPECT_TRUE(done.ok());
  return stream;
}

/// Of all batches, their lengths.
std::vector<std::int64_t> lengths_of(const Table& table, const ArrowOptions& options) {
  auto stream = stream_of(table, options);
  std::vector<std::int64_t> lengths;
  for (;;) {
    ArrowOwner<ArrowArray> batch;
    EXPECT_EQ(stream->get_next(stream.get(), batch.out()), 0);
    if (batch.empty()) return lengths;
    EXPECT_EQ(batch->children[0]->length, batch->length);
    lengths.push_back(batch->length);
  }
}

class EveryType : public testing::TestWithParam<ColumnType> {};

TEST_P(EveryType, GoesThroughAStreamIntoATableOfTheSameSchemaAndValues) {
  for (const Nulls nulls : {Nulls::kNone, Nulls::kSome, Nulls::kAll}) {
    SCOPED_TRACE(testing::Message() << "nulls " << static_cast<int>(nulls));
    const ColumnData column = column_of(GetParam(), 2500, nulls);
    const Stored stored(schema_of(GetParam()), column, 1000);
    ArrowOptions options;
    options.batch_rows = 300;
    auto stream = stream_of(*stored.table, options);
    std::vector<Byte> file;
    VectorSink sink(file);
    const auto done = compress_arrow(*stream.get(), sink);
    ASSERT_TRUE(done.ok()) << done.error().message();
    EXPECT_EQ(done->rows, 2500u);
    const Stored again(std::move(file));
    EXPECT_EQ(again.table->schema(), stored.table->schema());
    const std::size_t wanted[] = {0};
    const auto read = again.table->read(0, wanted, 0, 2500);
    ASSERT_TRUE(read.ok()) << read.error().message();
    EXPECT_EQ(first_difference(column.view(), 0, (*read)[0].view()), 2500u);
  }
}

INSTANTIATE_TEST_SUITE_P(ArrowExport, EveryType, testing::ValuesIn(row_groups::all_types()));

TEST(ArrowExport, ASchemaIsAStructOfNamedAndTypedColumns) {
  TableSchema schema;
  schema.columns = {schema_of(ColumnType::kInt64), schema_of(ColumnType::kUtf8),
                    schema_of(ColumnType::kDecimal64)};
  schema.columns[1].name = "name";
  schema.columns[1].nullable = false;
  schema.columns[2].scale = 2;
  ArrowOwner<ArrowSchema> exported;
  ASSERT_TRUE(export_schema(schema, *exported.out()).ok());
  EXPECT_STREQ(exported->format, "+s");
  ASSERT_EQ(exported->n_children, 3);
  EXPECT_STREQ(exported->children[0]->format, "l");
  EXPECT_EQ(exported->children[0]->flags, ARROW_FLAG_NULLABLE);
  EXPECT_STREQ(exported->children[1]->format, "U");
  EXPECT_STREQ(exported->children[1]->name, "name");
  EXPECT_EQ(exported->children[1]->flags, 0);
  EXPECT_STREQ(exported->children[2]->format, "d:18,2");
  const auto imported = schema_from_arrow(*exported);
  ASSERT_TRUE(imported.ok());
  EXPECT_EQ(imported->columns, schema.columns);
  ArrowSchema* const raw = exported.get();
  raw->release(raw);
  EXPECT_EQ(raw->release, nullptr);
}

TEST(ArrowExport, ABatchIsHandedOverWithoutACopy) {
  TableSchema schema;
  schema.columns = {schema_of(ColumnType::kInt32), schema_of(ColumnType::kUtf8)};
  std::vector<ColumnData> columns;
  columns.push_back(column_of(ColumnType::kInt32, 100, Nulls::kSome));
  columns.push_back(column_of(ColumnType::kUtf8, 100));
  const std::uint64_t valid = count_bits(columns[0].validity.data(), 100);
  const Byte* const numbers = columns[0].values.data();
  const Byte* const texts = columns[1].values.data();
  const std::int64_t* const offsets = columns[1].offsets.data();
  ArrowOwner<ArrowArray> batch;
  ASSERT_TRUE(export_batch(schema, std::move(columns), *batch.out()).ok());
  EXPECT_EQ(batch->length, 100);
  EXPECT_EQ(batch->n_buffers, 1);
  ASSERT_EQ(batch->n_children, 2);
  const ArrowArray& first = *batch->children[0];
  EXPECT_EQ(first.n_buffers, 2);
  EXPECT_EQ(first.buffers[1], numbers);
  EXPECT_EQ(first.null_count, static_cast<std::int64_t>(100 - valid));
  const ArrowArray& second = *batch->children[1];
  EXPECT_EQ(second.n_buffers, 3);
  EXPECT_EQ(second.buffers[0], nullptr);
  EXPECT_EQ(second.buffers[1], offsets);
  EXPECT_EQ(second.buffers[2], texts);
  EXPECT_EQ(second.null_count, 0);
}

TEST(ArrowExport, AChildThatWasMovedOutLivesOnAfterItsBatch) {
  TableSchema schema;
  schema.columns = {schema_of(ColumnType::kInt32), schema_of(ColumnType::kInt64)};
  std::vector<ColumnData> columns;
  columns.push_back(column_of(ColumnType::kInt32, 1000));
  columns.push_back(column_of(ColumnType::kInt64, 1000));
  const auto last = load<std::int64_t>(columns[1].values.data() + 8 * 999);
  ArrowOwner<ArrowArray> batch;
  ASSERT_TRUE(export_batch(schema, std::move(columns), *batch.out()).ok());
  ArrowOwner<ArrowArray> child(*batch->children[1]);
  EXPECT_EQ(batch->children[1]->release, nullptr);
  batch.reset();
  EXPECT_EQ(load<std::int64_t>(static_cast<const Byte*>(child->buffers[1]) + 8 * 999), last);
}

TEST(ArrowExport, DecimalsOf64BitsAreWidenedWithTheirSign) {
  TableSchema schema;
  schema.columns = {schema_of(ColumnType::kDecimal64)};
  ColumnData column = column_of(ColumnType::kDecimal64, 2);
  store<std::int64_t>(column.values.data(), -150);
  store<std::int64_t>(column.values.data() + 8, 7);
  std::vector<ColumnData> columns;
  columns.push_back(std::move(column));
  ArrowOwner<ArrowArray> batch;
  ASSERT_TRUE(export_batch(schema, std::move(columns), *batch.out()).ok());
  const auto* const wide = static_cast<const Byte*>(batch->children[0]->buffers[1]);
  EXPECT_EQ(load<std::int64_t>(wide), -150);
  EXPECT_EQ(load<std::int64_t>(wide + 8), -1);
  EXPECT_EQ(load<std::int64_t>(wide + 16), 7);
  EXPECT_EQ(load<std::int64_t>(wide + 24), 0);
}

TEST(ArrowExport, ColumnsThatAreNotThoseOfTheSchemaAreRefused) {
  TableSchema schema;
  schema.columns = {schema_of(ColumnType::kInt32)};
  ArrowArray out = {};
  EXPECT_EQ(export_batch(schema, {}, out).error().code, ErrorCode::kInvalidArgument);
  std::vector<ColumnData> columns;
  columns.push_back(column_of(ColumnType::kInt64, 3));
  EXPECT_EQ(export_batch(schema, std::move(columns), out).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(out.release, nullptr);
}

TEST(ArrowExport, StringsThatAreSaidToBeUtf8AreCheckedAndOthersAreBinary) {
  TableSchema schema;
  schema.columns = {schema_of(ColumnType::kUtf8)};
  const auto exported = [&] {
    std::vector<ColumnData> columns;
    columns.push_back(strings_column({"na\xC3\xAFve", "\xFF"}));
    ArrowOwner<ArrowArray> batch;
    return export_batch(schema, std::move(columns), *batch.out());
  };
  Status refused = exported();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kBadRowGroup);
  EXPECT_NE(refused.error().what.find("'c'"), std::string::npos);
  schema.columns[0].valid_utf8 = false;
  EXPECT_TRUE(exported().ok());
}

TEST(ArrowStream, BatchesEndWithRowGroupsAndRangesAreWhatWasAsked) {
  const Stored stored(schema_of(ColumnType::kInt32), column_of(ColumnType::kInt32, 2500), 1000);
  using Lengths = std::vector<std::int64_t>;
  const Table& table = *stored.table;
  EXPECT_EQ(lengths_of(table, {}), (Lengths{1000, 1000, 500}));
  EXPECT_EQ(lengths_of(table, {.batch_rows = 400}),
            (Lengths{400, 400, 200, 400, 400, 200, 400, 100}));
  EXPECT_EQ(lengths_of(table, {.first_row = 999, .rows = 2}), (Lengths{1, 1}));
  EXPECT_EQ(lengths_of(table, {.first_row = 2499, .rows = 99}), (Lengths{1}));
  EXPECT_EQ(lengths_of(table, {.first_row = 2500}), Lengths{});
  EXPECT_EQ(lengths_of(table, {.first_row = ~std::uint64_t{0}}), Lengths{});
  EXPECT_EQ(lengths_of(table, {.batch_rows = 999, .threads = 1}),
            lengths_of(table, {.batch_rows = 999, .threads = 3}));
}

TEST(ArrowStream, MayBeReleasedBeforeItsEndAndBatchesLiveOn) {
  const Stored stored(schema_of(ColumnType::kUtf8), column_of(ColumnType::kUtf8, 2500), 1000);
  auto stream = stream_of(*stored.table);
  ArrowOwner<ArrowArray> batch;
  ASSERT_EQ(stream->get_next(stream.get(), batch.out()), 0);
  EXPECT_EQ(stream->get_last_error(stream.get()), nullptr);
  EXPECT_EQ(stream_error(*stream.get()), nullptr);
  stream.reset();
  const auto* const offsets = static_cast<const Byte*>(batch->children[0]->buffers[1]);
  const auto* const texts = static_cast<const char*>(batch->children[0]->buffers[2]);
  EXPECT_EQ(std::string(texts, load<std::size_t>(offsets + 8)), "customer#1000000");
}

TEST(ArrowStream, NoSuchColumnIsAnError) {
  const Stored stored(schema_of(ColumnType::kInt32), column_of(ColumnType::kInt32, 5));
  ArrowArrayStream stream = {};
  EXPECT_EQ(export_stream(*stored.table, {.columns = {1}}, stream).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(stream.release, nullptr);
}

TEST(ArrowStream, DamageIsAnErrorAfterTheBatchesBeforeIt) {
  Stored stored(schema_of(ColumnType::kInt64),
                make_column(ColumnType::kInt64, 3000, Nulls::kNone, Values::kRandom), 1000);
  const RowGroupSummary second = stored.table->row_group(1);
  ASSERT_GT(second.stored_bytes, 4000u);
  stored.file[stored.file.size() / 2] ^= 0xFF;  // in the second of three row groups
  for (const unsigned threads : {1u, 3u}) {
    auto stream = stream_of(*stored.table, {.threads = threads});
    ArrowOwner<ArrowArray> batch;
    EXPECT_EQ(stream->get_next(stream.get(), batch.out()), 0);
    EXPECT_EQ(batch->length, 1000);
    for (int again = 0; again < 2; ++again) {
      EXPECT_EQ(stream->get_next(stream.get(), batch.out()), EIO);
      EXPECT_TRUE(batch.empty());
      const Error* const error = stream_error(*stream.get());
      ASSERT_NE(error, nullptr);
      EXPECT_TRUE(is_damage(error->code));
      EXPECT_NE(error->block, Error::kNone);
      EXPECT_EQ(stream->get_last_error(stream.get()), error->text());
    }
  }
}

}  // namespace
}  // namespace presso::export_test
