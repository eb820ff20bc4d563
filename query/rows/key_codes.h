// SPDX-License-Identifier: MIT
// One number for each string of a column, for the whole query, so that groups and joins work on
// numbers instead of strings (L20 of docs/sources.md). Each row group of a table has a dictionary
// of its own; here its codes are translated to numbers that are common to all row groups. A small
// table whose column has no dictionaries is numbered row by row instead. Tested by
// tests/unit/query/answer/query_test.cpp.
//
// Example: two row groups have the dictionaries {air, rail, ship} and {rail, truck}. The numbers
// are air 0, rail 1, ship 2, truck 3; the second row group's codes 0 and 1 are translated to 1 and
// 3, and the first row group's codes are their own numbers (is_same()). A group-by over the column
// is then one over integers from 0 to 3, for which an array of places suffices (query/group).
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "query/rows/slice_reader.h"
#include "query/values/row_store.h"

namespace presso::query {

/// Opens a row group for its directory and its dictionaries.
using OpenGroup = std::function<Result<std::shared_ptr<const GroupReader>>(const Table& table,
                                                                           std::uint64_t group)>;

/// Immutable after it was made; any number of threads may use it, each with its own Scratch.
class KeyCodes {
 public:
  /// Reads the dictionaries of all row groups, opened by `open`. Returns nullptr if the column is
  /// stored in another form somewhere, may have more than a million different strings, or would
  /// take more than `most_bytes`.
  static Result<std::unique_ptr<KeyCodes>> make(const std::vector<Table>& tables,
                                                std::size_t column, std::uint64_t most_bytes,
                                                const OpenGroup& open);

  /// Reads the column itself. Returns nullptr if the tables have more than `most_rows` rows, or it
  /// would take more than `most_bytes`.
  static Result<std::unique_ptr<KeyCodes>> make_by_rows(const std::vector<Table>& tables,
                                                        const std::vector<Physical>& physical,
                                                        std::size_t column, std::uint64_t most_rows,
                                                        std::uint64_t most_bytes,
                                                        ReadCounters& counters);

  std::size_t column() const { return column_; }
  bool is_by_rows() const { return !number_of_row_.empty(); }
  /// If is_by_rows(): the number of each row's string, by row in all tables together.
  const std::vector<std::uint32_t>& numbers_of_rows() const { return number_of_row_; }
  /// If is_by_rows(): stored bytes of the column's blocks.
  std::uint64_t stored_bytes() const { return stored_bytes_; }
  /// The number that stands for null where every row needs one.
  std::uint32_t null_number() const { return std::max(count(), 1u); }
  std::uint32_t count() const { return static_cast<std::uint32_t>(strings_.size()); }
  /// Roughly the memory that all numbers and strings take.
  std::uint64_t bytes() const;
  StringRef string(std::int64_t code) const { return strings_[static_cast<std::size_t>(code)]; }

  /// Returns the number of a string, or nullopt if it does not occur.
  std::optional<std::uint32_t> find(Bytes string) const;

  /// Returns the number of each code of a row group; empty if all its rows are null.
  std::span<const std::uint32_t> numbers(std::size_t table, std::uint64_t group) const {
    const GroupNumbers& of = number_of_[table][group];
    return {of.of.data(), of.count};
  }
  /// Whether every code is its own number, so that nothing need be translated.
  bool is_same(std::size_t table, std::uint64_t group) const {
    return number_of_[table][group].same;
  }

  /// One thread's buffers.
  struct Scratch {
    std::vector<std::uint32_t> local;
    std::vector<std::int64_t> codes;
    std::uint64_t validity[kBatchWords];
  };
  /// Returns the numbers of the selected rows, valid until the next call with this scratch.
  Result<VectorView> load(SliceReader& reader, std::uint32_t vector, const Selection& selection,
                          Scratch& scratch) const;

 private:
  explicit KeyCodes(std::size_t column) : column_(column) {}
  Result<bool> add_group(const GroupReader& group);
  std::uint32_t number_of(Bytes string);

  std::size_t column_;
  StringArena arena_;
  std::vector<StringRef> strings_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  /// The numbers of a row group's dictionary entries.
  struct GroupNumbers {
    /// The number of each code. At least 16 elements, for the vector loops; those from `count` on
    /// mean nothing.
    std::vector<std::uint32_t> of;
    std::uint32_t count = 0;
    bool same = true;  ///< each entry's number is its code
  };
  std::vector<std::vector<GroupNumbers>> number_of_;  ///< indexed by table and row group
  std::uint64_t entries_ = 0;                         ///< elements of all number_of_
  std::vector<std::uint32_t> number_of_row_;
  std::uint64_t stored_bytes_ = 0;
};

}  // namespace presso::query
