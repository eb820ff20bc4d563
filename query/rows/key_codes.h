// SPDX-License-Identifier: MIT
// Keys of groups that are strings which every row group stores as codes of a dictionary: their
// strings get one number each for the whole query, and groups are found by these (L20). Or strings
// of a small table, however they are stored, which are numbered row by row.
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

/// Opens row groups for their directories and dictionaries.
using OpenGroup = std::function<Result<std::shared_ptr<const GroupReader>>(const Table& table,
                                                                           std::uint64_t group)>;

class KeyCodes {
 public:
  /// Takes the dictionaries of all row groups, as `open` gives these; nullptr where the column is
  /// stored otherwise somewhere, has more than a million entries together, or would take more than
  /// `most_bytes`.
  static Result<std::unique_ptr<KeyCodes>> make(const std::vector<Table>& tables,
                                                std::size_t column, std::uint64_t most_bytes,
                                                const OpenGroup& open);

  /// Reads the column; nullptr where the tables have more than `most_rows` rows, or it would take
  /// more than `most_bytes`.
  static Result<std::unique_ptr<KeyCodes>> make_by_rows(const std::vector<Table>& tables,
                                                        const std::vector<Physical>& physical,
                                                        std::size_t column, std::uint64_t most_rows,
                                                        std::uint64_t most_bytes,
                                                        ReadCounters& counters);

  std::size_t column() const { return column_; }
  bool is_by_rows() const { return !number_of_row_.empty(); }
  /// By row, in all tables together, where is_by_rows().
  const std::vector<std::uint32_t>& numbers_of_rows() const { return number_of_row_; }
  /// Of the column's blocks, where is_by_rows().
  std::uint64_t stored_bytes() const { return stored_bytes_; }
  /// Stands for null where one number is wanted for each row.
  std::uint32_t null_number() const { return std::max(count(), 1u); }
  std::uint32_t count() const { return static_cast<std::uint32_t>(strings_.size()); }
  std::uint64_t bytes() const;  ///< of memory, roughly
  StringRef string(std::int64_t code) const { return strings_[static_cast<std::size_t>(code)]; }

  /// The number of a string; nullopt: it has none.
  std::optional<std::uint32_t> find(Bytes string) const;

  /// Numbers of a row group's codes; empty where all its rows are null.
  std::span<const std::uint32_t> numbers(std::size_t table, std::uint64_t group) const {
    const GroupNumbers& of = number_of_[table][group];
    return {of.of.data(), of.count};
  }
  /// Whether each of them is its code.
  bool is_same(std::size_t table, std::uint64_t group) const {
    return number_of_[table][group].same;
  }

  /// One thread's buffers for the codes of a vector.
  struct Scratch {
    std::vector<std::uint32_t> local;
    std::vector<std::int64_t> codes;
    std::uint64_t validity[kBatchWords];
  };
  /// Numbers of the selected rows' strings; valid until the next call with this scratch.
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
  /// Of a row group's entries.
  struct GroupNumbers {
    std::vector<std::uint32_t> of;  ///< at least 16, the last of which mean nothing
    std::uint32_t count = 0;
    bool same = true;  ///< each entry's number is its code
  };
  std::vector<std::vector<GroupNumbers>> number_of_;  ///< by table and row group
  std::uint64_t entries_ = 0;                         ///< of number_of_
  std::vector<std::uint32_t> number_of_row_;
  std::uint64_t stored_bytes_ = 0;
};

}  // namespace presso::query
