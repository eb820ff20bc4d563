// SPDX-License-Identifier: MIT
// The compressors of Parquet's pages. Snappy is decoded here; gzip, zstd and lz4 are those of the
// libraries that the command was built with, and where one is missing an error names it. Brotli and
// LZO are declined. Tested by tests/cli/test_parquet.py and tests/differential/parquet_oracle.py.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tools/parquet/parquet_format.h"

namespace presso::cli {

/// Decompresses a page. `to` has the size that the page's header states, and Buffer::kSlack bytes
/// after it may be written. Errors: kInvalidArgument if the page does not have that size or is
/// damaged, kUnsupported for a codec that this build lacks.
Status decompress_page(ParquetCodec codec, Bytes from, MutableBytes to);
/// How many bytes a page may have at most that has `bytes` compressed ones.
std::uint64_t most_page_bytes(ParquetCodec codec, std::uint64_t bytes);

/// Decompresses an LZ4 frame, as Arrow files have them, in the same way.
Status decompress_lz4_frame(Bytes from, MutableBytes to);

/// The codec of files that are written: zstd, or none without the library.
ParquetCodec written_codec();
/// Compresses with written_codec(); `to` is replaced.
Status compress_page(Bytes from, Buffer& to);

/// The checksum of a page as it is stored (CRC-32); nullopt if this build lacks zlib.
std::optional<std::uint32_t> page_checksum(Bytes page);

}  // namespace presso::cli
