// SPDX-License-Identifier: MIT
// Tested by tests/unit/decompress/arrow/export_test.cpp.
#include "decompress/arrow/arrow_export.h"

#include <array>
#include <memory>
#include <string>

#include "decompress/arrow/arrow_rows.h"
#include "decompress/arrow/owned_arrow.h"
#include "format/columns/arrow_format.h"
#include "format/columns/bit_copy.h"

namespace presso {
namespace {

struct OwnedSchema {
  std::string format;
  std::string name;
  ArrowChildren<ArrowSchema> children;
  ArrowChildren<ArrowSchema> dictionary;  ///< one or none

  OwnedSchema(std::string with_format, std::string with_name, std::size_t count,
              std::size_t dictionaries = 0)
      : format(std::move(with_format)),
        name(std::move(with_name)),
        children(count),
        dictionary(dictionaries) {}
};

struct OwnedArray {
  ColumnData column;
  std::array<const void*, 3> buffers{};
  ArrowChildren<ArrowArray> children;
  ArrowChildren<ArrowArray> dictionary;  ///< one or none

  explicit OwnedArray(std::size_t count, std::size_t dictionaries = 0)
      : children(count), dictionary(dictionaries) {}
};

/// A dictionary that other batches have, too.
struct SharedArray {
  std::shared_ptr<const ColumnData> column;
  std::array<const void*, 3> buffers{};
  ArrowChildren<ArrowArray> children{0};
};

ArrowSchema schema_of(std::unique_ptr<OwnedSchema> owned, bool nullable) {
  ArrowSchema schema = {};
  schema.format = owned->format.c_str();
  schema.name = owned->name.c_str();
  schema.flags = nullable ? ARROW_FLAG_NULLABLE : 0;
  schema.n_children = static_cast<std::int64_t>(owned->children.structs.size());
  schema.children = owned->children.pointers.data();
  schema.release = release_arrow<ArrowSchema, OwnedSchema>;
  schema.private_data = owned.release();
  return schema;
}

/// A name that holds a zero byte ends there for who reads it.
ArrowSchema schema_of(const ColumnSchema& column) {
  return schema_of(std::make_unique<OwnedSchema>(arrow_format(column), arrow_name(column), 0),
                   column.nullable);
}

/// Codes of 32 bits, whose dictionary has the column's strings.
ArrowSchema coded_schema_of(const ColumnSchema& column) {
  auto owned = std::make_unique<OwnedSchema>("i", arrow_name(column), 0, 1);
  owned->dictionary.structs[0] =
      schema_of(std::make_unique<OwnedSchema>(arrow_format(column), "", 0), false);
  ArrowSchema* const dictionary = owned->dictionary.pointers[0];
  ArrowSchema schema = schema_of(std::move(owned), column.nullable);
  schema.dictionary = dictionary;
  return schema;
}

/// `owned` has the column that `view` shows.
template <class Owned>
ArrowArray array_of(std::unique_ptr<Owned> owned, const ColumnView& view) {
  const bool strings = is_string(view.type);
  owned->buffers[0] = view.validity;
  owned->buffers[1] = strings ? static_cast<const void*>(view.offsets) : view.values;
  if (strings) owned->buffers[2] = view.values;
  const auto rows = static_cast<std::int64_t>(view.rows);
  ArrowArray array = owning_array(std::move(owned), rows, 0, strings ? 3 : 2);
  if (view.validity != nullptr) {
    array.null_count = rows - static_cast<std::int64_t>(count_bits(view.validity, view.rows));
  }
  return array;
}

ArrowArray array_of(ColumnData column) {
  auto owned = std::make_unique<OwnedArray>(0, column.dictionary == nullptr ? 0 : 1);
  owned->column = std::move(column);
  const ColumnView view = owned->column.view();
  if (owned->column.dictionary == nullptr) return array_of(std::move(owned), view);
  auto shared = std::make_unique<SharedArray>();
  shared->column = owned->column.dictionary;
  const ColumnView entries = shared->column->view();
  owned->dictionary.structs[0] = array_of(std::move(shared), entries);
  ArrowArray* const dictionary = owned->dictionary.pointers[0];
  ArrowArray array = array_of(std::move(owned), view);
  array.dictionary = dictionary;
  return array;
}

Status check_columns(const TableSchema& schema, const std::vector<ColumnData>& columns) {
  bool same = columns.size() == schema.columns.size();
  for (std::size_t i = 0; same && i < columns.size(); ++i) {
    same = columns[i].type == schema.columns[i].type && columns[i].rows == columns.front().rows;
  }
  if (same) return {};
  return make_error(ErrorCode::kInvalidArgument, "the columns are not those of the schema");
}

}  // namespace

void hand_over(std::vector<ColumnData> columns, ArrowArray& out) {
  const auto rows = columns.empty() ? 0 : static_cast<std::int64_t>(columns.front().rows);
  auto owned = std::make_unique<OwnedArray>(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    owned->children.structs[i] = array_of(std::move(columns[i]));
  }
  out = owning_array(std::move(owned), rows, 0, 1);
}

Status export_schema(const TableSchema& schema, ArrowSchema& out, const std::vector<bool>& coded) {
  return without_bad_alloc([&]() -> Status {
    auto owned = std::make_unique<OwnedSchema>("+s", "", schema.columns.size());
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
      const ColumnSchema& column = schema.columns[i];
      const bool is_coded = i < coded.size() && coded[i];
      owned->children.structs[i] = is_coded ? coded_schema_of(column) : schema_of(column);
    }
    out = schema_of(std::move(owned), false);
    return {};
  });
}

Status export_batch(const TableSchema& schema, std::vector<ColumnData> columns, ArrowArray& out) {
  PRESSO_TRY(check_columns(schema, columns));
  return without_bad_alloc([&]() -> Status {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      PRESSO_TRY(to_arrow_layout(schema.columns[i], columns[i]));
    }
    hand_over(std::move(columns), out);
    return {};
  });
}

}  // namespace presso
