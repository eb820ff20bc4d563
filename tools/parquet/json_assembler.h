// SPDX-License-Identifier: MIT
// Makes JSON of the repeated parts of a Parquet schema: lists become arrays, maps and structures
// objects, from the levels of the columns below them. Numbers and truths are those of JSON, all
// other values strings in the form in which presso prints them; bytes that are no UTF-8 are
// replaced. Tested by tests/differential/parquet_oracle.py.
#pragma once

#include <span>
#include <vector>

#include "tools/parquet/chunk_reader.h"

namespace presso::cli {

/// Goes through the rows of one column of the table.
class JsonAssembler {
 public:
  /// Keeps all by reference: the values of the columns from node.leaf on, and how they are read.
  JsonAssembler(const ParquetNode& node, std::span<const ChunkValues> columns,
                std::span<const ValueConverter> converters);

  /// Appends the next row's text and returns true; false for null, without text.
  bool next_row(std::vector<Byte>& text);
  /// Whether the levels of all columns fitted together, and have been used up.
  bool ok() const;

 private:
  struct Cursor {
    std::size_t entry = 0;
    std::size_t value = 0;
  };

  int def_level(const ParquetNode& node);
  int next_rep_level(const ParquetNode& node) const;
  void pass(const ParquetNode& node);
  void field(const ParquetNode& node);
  void content(const ParquetNode& node);
  void object(const ParquetNode& node);
  void array(const ParquetNode& repeated, const ParquetNode& element);
  void map(const ParquetNode& entries);
  void leaf(const ParquetNode& node);
  void print(const ValueConverter& converter, const DenseValues& values, std::size_t i);
  void quoted(Bytes text);
  void raw(std::string_view text) { out_->insert(out_->end(), text.begin(), text.end()); }

  const ParquetNode& node_;
  std::span<const ChunkValues> columns_;
  std::span<const ValueConverter> converters_;
  std::vector<Cursor> cursors_;
  std::vector<Byte>* out_ = nullptr;
  bool failed_ = false;
};

/// The repeated node of a list and the node of its elements, which old writers put in other places
/// than the format's rules say; nullptr where the node is no list.
struct ListNodes {
  const ParquetNode* repeated = nullptr;
  const ParquetNode* element = nullptr;
};
ListNodes list_nodes(const ParquetNode& node);

/// The types of the values within the JSON of a node; converters are by leaf, from node.leaf on.
NestedFields json_fields(const ParquetNode& node, std::span<const ValueConverter> converters);

}  // namespace presso::cli
