// SPDX-License-Identifier: MIT
// Which part of a compressed file --bytes and --blocks ask for.
#pragma once

#include <cstdint>

#include "presso/decompress.h"
#include "tools/decompress/flags_decompress.h"

namespace presso::cli {

/// Plain bytes [begin, end) of a file.
struct PlainSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The part of `file` that `flags` selects. kInvalidArgument if it begins after the end.
Result<PlainSpan> selected_span(const CompressedFile& file, const DecodeFlags& flags);

}  // namespace presso::cli
