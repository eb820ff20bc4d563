// SPDX-License-Identifier: MIT
// presso_generate_table: writes a table as text, whole or in part. Parts put together in their
// order are the whole table, so that several processes can make one.
//
//   presso_generate_table lineitem --scale 1 > lineitem.csv
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "corpora/parse_size.h"
#include "corpora/table_generator.h"

namespace {

using presso::corpora::kMaxScaleHundredths;
using presso::corpora::parse_number;
using presso::corpora::RowWriter;
using presso::corpora::TableFormat;
using presso::corpora::TableGenerator;

constexpr const char* kUsage =
    "Usage: presso_generate_table TABLE [--scale S] [--format csv|tbl] [--rows A-B] [-o FILE]\n"
    "Writes a made-up table: the same bytes for the same table, scale and format, everywhere.\n"
    "  TABLE          lineitem, orders, customer, part, partsupp, supplier, nation, region (by\n"
    "                 TPC-H's rules), ssb_lineorder, ssb_date, ssb_customer, ssb_supplier,\n"
    "                 ssb_part (the Star Schema Benchmark's), weblog (a web server's log) or\n"
    "                 sensor (readings)\n"
    "  --scale S      scale factor, from 0.01, at most two decimals (default 0.01)\n"
    "  --format NAME  csv (default; its first line names the columns) or tbl (| after each field)\n"
    "  --rows A-B     only these rows, counted from 1; for lineitem and ssb_lineorder\n"
    "                 the lines of these orders. The line of names comes with row 1 only. B\n"
    "                 may be left out\n"
    "  -o FILE        where to (default: standard output)\n";

struct Options {
  std::string table;
  std::uint64_t hundredths = 1;
  TableFormat format = TableFormat::kCsv;
  std::uint64_t first = 1;
  std::uint64_t last = UINT64_MAX;
  std::string output;
};

bool parse_scale(std::string_view text, std::uint64_t& hundredths) {
  const std::size_t point = text.find('.');
  const std::string_view decimals = point == text.npos ? "" : text.substr(point + 1);
  if (decimals.size() > 2 || (point != text.npos && decimals.empty())) return false;
  std::string digits(text.substr(0, point));
  digits.append(decimals).append(2 - decimals.size(), '0');
  const std::optional<std::uint64_t> value = parse_number(digits);
  if (!value || *value == 0 || *value > kMaxScaleHundredths) return false;
  hundredths = *value;
  return true;
}

bool parse_rows(std::string_view text, std::uint64_t& first, std::uint64_t& last) {
  const std::size_t dash = text.find('-');
  if (dash == text.npos) return false;
  const std::string_view end = text.substr(dash + 1);
  const std::optional<std::uint64_t> from = parse_number(text.substr(0, dash));
  const std::optional<std::uint64_t> to = end.empty() ? UINT64_MAX : parse_number(end);
  if (!from || !to || *from == 0 || *from > *to) return false;
  first = *from;
  last = *to;
  return true;
}

bool parse_format(std::string_view text, TableFormat& format) {
  format = text == "tbl" ? TableFormat::kTbl : TableFormat::kCsv;
  return text == "tbl" || text == "csv";
}

bool set_option(Options& options, std::string_view name, std::string_view value) {
  if (name == "--scale") return parse_scale(value, options.hundredths);
  if (name == "--format") return parse_format(value, options.format);
  if (name == "--rows") return parse_rows(value, options.first, options.last);
  if (name != "-o") return false;
  options.output = value;
  return true;
}

bool write(std::string_view text, std::FILE* to) {
  return std::fwrite(text.data(), 1, text.size(), to) == text.size();
}

bool generate(const Options& options, TableGenerator& table, std::FILE* to) {
  constexpr std::size_t kChunkBytes = 1u << 18;
  RowWriter rows(options.format);
  if (options.format == TableFormat::kCsv && options.first == 1) {
    if (!write(std::string(table.columns()) + '\n', to)) return false;
  }
  const std::uint64_t end = std::min(options.last, table.rows());
  for (std::uint64_t row = options.first - 1; row < end; ++row) {
    table.append_row(row, rows);
    if (rows.size() < kChunkBytes) continue;
    if (!write(rows.text(), to)) return false;
    rows.clear();
  }
  return write(rows.text(), to) && std::fflush(to) == 0;
}

int fail(const std::string& what) {
  std::fprintf(stderr, "presso_generate_table: %s\n", what.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--help" || name == "-h") return std::fputs(kUsage, stdout) < 0 ? 2 : 0;
    if (!name.starts_with("-") && options.table.empty()) {
      options.table = name;
    } else if (i + 1 == argc || !set_option(options, name, argv[i + 1])) {
      return fail("cannot use " + std::string(name) + "; see --help");
    } else {
      ++i;
    }
  }
  const auto table = presso::corpora::make_table(options.table, options.hundredths);
  if (table == nullptr) return fail("no table \"" + options.table + "\"; see --help");
  std::FILE* to = options.output.empty() ? stdout : std::fopen(options.output.c_str(), "wb");
  if (to == nullptr) return fail("cannot open " + options.output + ": " + std::strerror(errno));
  const bool written = generate(options, *table, to);
  const bool closed = to == stdout || std::fclose(to) == 0;
  if (!written || !closed) return fail("cannot write: " + std::string(std::strerror(errno)));
  return 0;
}
