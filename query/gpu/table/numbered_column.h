// SPDX-License-Identifier: MIT
// What must be known about a column to number its strings (string_index.h), and the memory that
// this takes. Tested by tests/queries/strings.txt.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/table.h"
#include "query/gpu/table/run_space.h"

namespace presso::gpu {

/// A column of tables that have the same ones. They are kept by reference.
struct TableColumn {
  const std::vector<Table>& tables;
  std::size_t column = 0;  ///< of the tables
};

/// Where the numbers of a column's rows go, and what they are.
struct NumbersTo {
  std::uint32_t* rows = nullptr;  ///< in device memory, by row of all tables together
  std::uint32_t none = 0;         ///< of strings that the index does not have
  std::uint32_t null_number = 0;
  bool adds = false;  ///< such strings are put into the index
};

inline Error no_room_for_strings() {
  return make_error(ErrorCode::kUnsupported,
                    "keys that are strings for which there may be too little device memory");
}

/// Up to half of what a limit leaves; where there is no limit the device says what it has. Errors:
/// no_room_for_strings(); kDeviceLost.
inline Result<DeviceMemory> memory_for_strings(const RunSpace& space, std::uint64_t bytes) {
  if (bytes > space.memory.device_bytes_left() / 2) return no_room_for_strings();
  auto memory = space.memory.allocate(bytes);
  if (!memory.ok() && memory.error().code == ErrorCode::kDeviceMemory) return no_room_for_strings();
  return memory;
}

}  // namespace presso::gpu
