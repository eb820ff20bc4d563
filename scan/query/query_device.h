// SPDX-License-Identifier: MIT
// Who runs parts of a query elsewhere than on this CPU: conditions on the rows of tables, and
// groups of what they leave. The answer is the same to the bit. What a device cannot do it leaves
// to the CPU, and says why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scan/query/group_input.h"

namespace presso {

class QueryDevice {
 public:
  virtual ~QueryDevice() = default;

  /// The device's name, for people.
  virtual std::string name() const = 0;

  /// The groups as Grouping::finish() gives them, of all rows of the execution's tables that fulfil
  /// its conditions; adds to its summary and notes. Only without joins.
  ///
  /// Errors: kUnsupported with the reason, where the CPU has to do it; those of the files, and
  /// kDeviceMemory, kOutOfMemory, kDeviceLost.
  virtual Result<query::RowStore> groups(query::Execution& execution,
                                         const query::GroupInput& input) = 0;
};

}  // namespace presso
