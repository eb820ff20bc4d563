// SPDX-License-Identifier: MIT
// Moves columns into Arrow's C structs without copying them: each struct owns its ColumnData in
// private_data and frees it in its release function. Columns with a type of Arrow are made anew in
// it (array_builder.h). A consumer may release in any order and on any thread. Tested by
// tests/unit/decompress/arrow/export_test.cpp.
#include "decompress/arrow/arrow_export.h"

#include <array>
#include <memory>
#include <string>

#include "decompress/arrow/array_builder.h"
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

/// For a column, or a part of one, with a type of Arrow.
ArrowSchema typed_schema_of(const ArrowType& type, std::string name, std::int64_t flags) {
  auto owned = std::make_unique<OwnedSchema>(type.format, std::move(name), type.children.size(),
                                             type.dictionary.size());
  for (std::size_t i = 0; i < type.children.size(); ++i) {
    const ArrowType& child = type.children[i];
    owned->children.structs[i] = typed_schema_of(child, child.name, child.flags);
  }
  ArrowSchema* dictionary = nullptr;
  for (const ArrowType& values : type.dictionary) {
    owned->dictionary.structs[0] = typed_schema_of(values, "", values.flags);
    dictionary = owned->dictionary.pointers[0];
  }
  ArrowSchema schema = schema_of(std::move(owned), false);
  schema.flags = flags;
  schema.dictionary = dictionary;
  return schema;
}

ArrowSchema typed_schema_of(const ColumnSchema& column) {
  const auto type = parse_arrow_type(column.arrow_type);
  if (!type) return schema_of(column);  // the schema has been checked
  const std::int64_t kept = type->flags & ~ARROW_FLAG_NULLABLE;
  return typed_schema_of(*type, arrow_name(column),
                         kept | (column.nullable ? ARROW_FLAG_NULLABLE : 0));
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

/// A column in its type of Arrow; a released one if the type needs arrays of fewer rows.
Result<ArrowOwner<ArrowArray>> typed_array(const ColumnSchema& schema, const ColumnData& column) {
  ArrowOwner<ArrowArray> array;
  const auto type = parse_arrow_type(schema.arrow_type);
  const auto bad = [&](const std::string& place) {
    return make_error(ErrorCode::kBadRowGroup, "column '" + schema.name + "'" + place +
                                                   ": not a value of its type of Arrow");
  };
  if (!type) return bad("");
  const bool nested = is_nested(*type);
  ArrayBuilder builder(*type, nested);
  if (!builder.is_sound()) return bad("");
  const ColumnView view = column.view();
  for (std::uint64_t row = 0; row < view.rows; ++row) {
    bool sound = true;
    if (!nested || view.is_null(row)) {
      sound = nested ? builder.append_null() : builder.append_stored(view, row);
    } else {
      const Bytes text = view.string(row);
      JsonCursor from({reinterpret_cast<const char*>(text.data()), text.size()});
      sound = builder.append_json(from) && from.empty();
    }
    if (!sound) return bad(", row " + std::to_string(row + 1) + " of the batch");
  }
  if (!builder.finish(*array.out())) array = {};
  return array;
}

/// A copy of some rows.
ColumnData some_rows(const ColumnData& column, std::uint64_t first, std::uint64_t rows) {
  ColumnData some;
  some.type = column.type;
  some.rows = rows;
  some.dictionary = column.dictionary;
  const auto copied_bits = [&](const Byte* bits) {
    std::vector<Byte> copied(static_cast<std::size_t>((rows + 7) / 8));
    copy_bits(bits, first, rows, copied.data(), 0);
    return copied;
  };
  if (!column.validity.empty()) some.validity = copied_bits(column.validity.data());
  const ColumnView view = column.view();
  if (is_string(column.type)) {
    const std::int64_t begin = view.offsets[first];
    for (std::uint64_t i = 0; i <= rows; ++i)
      some.offsets.push_back(view.offsets[first + i] - begin);
    some.values.append({view.values + begin, static_cast<std::size_t>(some.offsets.back())});
  } else if (column.type == ColumnType::kBool) {
    some.values.append(copied_bits(view.values));
  } else {
    const std::size_t width = value_bytes(column.type);
    some.values.append({view.values + first * width, static_cast<std::size_t>(rows) * width});
  }
  return some;
}

/// Appends the columns as one batch, or as several where a type of Arrow has too narrow codes,
/// offsets or ends of runs for all rows.
Status append_batches(const TableSchema& schema, std::vector<ColumnData> columns,
                      ArrowBatches& to) {
  // A table without wanted columns has no rows to tell.
  const std::uint64_t rows = columns.empty() ? 0 : columns.front().rows;
  auto owned = std::make_unique<OwnedArray>(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (schema.columns[i].arrow_type.empty() || columns[i].dictionary != nullptr) continue;
    PRESSO_ASSIGN(ArrowOwner<ArrowArray> array, typed_array(schema.columns[i], columns[i]));
    if (!array.empty()) {
      std::swap(owned->children.structs[i], *array.get());
      continue;
    }
    if (rows < 2) {
      return make_error(ErrorCode::kUnsupported, "column '" + schema.columns[i].name +
                                                     "': a row is too large for its type of Arrow");
    }
    std::vector<ColumnData> half;
    for (const ColumnData& column : columns) half.push_back(some_rows(column, 0, rows / 2));
    PRESSO_TRY(append_batches(schema, std::move(half), to));
    half.clear();
    for (const ColumnData& column : columns) {
      half.push_back(some_rows(column, rows / 2, rows - rows / 2));
    }
    return append_batches(schema, std::move(half), to);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (owned->children.structs[i].release != nullptr) continue;
    owned->children.structs[i] = array_of(std::move(columns[i]));
  }
  ArrowArray batch = owning_array(std::move(owned), static_cast<std::int64_t>(rows), 0, 1);
  to.emplace_back(batch);
  return {};
}

}  // namespace

// A batch is a struct array whose children are the columns; it has no nulls of its own.
Result<ArrowBatches> arrow_batches(const TableSchema& schema, std::vector<ColumnData> columns) {
  return without_bad_alloc([&]() -> Result<ArrowBatches> {
    ArrowBatches batches;
    PRESSO_TRY(append_batches(schema, std::move(columns), batches));
    return batches;
  });
}

/// `coded`: a bit for each column that is exported as a dictionary; may be shorter than the
/// columns.
Status export_schema(const TableSchema& schema, ArrowSchema& out, const std::vector<bool>& coded) {
  return without_bad_alloc([&]() -> Status {
    auto owned = std::make_unique<OwnedSchema>("+s", "", schema.columns.size());
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
      const ColumnSchema& column = schema.columns[i];
      const bool is_coded = i < coded.size() && coded[i];
      owned->children.structs[i] = is_coded                    ? coded_schema_of(column)
                                   : column.arrow_type.empty() ? schema_of(column)
                                                               : typed_schema_of(column);
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
    PRESSO_ASSIGN(ArrowBatches batches, arrow_batches(schema, std::move(columns)));
    if (batches.size() > 1) {
      return make_error(ErrorCode::kInvalidArgument, "more rows than a type of Arrow can number");
    }
    std::swap(out, *batches.front().get());
    return {};
  });
}

}  // namespace presso
