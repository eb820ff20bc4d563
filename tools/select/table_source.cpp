// SPDX-License-Identifier: MIT
// From names to tables with the same columns.
#include "tools/select/table_source.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "format/columns/text_encoding.h"
#include "format/columns/time_format.h"
#include "format/columns/value_text.h"
#include "format/suggest.h"
#include "tools/io/input_file.h"
#include "tools/select/table_files.h"

namespace presso::cli {
namespace {

constexpr const char* kFileColumn = "filename";

Error refused(const SqlSourceOption& option, const std::string& what) {
  Error error = make_error(ErrorCode::kInvalidArgument, "option " + option.name + ": " + what);
  error.byte_offset = option.offset;
  return error;
}

Result<std::string> text_of(const SqlSourceOption& option) {
  if (option.values.size() == 1) return option.values[0];
  return refused(option, "takes one value, not a list");
}

Result<bool> truth_of(const SqlSourceOption& option) {
  PRESSO_ASSIGN(const std::string text, text_of(option));
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return refused(option, "takes true or false");
}

/// One byte; `none` is what an empty text means.
Result<Byte> byte_of(const SqlSourceOption& option, std::optional<Byte> none) {
  PRESSO_ASSIGN(const std::string text, text_of(option));
  if (text == "\\t") return Byte{'\t'};
  if (text.empty() && none) return *none;
  if (text.size() == 1) return static_cast<Byte>(text[0]);
  return refused(option, "takes one byte");
}

using ApplyOption = Status (*)(const SqlSourceOption&, TableSource&);

Status apply_delimiter(const SqlSourceOption& option, TableSource& source) {
  PRESSO_ASSIGN(source.text.options.text.delimiter, byte_of(option, std::nullopt));
  return {};
}
Status apply_nulls(const SqlSourceOption& option, TableSource& source) {
  TableTextOptions& text = source.text.options.text;
  if (option.values.empty()) return refused(option, "takes texts");
  text.null_text = option.values[0];
  text.null_words.assign(option.values.begin() + 1, option.values.end());
  return {};
}
Status apply_date_format(const SqlSourceOption& option, TableSource& source) {
  PRESSO_ASSIGN(const std::string text, text_of(option));
  PRESSO_ASSIGN(const TimeFormat format, TimeFormat::compile(text));
  if (!format.tells_day()) return refused(option, "tells no day");
  source.text.options.text.date_formats.push_back(text);
  return {};
}
Status apply_nothing(const SqlSourceOption&, TableSource&) {
  return {};
}

/// The options by their names in DuckDB. Those without effect tune its reader, or switch on what is
/// always done here.
constexpr std::array<std::pair<std::string_view, ApplyOption>, 30> kOptions = {{
    {"delim", apply_delimiter},
    {"sep", apply_delimiter},
    {"delimiter", apply_delimiter},
    {"header",
     [](const SqlSourceOption& option, TableSource& source) -> Status {
       PRESSO_ASSIGN(source.text.options.text.header, truth_of(option));
       return {};
     }},
    {"quote",
     [](const SqlSourceOption& option, TableSource& source) -> Status {
       PRESSO_ASSIGN(source.text.options.text.quote, byte_of(option, Byte{0}));
       return {};
     }},
    {"escape",
     [](const SqlSourceOption& option, TableSource& source) -> Status {
       PRESSO_ASSIGN(const Byte escape, byte_of(option, Byte{0}));
       // A quote that is doubled is what every reader knows.
       source.text.options.text.escape = escape == '"' ? Byte{0} : escape;
       return {};
     }},
    {"comment",
     [](const SqlSourceOption& option, TableSource& source) -> Status {
       PRESSO_ASSIGN(source.text.options.text.comment, byte_of(option, Byte{0}));
       return {};
     }},
    {"encoding",
     [](const SqlSourceOption& option, TableSource& source) -> Status {
       PRESSO_ASSIGN(const std::string text, text_of(option));
       source.text.options.text.encoding = encoding_of_name(text);
       if (source.text.options.text.encoding) return {};
       return refused(option, "takes utf-8, utf-16, utf-16le, utf-16be, latin-1 or windows-1252");
     }},
    {"skip",
     [](const SqlSourceOption& option, TableSource& source) -> Status {
       PRESSO_ASSIGN(const std::string text, text_of(option));
       std::uint64_t& lines = source.text.options.text.skip_lines;
       const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), lines);
       if (problem == std::errc() && end == text.data() + text.size() && lines <= 1u << 20)
         return {};
       return refused(option, "takes a number of lines, up to 1048576");
     }},
    {"nullstr", apply_nulls},
    {"null", apply_nulls},
    {"decimal_separator",
     [](const SqlSourceOption& option, TableSource& source) -> Status {
       PRESSO_ASSIGN(source.text.options.text.decimal, byte_of(option, std::nullopt));
       const Byte point = *source.text.options.text.decimal;
       return point == '.' || point == ',' ? Status() : Status(refused(option, "takes . or ,"));
     }},
    {"dateformat", apply_date_format},
    {"timestampformat", apply_date_format},
    {"date_format", apply_date_format},
    {"null_padding",
     [](const SqlSourceOption& option, TableSource& source) -> Status {
       PRESSO_ASSIGN(source.text.options.text.fill, truth_of(option));
       return {};
     }},
    {"union_by_name",
     [](const SqlSourceOption& option, TableSource& source) -> Status {
       PRESSO_ASSIGN(source.set.union_by_name, truth_of(option));
       return {};
     }},
    {"filename",
     [](const SqlSourceOption& option, TableSource& source) -> Status {
       PRESSO_ASSIGN(source.set.filename, truth_of(option));
       return {};
     }},
    {"hive_partitioning",
     [](const SqlSourceOption& option, TableSource& source) -> Status {
       PRESSO_ASSIGN(source.set.partitions, truth_of(option));
       return {};
     }},
    {"auto_detect", apply_nothing},
    {"sample_size", apply_nothing},
    {"parallel", apply_nothing},
    {"buffer_size", apply_nothing},
    {"max_line_size", apply_nothing},
    {"maximum_line_size", apply_nothing},
    {"maximum_object_size", apply_nothing},
    {"format", apply_nothing},
    {"records", apply_nothing},
    {"hive_types_autocast", apply_nothing},
    {"compression", apply_nothing},
}};

