// SPDX-License-Identifier: MIT
// What a pipeline and the build sides of its joins have to know of each other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scan/query/join_plan.h"
#include "scan/query/key_codes.h"

namespace presso::gpu {

/// A column that is wanted of the rows of a build side.
struct RowColumn {
  /// Not a column, but the number by which build rows are in order, in
  /// StageUse::order_bits bits.
  static constexpr std::size_t kOrder = ~std::size_t{0};
  std::size_t column = 0;                  ///< of BoundQuery::columns
  const query::KeyCodes* codes = nullptr;  ///< of strings, whose numbers it is then
  std::optional<std::int64_t> null_value;  ///< in place of nulls, where there are any
  bool is_wide = false;                    ///< it may need more than 32 bits
  friend bool operator==(const RowColumn&, const RowColumn&) = default;
};

/// How keys become one number: the sum of (key - least) * stride, modulo 2^64.
struct KeyStride {
  std::uint64_t least = 0;
  std::uint64_t stride = 1;
};
/// By key; a single one stays as it is. Empty: they do not fit into 63 bits, by the ranges of the
/// build side.
std::vector<KeyStride> key_strides(const query::Graph& graph, const query::BoundStage& stage);

/// What a pipeline wants of a stage of its joins: a lookup with the stage's number, and arrays.
struct StageUse {
  /// Whether pairs are wanted, else only whether there is a partner.
  bool gives_pairs() const { return query::gives_pairs(stage->kind); }

  /// Whether a row is joined to several build rows, one after another.
  bool has_chains() const { return gives_pairs() && repeats; }

  const query::BoundStage* stage = nullptr;
  std::vector<RowColumn> columns;
  std::vector<Byte> arrays;  ///< by column: Pipeline::arrays
  std::size_t step = 0;      ///< of the program, that looks up; of inner joins its value is the row
  // Once it is known:
  double share = 1;         ///< of the build side's table: what is left of it
  bool repeats = false;     ///< whether keys have several rows
  unsigned order_bits = 0;  ///< of RowColumn::kOrder
};

/// An array of the pipeline that is the numbers of strings, row by row of the table.
struct RowCodes {
  Byte array = 0;
  const query::KeyCodes* codes = nullptr;
};

}  // namespace presso::gpu
