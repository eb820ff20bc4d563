// SPDX-License-Identifier: MIT
// A sink that keeps an answer as text, for tests of queries.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "format/columns/row_text.h"
#include "presso/query.h"

namespace presso {

/// Rows as CSV without a header, as batches came.
class TextSink final : public ResultSink {
 public:
  Status begin(const TableSchema& of) override {
    schema = of;
    schema.text.kind = TextKind::kDelimited;
    return {};
  }
  Result<Buffer> encode(const ResultBatch& batch) override {
    std::vector<ColumnView> views;
    for (const ColumnData& column : batch) views.push_back(column.view());
    Buffer encoded;
    PRESSO_TRY(RowPrinter(schema, views).print(0, batch[0].rows, encoded));
    return encoded;
  }
  Result<bool> write(ResultBatch, Buffer encoded) override {
    text.append(reinterpret_cast<const char*>(encoded.data()), encoded.size());
    largest_text = std::max(largest_text, encoded.size());
    return ++batches < most_batches;
  }

  TableSchema schema;
  std::string text;
  std::size_t largest_text = 0;  ///< of a batch
  int batches = 0;
  int most_batches = 1 << 30;
};

}  // namespace presso