/// Whether all of the values are of the type; such values print as they are parsed, except whole
/// numbers, which may have zeros before them.
bool are_all(const std::vector<std::optional<std::string>>& values, const ColumnSchema& type) {
  return std::all_of(values.begin(), values.end(), [&type](const auto& value) {
    if (!value) return true;
    Byte parsed[16];
    return parse_value(type, {reinterpret_cast<const Byte*>(value->data()), value->size()}, parsed);
  });
}

/// A whole number without the zeros before it.
std::string without_zeros(const std::string& text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  std::size_t begin = sign;
  while (begin + 1 < text.size() && text[begin] == '0') ++begin;
  const std::string digits = text.substr(begin);
  return digits == "0" || sign == 0 ? digits : "-" + digits;
}

/// A column that is added to all files of a source: its type and its value in each file.
struct AddedColumn {
  ColumnSchema schema;
  std::vector<std::optional<std::string>> values;
};

/// Whole numbers, dates and timestamps are taken as such if all values are; else they are text.
void set_type(AddedColumn& column) {
  std::vector<std::optional<std::string>> numbers = column.values;
  for (auto& value : numbers) {
    if (value) value = without_zeros(*value);
  }
  const bool has_value = std::any_of(numbers.begin(), numbers.end(),
                                     [](const auto& value) { return value.has_value(); });
  for (const ColumnType type : {ColumnType::kInt64, ColumnType::kDate32, ColumnType::kTimestamp}) {
    ColumnSchema schema;
    schema.name = column.schema.name;
    schema.type = type;
    const auto& values = type == ColumnType::kInt64 ? numbers : column.values;
    if (!has_value || !are_all(values, schema)) continue;
    column.values = values;
    column.schema = std::move(schema);
    return;
  }
}

bool takes_partitions(const TableSource& source) {
  return source.set.partitions.value_or(source.has_many);
}

