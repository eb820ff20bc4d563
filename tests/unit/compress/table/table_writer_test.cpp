// SPDX-License-Identifier: MIT
// Tables from columns in memory: every type comes back, the file depends neither on batches nor on
// threads, and what does not fit the schema is refused.
#include "presso/table_writer.h"

#include "presso/table.h"
#include "tests/unit/decompress/table/row_groups.h"

namespace presso::table_writer_test {
namespace {

using row_groups::all_types;
using row_groups::column_schema;
using row_groups::first_difference;
using row_groups::make_column;
using row_groups::Nulls;
using row_groups::strings_column;
using row_groups::Values;

/// A column of every type.
struct Data {
  TableSchema schema;
  std::vector<ColumnData> columns;

  std::vector<ColumnView> views() const {
    std::vector<ColumnView> all;
    for (const ColumnData& column : columns) all.push_back(column.view());
    return all;
  }
};

Data make_data(std::uint64_t rows, Nulls nulls, std::uint64_t seed = 1) {
  Data data;
  for (const ColumnType type : all_types()) {
    data.schema.columns.push_back(column_schema(type, std::to_string(static_cast<int>(type))));
    const auto values = static_cast<Values>(static_cast<std::uint64_t>(type) % 4);
    data.columns.push_back(make_column(type, rows, nulls, values, ++seed));
  }
  return data;
}

/// Rows [first, first + rows) of a column whose rows begin in a byte of their own.
ColumnView slice(const ColumnView& column, std::uint64_t first, std::uint64_t rows,
                 std::vector<std::int64_t>& offsets) {
  ColumnView part = column;
  part.rows = rows;
  if (column.validity != nullptr) part.validity = column.validity + first / 8;
  if (is_string(column.type)) {
    offsets.assign(column.offsets + first, column.offsets + first + rows + 1);
    for (std::int64_t& offset : offsets) offset -= column.offsets[first];
    part.values = column.values + column.offsets[first];
    part.offsets = offsets.data();
  } else {
    const std::uint32_t width = value_bytes(column.type);
    part.values = column.values + (width == 0 ? first / 8 : first * width);
  }
  return part;
}

Status append_rows(TableWriter& writer, const Data& data, std::uint64_t first, std::uint64_t rows) {
  std::vector<ColumnView> views;
  std::vector<std::vector<std::int64_t>> offsets(data.columns.size());
  for (std::size_t i = 0; i < data.columns.size(); ++i) {
    views.push_back(slice(data.columns[i].view(), first, rows, offsets[i]));
  }
  return writer.append(views);
}

struct How {
  std::uint64_t batch_rows = 1u << 20;  ///< a multiple of 8
  std::uint32_t group_rows = 0;
  unsigned threads = 1;
};

std::vector<Byte> written(const Data& data, const How& how) {
  std::vector<Byte> file;
  VectorSink sink(file);
  TableWriterOptions options;
  options.group_rows = how.group_rows;
  options.compress.threads = how.threads;
  auto writer = TableWriter::open(sink, data.schema, options);
  EXPECT_TRUE(writer.ok()) << writer.error().message();
  const std::uint64_t rows = data.columns.front().rows;
  for (std::uint64_t row = 0; row < rows; row += how.batch_rows) {
    const Status done = append_rows(*writer, data, row, std::min(how.batch_rows, rows - row));
    EXPECT_TRUE(done.ok());
  }
  const auto summary = writer->close();
  EXPECT_TRUE(summary.ok()) << summary.error().message();
  EXPECT_EQ(summary->rows, rows);
  EXPECT_EQ(summary->compressed_bytes, file.size());
  return file;
}

void expect_same(const std::vector<Byte>& file, const Data& data) {
  const MemoryRandomAccess access(file);
  const auto table = Table::open(access);
  ASSERT_TRUE(table.ok()) << table.error().message();
  EXPECT_EQ(table->schema().columns, data.schema.columns);
  ASSERT_EQ(table->rows(), data.columns.front().rows);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < data.columns.size(); ++i) all.push_back(i);
  for (std::uint64_t group = 0; group < table->row_groups(); ++group) {
    const RowGroupSummary about = table->row_group(group);
    const auto columns = table->read(group, all, 0, about.rows);
    ASSERT_TRUE(columns.ok()) << columns.error().message();
    for (const std::size_t i : all) {
      const ColumnView expected = data.columns[i].view();
      const ColumnView read = (*columns)[i].view();
      EXPECT_EQ(first_difference(expected, about.first_row, read), about.rows)
          << "column " << i << ", row group " << group;
    }
  }
}

TEST(TableWriter, EveryTypeComesBackWithAndWithoutNulls) {
  for (const std::uint64_t rows : {1, 9, 5000}) {
    for (const Nulls nulls : {Nulls::kNone, Nulls::kSome, Nulls::kAll}) {
      SCOPED_TRACE(testing::Message() << rows << " rows, nulls " << static_cast<int>(nulls));
      const Data data = make_data(rows, nulls);
      expect_same(written(data, {}), data);
    }
  }
}

TEST(TableWriter, TheFileDependsNeitherOnBatchesNorOnThreads) {
  const Data data = make_data(30000, Nulls::kSome);
  const std::vector<Byte> file = written(data, {.group_rows = 7001});
  expect_same(file, data);
  for (const unsigned threads : {1u, 2u, 3u}) {
    for (const std::uint64_t batch_rows : {64, 4096, 29992}) {
      const How how{.batch_rows = batch_rows, .group_rows = 7001, .threads = threads};
      EXPECT_EQ(written(data, how), file) << threads << " threads, batches of " << batch_rows;
    }
  }
}

TEST(TableWriter, RowGroupsEndWithTheRowThatFillsThemWhateverTheBatches) {
  std::vector<std::string> texts;
  for (int row = 0; row < 5000; ++row) {
    texts.emplace_back(static_cast<std::size_t>(20000 + row), static_cast<char>('a' + row % 26));
  }
  Data data;
  data.schema.columns.push_back(column_schema(ColumnType::kUtf8));
  data.columns.push_back(strings_column(texts));
  const std::vector<Byte> file = written(data, {.batch_rows = 8, .threads = 2});
  EXPECT_EQ(written(data, {.batch_rows = 4000}), file);
  expect_same(file, data);
  const MemoryRandomAccess access(file);
  const auto table = Table::open(access);
  EXPECT_EQ(table->row_groups(), 4u);
  std::uint64_t bytes = 0;
  for (std::uint64_t row = 0; row < table->row_group(0).rows; ++row) bytes += texts[row].size() + 8;
  EXPECT_GE(bytes, 32u << 20);
  EXPECT_LT(bytes, (32u << 20) + 21000);
}

TEST(TableWriter, NullsThatBeginLateOrEndEarlyAreWhereTheyWere) {
  Data data;
  data.schema.columns.push_back(column_schema(ColumnType::kInt32));
  std::vector<Byte> file;
  VectorSink sink(file);
  auto writer = TableWriter::open(sink, data.schema);
  const std::int32_t values[] = {0, 1, 2, 3, 4};
  const Byte second_is_null[] = {0b11101};
  const auto append = [&](const Byte* validity) {
    const ColumnView view{ColumnType::kInt32, 5, reinterpret_cast<const Byte*>(values), nullptr,
                          validity};
    EXPECT_TRUE(writer->append({&view, 1}).ok());
  };
  append(nullptr);
  append(second_is_null);
  append(nullptr);
  ASSERT_TRUE(writer->close().ok());
  const MemoryRandomAccess access(file);
  const auto table = Table::open(access);
  const std::size_t wanted[] = {0};
  const auto columns = table->read(0, wanted, 0, 15);
  ASSERT_TRUE(columns.ok());
  for (std::uint64_t row = 0; row < 15; ++row) {
    EXPECT_EQ((*columns)[0].view().is_null(row), row == 6) << row;
  }
  EXPECT_EQ(table->column(0, 0).nulls, 1u);
}

TEST(TableWriter, WhatStandsUnderANullStringIsNotStored) {
  ColumnData column = strings_column({"kept", "hidden", "kept, too"});
  column.validity = {0b101};
  const ColumnView view = column.view();
  TableSchema schema;
  schema.columns.push_back(column_schema(ColumnType::kUtf8));
  std::vector<Byte> file;
  VectorSink sink(file);
  auto writer = TableWriter::open(sink, schema);
  ASSERT_TRUE(writer->append({&view, 1}).ok());
  ASSERT_TRUE(writer->close().ok());
  const std::string stored(file.begin(), file.end());
  EXPECT_NE(stored.find("kept"), stored.npos);
  EXPECT_EQ(stored.find("hidden"), stored.npos);
}

TEST(TableWriter, RowGroupsDoNotDependOnWhatStandsUnderNulls) {
  std::vector<std::string> hidden;
  std::vector<std::string> empty;
  std::vector<Byte> validity(500, 0b01011011);
  for (std::size_t row = 0; row < 4000; ++row) {
    const std::string text(16000, static_cast<char>('a' + row % 26));
    const bool is_null = (validity[row / 8] >> (row % 8) & 1) == 0;
    hidden.push_back(text);
    empty.push_back(is_null ? "" : text);
  }
  Data data;
  data.schema.columns.push_back(column_schema(ColumnType::kUtf8));
  data.columns.push_back(strings_column(empty));
  data.columns[0].validity = validity;
  const std::vector<Byte> file = written(data, {});
  data.columns[0] = strings_column(hidden);
  data.columns[0].validity = validity;
  EXPECT_EQ(written(data, {}), file);
  EXPECT_EQ(written(data, {.batch_rows = 104}), file);
  expect_same(file, data);
  const MemoryRandomAccess access(file);
  EXPECT_EQ(Table::open(access)->row_groups(), 2u);
}

TEST(TableWriter, ATableWithoutRowsIsOne) {
  Data data = make_data(8, Nulls::kNone);
  for (ColumnData& column : data.columns) column.rows = 0;
  expect_same(written(data, {}), data);
}

std::string text_of(const std::vector<Byte>& file) {
  MemorySource source(file);
  std::vector<Byte> text;
  VectorSink sink(text);
  const auto done = decompress_table(source, sink);
  EXPECT_TRUE(done.ok()) << done.error().message();
  return {text.begin(), text.end()};
}

TEST(TableWriter, WhereTextIsAskedForRowsArePrintedInTheFormThatTheSchemaSays) {
  Data data;
  data.schema.columns = {column_schema(ColumnType::kUtf8, "a,b"),
                         column_schema(ColumnType::kUint8, "n")};
  data.columns.push_back(strings_column({"x", ""}));
  data.columns.push_back(make_column(ColumnType::kUint8, 2, Nulls::kNone, Values::kEqual));
  EXPECT_EQ(text_of(written(data, {})), "\"a,b\",n\nx,42\n\"\",42\n");
  data.schema.text.kind = TextKind::kDelimited;
  data.schema.text.delimiter = '\t';
  data.schema.text.head = "not used";
  EXPECT_EQ(text_of(written(data, {})), "a,b\tn\nx\t42\n\"\"\t42\n");
  data.schema.text.kind = TextKind::kJsonLines;
  EXPECT_EQ(text_of(written(data, {})), "{\"a,b\":\"x\",\"n\":42}\n{\"a,b\":\"\",\"n\":42}\n");
}

TEST(TableWriter, RefusesASchemaThatIsNotValid) {
  std::vector<Byte> file;
  VectorSink sink(file);
  EXPECT_EQ(TableWriter::open(sink, {}).error().code, ErrorCode::kInvalidArgument);
  TableSchema twice;
  twice.columns = {column_schema(ColumnType::kInt8, "a"), column_schema(ColumnType::kInt8, "a")};
  EXPECT_EQ(TableWriter::open(sink, twice).error().code, ErrorCode::kInvalidArgument);
}

/// A column `c` of this type, with an earlier batch of a row.
struct Refusals {
  std::vector<Byte> file;
  VectorSink sink{file};
  Result<TableWriter> writer = make_error(ErrorCode::kCancelled);

