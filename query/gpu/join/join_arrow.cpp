// SPDX-License-Identifier: MIT
// Key columns from Arrow's C device data interface (ArrowDeviceArray), and pairs as arrays of it.
// Columns are borrowed: they must live until the join has returned. Answers are owned: each
// exported array keeps the pairs, and with them the device, until the consumer calls its release.
// Formats that are accepted are integers of 32 and 64 bits, dates and timestamps, and structs of
// these; dictionaries, decimals and strings are declined with kUnsupported. Tested by
// tests/simt/device_joiner_test.cpp.
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "decompress/arrow/owned_arrow.h"
#include "presso/arrow.h"
#include "query/gpu/join/join_sizes.h"
#include "query/gpu/join/key_columns.h"

namespace presso::gpu {
namespace {

/// Returns the key type of an Arrow format string, or nothing.
std::optional<JoinKeyType> type_of(std::string_view format) {
  static constexpr std::pair<std::string_view, JoinKeyType> kTypes[] = {
      {"i", JoinKeyType::kInt32},  {"I", JoinKeyType::kUint32},   {"l", JoinKeyType::kInt64},
      {"L", JoinKeyType::kUint64}, {"tdD", JoinKeyType::kDate32}, {"tdm", JoinKeyType::kDate64},
  };
  // The format of a timestamp ends with its zone, which does not matter: values are in UTC.
  static constexpr std::pair<std::string_view, JoinKeyType> kTimestamps[] = {
      {"tss:", JoinKeyType::kTimestampSeconds},
      {"tsm:", JoinKeyType::kTimestampMillis},
      {"tsu:", JoinKeyType::kTimestampMicros},
      {"tsn:", JoinKeyType::kTimestampNanos},
  };
  for (const auto& [name, type] : kTypes) {
    if (format == name) return type;
  }
  for (const auto& [name, type] : kTimestamps) {
    if (format.starts_with(name)) return type;
  }
  return std::nullopt;
}

/// Arrays that break Arrow's rules are invalid; correct arrays that joins do not take are
/// unsupported.
Error invalid_arrow_keys(const char* what) {
  return make_error(ErrorCode::kInvalidArgument, std::string("an Arrow column of keys ") + what);
}
Error unsupported(const std::string& what) {
  return make_error(ErrorCode::kUnsupported, "an Arrow column of keys " + what);
}

/// Memory that kernels can read, including managed and page-locked memory.
bool is_on_a_gpu(ArrowDeviceType type) {
  return type == ARROW_DEVICE_CUDA || type == ARROW_DEVICE_CUDA_MANAGED ||
         type == ARROW_DEVICE_CUDA_HOST;
}

std::string struct_of(std::size_t columns) {
  return "is a struct of " + std::to_string(columns) + " columns";
}

/// Makes a column of `length` values from value `offset` on. Checks everything that can be checked
/// without reading device memory.
/// Errors: kUnsupported and kInvalidArgument. Offsets are in values; that of the bitmap is in bits
/// and need not be a multiple of 8.
Result<JoinColumn> column_of(const ArrowArray& array, const ArrowSchema& schema,
                             std::int64_t offset, std::int64_t length) {
  if (schema.dictionary != nullptr) return unsupported("is a dictionary");
  const auto type = type_of(schema.format);
  if (!type) return unsupported("has the format '" + std::string(schema.format) + "'");
  if (length < 0 || offset < 0) return invalid_arrow_keys("has a negative length or offset");
  if (array.n_buffers != 2) return invalid_arrow_keys("does not have two buffers");
  JoinColumn column;
  column.type = *type;
  column.rows = static_cast<std::uint64_t>(length);
  if (length == 0) return column;
  if (array.buffers[1] == nullptr) return invalid_arrow_keys("lacks its values");
  column.d_keys = static_cast<const Byte*>(array.buffers[1]) + offset * facts_of(*type).bytes;
  if (array.null_count != 0) column.d_valid = array.buffers[0];
  column.first_valid = static_cast<std::uint64_t>(offset);
  return column;
}

/// Adds the columns of a struct; the struct itself must not be null anywhere.
/// A struct's offset adds to those of its children, and its length replaces theirs.
Status add_children(const ArrowArray& array, const ArrowSchema& schema, JoinSide& side) {
  const std::int64_t columns = schema.n_children;
  if (columns < 1 || columns > static_cast<std::int64_t>(kMostJoinKeys) ||
      array.n_children != columns) {
    return unsupported(struct_of(static_cast<std::size_t>(columns)));
  }
  if (array.n_buffers > 0 && array.buffers[0] != nullptr && array.null_count != 0) {
    return unsupported("is a struct that may be null");
  }
  for (std::int64_t i = 0; i < columns; ++i) {
    const ArrowArray& child = *array.children[i];
    PRESSO_ASSIGN(const JoinColumn column,
                  column_of(child, *schema.children[i], array.offset + child.offset, array.length));
    side.keys.push_back(column);
  }
  return {};
}

/// The data that an array's private_data points to; freed by its release.
struct OwnedArray {
  std::shared_ptr<const void> pairs;  ///< destroyed last, as it keeps the device alive
  DeviceMemory bits;
  std::array<const void*, 2> buffers{};
  ArrowChildren<ArrowArray> children;

