// SPDX-License-Identifier: MIT
// Columns pass from the reader to the writer without another copy.
#include "tools/columns/load_columns.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "format/columns/bit_copy.h"
#include "presso/ordered_pipeline.h"
#include "presso/query.h"
#include "presso/table_writer.h"
#include "tools/arrow/arrow_file.h"
#include "tools/parquet/parquet_reader.h"

namespace presso::cli {
namespace {

/// The numbers of the columns that are needed. If there are none, the narrowest tells the number of
/// rows.
std::vector<std::size_t> needed_columns(const TableSchema& schema, const ColumnLoad& load) {
  const auto cost = [&](std::size_t column) {
    const ColumnType type = schema.columns[column].type;
    return is_string(type) ? 32u : value_bytes(type);
  };
  std::vector<std::size_t> needed;
  std::size_t cheapest = 0;
  for (std::size_t column = 0; column < schema.columns.size(); ++column) {
    if (!load.needs || load.needs(schema.columns[column].name)) needed.push_back(column);
    if (cost(column) < cost(cheapest)) cheapest = column;
  }
  if (needed.empty()) needed.push_back(cheapest);
  return needed;
}

Result<TableSummary> begun_summary(const ColumnFile& file, std::span<const std::size_t> columns,
                                   unsigned threads) {
  TableSummary summary;
  for (const std::size_t column : columns) {
    summary.schema.columns.push_back(file.schema().columns[column]);
  }
  PRESSO_TRY(file.find_fields(columns, threads, summary.schema));
  summary.findings.resize(columns.size());
  summary.notes = file.notes();
  summary.file_kind = file.kind();
  return summary;
}

void count(std::span<const ColumnView> columns, TableSummary& summary) {
  summary.rows += columns.front().rows;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ColumnView& column = columns[i];
    const std::uint64_t values =
        column.validity == nullptr ? column.rows : count_bits(column.validity, column.rows);
    summary.findings[i].values += values;
    summary.findings[i].nulls += column.rows - values;
    summary.plain_bytes += column.offsets != nullptr
                               ? static_cast<std::uint64_t>(column.offsets[column.rows])
                               : values * value_bytes(column.type);
  }
}

TableWriterOptions writer_options(const ColumnLoad& load) {
  TableWriterOptions options;
  options.compress = load.compress;
  options.quick = load.quick;
  return options;
}

Status finish(TableWriter& writer, TableSummary& summary) {
  PRESSO_ASSIGN(const TableWriterSummary written, writer.close());
  summary.row_groups = written.row_groups;
  summary.compressed_bytes = written.compressed_bytes;
  return {};
}

/// Gives integers, which fit, the width of another type.
void set_width(ColumnType type, ColumnData& column) {
  const std::size_t from = value_bytes(column.type);
  const std::size_t to = value_bytes(type);
  Buffer values;
  values.resize_discarding(static_cast<std::size_t>(column.rows) * to);
  for (std::size_t row = 0; row < column.rows; ++row) {
    const Byte* const at = column.values.data() + row * from;
    const bool negative = is_signed(column.type) && (at[from - 1] & 0x80) != 0;
    std::fill_n(values.data() + row * to, to, negative ? Byte{0xFF} : Byte{0});
    std::copy_n(at, std::min(from, to), values.data() + row * to);
  }
  column.values = std::move(values);
  column.type = type;
}

/// Writes the answer of a query as a table. The query has checked that integers fit into their
/// types, but gives them as they are stored.
class TableAnswer final : public ResultSink {
 public:
  TableAnswer(ByteSink& sink, const ColumnLoad& load, TableSummary& summary)
      : sink_(sink), load_(load), summary_(summary) {}

  Status begin(const TableSchema& schema) override {
    summary_.schema = schema;
    for (ColumnSchema& column : summary_.schema.columns) {
      for (const ColumnSchema& given : load_.types) {
        const bool is_meant = given.name == column.name && is_integer(given.type);
        if (is_meant && is_integer(column.type)) column.type = given.type;
      }
    }
    PRESSO_ASSIGN(writer_, TableWriter::open(sink_, summary_.schema, writer_options(load_)));
    return {};
  }
  Result<bool> write(ResultBatch batch, Buffer) override {
    std::vector<ColumnView> views;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const ColumnType type = summary_.schema.columns[i].type;
      if (batch[i].type != type) set_width(type, batch[i]);
      views.push_back(batch[i].view());
    }
    count(views, summary_);
    PRESSO_TRY(writer_->append(views));
    return true;
  }
  Status close() { return finish(*writer_, summary_); }

 private:
  ByteSink& sink_;
  const ColumnLoad& load_;
  TableSummary& summary_;
  std::optional<TableWriter> writer_;
};

Expression column_named(const std::string& name) {
  Expression column;
  column.kind = Expression::Kind::kColumn;
  column.text = name;
  return column;
}

Error no_column(const std::string& name) {
  return make_error(ErrorCode::kInvalidArgument, "there is no column '" + name + "'");
}

/// All columns of the table in its order, those with another type as casts.
Result<std::vector<NamedExpression>> cast_columns(const Table& table, const ColumnLoad& load) {
  std::vector<NamedExpression> all;
  for (const ColumnSchema& column : table.schema().columns) {
    all.push_back({column_named(column.name), column.name});
  }
  for (const ColumnSchema& given : load.types) {
    const auto at = table.find_column(given.name);
    if (!at) return no_column(given.name);
    Expression cast;
    cast.kind = Expression::Kind::kCast;
    cast.type = type_name(given);
    cast.arguments.push_back(std::move(all[*at].expression));
    all[*at].expression = std::move(cast);
  }
  return all;
}

