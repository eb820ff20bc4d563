// SPDX-License-Identifier: MIT
// What a Parquet file says about itself: the numbers of the format (parquet.thrift of
// apache/parquet-format) and the footer's content, as far as it is used. Nothing here is trusted
// before footer.cpp has checked it. Tested by tests/cli/test_parquet.py.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/table_schema.h"

namespace presso::cli {

constexpr std::string_view kParquetMagic = "PAR1";

enum class ParquetType : int {
  kBoolean = 0,
  kInt32 = 1,
  kInt64 = 2,
  kInt96 = 3,
  kFloat = 4,
  kDouble = 5,
  kByteArray = 6,
  kFixed = 7,
};
enum class ParquetEncoding : int {
  kPlain = 0,
  kPlainDictionary = 2,
  kRle = 3,
  kBitPacked = 4,
  kDeltaBinary = 5,
  kDeltaLength = 6,
  kDeltaStrings = 7,
  kRleDictionary = 8,
  kByteStreamSplit = 9,
};
enum class ParquetCodec : int {
  kNone = 0,
  kSnappy = 1,
  kGzip = 2,
  kLzo = 3,
  kBrotli = 4,
  kLz4Hadoop = 5,
  kZstd = 6,
  kLz4Raw = 7,
};
enum class ParquetPage : int { kData = 0, kIndex = 1, kDictionary = 2, kDataV2 = 3 };
enum class ParquetRepetition : int { kRequired = 0, kOptional = 1, kRepeated = 2 };

/// What a column means: the logical types, which the older converted types are translated to.
enum class ParquetMeaning {
  kNone,
  kString,
  kMap,
  kList,
  kEnum,
  kDecimal,
  kDate,
  kTime,
  kTimestamp,
  kInteger,
  kUnknown,
  kJson,
  kBson,
  kUuid,
  kHalf,
  kInterval,
  kUnusual,
};

/// An element of the schema, with its levels.
struct ParquetNode {
  std::string name;
  ParquetRepetition repetition = ParquetRepetition::kRequired;
  int def_level = 0;  ///< the definition level at which there is a value here
  int rep_level = 0;  ///< the repetition level of a further element
  std::vector<ParquetNode> children;
  std::size_t leaf = 0;  ///< number of the column, or of the first one below

  // Only columns have these.
  ParquetType type = ParquetType::kBoolean;
  std::uint32_t width = 0;  ///< bytes of a kFixed
  ParquetMeaning meaning = ParquetMeaning::kNone;
  TimeUnit unit = TimeUnit::kMicro;
  bool utc = false;
  int bits = 0;  ///< of an integer
  bool is_signed = true;
  int scale = 0;
  int precision = 0;

  bool is_leaf() const { return children.empty(); }
};

/// A column's part of a row group.
struct ParquetChunk {
  ParquetType type = ParquetType::kBoolean;
  ParquetCodec codec = ParquetCodec::kNone;
  std::uint64_t values = 0;  ///< with nulls
  std::uint64_t begin = 0;   ///< in the file: of the dictionary's page or the first one
  std::uint64_t bytes = 0;
  bool in_other_file = false;
  bool encrypted = false;
  /// How many values are null, and the least and the greatest of the others as they are stored, in
  /// the order of the column's type; without those that cannot be trusted.
  std::optional<std::uint64_t> nulls;
  std::optional<std::pair<std::string, std::string>> range;
  std::optional<std::pair<std::string, std::string>> old_range;  ///< while the footer is read
};

struct ParquetRowGroup {
  std::uint64_t rows = 0;
  std::vector<ParquetChunk> chunks;  ///< by column
};

struct ParquetFooter {
  ParquetNode root;
  std::vector<const ParquetNode*> leaves;  ///< into `root`
  std::uint64_t rows = 0;
  std::vector<ParquetRowGroup> row_groups;
};

/// Reads and checks the footer. Errors: kTruncated, kInvalidArgument, kUnsupported.
Result<std::unique_ptr<ParquetFooter>> read_parquet_footer(const RandomAccess& file);

}  // namespace presso::cli
