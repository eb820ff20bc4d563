// SPDX-License-Identifier: MIT
// The plan of a query as text, and what really happened where it was run.
#pragma once

#include <optional>
#include <string>

#include "scan/query/execution.h"

namespace presso::query {

/// "3.2 GB"
std::string bytes_text(double bytes);
inline std::string bytes_text(std::uint64_t bytes) {
  return bytes_text(static_cast<double>(bytes));
}

/// `seconds`: how long it ran, where it was.
Result<std::string> explain_text(Execution& execution, std::optional<double> seconds);

}  // namespace presso::query
