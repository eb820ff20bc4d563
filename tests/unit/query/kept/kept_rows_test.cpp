// SPDX-License-Identifier: MIT
// Answers that are kept as tables and read again: all types, nulls, few and many rows, in memory
// and in a file, from one thread and several.
#include "query/kept/kept_rows.h"

#include <gtest/gtest.h>

#include "corpora/random.h"
#include "presso/table_writer.h"
#include "tests/unit/query/answer/text_sink.h"

namespace presso::query::kept_rows_test {
namespace {

/// Columns with values of all types, of which every seventh is null, except in the first.
struct Rows {
  TableSchema schema;
  std::vector<ColumnData> columns;

  explicit Rows(std::uint64_t rows) {
    const char* const types[] = {
        "int64",         "bool",          "int8",          "int16",  "int32",  "uint8",
        "uint16",        "uint32",        "uint64",        "float",  "double", "date",
        "timestamp(ms)", "decimal(18,2)", "decimal(38,4)", "string", "string"};
    corpora::Random random(7);
    for (const char* type : types) {
      ColumnSchema column = *parse_type(type);
      column.name = "c" + std::to_string(schema.columns.size());
      columns.push_back(column_of(column, rows, random));
      schema.columns.push_back(column);
    }
  }

  /// The last column has long strings that do not repeat.
  ColumnData column_of(const ColumnSchema& of, std::uint64_t rows, corpora::Random& random) {
    ColumnData column;
    column.type = of.type;
    column.rows = rows;
    const bool is_last = schema.columns.size() == 16;
    const bool has_nulls = !schema.columns.empty();
    if (is_string(of.type)) column.offsets.push_back(0);
    column.validity.resize(has_nulls ? (rows + 7) / 8 : 0);
    for (std::uint64_t row = 0; row < rows; ++row) {
      const bool null = has_nulls && random.below(7) == 0;
      if (has_nulls && !null) column.validity[row / 8] |= static_cast<Byte>(1u << (row % 8));
      if (is_string(of.type)) {
        const std::string text = is_last ? "long " + std::to_string(random.below(1u << 30))
                                         : "word" + std::to_string(random.below(20));
        if (!null) column.values.append({reinterpret_cast<const Byte*>(text.data()), text.size()});
        column.offsets.push_back(static_cast<std::int64_t>(column.values.size()));
      } else if (of.type == ColumnType::kBool) {
        if (row % 8 == 0)
          column.values.append(std::vector<Byte>{static_cast<Byte>(random.below(256))});
      } else {
        const std::int64_t value[] = {static_cast<std::int64_t>(random.below(100)), 0};
        if (of.type == ColumnType::kFloat || of.type == ColumnType::kDouble) {
          append_real(of.type, static_cast<double>(value[0]) / 4, column.values);
        } else {
          column.values.append({reinterpret_cast<const Byte*>(value), value_bytes(of.type)});
        }
      }
    }
    return column;
  }

