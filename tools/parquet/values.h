// SPDX-License-Identifier: MIT
// The values of a page without its nulls: readers of every encoding give them as they are stored,
// and a converter makes the values of a table's column from them. Readers check everything that
// they take from the bytes and return false where these end early or contradict themselves. Tested
// by tests/differential/parquet_oracle.py.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/parquet/level_reader.h"
#include "tools/parquet/parquet_format.h"

namespace presso::cli {

/// Values one after another. Truths take a byte each; strings have one offset more than values.
struct DenseValues {
  Buffer values;
  std::vector<std::int64_t> offsets = {0};
  std::size_t count = 0;

  void clear() {
    values.clear();
    offsets.assign(1, 0);
    count = 0;
  }
  /// Room for more bytes; returns where they begin.
  Byte* extend(std::size_t bytes) {
    const std::size_t before = values.size();
    values.grow(before + bytes);
    return values.data() + before;
  }
  Bytes string(std::size_t i) const {
    return {values.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
  void add_string(Bytes text) {
    values.append(text);
    offsets.push_back(static_cast<std::int64_t>(values.size()));
    ++count;
  }
};

/// The bytes of a stored value; 0 for byte arrays.
std::size_t stored_width(const ParquetNode& leaf);

/// Reads the values of one page in order.
class ValueReader {
 public:
  virtual ~ValueReader() = default;
  /// Appends `count` values; false where the page is damaged.
  virtual bool read(std::size_t count, DenseValues& to) = 0;
};

/// The reader of an encoding. `page` must live as long as the reader and have a Buffer's slack
/// after it; `count` is the most values that it can have. nullptr: the encoding is unknown or does
/// not belong to the type.
std::unique_ptr<ValueReader> make_value_reader(ParquetEncoding encoding, const ParquetNode& leaf,
                                               Bytes page, std::size_t count);
/// The reader of codes of a dictionary, which is kept by reference and whose values it appends.
std::unique_ptr<ValueReader> make_code_reader(const DenseValues& dictionary, std::size_t width,
                                              Bytes page);

/// How stored values become those of a column.
class ValueConverter {
 public:
  /// Error kUnsupported for types that no column can hold.
  static Result<ValueConverter> make(const ParquetNode& leaf);

  /// The column's type, without a name.
  const ColumnSchema& schema() const { return schema_; }
  bool is_same() const { return step_ == nullptr; }
  /// The bytes of a converted value; 0 for strings, 1 for truths.
  std::size_t width() const;
  /// Appends all values of `from`; false for a value that the type cannot hold.
  bool convert(const DenseValues& from, DenseValues& to) const { return step_(*this, from, to); }

 private:
  using Step = bool (*)(const ValueConverter&, const DenseValues&, DenseValues&);
  friend struct ConverterSteps;

  Status set_integer(const ParquetNode& leaf);
  Status set_decimal(const ParquetNode& leaf);
  void set_bytes(const ParquetNode& leaf);
  void set_time(const ParquetNode& leaf);

  ColumnSchema schema_;
  Step step_ = nullptr;
  std::size_t stored_width_ = 0;
};

}  // namespace presso::cli
