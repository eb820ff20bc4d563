// SPDX-License-Identifier: MIT
// The flags that set CompressOptions; compress and bench share them. Values are checked one by one
// here, and whether they go together is checked by validate() of the library. Tested by
// tests/cli/test_compress.py. The order of the functions is that of the help page.
#pragma once

#include <vector>

#include "presso/compress.h"
#include "tools/cli/flag.h"

namespace presso::cli {

/// The flags -1 ... -12 and --level, with the variable PRESSO_LEVEL.
Flag level_flag(int& level);
/// The flags of the encoder: --favor, --coding, --bit-gain, --sub-block, --block-size, --deps,
/// --group, --window, --lookahead, --staleness, --dict, --dict-by-name, --dict-renew.
std::vector<Flag> encoder_flags(CompressOptions& options);
/// The flags --index and --index-size.
std::vector<Flag> filter_flags(CompressOptions& options);

/// An option that was given but changes nothing beside the others, and why.
struct Ignored {
  const char* name;
  const char* why;
};
/// The options to warn of. Only those are found that differ from their defaults.
std::vector<Ignored> ignored_options(const CompressOptions& options);

}  // namespace presso::cli
