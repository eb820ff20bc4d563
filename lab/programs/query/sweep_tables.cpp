// SPDX-License-Identifier: MIT
#include "lab/programs/query/sweep_tables.h"

#include <algorithm>

#include "corpora/random.h"
#include "presso/table_writer.h"

namespace presso::query {
namespace {

using corpora::Random;

/// Values of a batch, by the columns' names.
class NumberRows {
 public:
  explicit NumberRows(std::uint64_t rows) : rows_(rows) {}

  void fill(std::uint64_t first, std::vector<std::vector<std::int32_t>>& columns) {
    for (auto& column : columns) column.clear();
    for (std::uint64_t row = first; row < std::min(rows_, first + kBatch); ++row) {
      const std::uint32_t a = random_.below(1u << 12);
      const std::uint32_t values[] = {
          a,
          random_.below(1u << 14),
          random_.below(1u << 16),
          random_.below(1u << 20),
          static_cast<std::uint32_t>((row << 16) / rows_),
          run(row),
          std::min(16 * a + random_.below(1u << 12), (1u << 16) - 1),
          (1u << 16) - 1 - std::min(16 * a + random_.below(1u << 12), (1u << 16) - 1),
      };
      for (std::size_t i = 0; i < columns.size(); ++i) {
        columns[i].push_back(static_cast<std::int32_t>(values[i]));
      }
    }
  }

  static constexpr std::uint64_t kBatch = 1u << 18;

 private:
  /// Another value every 1,000 to 9,000 rows, and a little noise.
  std::uint32_t run(std::uint64_t row) {
    if (row >= run_end_) {
      run_end_ = row + 1000 + random_.below(8000);
      run_value_ = random_.below((1u << 16) - 64);
    }
    return run_value_ + random_.below(64);
  }

  std::uint64_t rows_;
  Random random_{1};
  std::uint64_t run_end_ = 0;
  std::uint32_t run_value_ = 0;
};

/// A sentence of 2 to 8 words; the first words come most often.
void add_note(Random& random, const std::vector<std::string>& words, std::string& text) {
  for (std::uint32_t left = 2 + random.below(7); left > 0; --left) {
    text += words[random.skewed(static_cast<std::uint32_t>(words.size()))];
    if (left > 1) text += ' ';
  }
}

std::vector<std::string> make_words() {
  Random random(5);
  std::vector<std::string> words;
  for (int i = 0; i < 1000; ++i) {
    std::string word;
    for (std::uint32_t left = 3 + random.below(7); left > 0; --left) {
      word.push_back(static_cast<char>('a' + random.skewed(26)));
    }
    words.push_back(word);
  }
  words[900] = "special";   // in about 0.1 % of the rows
  words[100] = "requests";  // in some per cent
  words[5] = "deposits";    // in a third
  return words;
}

ColumnSchema schema_named(std::string name, ColumnType type) {
  ColumnSchema column;
  column.name = std::move(name);
  column.type = type;
  column.nullable = false;
  return column;
}

ColumnView view_of(const std::vector<std::int32_t>& values) {
  ColumnView view;
  view.type = ColumnType::kInt32;
  view.rows = values.size();
  view.values = reinterpret_cast<const Byte*>(values.data());
  return view;
}

TableWriterOptions writer_options() {
  TableWriterOptions options;
  options.group_rows = 1u << 20;
  options.compress.threads = 1;
  return options;
}

}  // namespace

const std::vector<SweptColumn>& swept_columns() {
  static const std::vector<SweptColumn> columns = {{"a", 12},    {"b", 14},      {"c", 16},
                                                   {"d", 20},    {"sorted", 16}, {"runs", 16},
                                                   {"near", 16}, {"far", 16}};
  return columns;
}

Result<std::vector<Byte>> make_number_table(std::uint64_t rows) {
  TableSchema schema;
  for (const SweptColumn& column : swept_columns()) {
    schema.columns.push_back(schema_named(column.name, ColumnType::kInt32));
  }
  std::vector<Byte> file;
  VectorSink sink(file);
  PRESSO_ASSIGN(TableWriter writer, TableWriter::open(sink, schema, writer_options()));
  NumberRows source(rows);
  std::vector<std::vector<std::int32_t>> values(schema.columns.size());
  for (std::uint64_t row = 0; row < rows; row += NumberRows::kBatch) {
    source.fill(row, values);
    std::vector<ColumnView> views;
    for (const auto& column : values) views.push_back(view_of(column));
    PRESSO_TRY(writer.append(views));
  }
  PRESSO_ASSIGN(const TableWriterSummary summary, writer.close());
  (void)summary;
  return file;
}

Result<std::vector<Byte>> make_text_table(std::uint64_t rows) {
  TableSchema schema;
  schema.columns = {schema_named("a", ColumnType::kInt32), schema_named("b", ColumnType::kInt32),
                    schema_named("note", ColumnType::kUtf8)};
  std::vector<Byte> file;
  VectorSink sink(file);
  PRESSO_ASSIGN(TableWriter writer, TableWriter::open(sink, schema, writer_options()));
  const std::vector<std::string> words = make_words();
  Random random(2);
  for (std::uint64_t row = 0; row < rows;) {
    std::vector<std::int32_t> a, b;
    std::string text;
    std::vector<std::int64_t> offsets = {0};
    for (const std::uint64_t end = std::min(rows, row + NumberRows::kBatch); row < end; ++row) {
      a.push_back(static_cast<std::int32_t>(random.below(1u << 12)));
      b.push_back(static_cast<std::int32_t>(random.below(1u << 14)));
      add_note(random, words, text);
      offsets.push_back(static_cast<std::int64_t>(text.size()));
    }
    ColumnView note;
    note.type = ColumnType::kUtf8;
    note.rows = a.size();
    note.values = reinterpret_cast<const Byte*>(text.data());
    note.offsets = offsets.data();
    const ColumnView views[] = {view_of(a), view_of(b), note};
    PRESSO_TRY(writer.append(views));
  }
  PRESSO_ASSIGN(const TableWriterSummary summary, writer.close());
  (void)summary;
  return file;
}

}  // namespace presso::query
