// SPDX-License-Identifier: MIT
// Where the time of a compression went, as text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "presso/compress.h"

namespace presso::cli {

/// Each part by its name, in the order of the work.
std::vector<std::pair<const char*, double>> named_parts(const CompressSeconds& seconds);

/// "1.8 s of work: sampling 3 %, coding 92 %, writing 5 %"; without parts below half a percent.
std::string work_text(const CompressSeconds& seconds);

}  // namespace presso::cli