  static void append_real(ColumnType type, double value, Buffer& to) {
    const auto single = static_cast<float>(value);
    const void* from = type == ColumnType::kFloat ? static_cast<const void*>(&single) : &value;
    to.append({static_cast<const Byte*>(from), value_bytes(type)});
  }
};

/// The rows as a table of the usual kind.
struct Stored {
  explicit Stored(std::uint64_t rows) {
    const Rows made(rows);
    VectorSink sink(bytes);
    TableWriterOptions options;
    options.group_rows = 50'000;
    auto writer = TableWriter::open(sink, made.schema, options);
    std::vector<ColumnView> views;
    for (const ColumnData& column : made.columns) views.push_back(column.view());
    EXPECT_TRUE(writer->append(views).ok());
    EXPECT_TRUE(writer->close().ok());
    access = std::make_unique<MemoryRandomAccess>(bytes);
    table.emplace(*Table::open(*access));
  }
  std::vector<Byte> bytes;
  std::unique_ptr<MemoryRandomAccess> access;
  std::optional<Table> table;
};

std::string text_of(const Query& query, const QueryOptions& options = {}) {
  TextSink sink;
  const auto done = query.run(options, sink);
  return done.ok() ? sink.text : "error: " + done.error().what;
}

QueryOptions options_of(unsigned threads, std::uint64_t memory = 0) {
  QueryOptions options;
  options.threads = threads;
  options.memory_bytes = memory;
  return options;
}

TEST(KeptRows, GiveTheAnswerAgain) {
  const Stored stored(150'000);
  for (const char* condition : {"c0 >= 0", "c0 < 50", "c0 = 3 and c13 = 0.01", "c0 < 0"}) {
    for (const unsigned threads : {1u, 2u}) {
      Query query = Query::from(*stored.table);
      query.where(condition);
      const auto kept = keep(query, options_of(threads));
      ASSERT_TRUE(kept.ok()) << kept.error().message();
      EXPECT_EQ(kept->table.rows(), kept->summary.rows);
      EXPECT_EQ(kept->file->spilled_bytes(), 0u);
      EXPECT_EQ(text_of(Query::from(kept->table)), text_of(query)) << condition;
    }
  }
}

TEST(KeptRows, AreFoundByConditionsAndGroups) {
  const Stored stored(100'000);
  const Query all = Query::from(*stored.table);
  const auto kept = keep(all, options_of(2));
  ASSERT_TRUE(kept.ok());
  const auto ask = [](const Table& table) {
    Query query = Query::from(table);
    query.where("c4 > 10 and c11 < date '1970-02-20' and c15 <> 'word3' and c16 like '%7%'")
        .group_by("c15, c1")
        .select("c15, c1, count(*) as n, sum(c13) as s, min(c16) as least, max(c10) as most")
        .order_by("c15, c1");
    return text_of(query);
  };
  const std::string answer = ask(kept->table);
  EXPECT_EQ(answer, ask(*stored.table));
  EXPECT_NE(answer.find("word7,true,"), std::string::npos);
}

TEST(KeptRows, HaveNumbersInTheOrderOfTheAnswer) {
  const Stored stored(100'000);
  for (const char* condition : {"c0 >= 0", "c0 = 3"}) {
    Query query = Query::from(*stored.table);
    query.where(condition).select("c0, c16").order_by("c16 desc");
    const auto kept = keep(query, options_of(2), "#row");
    ASSERT_TRUE(kept.ok());
    ASSERT_EQ(kept->table.schema().columns.back().name, "#row");
    std::int64_t next = 0;
    for (std::uint64_t group = 0; group < kept->table.row_groups(); ++group) {
      const std::size_t column = 2;
      const std::uint32_t rows = kept->table.row_group(group).rows;
      const auto read = kept->table.read(group, std::span(&column, 1), 0, rows);
      ASSERT_TRUE(read.ok());
      for (std::uint32_t row = 0; row < rows; ++row) {
        ASSERT_EQ(load<std::int64_t>((*read)[0].values.data() + 8 * std::size_t{row}), next++);
      }
    }
    EXPECT_EQ(static_cast<std::uint64_t>(next), kept->summary.rows);
  }
}

TEST(KeptRows, GoToAFileBeyondTheirMemory) {
  const Stored stored(100'000);
  const Query query = Query::from(*stored.table);
  const auto kept = keep(query, options_of(2, 8u << 20));
  ASSERT_TRUE(kept.ok());
  EXPECT_GT(kept->file->spilled_bytes(), 4u << 20);
  EXPECT_EQ(kept->file->size() - kept->file->spilled_bytes(), 2u << 20);
  EXPECT_EQ(text_of(Query::from(kept->table)), text_of(query));
  QueryOptions nowhere = options_of(1, 8u << 20);
  nowhere.temporary_directory = "/no/such/folder";
  const auto failed = keep(query, nowhere);
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().message().find("/no/such/folder"), std::string::npos);
}

TEST(KeptRows, PassErrorsOn) {
  const Stored stored(1000);
  Query query = Query::from(*stored.table);
  query.select("c0, nothing");
  EXPECT_EQ(keep(query, {}).error().code, ErrorCode::kInvalidArgument);
  const std::atomic<bool> cancelled{true};
  QueryOptions options;
  options.cancelled = &cancelled;
  EXPECT_EQ(keep(Query::from(*stored.table), options).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(keep(Query::from(*stored.table), {}, "c3").error().code, ErrorCode::kInvalidArgument);
}

TEST(KeptRows, HoldStringsThatAreLongerThanABlock) {
  KeepingSink sink({});
  TableSchema schema;
  schema.columns.emplace_back().name = "text";
  ASSERT_TRUE(sink.begin(schema).ok());
  ColumnData column;
  column.offsets = {0};
  for (int i = 0; i < 5; ++i) {
    const std::vector<Byte> text(1'300'000u * static_cast<unsigned>(i), static_cast<Byte>('a' + i));
    column.values.append(text);
    column.offsets.push_back(static_cast<std::int64_t>(column.values.size()));
  }
  column.rows = 5;
  const ColumnView view = column.view();
  ASSERT_TRUE(sink.add(std::span(&view, 1)).ok());
  const auto kept = sink.finish();
  ASSERT_TRUE(kept.ok());
  Query query = Query::from(kept->table);
  query.where("text like '%dd%'").select("length(text)");
  EXPECT_EQ(text_of(query), "3900000\n");
}

}  // namespace
}  // namespace presso::query::kept_rows_test
