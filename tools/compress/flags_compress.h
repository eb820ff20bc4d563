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

/// An option that was given but changes nothing beside the others, and why.
struct Ignored {
  const char* name;
  const char* why;
};
std::vector<Ignored> ignored_options(const CompressOptions& options);

}  // namespace presso::cli
