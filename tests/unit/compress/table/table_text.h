// SPDX-License-Identifier: MIT
// What the tests of the table reader share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "compress/table/text/csv_tokenizer.h"
#include "compress/table/text/type_inference.h"

namespace presso::test {

inline Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

inline TextForm comma_form() {
  TextForm form;
  form.kind = TextKind::kDelimited;
  return form;
}

/// Types of the columns of all records of `text`, in batches of `batch_records`.
inline TypeInference inference_of(std::string_view text, std::size_t columns,
                                  const TextForm& form = comma_form(),
                                  std::size_t batch_records = 3) {
  TypeInference inference(columns, form);
  RecordBatch batch;
  for (std::size_t at = 0; at < text.size();) {
    const auto next =
        tokenize(dialect_of(form, columns), bytes_of(text), at, batch_records, true, batch);
    EXPECT_TRUE(next.ok());
    if (!next.ok()) break;
    inference.add(batch, bytes_of(text), 1);
    at = *next;
  }
  return inference;
}

/// The values of one column, written one below another as given.
inline TypeInference inference_of_column(const std::vector<std::string>& values,
                                         const TextForm& form = comma_form()) {
  std::string text;
  for (const std::string& value : values) text += "x," + value + "\n";  // no blank lines
  return inference_of(text, 2, form);
}

inline ColumnSchema column_of(const std::vector<std::string>& values,
                              const TextForm& form = comma_form()) {
  return inference_of_column(values, form).finish({}).columns[1];
}

inline std::string type_of(const std::vector<std::string>& values) {
  return type_name(column_of(values));
}

}  // namespace presso::test
