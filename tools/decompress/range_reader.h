// SPDX-License-Identifier: MIT
// Finds which part of a compressed file --bytes and --blocks ask for, once the file's size and
// index are known. Tested by tests/cli/test_decompress.py. It costs nothing but arithmetic on an
// index that is open.
#pragma once

#include <cstdint>

#include "presso/decompress.h"
#include "tools/decompress/flags_decompress.h"

namespace presso::cli {

/// The plain bytes [begin, end) of a file.
struct PlainSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The part of `file` that `flags` select, cut at the end of the file. Error kInvalidArgument: it
/// begins after the end.
Result<PlainSpan> selected_span(const CompressedFile& file, const DecodeFlags& flags);

}  // namespace presso::cli
