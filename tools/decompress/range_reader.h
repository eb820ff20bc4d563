// SPDX-License-Identifier: MIT
// Parts of a compressed file: decodes the blocks that hold them, on several threads, in order.
#pragma once

#include <cstdint>

#include "presso/byte_stream.h"
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

/// Writes `span` of `file` to `sink`; returns the bytes written.
Result<std::uint64_t> write_span(const CompressedFile& file, PlainSpan span, unsigned threads,
                                 ByteSink& sink);

}  // namespace presso::cli
