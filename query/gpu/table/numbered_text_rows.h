// SPDX-License-Identifier: MIT
// Numbers the rows of loaded row groups that store their strings as bytes: the device decodes them
// (decoded_text.h), and looks each row's string up in an index or inserts it. Tested by
// tests/queries/strings.txt.
#pragma once

#include "query/gpu/table/decoded_text.h"
#include "query/gpu/table/numbered_column.h"

namespace presso::gpu {

/// Numbers the rows of a loaded table that has one column. Call order: prepare(), enqueue(), a wait
/// for the stream, check().
class NumberedTextRows {
 public:
  /// `column`: of the file's. `space` and `table` are kept by reference.
  NumberedTextRows(const RunSpace& space, const LoadedTable& table, std::size_t column,
                   const NumbersTo& to)
      : space_(space),
        table_(table),
        column_(column),
        to_(to),
        text_(space, no_room_for_strings()) {}

  /// Copies to the device what kernels have to know. Waits. Errors: no_room_for_strings();
  /// kDeviceMemory, kOutOfMemory, kDeviceLost.
  Status prepare();
  /// Errors: kDeviceLost.
  Status enqueue(const StringIndex& index) const;
  /// Once it is done: the first error of a block or row group, as a CPU reports it; kDeviceLost.
  Status check() const { return text_.check(); }

 private:
  const RunSpace& space_;
  const LoadedTable& table_;
  std::size_t column_;
  NumbersTo to_;
  DecodedText text_;
};

}  // namespace presso::gpu
