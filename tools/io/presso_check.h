// SPDX-License-Identifier: MIT
// Says what a file is that should be presso's and is not, for the commands that read nothing else.
// Tested by tests/cli/test_not_presso.py.
#pragma once

#include <string_view>

#include "presso/byte_stream.h"
#include "tools/io/input_file.h"

namespace presso::cli {

/// Error kNotPresso, which says what the file seems to be, unless `begun` begins with the magic
/// number. With `salvage` a file passes too whose first bytes are damaged. `begun` are the first
/// format/damaged_magic.h's kMagicEvidenceBytes bytes; `file` is nullptr for a stream.
Status check_is_presso(Bytes begun, const RandomAccess* file, std::string_view path,
                       bool salvage = false);

/// Reads the first bytes of a regular file for the function above. A pipe passes.
Status check_is_presso(const InputFile& input, std::string_view path);

}  // namespace presso::cli