  explicit Refusals(const ColumnSchema& column) {
    TableSchema schema;
    schema.columns.push_back(column);
    writer = TableWriter::open(sink, schema);
    EXPECT_EQ(said_of(make_column(column.type, 1, Nulls::kNone, Values::kEqual).view()), "");
  }
  std::string said_of(const ColumnView& view) { return said_of(std::vector{view}); }
  std::string said_of(const std::vector<ColumnView>& views) {
    const Status done = writer->append(views);
    if (done.ok()) return "";
    EXPECT_EQ(done.error().code, ErrorCode::kInvalidArgument);
    return done.error().what;
  }
  std::uint64_t rows_at_close() { return writer->close()->rows; }
};

TEST(TableWriter, ABatchThatDiffersFromTheSchemaIsRefusedAndTheNextOneTaken) {
  ColumnSchema column = column_schema(ColumnType::kInt32);
  column.nullable = false;
  Refusals refusals(column);
  const ColumnData right = make_column(ColumnType::kInt32, 3, Nulls::kNone, Values::kSorted);
  const ColumnData other = make_column(ColumnType::kInt64, 3, Nulls::kNone, Values::kSorted);
  EXPECT_NE(refusals.said_of(std::vector<ColumnView>{}).find("0 columns"), std::string::npos);
  EXPECT_NE(refusals.said_of({right.view(), right.view()}).find("2 columns"), std::string::npos);
  EXPECT_NE(refusals.said_of(other.view()).find("'c': is of another type"), std::string::npos);
  ColumnView null = right.view();
  const Byte validity[] = {0b011};
  null.validity = validity;
  EXPECT_NE(refusals.said_of(null).find("'c': row 4 is null"), std::string::npos);
  ColumnView nothing = right.view();
  nothing.values = nullptr;
  EXPECT_NE(refusals.said_of(nothing).find("has no values"), std::string::npos);
  EXPECT_EQ(refusals.said_of(right.view()), "");
  EXPECT_EQ(refusals.rows_at_close(), 4u);
}

TEST(TableWriter, StringsThatContradictThemselvesOrTheSchemaAreRefused) {
  ColumnSchema column = column_schema(ColumnType::kUtf8);
  column.valid_utf8 = true;
  Refusals refusals(column);
  const ColumnData right = strings_column({"one", "two"});
  for (const std::vector<std::int64_t>& offsets :
       {std::vector<std::int64_t>{1, 3, 6}, {0, 7, 6}, {0, -1, 6}}) {
    ColumnView view = right.view();
    view.offsets = offsets.data();
    EXPECT_NE(refusals.said_of(view).find("offsets"), std::string::npos);
  }
  EXPECT_NE(refusals.said_of(strings_column({"a", "\xFF"}).view()).find("UTF-8"),
            std::string::npos);
  EXPECT_EQ(refusals.rows_at_close(), 1u);
}

TEST(TableWriter, WhatStandsUnderNullsIsNotChecked) {
  ColumnSchema column = column_schema(ColumnType::kUtf8);
  column.valid_utf8 = true;
  Refusals refusals(column);
  const ColumnData strings = strings_column({"a", "\xFF\xFE", "\xC3\xA9"});
  ColumnView view = strings.view();
  const Byte second_is_null[] = {0b101};
  const Byte first_is_null[] = {0b110};
  view.validity = first_is_null;
  EXPECT_NE(refusals.said_of(view).find("UTF-8"), std::string::npos);
  view.validity = second_is_null;
  EXPECT_EQ(refusals.said_of(view), "");
  EXPECT_EQ(refusals.rows_at_close(), 4u);
}

TEST(TableWriter, ARowIsTooLargeOnlyByWhatIsNotNull) {
  Refusals refusals(column_schema(ColumnType::kBinary));
  const Byte value = 'a';
  const std::int64_t offsets[] = {0, 1, std::int64_t{3} << 30};
  ColumnView view{ColumnType::kBinary, 2, &value, offsets, nullptr};
  EXPECT_NE(refusals.said_of(view).find("row 3 has more than 2 GiB"), std::string::npos);
  const Byte second_is_null[] = {0b01};
  view.validity = second_is_null;
  EXPECT_EQ(refusals.said_of(view), "");
  EXPECT_EQ(refusals.rows_at_close(), 3u);
}

TEST(TableWriter, ColumnsOfDifferentLengthAreRefused) {
  Data data = make_data(16, Nulls::kNone);
  data.columns[3].rows = 15;
  std::vector<Byte> file;
  VectorSink sink(file);
  auto writer = TableWriter::open(sink, data.schema);
  const Status done = writer->append(data.views());
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().what.find("15 rows, 16"), std::string::npos) << done.error().what;
}

