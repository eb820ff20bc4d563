// SPDX-License-Identifier: MIT
// Shows where the time of a compression went, as text for -v and bench. Times are sums over all
// threads. Tested by tests/cli/test_compress.py.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "presso/compress.h"

namespace presso::cli {

/// The parts with their names, in the order of the work.
std::vector<std::pair<const char*, double>> named_parts(const CompressSeconds& seconds);

/// All parts in one line: "1.8 s of work: sampling 3 %, coding 92 %, writing 5 %". Parts below half
/// a percent are left out.
std::string work_text(const CompressSeconds& seconds);

}  // namespace presso::cli
