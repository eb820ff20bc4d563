// SPDX-License-Identifier: MIT
// Tables made of CSV, and queries about them, for tests of devices that answer these.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "presso/compress_table.h"
#include "presso/query.h"
#include "tests/unit/query/answer/text_sink.h"

namespace presso::test {

struct MadeTable {
  /// `types`: of columns whose type is not to be found out. At the fastest level numbers stay
  /// packed, as kernels read them; at others those of small tables are mostly planes.
  MadeTable(const std::string& csv, std::uint32_t group_rows, std::vector<ColumnSchema> types = {},
            int level = kMinLevel) {
    VectorSink sink(bytes);
    const Bytes text{reinterpret_cast<const Byte*>(csv.data()), csv.size()};
    MemorySource source(text);
    MemorySource again(text);
    TableOptions options;
    options.group_rows = group_rows;
    options.types = std::move(types);
    options.compress.level = level;
    const auto done = compress_table(source, &again, sink, options);
    EXPECT_TRUE(done.ok()) << done.error().message();
    access = std::make_unique<MemoryRandomAccess>(bytes);
    table.emplace(*Table::open(*access));
  }

  std::vector<Byte> bytes;
  std::unique_ptr<MemoryRandomAccess> access;
  std::optional<Table> table;
};

struct Answer {
  std::string text;
  QuerySummary summary;
};

inline Answer answer_with(const Query& query, const QueryOptions& options) {
  TextSink sink;
  const auto done = query.run(options, sink);
  if (!done.ok()) return {"error: " + done.error().message(), {}};
  return {sink.text, *done};
}

inline Answer answer_of(const Query& query, std::shared_ptr<QueryDevice> device) {
  QueryOptions options;
  options.threads = 2;
  options.device = std::move(device);
  return answer_with(query, options);
}

/// What really happened, or the error's message.
inline std::string explained_with(const Query& query, const QueryOptions& options) {
  const auto text = query.explain(options, true);
  return text.ok() ? *text : text.error().message();
}

inline bool says(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

struct Asked {
  std::string where = {};
  std::string group_by = {};
  std::string aggregates = "count(*)";
};

inline Query query_of(const Table& table, const Asked& asked) {
  Query query = Query::from(table);
  if (!asked.where.empty()) query.where(asked.where);
  if (!asked.group_by.empty()) query.group_by(asked.group_by);
  query.aggregate(asked.aggregates);
  return query;
}

}  // namespace presso::test
