// SPDX-License-Identifier: MIT
// The table is for people; names in the JSON are an interface for scripts. Tested by
// tests/cli/test_reports.py.
#include "tools/bench/report.h"

#include <nlohmann/json.hpp>

#include "presso/cpu.h"
#include "tools/cli/bind.h"
#include "tools/compress/compress_seconds.h"
#include "tools/info/table.h"

namespace presso::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A figure of a table; "-" if it was not measured.
std::string with_digits(double value, int digits) {
  return value == 0 ? "-" : decimal_text(value, digits);
}

/// The figures of one row; those that were not measured are left out.
Json row_json(const Measurement& row, bool scanned) {
  Json json = {{"codec", row.codec}, {"level", row.level}};
  if (row.compressed_bytes != 0) {
    json["compressed_bytes"] = row.compressed_bytes;
    json["ratio"] = row.ratio;
    json["compress_mb_s"] = row.compress_rate;
    json["decompress_mb_s"] = row.decompress_rate;
  }
  if (row.verified_rate != 0) json["decompress_verified_mb_s"] = row.verified_rate;
  if (scanned) json["scan_mb_s"] = row.scan_rate;
  if (row.work) {
    for (const auto& [name, seconds] : named_parts(*row.work)) {
      json["compress_seconds"][name] = seconds;
    }
  }
  return json;
}

/// The figures of one file with what they depend on.
Json file_json(const FileMeasurements& file) {
  const bool scanned = !file.scan_pattern.empty();
  Json rows = Json::array();
  for (const Measurement& row : file.measurements.rows) rows.push_back(row_json(row, scanned));
  Json json = {{"file", file.path},
               {"plain_bytes", file.plain_bytes},
               {"block_bytes", file.block_bytes},
               {"threads", file.threads},
               {"rounds", file.measurements.rounds}};
  if (scanned) {
    json["scan_pattern"] = file.scan_pattern;
    json["matching_lines"] = file.measurements.matching_lines;
  }
  json["results"] = std::move(rows);
  return json;
}

}  // namespace

// Everything is aligned to the right, as all cells but the first are numbers.
std::string bench_table(const FileMeasurements& file) {
  const bool scanned = !file.scan_pattern.empty();
  Table::Row headings = {"codec",         "level",           "compressed",    "ratio",
                         "compress MB/s", "decompress MB/s", "with checksums"};
  if (scanned) headings.push_back("scan MB/s");
  Table table(headings, headings.size());
  for (const Measurement& row : file.measurements.rows) {
    const bool codec = row.compressed_bytes != 0;
    Table::Row cells = {row.codec,
                        codec ? std::to_string(row.level) : "-",
                        codec ? grouped(row.compressed_bytes) : "-",
                        codec ? with_digits(row.ratio, 3) : "-",
                        with_digits(row.compress_rate, 1),
                        with_digits(row.decompress_rate, 0),
                        with_digits(row.verified_rate, 0)};
    if (scanned) cells.push_back(with_digits(row.scan_rate, 0));
    table.add(std::move(cells));
  }
  std::string title = file.path + ": " + grouped(file.plain_bytes) + " bytes in blocks of " +
                      size_text(file.block_bytes) + ", " + std::to_string(file.threads) +
                      (file.threads == 1 ? " thread, " : " threads, ") +
                      std::string(name(cpu_level())) + ", median of " +
                      std::to_string(file.measurements.rounds) + " rounds\n";
  if (scanned) {
    title += "scan: " + grouped(file.measurements.matching_lines) + " lines hold '" +
             file.scan_pattern + "'\n";
  }
  // Only presso knows where its time went.
  std::string work;
  for (const Measurement& row : file.measurements.rows) {
    if (row.work)
      work += row.codec + " -" + std::to_string(row.level) + ": " + work_text(*row.work) + "\n";
  }
  return title + table.text() + work;
}

// The CPU's level belongs to the figures, since rates depend on it.
std::string bench_json(const std::vector<FileMeasurements>& files,
                       const std::vector<std::string>& absent) {
  Json list = Json::array();
  for (const FileMeasurements& file : files) list.push_back(file_json(file));
  const Json document = {{"version", PRESSO_VERSION},
                         {"cpu_back_end", name(cpu_level())},
                         {"absent", absent},
                         {"files", std::move(list)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace presso::cli
