// SPDX-License-Identifier: MIT
// The flags that set CompressOptions: shared by compress and bench.
#pragma once

#include <vector>

#include "presso/compress.h"
#include "tools/cli/flag.h"

namespace presso::cli {

/// -1 ... -12, --level; PRESSO_LEVEL.
Flag level_flag(int& level);
/// --favor, --coding, --bit-gain, --sub-block, --block-size, --deps, --group, --window,
/// --lookahead, --staleness, --dict, --dict-by-name.
std::vector<Flag> encoder_flags(CompressOptions& options);
/// --index, --index-size.
std::vector<Flag> filter_flags(CompressOptions& options);

}  // namespace presso::cli
