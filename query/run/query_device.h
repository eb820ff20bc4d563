// SPDX-License-Identifier: MIT
// Who runs parts of a query elsewhere than on this CPU: conditions on the rows of tables, and
// groups of what they leave. The answer is the same to the bit. What a device cannot do it leaves
// to the CPU, and says why.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "query/run/group_input.h"

namespace presso {
namespace query {

/// The rows of tables that fulfil a query's conditions, as FilterRunner::run() gives them for each
/// slice.
class MatchedRows {
 public:
  /// kSliceWords words are to be filled in. `table`: its number; `first`: in the row group.
  std::uint64_t* add(std::size_t table, std::uint64_t group, std::uint32_t first);
  /// nullptr: no row of the slice.
  const std::uint64_t* find(std::size_t table, std::uint64_t group, std::uint32_t first) const;

 private:
  std::map<std::tuple<std::size_t, std::uint64_t, std::uint32_t>, std::vector<std::uint64_t>>
      slices_;
};

/// What has been read so far, and said of it: what a device has done in vain does not count.
class ReadState {
 public:
  explicit ReadState(const Execution& execution);
  void restore(Execution& execution) const;

 private:
  std::uint64_t bytes_;
  std::uint64_t blocks_;
  QuerySummary summary_;
  std::vector<std::string> notes_;
};

/// Whether the CPU goes on after a device could not do its part: it was no work for it, or it has
/// failed and QueryOptions::cpu_fallback is set; then it is not asked for anything more. Puts back
/// what had been read `before`, and says why in the summary.
bool goes_on_without_device(Execution& execution, const ReadState& before, const Error& error);

/// Gives the row groups that the execution's device keeps, and opens others. Kept by reference.
OpenGroup group_opener(const Execution& execution);

/// Whether a query without groups ends after so few rows that the CPU has them before a device has
/// all that it needs.
bool wants_few_rows(const BoundQuery& query);

/// More combinations of several keys of groups than these have no numbers of 63 bits, as a device
/// needs them.
constexpr double kMostKeysOnDevice = 9e18;

/// What count(distinct) is asked for, each once. A device counts one of them in each pass over the
/// tables.
std::vector<NodeId> distinct_arguments(const BoundQuery& query);

/// Has the execution's device find the rows that fulfil its conditions, where there is a device
/// that can; says in the summary who does it.
Status match_on_device(Execution& execution);

}  // namespace query

class QueryDevice {
 public:
  virtual ~QueryDevice() = default;

  /// The device's name, for people.
  virtual std::string name() const = 0;

  /// The groups as Grouping::finish() gives them, of all rows of the execution's tables that fulfil
  /// its conditions and are joined; adds to its summary and notes.
  ///
  /// Errors: kUnsupported with the reason, where the CPU has to do it; those of the files, and
  /// kDeviceMemory, kOutOfMemory, kDeviceLost.
  virtual Result<query::RowStore> groups(query::Execution& execution,
                                         const query::GroupInput& input) = 0;
  /// The rows that fulfil the execution's conditions, of which there is one at least. Errors: the
  /// same.
  virtual Result<std::shared_ptr<const query::MatchedRows>> rows(query::Execution& execution) = 0;
  /// A row group of a table that it keeps open, with its directory and dictionaries; nullptr: it
  /// does not. What others read through it counts for nobody.
  virtual std::shared_ptr<const GroupReader> kept_group(const Table&, std::uint64_t) const {
    return nullptr;
  }
  /// Whether it has these columns of the tables in its memory, so that rows need not be read.
  virtual bool has_in_memory(const std::vector<Table>&, const std::vector<std::size_t>&) const {
    return false;
  }
  /// The rows that fulfil the conditions and are joined, in the order of the answer: of each the
  /// values of some columns, as BoundQuery::columns numbers them. Errors: the same.
  virtual Result<std::vector<query::RowStore>> joined_rows(
      query::Execution& execution, const std::vector<std::size_t>& columns) = 0;
};

}  // namespace presso