/// The columns of paths: those of keys in the order of their first file, then the name.
std::vector<AddedColumn> added_columns(const TableSource& source,
                                       const std::vector<std::string>& paths) {
  std::vector<AddedColumn> added;
  for (std::size_t file = 0; takes_partitions(source) && file < paths.size(); ++file) {
    for (auto& [name, value] : keys_of_path(paths[file])) {
      const std::string& key = name;  // a lambda cannot capture a binding
      auto found = std::find_if(added.begin(), added.end(),
                                [&key](const auto& each) { return each.schema.name == key; });
      if (found == added.end()) {
        found = added.emplace(added.end());
        found->schema.name = key;
        found->values.resize(paths.size());
      }
      found->values[file] = std::move(value);
    }
  }
  for (AddedColumn& column : added) set_type(column);
  if (source.set.filename) {
    AddedColumn& column = added.emplace_back();
    column.schema.name = kFileColumn;
    for (const std::string& path : paths) column.values.emplace_back(shown_name(path));
  }
  return added;
}

/// A table with the added columns. A key of the path takes the place of a column of its name.
Result<Table> with_added(const Table& table, const std::vector<AddedColumn>& added,
                         std::size_t file) {
  std::vector<ArrangedColumn> columns;
  for (std::size_t i = 0; i < table.schema().columns.size(); ++i) {
    columns.push_back({table.schema().columns[i], i});
  }
  for (const AddedColumn& column : added) {
    auto found = std::find_if(columns.begin(), columns.end(), [&column](const auto& each) {
      return each.schema.name == column.schema.name;
    });
    if (found != columns.end() && column.schema.name == kFileColumn) {
      return make_error(ErrorCode::kInvalidArgument,
                        "has a column 'filename' itself; leave out the option for the file's name");
    }
    if (found == columns.end()) found = columns.emplace(columns.end());
    *found = {column.schema, std::nullopt, column.values[file]};
  }
  return table.arranged(std::move(columns));
}

bool is_all_null(const Table& table, std::size_t column) {
  std::uint64_t nulls = 0;
  for (std::uint64_t group = 0; group < table.row_groups(); ++group) {
    nulls += table.column(group, column).nulls;
  }
  return nulls == table.rows();
}

/// Takes the numbers of files from the only column of an answer.
class FileNumbers final : public ResultSink {
 public:
  explicit FileNumbers(std::vector<bool>& files) : files_(files) {}
  Result<bool> write(ResultBatch batch, Buffer) override {
    const ColumnView numbers = batch[0].view();
    for (std::uint64_t row = 0; row < numbers.rows; ++row) {
      files_[static_cast<std::size_t>(load<std::int64_t>(numbers.values + 8 * row))] = true;
    }
    return true;
  }

 private:
  std::vector<bool>& files_;
};

/// Adds the operands of AND.
void add_conjuncts(const Expression& tree, std::vector<Expression>& to) {
  if (tree.kind != Expression::Kind::kOperator || tree.op != Expression::Op::kAnd) {
    to.push_back(tree);
    return;
  }
  for (const Expression& operand : tree.arguments) add_conjuncts(operand, to);
}

}  // namespace

std::vector<std::string> added_names(const TableSource& source) {
  std::vector<std::string> names;
  for (const AddedColumn& column : added_columns(source, source.paths)) {
    names.push_back(column.schema.name);
  }
  return names;
}

