// SPDX-License-Identifier: MIT
// The columns that a condition is computed on, filled line by line with the values of fields. A
// value that is none of the column's type is null. Numbers are those of JSON, and texts that are
// one from end to end, also with a plus or zeros in front; so "512" is 512. Tested by
// tests/unit/query/fields/field_condition_test.cpp.
#pragma once

#include <cstring>
#include <vector>

#include "query/fields/field_types.h"
#include "query/values/row_store.h"
#include "query/values/vector.h"

namespace presso::query {

/// Values of up to kBatchRows lines. Texts point into the lines, those with escapes into memory of
/// the columns.
class FieldColumns {
 public:
  explicit FieldColumns(const std::vector<TypedField>& fields);

  /// Forgets all lines, to be followed by `rows` others.
  void clear(std::uint32_t rows);
  /// Sets the values of one line.
  void set(std::uint32_t row, const std::vector<FieldValue>& values);
  /// The view of a column.
  VectorView view(std::size_t column) const { return columns_[column].view(); }

 private:
  struct Column {
    FieldType type = FieldType::kText;
    Physical physical = Physical::kString;
    std::vector<Byte> values;
    std::uint64_t validity[kBatchWords] = {};

    VectorView view() const { return {physical, values.data(), validity}; }
    template <class T>
    void put(std::uint32_t row, const T& value) {
      std::memcpy(values.data() + row * sizeof(T), &value, sizeof(T));
      validity[row / 64] |= std::uint64_t{1} << (row % 64);
    }
  };

  StringRef text_of(const FieldValue& value);
  Bytes unescaped(const FieldValue& value);
  void set_text(Column& column, std::uint32_t row, const FieldValue& value);

  std::vector<Column> columns_;
  StringArena strings_;
  std::vector<Byte> scratch_;
};

}  // namespace presso::query
