// SPDX-License-Identifier: MIT
// What presso select, join and sql were asked for, as their flags left it. It holds no decisions:
// members without a value are decided by select_output.h or by the query. Tested by
// tests/cli/test_select.py.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "presso/query.h"
#include "tools/compress/flags_table.h"
#include "tools/device/flags_device.h"
#include "tools/io/flags_files.h"
#include "tools/select/table_source.h"

namespace presso::cli {

// The formats of --format, and what --explain asks for.
enum class AnswerFormat { kCsv, kTsv, kJsonLines, kTable, kArrow, kArrowFile, kPresso, kParquet };
enum class Explain { kNo, kPlan, kAnalyze, kCode };

/// The settings of one command line.
struct SelectSettings {
  // Lists that are given several times are joined; conditions must all hold.
  std::string columns;
  std::vector<std::string> where;
  std::string group_by;
  std::string aggregates;
  std::vector<std::string> having;
  std::string order_by;
  std::optional<std::uint64_t> limit;
  std::uint64_t offset = 0;

  // For joins, these have an item for each file except the first, or one for all.
  std::vector<std::string> on;
  std::vector<JoinKind> kinds;

  std::vector<std::string> parameters;  ///< of a statement: NAME=VALUE or VALUE

  std::optional<AnswerFormat> format;
  bool header = true;
  int level = 0;      ///< of a table that is written
  FileOptions files;  ///< output, to_stdout, force, progress
  Explain explain = Explain::kNo;
  bool list_columns = false;

  TableFlags text;  ///< of inputs that are plain text
  FileSetOptions set;
  QueryOptions query;
  DeviceFlags device;
};

}  // namespace presso::cli
