// SPDX-License-Identifier: MIT
// Numbers for the strings of a query's columns. Each column's are made once, whoever asks first:
// KeyCodes for dictionary columns, and KeyStrings for keys of joins or groups that are stored in
// other ways. Tested through tests/queries/one_table.txt.
#pragma once

#include <map>
#include <memory>

#include "query/gpu/table/key_strings.h"
#include "query/rows/key_codes.h"
#include "query/run/execution.h"

namespace presso::gpu {

/// The numbers of a column of strings that is a key of groups, of one kind; neither: it is no such
/// column.
struct StringKeyNumbers {
  bool has_any() const { return codes != nullptr || strings != nullptr; }
  /// All numbers of strings are below.
  std::uint32_t count() const { return codes != nullptr ? codes->count() : strings->count(); }

  const query::KeyCodes* codes = nullptr;
  KeyStrings* strings = nullptr;
};

class ColumnCodes {
 public:
  /// `execution`: that of the whole query, not of a build side; what is read counts for it.
  /// `space`: for strings that get numbers on the device; nullptr: none do. Both are kept by
  /// reference.
  explicit ColumnCodes(query::Execution& execution, const RunSpace* space = nullptr)
      : execution_(execution), space_(space) {}

  /// Numbers that there are already; kept by reference.
  void know(std::size_t column, const query::KeyCodes& codes) { known_[column] = &codes; }
  /// `column`: of BoundQuery::columns. nullptr: it is not stored as a dictionary everywhere, and
  /// its table has too many rows; or its strings take too much memory. Errors: those of reading.
  Result<const query::KeyCodes*> of(std::size_t column);
  /// The same, but nullptr where it is not stored as a dictionary everywhere.
  Result<const query::KeyCodes*> of_dictionaries(std::size_t column);
  /// The strings of a column, numbered on the device; nullptr: they cannot be, or take too much
  /// memory. Waits. Errors: those of KeyStrings::make() but kUnsupported.
  Result<KeyStrings*> strings_of(std::size_t column, KeyStrings::Numbering numbering);
  /// The same where they have been numbered already; nullptr: they have not.
  KeyStrings* known_strings(std::size_t column) const;
  /// Those by which groups of a column are found. `on_device_first`: strings that are no
  /// dictionary's are rather numbered on the device than by the CPU. Waits. Errors: kUnsupported,
  /// with the reason, where neither can; those of of() and strings_of().
  Result<StringKeyNumbers> of_key(std::size_t column, bool on_device_first);
  /// The numbers that these give the rows of another column, or of their own. Waits. Errors: those
  /// of KeyStrings::make().
  Result<RowArray> numbers_of(std::size_t column, KeyStrings& strings);

 private:
  /// A column of one of the query's tables.
  struct Source {
    const std::vector<Table>& tables;
    std::size_t column = 0;  ///< of the tables
    std::vector<query::Physical> physical;
  };
  Source source_of(std::size_t column) const;
  std::uint64_t most_bytes() const;

  query::Execution& execution_;
  const RunSpace* space_;
  std::map<std::size_t, const query::KeyCodes*> known_;
  std::map<std::size_t, const query::KeyCodes*> known_dictionaries_;
  std::vector<std::unique_ptr<query::KeyCodes>> own_;
  std::map<std::size_t, std::unique_ptr<KeyStrings>> strings_;
  std::map<std::size_t, Error> why_no_strings_;  ///< where that was tried
  std::map<std::pair<std::size_t, const KeyStrings*>, RowNumbers> numbers_;
};

}  // namespace presso::gpu
