// SPDX-License-Identifier: MIT
// The plan of a query as text, and what really happened where it was run.
#pragma once

#include <optional>
#include <string>

#include "scan/query/execution.h"

namespace presso::query {

/// `seconds`: how long it ran, where it was.
Result<std::string> explain_text(Execution& execution, std::optional<double> seconds);

}  // namespace presso::query
