// SPDX-License-Identifier: MIT
// Every flag of a table remembers how it was spelled, so that it can be refused by name without
// --table, or for JSON lines, which have no delimiters. A value is checked as far as it can be
// without the text: types have to exist, columns are compared with the header later. Tested by
// tests/cli/test_table.py.
#include "tools/compress/flags_table.h"

#include <fstream>
#include <sstream>

#include "format/columns/text_encoding.h"
#include "format/columns/time_format.h"
#include "tools/cli/bind.h"
#include "tools/compress/sort_by.h"
#include "tools/io/flags_files.h"

namespace presso::cli {
namespace {

constexpr std::size_t kMostDateFormats = 8;

/// The error for a value, which names the flag as it was spelled.
Error bad_value(const Given& given, std::string_view what) {
  return make_error(ErrorCode::kInvalidArgument,
                    given.spelled + ": '" + given.value + "' " + std::string(what));
}

/// Reads one byte: "tab", "\t" or the byte itself. More than one byte is refused, since the parser
/// of rows compares bytes.
Result<Byte> parse_byte(const Given& given) {
  if (given.value == "tab" || given.value == "\\t") return Byte{'\t'};
  if (given.value.size() == 1) return static_cast<Byte>(given.value[0]);
  return bad_value(given, "is not one byte, nor 'tab'");
}

/// Applies `apply` and remembers that the flag means nothing without --table. CompressCommand
/// refuses it by that name.
Apply of_table(TableFlags& flags, Apply apply) {
  return [&flags, apply = std::move(apply)](const Given& given) {
    flags.needs_table = given.spelled;
    return apply(given);
  };
}

/// Does that for a flag that also means nothing for JSON lines.
Apply of_delimited(TableFlags& flags, Apply apply) {
  return of_table(flags, [&flags, apply = std::move(apply)](const Given& given) {
    flags.needs_delimiter = given.spelled;
    return apply(given);
  });
}

/// Parses the value of --schema, "name:type,name:type". A name may hold colons, and a type
/// decimal(p,s) its comma. Line feeds separate as well as commas, so that a file may have one
/// column on a line.
Result<std::vector<ColumnSchema>> parse_types(const std::string& text) {
  std::vector<ColumnSchema> columns;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = begin;
    // A comma within parentheses belongs to the type.
    int depth = 0;
    for (; end < text.size() && (depth > 0 || (text[end] != ',' && text[end] != '\n')); ++end) {
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    }
    std::string item = text.substr(begin, end - begin);
    begin = end + 1;
    while (!item.empty() && (item.back() == '\r' || item.back() == ' ')) item.pop_back();
    item.erase(
        0, item.find_first_not_of(' ') == item.npos ? item.size() : item.find_first_not_of(' '));
    if (item.empty()) continue;
    // The last colon separates, as a type has none.
    const std::size_t colon = item.rfind(':');
    if (colon == item.npos || colon == 0) {
      return make_error(ErrorCode::kInvalidArgument, "'" + item + "' is not of the form NAME:TYPE");
    }
    PRESSO_ASSIGN(ColumnSchema column, parse_sql_type(std::string_view(item).substr(colon + 1)));
    column.name = item.substr(0, colon);
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Parses --schema: types in the value itself, or in the file that it names if it holds no colon.
/// The file is read as a whole; an error names the flag and not a line.
Status parse_schema(const Given& given, std::vector<ColumnSchema>& types) {
  std::string text = given.value;
  if (text.find(':') == text.npos) {
    std::ifstream file(text, std::ios::binary);
    std::ostringstream content;
    if (!file || !(content << file.rdbuf())) {
      return bad_value(given, "is neither NAME:TYPE,... nor a file that can be read");
    }
    text = content.str();
  }
  auto parsed = parse_types(text);
  if (!parsed.ok()) {
    return make_error(ErrorCode::kInvalidArgument, given.spelled + ": " + parsed.error().what);
  }
  types = std::move(*parsed);
  return {};
}

/// Sets what a kind of text implies. A delimiter or header that was given before is kept. `kind` is
/// one of auto, csv, tsv, tbl and jsonl.
Status apply_text_kind(const std::string& kind, TableTextOptions& text) {
  text.kind = kind == "auto"    ? TextKind::kNone
              : kind == "jsonl" ? TextKind::kJsonLines
                                : TextKind::kDelimited;
  if (kind == "csv" && !text.delimiter) text.delimiter = Byte{','};
  if (kind == "tsv" && !text.delimiter) text.delimiter = Byte{'\t'};
  // dbgen writes no header, no quotes, and a delimiter after the last field too.
  if (kind == "tbl") {
    text.delimiter = Byte{'|'};
    text.quote = Byte{0};
    text.trailing_delimiter = true;
    if (!text.header) text.header = false;
  }
  return {};
}

}  // namespace

/// The flag has the category of plain input, as the other flags of text have in those commands.
Flag input_flag(TableFlags& flags) {
  return {.name = "input",
          .value_name = "KIND",
          .category = kPlainInput,
          .brief = "how inputs that are not tables are written: auto, csv, tsv, tbl, jsonl",
          .text =
              "Such files, also as .gz, .zst, .lz4 or compressed by presso, are loaded into "
              "memory. --table, as 'presso compress' calls it, is the same.",
          .choices = {"auto", "csv", "tsv", "tbl", "jsonl"},
          .default_value = "auto",
          .aliases = {"table"},
          .apply = [&flags](const Given& given) {
            return apply_text_kind(given.value, flags.options.text);
          }};
}

/// The flags about how rows are written as text, each of which implies --table. Each is refused for
/// JSON lines, except --schema.
std::vector<Flag> table_text_flags(TableFlags& flags) {
  TableTextOptions& text = flags.options.text;
  const auto byte_into = [](std::optional<Byte>& target) {
    return [&target](const Given& given) -> Status {
      PRESSO_ASSIGN(target, parse_byte(given));
      return {};
    };
  };
  const auto byte_or_none_into = [](std::optional<Byte>& target) {
    return [&target](const Given& given) -> Status {
      if (given.value == "none") {
        target = Byte{0};
        return {};
      }
      PRESSO_ASSIGN(target, parse_byte(given));
      return {};
    };
  };
  return {
      {.name = "schema",
       .value_name = "TYPES",
       .category = kTables,
       .brief = "types of columns: NAME:TYPE,... or a file with them",
       .text = "Of columns that are not named the type is found out. Types: bool, int8 to int64, "
               "uint8 to uint64, float, double, date, timestamp(s|ms|us|ns), decimal(P,S), utf8, "
               "binary, and SQL's names, such as bigint and varchar. Values are converted: 007 and "
               "3.0 to integers, 1 and y to bool. One that cannot be is an error.",
       .apply = of_table(
           flags,
           [&flags](const Given& given) { return parse_schema(given, flags.options.types); })},
      {.name = "encoding",
       .value_name = "NAME",
       .category = kTables,
       .brief = "of the text: auto, utf-8, utf-16, utf-16le, utf-16be, latin-1, windows-1252",
       .text = "The table holds UTF-8; 'presso decompress' gives the bytes back as they were. auto "
               "finds out UTF-16 and takes all other text as UTF-8.",
       .choices = {"auto", "utf-8", "utf-16", "utf-16le", "utf-16be", "latin-1", "windows-1252"},
       .default_value = "auto",
       .apply = of_table(flags,
                         [&text](const Given& given) -> Status {
                           text.encoding = encoding_of_name(given.value);
                           return {};
                         })},
      {.name = "header",
       .value_name = "WHEN",
       .category = kTables,
       .brief = "whether the first row holds the names: yes, no, auto",
       .choices = {"auto", "yes", "no"},
       .default_value = "auto",
       .apply = of_delimited(flags,
                             [&text](const Given& given) -> Status {
                               text.header.reset();
                               if (given.value != "auto") text.header = given.value == "yes";
                               return {};
                             })},
      {.name = "delimiter",
       .value_name = "BYTE",
       .category = kTables,
       .brief = "what stands between fields; 'tab' is a tab",
       .default_value = "found out",
       .apply = of_delimited(flags, byte_into(text.delimiter))},
      {.name = "quote",
       .value_name = "BYTE",
       .category = kTables,
       .brief = "what fields may be enclosed in, or 'none'",
       .default_value = "found out: \", ' or none",
       .apply = of_delimited(flags, byte_or_none_into(text.quote))},
      {.name = "null",
       .value_name = "TEXT",
       .category = kTables,
       .brief = "a field that is exactly this and not in quotes has no value; may be repeated",
       .text = "With it an empty field is an empty string in columns of text, unless --null '' is "
               "given, too.",
       .default_value = "an empty field",
       .apply = of_delimited(flags,
                             [&text, is_first = true](const Given& given) mutable -> Status {
                               if (!is_first) text.null_words.push_back(given.value);
                               if (is_first) text.null_text = given.value;
                               is_first = false;
                               return {};
                             })},
      {.name = "decimal",
       .value_name = "BYTE",
       .category = kTables,
       .brief = "the decimal point of numbers: '.' or ','; the other one separates thousands",
       .choices = {".", ","},
       .default_value = "found out",
       .apply = of_delimited(flags,
                             [&text](const Given& given) -> Status {
                               text.decimal = static_cast<Byte>(given.value[0]);
                               return {};
                             })},
      {.name = "date-format",
       .value_name = "FORMAT",
       .category = kTables,
       .brief = "how dates and times are written, such as %d.%m.%Y; may be repeated",
       .text = "The specifiers are those of strptime() in SQL. A column that is otherwise text, or "
               "a date, has the type of the first format that reads all of its values.",
       .apply = of_table(flags,
                         [&text](const Given& given) -> Status {
                           const auto format = TimeFormat::compile(given.value);
                           if (!format.ok())
                             return bad_value(given, "is no format: " + format.error().what);
                           if (!format->tells_day()) return bad_value(given, "tells no day");
                           if (text.date_formats.size() == kMostDateFormats) {
                             return bad_value(given, "is one of more than 8 formats");
                           }
                           text.date_formats.push_back(given.value);
                           return {};
                         })},
      {.name = "comment",
       .value_name = "BYTE",
       .category = kTables,
       .brief = "lines that begin with it are not rows, or 'none'",
       .default_value = "#, where such lines have other fields than the rows",
       .apply = of_delimited(flags, byte_or_none_into(text.comment))},
      {.name = "escape",
       .value_name = "BYTE",
       .category = kTables,
       .brief = "in quotes, the byte after it is part of the value; or 'none'",
       .default_value = "a backslash, where quotes cannot be read otherwise",
       .apply = of_delimited(flags, byte_or_none_into(text.escape))},
      {.name = "skip",
       .value_name = "N",
       .category = kTables,
       .brief = "lines before the header that are not rows",
       .default_value = "0",
       .apply = of_delimited(flags, count_into(text.skip_lines, 0, 1u << 20))},
      {.name = "ragged",
       .value_name = "HOW",
       .category = kTables,
       .brief = "rows with fewer fields: error, or fill, where the others have no value",
       .text = "A row with too many fields is always an error.",
       .choices = {"error", "fill"},
       .default_value = "error",
       .apply = of_delimited(flags,
                             [&text](const Given& given) -> Status {
                               text.fill = given.value == "fill";
                               return {};
                             })},
      {.name = "bad-rows",
       .value_name = "FILE",
       .category = kTables,
       .brief = "write rows that do not fit to FILE instead of failing",
       .text = "Rows with the wrong number of fields, lines that are not a JSON object, and rows "
               "with a value that is not of the type given by --schema are written there as they "
               "stood, in their order. The table is made of the others.",
       .completion = Completion::kFile,
       .apply = of_table(flags,
                         [&flags](const Given& given) -> Status {
                           flags.bad_rows = given.value;
                           if (!given.value.empty() && given.value != "-") return {};
                           return bad_value(given, "is not the name of a file");
                         })},
  };
}

namespace {

/// The flags about how the table is made and what is said about it. They change the file but not
/// how its text is read.
std::vector<Flag> table_making_flags(TableFlags& flags) {
  return {
      {.name = "exact",
       .category = kTables,
       .brief = "keep what is needed to give the text back byte for byte",
       .default_value = "on",
       .negation = "no-exact",
       .apply = of_table(flags,
                         [&flags](const Given& given) -> Status {
                           flags.options.exact = !given.negated;
                           flags.asks_for_exact = !given.negated;
                           return {};
                         })},
      {.name = "sort-by",
       .value_name = "COLUMNS",
       .category = kTables,
       .brief = "store the rows sorted by these columns: 'day,price desc'; implies --no-exact",
       .text = "The text comes back in this order, its header first. Each column may have asc or "
               "desc after it; a name with a comma, or with one of these words, stands in double "
               "quotes. Nulls are last, with desc first; rows that are equal in these columns keep "
               "their order. Readers skip more of a sorted table, and sorted columns are smaller. "
               "What takes more than 256M in memory is sorted in a temporary file in $TMPDIR, or "
               "in /tmp.",
       .apply = of_table(flags,
                         [&flags](const Given& given) -> Status {
                           auto parsed = parse_sort_by(given.value);
                           if (!parsed.ok()) return bad_value(given, parsed.error().what);
                           flags.options.sort.by = std::move(*parsed);
                           return {};
                         })},
      {.name = "report",
       .value_name = "FORM",
       .category = kTables,
       .brief = "say what was found out: none, or json, a line to standard output",
       .text = "Of each column its type, values, nulls, and the value that kept it from having a "
               "narrower one; rows kept as text; times. -v says the same to people.",
       .choices = {"none", "json"},
       .default_value = "none",
       .apply = of_table(flags,
                         [&flags](const Given& given) -> Status {
                           flags.report_json = given.value == "json";
                           return {};
                         })},
      {.name = "row-group",
       .value_name = "ROWS",
       .category = kTables,
       .brief = "rows that are stored together",
       .default_value = "those of 32M of text",
       .apply = of_table(flags, count_into(flags.options.group_rows, 1, kMaxTableGroupRows))},
  };
}

}  // namespace

/// --table itself, and with it all flags that need it. The order is that of the help page.
std::vector<Flag> table_flags(TableFlags& flags) {
  std::vector<Flag> all = {
      {.name = "table",
       .value_name = "KIND",
       .category = kTables,
       .brief = "store rows of text as typed columns: auto, csv, tsv, tbl, jsonl",
       .text = "Each column is stored by itself, so that a reader needs only those that it names. "
               "'presso decompress' gives the file back byte for byte: a column has the type that "
               "all its values have by what they mean, and how they were written is stored beside "
               "them. auto finds out how the file is written; tbl is dbgen's form, "
               "with | after each field. Rows with too few or too many fields are an error. A "
               "Parquet or Arrow file becomes a table whatever KIND says; its text is CSV.",
       .choices = {"auto", "csv", "tsv", "tbl", "jsonl"},
       .aliases = {"input"},
       .apply =
           [&flags](const Given& given) {
             flags.on = true;
             return apply_text_kind(given.value, flags.options.text);
           }},
  };
  append(all, table_text_flags(flags));
  append(all, table_making_flags(flags));
  return all;
}

}  // namespace presso::cli
