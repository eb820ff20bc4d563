// SPDX-License-Identifier: MIT
// Writes one column of one row group: a dictionary where it pays, otherwise differences of integers
// where these are small, otherwise plain values, in pages of about 1 MiB (data pages V1, which
// every reader knows), with the least and the greatest value. Tested by tests/cli/test_parquet.py
// and tests/differential/parquet_oracle.py.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "presso/column_data.h"
#include "tools/parquet/parquet_format.h"
#include "tools/parquet/thrift.h"

namespace presso::cli {

/// How a column of a table is stored.
struct StoredType {
  ParquetType type = ParquetType::kByteArray;
  std::uint32_t width = 0;  ///< bytes of a value; 0: strings and truths
  int converted = -1;       ///< the converted type for old readers; -1: there is none
};
StoredType stored_type(const ColumnSchema& column);

/// What the footer tells of a chunk. Places count from the chunk's beginning.
struct WrittenChunk {
  Buffer bytes;
  std::uint64_t values = 0;  ///< with nulls
  std::uint64_t plain_bytes = 0;
  std::uint64_t dictionary_bytes = 0;  ///< of its page; 0: there is none
  ParquetEncoding encoding = ParquetEncoding::kPlain;
  std::uint64_t nulls = 0;
  std::optional<std::string> least;  ///< as the format stores them
  std::optional<std::string> greatest;
};

/// Encodes a column. Errors: kInvalidArgument for a timestamp in seconds that is none in
/// milliseconds, which is the greatest unit of Parquet; kOutOfMemory.
Result<WrittenChunk> write_chunk(const ColumnSchema& schema, const ColumnView& column);

}  // namespace presso::cli
