// SPDX-License-Identifier: MIT
// Counts which keys the rows of JSON lines have, and in which order (a row's shape), and chooses
// the order of columns and the further orders (TextForm::json_orders) with which most rows print
// back. Rows of one shape are counted together. If there are more than kMostShapes, the later ones
// do not count, and rows that do not print back keep their text (ExactLines). Tested through
// tests/unit/compress/table/json_inference_test.cpp.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "presso/table_schema.h"

namespace presso {

constexpr std::size_t kMostShapes = std::size_t{1} << 14;

/// The shapes that were counted so far.
class JsonKeyOrder {
 public:
  /// Adds one row, or several alike: their columns, with kJsonNull added where the value is
  /// null. No column may occur twice.
  void add(const JsonOrder& shape, std::uint64_t rows = 1);
  /// Adds the counts of a later part, whose column i is column columns[i] here.
  void merge(const JsonKeyOrder& later, const std::vector<std::uint32_t>& columns);

  /// The result: how rows should be written so that most print back.
  struct Choice {
    std::vector<std::uint32_t> columns;  ///< present column numbers, in the order for the schema
    bool omits_nulls = false;
    std::vector<JsonOrder> orders;  ///< further orders, in the schema's column numbers
  };
  Choice choose(std::size_t columns) const;

 private:
  /// The keys of a row in their order, and how many rows have them so.
  struct Shape {
    JsonOrder keys;
    std::uint64_t rows = 0;
  };
  struct Hash {
    std::size_t operator()(const JsonOrder& keys) const;
  };

  bool mostly_omits_nulls(std::size_t columns) const;
  std::vector<const Shape*> commonest_first() const;

  std::vector<Shape> shapes_;
  std::unordered_map<JsonOrder, std::size_t, Hash> number_of_;
  std::size_t last_ = 0;  ///< index of the shape of the row before
  std::size_t keys_ = 0;  ///< keys of all shapes together
};

}  // namespace presso
