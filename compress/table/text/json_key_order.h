// SPDX-License-Identifier: MIT
// Which keys the rows of JSON lines have, in which order, and what order of columns and which
// further orders (TextForm::json_orders) give the most rows back. Rows of one key order are counted
// together; of more than kMostShapes different orders the later ones are left to exact lines.
// Tested through tests/unit/compress/table/json_inference_test.cpp.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "presso/table_schema.h"

namespace presso {

constexpr std::size_t kMostShapes = std::size_t{1} << 14;

class JsonKeyOrder {
 public:
  /// Of one row: columns, with kJsonNull added where the value is null. No column twice.
  void add(const JsonOrder& shape, std::uint64_t rows = 1);
  /// What was seen of a later part; its column i is column columns[i] here.
  void merge(const JsonKeyOrder& later, const std::vector<std::uint32_t>& columns);

  struct Choice {
    std::vector<std::uint32_t> columns;  ///< their numbers so far, in the order for the schema
    bool omits_nulls = false;
    std::vector<JsonOrder> orders;  ///< by the new numbers
  };
  Choice choose(std::size_t columns) const;

 private:
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
  std::size_t last_ = 0;  ///< the shape of the row before
  std::size_t keys_ = 0;  ///< of all shapes
};

}  // namespace presso
