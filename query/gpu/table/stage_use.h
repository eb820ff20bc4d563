// SPDX-License-Identifier: MIT
// What a pipeline and the build sides of its joins must know of each other: which columns, keys and
// counts of a stage are used.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "query/gpu/kernels/pipeline.h"
#include "query/plan/join_plan.h"
#include "query/rows/key_codes.h"

namespace presso::gpu {

class KeyStrings;

/// A column that is wanted of the rows of a build side.
struct RowColumn {
  /// Not a column, but the number by which build rows are in order, in
  /// StageUse::order_bits bits.
  static constexpr std::size_t kOrder = ~std::size_t{0};
  std::size_t column = 0;                  ///< of BoundQuery::columns
  const query::KeyCodes* codes = nullptr;  ///< of strings, whose numbers it is then
  std::optional<std::int64_t> null_value;  ///< in place of nulls, where there are any
  bool is_wide = false;                    ///< it may need more than 32 bits
  bool is_real = false;                    ///< the bits of doubles
  bool has_truth = false;  ///< of a result: a truth behind it says whether it is not null
  /// Of strings, the key of a join or of groups: their numbers among these.
  KeyStrings* strings = nullptr;
  friend bool operator==(const RowColumn&, const RowColumn&) = default;
};

/// How keys become one number: the sum of (key - least) * stride, modulo 2^64.
struct KeyStride {
  std::uint64_t least = 0;
  std::uint64_t stride = 1;
};
struct KeyForm {
  std::vector<KeyStride> strides;  ///< by key; a single one stays as it is
  // Numbers that no key of the build side is; nothing: of a single key, whose range is not known.
  std::optional<std::int64_t> of_keyless_build;  ///< of build rows without a key that are kept
  std::optional<std::int64_t> of_lone_probe;     ///< of probe rows that have no partner
};
/// Nothing: keys do not fit into 63 bits. `ranges`: of the build side's, by key. `is_real`: the
/// only key is a double's bits, of which equal values have the same (RealOperation::kKey).
std::optional<KeyForm> key_form(const std::vector<query::Range>& ranges, bool is_real);

/// Whether rows of the probe side without a partner, or without a key, are left.
inline bool leaves_lone_rows(query::StageKind kind) {
  return query::keeps_probe(kind) || kind == query::StageKind::kProbeAnti;
}
/// Whether rows of the build side without a key come out at the end.
inline bool leaves_keyless_rows(query::StageKind kind) {
  return query::gives_build_rows(kind) && kind != query::StageKind::kBuildSemi;
}

/// A part of a stage's keys, as the numbers that its lookup is made of: both ends are in it.
struct KeyInterval {
  bool is_all() const { return *this == KeyInterval(); }
  friend bool operator==(const KeyInterval&, const KeyInterval&) = default;

  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// What a pipeline wants of a stage of its joins: a lookup with the stage's number, and arrays.
struct StageUse {
  /// Whether all build rows of a key are looked at, else only whether there is one.
  bool finds_all() const {
    return query::gives_pairs(stage->kind) || gives_build_rows() || !stage->residual.empty();
  }
  /// Whether a row is joined to several build rows, one after another.
  bool has_chains() const { return finds_all() && repeats && !counts; }
  /// Whether several rows may come of one.
  bool multiplies() const { return query::gives_pairs(stage->kind) && repeats; }
  /// Whether rows of the build side come out at the end, for which others are marked.
  bool gives_build_rows() const { return query::gives_build_rows(stage->kind); }

  /// Of the build side's keys, which are their numbers where they are strings.
  std::vector<query::Range> key_ranges(const query::Graph& graph) const;

  const query::BoundStage* stage = nullptr;
  std::optional<LookupForm> form;  ///< of the lookup, where one is asked for
  /// The keys of both sides probably ascend, and no array has them: the lookup may search them.
  bool ascends = false;
  bool may_search() const { return ascends || form == LookupForm::kAscending; }
  std::vector<const query::KeyCodes*> key_codes;  ///< by key; nullptr: it is a number, or
  std::vector<KeyStrings*> key_strings;           ///< by key; nullptr: the device has numbered none
  bool is_string(std::size_t key) const {
    return key_codes[key] != nullptr || key_strings[key] != nullptr;
  }
  bool has_real_key = false;  ///< the only key is a double
  std::vector<RowColumn> columns;
  std::vector<Byte> arrays;  ///< by column: Pipeline::arrays
  std::size_t find = 0;      ///< the program's step that looks up
  std::size_t row = 0;       ///< the step whose value is the build row, where pairs are wanted
  std::size_t end = 0;       ///< the last step of the stage
  /// Of a build side that is made in parts, where rows without a partner are left: the first of the
  /// steps that drop rows whose keys are in other parts.
  std::optional<std::size_t> part_step;
  // Once it is known:
  std::uint64_t rows = 0;   ///< of the build side
  double share = 1;         ///< of the build side's table: what is left of it
  bool repeats = false;     ///< whether keys have several rows
  unsigned order_bits = 0;  ///< of RowColumn::kOrder
  /// Of keys that repeat, where it only matters how many rows they have: Pipeline::arrays has that,
  /// at the row that is found.
  std::optional<Byte> counts;
};

/// An array of the pipeline that is the numbers of strings, row by row of the table.
struct RowCodes {
  Byte array = 0;
  const query::KeyCodes* codes = nullptr;  ///< nullptr: `there` has them
  RowArray there;                          ///< in device memory
};

}  // namespace presso::gpu
