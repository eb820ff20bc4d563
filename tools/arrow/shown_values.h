// SPDX-License-Identifier: MIT
// Values of types that tables lack, made values of the type by which they are shown (ipc_schema.h).
// Tested by tests/cli/test_arrow_files.py.
#pragma once

#include <vector>

#include "presso/byte_stream.h"
#include "tools/arrow/ipc_schema.h"

namespace presso::cli {

/// The buffers after the validity of an array whose `values` have IpcField::width bytes each. A
/// value under a null becomes anything. Error: kInvalidArgument for a time that no day has.
Result<std::vector<Buffer>> shown_values(const IpcField& field, Bytes values, Bytes validity,
                                         std::uint64_t rows);

}  // namespace presso::cli
