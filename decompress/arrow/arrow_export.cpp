// SPDX-License-Identifier: MIT
// Moves columns into Arrow's C structs without copying them: each struct owns its ColumnData in
// private_data and frees it in its release function. A consumer may release in any order and on
// any thread. Tested by tests/unit/decompress/arrow/export_test.cpp.
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

/// What a schema's private_data points to: the strings and children that the struct refers to.
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

/// What an array's private_data points to.
struct OwnedArray {
  ColumnData column;
  std::array<const void*, 3> buffers{};
  ArrowChildren<ArrowArray> children;
  ArrowChildren<ArrowArray> dictionary;  ///< one or none

  explicit OwnedArray(std::size_t count, std::size_t dictionaries = 0)
      : children(count), dictionary(dictionaries) {}
};

/// A dictionary that several batches share; each batch holds a reference.
struct SharedArray {
  std::shared_ptr<const ColumnData> column;
  std::array<const void*, 3> buffers{};
  ArrowChildren<ArrowArray> children{0};
};

/// Hands `owned` over to the schema's release function.
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

/// For a plain column. Names that contain a zero byte end there for whoever reads them.
ArrowSchema schema_of(const ColumnSchema& column) {
  return schema_of(std::make_unique<OwnedSchema>(arrow_format(column), arrow_name(column), 0),
                   column.nullable);
}

/// For a column of 32-bit codes, whose dictionary holds the column's strings.
ArrowSchema coded_schema_of(const ColumnSchema& column) {
  auto owned = std::make_unique<OwnedSchema>("i", arrow_name(column), 0, 1);
  owned->dictionary.structs[0] =
      schema_of(std::make_unique<OwnedSchema>(arrow_format(column), "", 0), false);
  // Taken before `owned` goes; the schema's release function frees it.
  ArrowSchema* const dictionary = owned->dictionary.pointers[0];
  ArrowSchema schema = schema_of(std::move(owned), column.nullable);
  schema.dictionary = dictionary;
  return schema;
}

/// `owned` must hold the column that `view` shows; buffers are borrowed from it.
template <class Owned>
ArrowArray array_of(std::unique_ptr<Owned> owned, const ColumnView& view) {
  const bool strings = is_string(view.type);
  owned->buffers[0] = view.validity;
  owned->buffers[1] = strings ? static_cast<const void*>(view.offsets) : view.values;
  if (strings) owned->buffers[2] = view.values;
  const auto rows = static_cast<std::int64_t>(view.rows);
  ArrowArray array = owning_array(std::move(owned), rows, 0, strings ? 3 : 2);
  // Counted, since consumers may rely on the number.
  if (view.validity != nullptr) {
    array.null_count = rows - static_cast<std::int64_t>(count_bits(view.validity, view.rows));
  }
  return array;
}

/// Takes the column; its dictionary, if any, becomes the array's dictionary.
ArrowArray array_of(ColumnData column) {
  auto owned = std::make_unique<OwnedArray>(0, column.dictionary == nullptr ? 0 : 1);
  owned->column = std::move(column);
  const ColumnView view = owned->column.view();
  if (owned->column.dictionary == nullptr) return array_of(std::move(owned), view);
  // Each batch has a struct of its own for the dictionary, over the same memory.
  auto shared = std::make_unique<SharedArray>();
  shared->column = owned->column.dictionary;
  const ColumnView entries = shared->column->view();
  owned->dictionary.structs[0] = array_of(std::move(shared), entries);
  ArrowArray* const dictionary = owned->dictionary.pointers[0];
  ArrowArray array = array_of(std::move(owned), view);
  array.dictionary = dictionary;
  return array;
}

/// Types and row counts must match, as consumers cannot check.
Status check_columns(const TableSchema& schema, const std::vector<ColumnData>& columns) {
  bool same = columns.size() == schema.columns.size();
  for (std::size_t i = 0; same && i < columns.size(); ++i) {
    same = columns[i].type == schema.columns[i].type && columns[i].rows == columns.front().rows;
  }
  if (same) return {};
  return make_error(ErrorCode::kInvalidArgument, "the columns are not those of the schema");
}

}  // namespace

// A batch is a struct array whose children are the columns; it has no nulls of its own.
void hand_over(std::vector<ColumnData> columns, ArrowArray& out) {
  // A table without wanted columns has no rows to tell.
  const auto rows = columns.empty() ? 0 : static_cast<std::int64_t>(columns.front().rows);
  auto owned = std::make_unique<OwnedArray>(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    owned->children.structs[i] = array_of(std::move(columns[i]));
  }
  out = owning_array(std::move(owned), rows, 0, 1);
}

/// `coded`: a bit for each column that is exported as a dictionary; may be shorter than the
/// columns.
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

/// kInvalidArgument where the columns do not fit; kBadRowGroup for strings that break the
/// schema's promise of UTF-8. `out` is only written on success.
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
