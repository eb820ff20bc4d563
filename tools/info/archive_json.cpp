// SPDX-License-Identifier: MIT
// Prints the answer of presso info --json. This is one of the few files that include the JSON
// library, which is slow to compile. Names of fields are part of the interface for programs: fields
// may be added, but none is renamed or removed. Tested by tests/cli/test_reports.py. Numbers are
// numbers and not texts, in bytes or nanoseconds. Memory grows with the number of blocks where
// --blocks asks for them.
#include <nlohmann/json.hpp>

#include "tools/info/archive_report.h"

namespace presso::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A row of the table of blocks. The checksum is a number of 64 bits, which JSON permits and some
/// readers round.
Json block_json(const BlockRow& row) {
  const BlockHeader& header = row.header;
  return {{"number", row.number},
          {"compressed_offset", row.file_offset},
          {"compressed_bytes", header.stored_bytes()},
          {"plain_offset", row.plain_offset},
          {"plain_bytes", header.plain_bytes},
          {"coding", name(header.coding)},
          {"rule", name(header.rule)},
          {"group", 1u << header.group_log2},
          {"dictionary", header.dictionary_id},
          {"sequences", header.sequences},
          {"literals", header.literals},
          {"far_offsets", header.far_offsets},
          {"checksum", header.content_checksum}};
}

/// A column of a table; values that are not known are null.
Json column_json(const ColumnRow& column) {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json() : Json(text);
  };
  Json json = {{"name", column.name},
               {"type", column.type},
               {"nulls", column.nulls},
               {"least", text_or_null(column.least)},
               {"most", text_or_null(column.most)},
               {"distinct", column.distinct == 0 ? Json() : Json(column.distinct)},
               {"stored_as", column.stored_as},
               {"stored_bytes", column.stored_bytes}};
  for (const NestedField& field : column.fields.all()) {
    json["fields"].push_back(
        {{"name", column.name + field.path}, {"type", field_type_name(field)}});
  }
  return json;
}

/// The part of the JSON about a table's columns.
Json table_json(const TableFacts& table) {
  Json columns = Json::array();
  for (const ColumnRow& column : table.columns) columns.push_back(column_json(column));
  return {{"rows", table.rows},
          {"row_groups", table.row_groups},
          {"exact", table.exact},
          {"columns", std::move(columns)}};
}

/// A file; `with_blocks` adds its table of blocks. Without its blocks the size of the answer does
/// not depend on the file's.
Json file_json(const ArchiveReport& report, bool with_blocks) {
  Json json = {{"file", report.path},
               {"compressed_bytes", report.compressed_bytes},
               {"plain_bytes", report.plain_bytes},
               {"ratio", report.ratio()},
               {"format_version", report.version},
               {"members", report.members},
               {"lines", report.lines ? Json(*report.lines) : Json()},
               {"blocks", report.blocks},
               {"block_bytes", report.block_bytes},
               {"coding", report.coding},
               {"rule", report.rule},
               {"headers_read", report.headers_read},
               {"dictionary_bytes", report.dictionary_bytes},
               {"search_index", report.filter},
               {"search_index_bytes", report.filter_bytes},
               {"checksum", "xxh3-64"},
               {"index_rebuilt", report.index_rebuilt},
               {"truncated", report.truncated}};
  if (report.times) {
    const TimeSpan& times = *report.times;
    json["times"] = {{"first", times.first},
                     {"last", times.last},
                     {"format", times.form.format},
                     {"words_before", times.form.words},
                     {"field", times.form.key},
                     {"utc", times.has_zone},
                     {"lines_with_time", times.timed_lines}};
  }
  Json metadata = Json::object();
  for (const auto& [key, value] : report.metadata.entries) metadata[key] = value;
  json["metadata"] = std::move(metadata);
  json["table"] = report.table ? table_json(*report.table) : Json();
  if (with_blocks) {
    Json rows = Json::array();
    for (const BlockRow& row : report.rows) rows.push_back(block_json(row));
    json["block_table"] = std::move(rows);
  }
  return json;
}

/// A GPU's properties as JSON; sizes in bytes, the clock in kHz.
Json device_json(const gpu::DeviceInfo& info) {
  return {{"index", info.index},
          {"name", info.name},
          {"compute_capability", std::to_string(info.major) + "." + std::to_string(info.minor)},
          {"memory_bytes", info.total_memory_bytes},
          {"free_memory_bytes", info.free_memory_bytes},
          {"multiprocessors", info.multiprocessors},
          {"l2_bytes", info.l2_bytes},
          {"clock_khz", info.clock_khz},
          {"cuda_of_driver", gpu::cuda_version_text(info.driver_version)},
          {"cuda_of_build", gpu::cuda_version_text(info.runtime_version)}};
}

/// Adds the GPUs, or the reason why there are none. That there is no GPU is an answer and no error.
void add_devices(Json& document, const Devices& devices) {
  Json rows = Json::array();
  if (devices.ok()) {
    for (const gpu::DeviceInfo& info : *devices) rows.push_back(device_json(info));
  }
  document["devices"] = std::move(rows);
  if (!devices.ok()) document["no_devices"] = devices.error().what;
}

/// What compiles queries for a GPU; null for what there is not.
Json compiler_json(const gpu::QueryCompilerInfo& info) {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json() : Json(text);
  };
  return {{"nvrtc", text_or_null(info.version)},
          {"library", text_or_null(info.library)},
          {"no_nvrtc", text_or_null(info.why_no_library)},
          {"cache_folder", text_or_null(info.cache_folder)},
          {"no_cache", text_or_null(info.why_no_cache)},
          {"cache_files", info.cache_files},
          {"cache_bytes", info.cache_bytes}};
}

/// The measured rates of CPU and GPU, under the names by which the store keeps them. Their names
/// are those of the fields in tools/device, so programs can read either.
Json calibration_json(const MachineRates& rates) {
  Json json = {{"cpu", to_measurements(rates.cpu)}};
  json["cpu"]["name"] = rates.cpu_name;
  json["query"] = to_measurements(rates.query);
  if (rates.gpu) {
    json["gpu"] = to_measurements(*rates.gpu);
    json["gpu"]["name"] = rates.gpu_name;
    if (rates.gpu_query) {
      json["gpu_query"] = to_measurements(*rates.gpu_query);
    } else {
      json["no_gpu_query"] = rates.why_no_gpu_query->text();
    }
  } else {
    json["no_gpu"] = rates.why_no_gpu->what;
  }
  json["kept"] = rates.kept;
  return json;
}

}  // namespace

/// The whole JSON document; `devices`, `compiler` and `rates` only where there is something. It is
/// made as a whole and printed at once, so that an error leaves no half document.
std::string reports_json(const std::vector<ArchiveReport>& reports,
                         const std::vector<std::string>& texts, bool with_blocks,
                         const std::optional<Devices>& devices,
                         const std::optional<gpu::QueryCompilerInfo>& compiler,
                         const std::optional<MachineRates>& rates) {
  Json files = Json::array();
  for (const ArchiveReport& report : reports) files.push_back(file_json(report, with_blocks));
  for (const std::string& text : texts) files.push_back(Json::parse(text));
  Json document = {{"files", std::move(files)}};
  if (devices) add_devices(document, *devices);
  if (compiler) document["query_compiler"] = compiler_json(*compiler);
  if (rates) document["calibration"] = calibration_json(*rates);
  // Names need not be UTF-8; bytes that are not become replacement characters.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace presso::cli