  OwnedArray(std::shared_ptr<const void> of, std::size_t count)
      : pairs(std::move(of)), children(count) {}
};

/// The columns of an answer: probe_row and, for joins that give pairs, build_row.
TableSchema schema_of(JoinKind kind) {
  TableSchema schema;
  for (const char* const name : {"probe_row", "build_row"}) {
    ColumnSchema column;
    column.name = name;
    column.type = ColumnType::kUint32;
    column.nullable = true;
    schema.columns.push_back(column);
    if (!gives_pairs(kind)) break;
  }
  return schema;
}

constexpr std::uint64_t kWordBytes = sizeof(std::uint32_t);

/// Makes the columns of an answer.
struct Exporter {
  JoinWorkplace& place;
  std::uint64_t rows;
  std::shared_ptr<const void> pairs;
  Stream stream;

  /// Makes one column. `nulls` is the number of nulls, or -1 if it is not known; unless it is 0, a
  /// bitmap is made, and waited for.
  Result<ArrowArray> column(const DeviceMemory& numbers, std::int64_t nulls) const {
    auto owned = std::make_unique<OwnedArray>(pairs, 0);
    owned->buffers[1] = numbers.get();
    if (nulls != 0 && rows > 0) {
      // Whole words.
      PRESSO_ASSIGN(owned->bits,
                    place.memory().allocate(rows / 8 / kWordBytes * kWordBytes + kWordBytes));
      owned->buffers[0] = owned->bits.get();
      auto* const d_bits = reinterpret_cast<std::uint32_t*>(owned->bits.get());
      const auto* const d_rows = reinterpret_cast<const std::uint32_t*>(numbers.get());
      PRESSO_TRY(place.kernels().write_presence(d_rows, rows, d_bits, stream));
      PRESSO_TRY(place.device().wait(stream));
    }
    return owning_array(std::move(owned), static_cast<std::int64_t>(rows), nulls, 2);
  }
};

}  // namespace

Result<JoinColumn> JoinColumn::from_arrow(const ArrowDeviceArray& array,
                                          const ArrowSchema& schema) {
  PRESSO_ASSIGN(const JoinSide side, JoinSide::from_arrow(array, schema));
  if (side.keys.size() != 1) return unsupported(struct_of(side.keys.size()));
  return side.keys[0];
}

Result<JoinSide> JoinSide::from_arrow(const ArrowDeviceArray& device_array,
                                      const ArrowSchema& schema) {
  const ArrowArray& array = device_array.array;
  if (array.release == nullptr || schema.release == nullptr)
    return invalid_arrow_keys("was released");
  if (!is_on_a_gpu(device_array.device_type)) return unsupported("is not in memory of CUDA's");
  return without_bad_alloc([&]() -> Result<JoinSide> {
    JoinSide side;
    if (std::string_view(schema.format) != "+s") {
      PRESSO_ASSIGN(const JoinColumn column, column_of(array, schema, array.offset, array.length));
      side.keys.push_back(column);
    } else {
      PRESSO_TRY(add_children(array, schema, side));
    }
    for (JoinColumn& column : side.keys) column.ready = device_array.sync_event;
    return side;
  });
}

/// A struct of the columns of schema_of(). The stream is only used for bitmaps and is waited for,
/// so the array needs no event.
Status JoinedPairs::to_arrow(ArrowDeviceArray& array, ArrowSchema& schema) const {
  return without_bad_alloc([&]() -> Status {
    const PairMemory& pairs = body_->pairs;
    JoinWorkplace& place = *body_->place;
    const std::uint64_t rows = size();
    // The number of probe rows without a match is not counted, so build rows' nulls are unknown.
    const std::int64_t probe_nulls = static_cast<std::int64_t>(pairs.totals.unmatched);
    const std::int64_t build_nulls =
        pairs.kind == JoinKind::kLeft || pairs.kind == JoinKind::kFull ? -1 : 0;
    auto all = std::make_unique<OwnedArray>(body_, gives_pairs(pairs.kind) ? 2 : 1);
    PRESSO_ASSIGN(const OwnedStream stream, make_stream(place.device()));
    const Exporter exporter{place, rows, body_, stream.get()};
    PRESSO_ASSIGN(all->children.structs[0], exporter.column(pairs.probe, probe_nulls));
    if (gives_pairs(pairs.kind)) {
      PRESSO_ASSIGN(all->children.structs[1], exporter.column(pairs.build, build_nulls));
    }
    ArrowOwner<ArrowSchema> described;
    PRESSO_TRY(export_schema(schema_of(pairs.kind), *described.out()));
    schema = *described;
    described.get()->release = nullptr;
    array = {};
    array.array = owning_array(std::move(all), static_cast<std::int64_t>(rows), 0, 1);
    array.device_id = place.number();
    array.device_type = ARROW_DEVICE_CUDA;
    return {};
  });
}

}  // namespace presso::gpu
