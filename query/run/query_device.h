// SPDX-License-Identifier: MIT
// The interface of a device that runs parts of a query elsewhere than on this CPU: conditions on
// rows, groups, and joins. Answers are the same to the bit. A device declines what it cannot do
// with kUnsupported and a reason, and the CPU does it instead. query/gpu implements the interface.
// Tested by tests/queries/one_table.txt, in the emulator and on a device.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "query/run/group_input.h"

namespace presso {
namespace query {

/// The rows that fulfil a query's conditions, as a bitmap for each slice, in the form of
/// FilterRunner::run(). Slices without such a row are absent. Filled by one thread, then read by
/// many.
class MatchedRows {
 public:
  /// Returns kSliceWords words, zeroed, to be filled in. `table` is the table's number; `first` is
  /// the slice's first row within the row group.
  std::uint64_t* add(std::size_t table, std::uint64_t group, std::uint32_t first);
  /// The bitmap of a slice, or nullptr if it has no such row.
  const std::uint64_t* find(std::size_t table, std::uint64_t group, std::uint32_t first) const;

 private:
  std::map<std::tuple<std::size_t, std::uint64_t, std::uint32_t>, std::vector<std::uint64_t>>
      slices_;
};

/// A snapshot of the counters and texts of an execution, so that work which a device did in vain is
/// not counted.
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

/// Whether the CPU goes on after a device has returned `error`: the device declined the work, or it
/// failed and QueryOptions::cpu_fallback is set; after a failure it is not asked again. Restores
/// the state `before` and writes the reason into the summary.
bool goes_on_without_device(Execution& execution, const ReadState& before, const Error& error);

/// A function that returns row groups which the device keeps open, and opens all others. Keeps a
/// reference to the device.
OpenGroup group_opener(const Execution& execution);

/// Whether a query without groups and order wants at most a million rows. The CPU then finds them
/// before a device has all that it needs.
bool wants_few_rows(const BoundQuery& query);

/// The most combinations of several group keys that a device can number, as it needs numbers of 63
/// bits.
constexpr double kMostKeysOnDevice = 9e18;

/// The different arguments of count(DISTINCT). A device needs a pass over the tables for each.
std::vector<NodeId> distinct_arguments(const BoundQuery& query);

/// Lets the device find the rows that fulfil the conditions, if there is one that can; the summary
/// tells who did it. Errors: the device's, if the CPU may not go on.
Status match_on_device(Execution& execution);

}  // namespace query

/// Held by QueryOptions::device. What it declines is no failure: kUnsupported makes the CPU go on.
class QueryDevice {
 public:
  virtual ~QueryDevice() = default;

  /// A name for people.
  virtual std::string name() const = 0;

  /// Returns the groups, in the form of Grouping::finish(), of all rows that fulfil the conditions
  /// and are joined. Adds to the execution's summary and notes.
  ///
  /// Errors: kUnsupported with the reason if the CPU has to do it; those of the files;
  /// kDeviceMemory, kOutOfMemory, kDeviceLost.
  virtual Result<query::RowStore> groups(query::Execution& execution,
                                         const query::GroupInput& input) = 0;
  /// Returns the rows that fulfil the execution's conditions, of which there must be at least one.
  /// Errors as for groups().
  virtual Result<std::shared_ptr<const query::MatchedRows>> rows(query::Execution& execution) = 0;
  /// A row group of a table that the device keeps open with directory and dictionaries, or nullptr.
  /// Reading through it is counted for no query.
  virtual std::shared_ptr<const GroupReader> kept_group(const Table&, std::uint64_t) const {
    return nullptr;
  }
  /// Whether these columns of the tables are in the device's memory, so that no file must be read.
  virtual bool has_in_memory(const std::vector<Table>&, const std::vector<std::size_t>&) const {
    return false;
  }
  /// Returns the rows that fulfil the conditions and are joined, in the order of the answer, with
  /// the values of `columns` (numbered as in BoundQuery::columns). Errors as for groups().
  virtual Result<std::vector<query::RowStore>> joined_rows(
      query::Execution& execution, const std::vector<std::size_t>& columns) = 0;
};

}  // namespace presso
