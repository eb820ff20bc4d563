// SPDX-License-Identifier: MIT
// The flags of presso select.
#pragma once

#include <vector>

#include "tools/cli/flag.h"
#include "tools/select/select_settings.h"

namespace presso::cli {

std::vector<Flag> select_flags(SelectSettings& settings);

}  // namespace presso::cli