/// The keys in the order of TableSortOptions: nulls last, and first where it is reversed.
Result<std::vector<SortExpression>> sort_keys(const Table& table, const ColumnLoad& load) {
  std::vector<SortExpression> keys;
  for (const SortBy& by : load.sort.by) {
    if (!table.find_column(by.column)) return no_column(by.column);
    keys.push_back({column_named(by.column), by.descending, by.descending});
  }
  return keys;
}

/// Loads the rows into memory and asks for them in the wanted order and types.
Result<TableSummary> write_arranged_table(const ColumnFile& file, ByteSink& sink,
                                          const ColumnLoad& load) {
  std::vector<Byte> loaded;
  VectorSink memory(loaded);
  ColumnLoad as_it_is = load;
  as_it_is.types.clear();
  as_it_is.sort.by.clear();
  as_it_is.quick = true;
  as_it_is.compress.metadata = {};
  PRESSO_ASSIGN(TableSummary summary, write_column_table(file, memory, as_it_is));
  const MemoryRandomAccess stored(loaded);
  PRESSO_ASSIGN(const Table table, Table::open(stored));
  PRESSO_ASSIGN(std::vector<NamedExpression> columns, cast_columns(table, load));
  PRESSO_ASSIGN(std::vector<SortExpression> keys, sort_keys(table, load));
  Query query = Query::from(table);
  query.select(std::move(columns));
  if (!keys.empty()) query.order_by(std::move(keys));
  QueryOptions options;
  options.threads = load.compress.threads;
  options.memory_bytes = load.sort.memory_bytes;
  options.temporary_directory = load.sort.temporary_directory;
  summary.rows = summary.plain_bytes = 0;
  summary.findings.assign(summary.findings.size(), {});
  TableAnswer answer(sink, load, summary);
  PRESSO_TRY(query.run(options, answer));
  PRESSO_TRY(answer.close());
  return summary;
}

/// Endings of names that promise a file of columns, and how such a file begins.
struct Promise {
  std::string_view suffix;
  const char* text;
};
constexpr Promise kPromises[] = {
    {".parquet", "is no Parquet file, as its name says: it does not begin with PAR1"},
    {".ipc", "is no Arrow file, as its name says: it does not begin with ARROW1"},
    {".arrow", "is no Arrow file, as its name says: it does not begin with ARROW1"},
    {".feather",
     "is no Feather file of version 2, as its name says: it does not begin with ARROW1"},
    {".arrows", "is no Arrow stream, as its name says: it does not begin with a message"},
};

}  // namespace

bool begins_columns(Bytes begun) {
  return begins_parquet(begun) || begins_arrow(begun);
}

Result<std::unique_ptr<ColumnFile>> open_columns(const RandomAccess& file) {
  Byte begun[8] = {};
  PRESSO_TRY(file.read_at(0, MutableBytes(begun).first(std::min<std::uint64_t>(file.size(), 8))));
  std::unique_ptr<ColumnFile> opened;
  if (begins_parquet(begun)) {
    PRESSO_ASSIGN(opened, ParquetReader::open(file));
  } else {
    PRESSO_ASSIGN(opened, ArrowFile::open(file));
  }
  return opened;
}

std::string_view column_suffix(std::string_view name) {
  for (const Promise& promise : kPromises) {
    if (name.size() > promise.suffix.size() && name.ends_with(promise.suffix)) {
      return promise.suffix;
    }
  }
  return {};
}

Status check_promise(const std::string& name) {
  for (const Promise& promise : kPromises) {
    if (name.ends_with(promise.suffix)) {
      return make_error(ErrorCode::kInvalidArgument, promise.text);
    }
  }
  return {};
}

Result<TableSummary> write_column_table(const ColumnFile& file, ByteSink& sink,
                                        const ColumnLoad& load) {
  if (!load.types.empty() || !load.sort.by.empty()) return write_arranged_table(file, sink, load);
  const std::vector<std::size_t> columns = needed_columns(file.schema(), load);
  const unsigned threads = threads_or_all(load.compress.threads);
  PRESSO_ASSIGN(TableSummary summary, begun_summary(file, columns, threads));
  PRESSO_ASSIGN(TableWriter writer, TableWriter::open(sink, summary.schema, writer_options(load)));
  if (!load.names_only) {
    PRESSO_TRY(file.read(columns, threads, [&](std::span<const ColumnView> views) {
      count(views, summary);
      return writer.append(views);
    }));
  }
  PRESSO_TRY(finish(writer, summary));
  return summary;
}

Result<TableSummary> describe_columns(const ColumnFile& file, unsigned threads) {
  const std::vector<std::size_t> columns = needed_columns(file.schema(), {});
  threads = threads_or_all(threads);
  PRESSO_ASSIGN(TableSummary summary, begun_summary(file, columns, threads));
  PRESSO_TRY(file.read(columns, threads, [&](std::span<const ColumnView> views) {
    count(views, summary);
    return Status();
  }));
  return summary;
}

}  // namespace presso::cli