/// Each file is a row with its added columns. A condition that needs other columns cannot be
/// prepared and rules out no file, and neither does one that fails.
Result<std::vector<bool>> files_ruled_out(const TableSource& source, const std::string& alias,
                                          std::span<const Expression> conditions) {
  std::vector<bool> ruled_out(source.paths.size());
  std::vector<AddedColumn> added = added_columns(source, source.paths);
  if (added.empty() || conditions.empty()) return ruled_out;
  AddedColumn& number = added.emplace_back();
  number.schema.name = "#file";
  number.schema.type = ColumnType::kInt64;
  for (std::size_t i = 0; i < source.paths.size(); ++i) {
    number.values.emplace_back(std::to_string(i));
  }
  constexpr std::string_view kOneRow = "#\n1\n";
  MemorySource text({reinterpret_cast<const Byte*>(kOneRow.data()), kOneRow.size()});
  std::vector<Byte> bytes;
  VectorSink sink(bytes);
  TableOptions options;
  options.text.kind = TextKind::kDelimited;
  options.text.delimiter = Byte{','};
  options.text.header = true;
  options.text.comment = Byte{0};
  PRESSO_TRY(compress_table(text, nullptr, sink, options));
  const MemoryRandomAccess file(bytes);
  PRESSO_ASSIGN(const Table one_row, Table::open(file));
  std::vector<Table> rows;
  for (std::size_t i = 0; i < source.paths.size(); ++i) {
    PRESSO_ASSIGN(Table row, with_added(one_row, added, i));
    rows.push_back(std::move(row));
  }
  std::vector<Expression> conjuncts;
  for (const Expression& condition : conditions) add_conjuncts(condition, conjuncts);
  for (const Expression& condition : conjuncts) {
    Query query = Query::from(rows, source.paths);
    query.as(alias).where(condition).select({NamedExpression{column("#file"), "#file"}});
    std::vector<bool> fits(source.paths.size());
    FileNumbers numbers(fits);
    if (!query.run({}, numbers).ok()) continue;
    for (std::size_t i = 0; i < fits.size(); ++i) ruled_out[i] = ruled_out[i] || !fits[i];
  }
  return ruled_out;
}

Status find_files(TableSource& source) {
  source.paths.clear();
  source.has_many = source.names.size() > 1;
  for (const std::string& name : source.names) {
    auto found = files_of_name(name);
    if (!found.ok()) {
      found.error().what = shown_name(name) + ": " + found.error().what;
      return std::move(found.error());
    }
    source.has_many = source.has_many || found->is_set;
    source.paths.insert(source.paths.end(), found->paths.begin(), found->paths.end());
  }
  return {};
}

Status apply_reader_options(const SqlSource& from, TableSource& source) {
  if (from.reader.starts_with("read_csv") && source.text.options.text.kind == TextKind::kNone) {
    source.text.options.text.kind = TextKind::kDelimited;
  }
  for (const SqlSourceOption& option : from.options) {
    const auto known = std::find_if(kOptions.begin(), kOptions.end(), [&option](const auto& each) {
      return each.first == option.name;
    });
    if (known == kOptions.end()) {
      std::vector<std::string> names;
      for (const auto& [name, apply] : kOptions) {
        if (apply != apply_nothing) names.emplace_back(name);
      }
      std::string all;
      for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
      return refused(option,
                     "is not supported" + did_you_mean(option.name, names) + "; there are " + all);
    }
    PRESSO_TRY(known->second(option, source));
  }
  return {};
}

Result<UnitedTables> tables_of(const OpenedSource& source, const QueryOptions& options) {
  std::vector<std::string> paths;
  for (const auto& input : source.inputs) paths.push_back(input->path());
  const std::vector<AddedColumn> added = added_columns(*source.about, paths);
  std::vector<Table> tables;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < source.inputs.size(); ++i) {
    names.push_back(source.inputs[i]->name());
    if (added.empty()) {
      tables.push_back(source.inputs[i]->table());
      continue;
    }
    auto table = with_added(source.inputs[i]->table(), added, i);
    if (!table.ok()) {
      table.error().what = names[i] + ": " + table.error().what;
      return std::move(table.error());
    }
    tables.push_back(std::move(*table));
  }
  return with_common_columns(std::move(tables), names, source.about->set.union_by_name, options);
}

Result<std::vector<std::vector<ColumnSchema>>> types_to_load(const OpenedSource& source) {
  std::vector<std::vector<ColumnSchema>> types(source.inputs.size());
  std::vector<Table> tables;
  for (const auto& input : source.inputs) tables.push_back(input->table());
  PRESSO_ASSIGN(const TableSchema common, common_columns(tables, {}, true));
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (!source.inputs[i]->can_load_again()) continue;
    for (const ColumnSchema& column : common.columns) {
      const auto at = tables[i].find_column(column.name);
      if (!at || is_all_null(tables[i], *at) ||
          type_name(tables[i].schema().columns[*at]) == type_name(column)) {
        continue;
      }
      types[i].push_back(column);
    }
  }
  return types;
}

}  // namespace presso::cli