TEST(TableWriter, ClosesOnce) {
  const Data data = make_data(8, Nulls::kNone);
  std::vector<Byte> file;
  VectorSink sink(file);
  auto writer = TableWriter::open(sink, data.schema);
  ASSERT_TRUE(writer->close().ok());
  const std::size_t size = file.size();
  EXPECT_EQ(writer->close().error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(writer->append(data.views()).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(file.size(), size);
}

class FullSink final : public ByteSink {
 public:
  explicit FullSink(std::size_t room) : room_(room) {}
  Status write(Bytes bytes) override {
    if (bytes.size() > room_) return make_error(ErrorCode::kNoSpace, "no more room");
    room_ -= bytes.size();
    return {};
  }

 private:
  std::size_t room_;
};

TEST(TableWriter, AnErrorOfTheSinkIsForGood) {
  const Data data = make_data(5000, Nulls::kNone);
  FullSink sink(20000);
  TableWriterOptions options;
  options.group_rows = 1000;
  options.compress.threads = 2;
  auto writer = TableWriter::open(sink, data.schema, options);
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(writer->append(data.views()).error().code, ErrorCode::kNoSpace);
  EXPECT_EQ(writer->append(data.views()).error().code, ErrorCode::kNoSpace);
  EXPECT_EQ(writer->close().error().code, ErrorCode::kNoSpace);
}

TEST(TableWriter, CanBeCancelled) {
  const Data data = make_data(5000, Nulls::kNone);
  std::vector<Byte> file;
  VectorSink sink(file);
  TableWriterOptions options;
  options.group_rows = 1000;
  options.compress.threads = 1;
  options.compress.on_progress = [](std::uint64_t, std::uint64_t) { return false; };
  auto writer = TableWriter::open(sink, data.schema, options);
  EXPECT_EQ(writer->append(data.views()).error().code, ErrorCode::kCancelled);
}

TEST(TableWriter, WithoutCloseTheRowGroupsThatWereWrittenAreFoundAndTheTableIsCutOff) {
  const Data data = make_data(5000, Nulls::kSome);
  std::vector<Byte> file;
  VectorSink sink(file);
  TableWriterOptions options;
  options.group_rows = 1000;
  options.compress.threads = 1;
  {
    auto writer = TableWriter::open(sink, data.schema, options);
    ASSERT_TRUE(writer->append(data.views()).ok());
  }
  const MemoryRandomAccess access(file);
  const auto table = Table::open(access);
  ASSERT_TRUE(table.ok()) << table.error().message();
  EXPECT_TRUE(table->cut_off());
  EXPECT_EQ(table->rows(), 5000u);
}

}  // namespace
}  // namespace presso::table_writer_test
