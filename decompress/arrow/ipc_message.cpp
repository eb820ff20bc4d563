// SPDX-License-Identifier: MIT
// Builds Arrow's IPC messages from structs of the C data interface (arrow_export.h): metadata as
// FlatBuffers, then the columns' buffers. The numbers of fields and types are those of Arrow's
// Schema.fbs and Message.fbs. Tested by tests/cli/test_table_arrow.py, which reads them with
// pyarrow.
#include "decompress/arrow/ipc_message.h"

#include <algorithm>
#include <cstdlib>

#include "decompress/arrow/arrow_export.h"
#include "decompress/arrow/flat_reader.h"
#include "decompress/arrow/flat_writer.h"
#include "decompress/arrow/ipc_format.h"
#include "format/columns/arrow_type.h"

namespace presso {
namespace {

using Place = FlatWriter::Place;

/// Writes the message's table and returns the place of its header.
Place begin_message(FlatWriter& flat, IpcHeader header, std::size_t body_bytes) {
  return flat.table(
      FlatWriter::kRoot,
      {FlatWriter::field(kIpcVersion5), FlatWriter::field(static_cast<Byte>(header)),
       FlatWriter::kReference, FlatWriter::field(static_cast<std::int64_t>(body_bytes))})[2];
}

/// The prefix: a marker, and the size of the metadata.
void append_metadata(FlatWriter& flat, Buffer& to) {
  // finish() pads to 8 bytes, which both sides rely on.
  const std::vector<Byte> metadata = flat.finish();
  // The marker tells this form from that of old versions, which began with the size.
  std::vector<Byte> prefix;
  append_value(prefix, kIpcMarker);
  append_value(prefix, static_cast<std::uint32_t>(metadata.size()));
  to.append(prefix);
  to.append(metadata);
}

/// A format of Arrow's C data interface without parameters.
struct NamedFormat {
  std::string_view format;
  IpcType type;
};
constexpr NamedFormat kFormats[] = {
    {"n", IpcType::kNull},           {"b", IpcType::kBool},       {"f", IpcType::kFloatingPoint},
    {"g", IpcType::kFloatingPoint},  {"tdD", IpcType::kDate},     {"tdm", IpcType::kDate},
    {"u", IpcType::kUtf8},           {"U", IpcType::kLargeUtf8},  {"z", IpcType::kBinary},
    {"Z", IpcType::kLargeBinary},    {"vu", IpcType::kUtf8View},  {"vz", IpcType::kBinaryView},
    {"+s", IpcType::kStruct},        {"+m", IpcType::kMap},       {"+l", IpcType::kList},
    {"+L", IpcType::kLargeList},     {"+vl", IpcType::kListView}, {"+vL", IpcType::kLargeListView},
    {"+r", IpcType::kRunEndEncoded},
};

IpcType type_of(std::string_view format) {
  for (const NamedFormat& named : kFormats) {
    if (named.format == format) return named.type;
  }
  if (format.starts_with("ts")) return IpcType::kTimestamp;
  if (format.starts_with("d:")) return IpcType::kDecimal;
  return format.starts_with("+w:") ? IpcType::kFixedSizeList : IpcType::kInt;
}

/// The bytes of a value, an offset or a code of this format; 0 for bits and structs.
std::size_t width_of(std::string_view format) {
  if (format == "U" || format == "Z" || format == "+L" || format == "+vL" || format == "tdm") {
    return 8;
  }
  const auto leaf = leaf_of(format);
  if (!leaf || is_string(leaf->type)) return 4;
  return is_decimal(leaf->type) ? 16 : value_bytes(leaf->type);
}

/// The type's own table, with width, precision or unit.
void append_type(FlatWriter& flat, Place at, const ArrowSchema& schema) {
  const auto number = [](std::int32_t value) { return FlatWriter::field(value); };
  const auto choice = [](int value) { return FlatWriter::field(static_cast<std::int16_t>(value)); };
  const auto truth = [](bool value) { return FlatWriter::field(static_cast<Byte>(value)); };
  const std::string_view format = schema.format;
  const auto leaf = leaf_of(format);
  switch (type_of(format)) {
    case IpcType::kInt:
      flat.table(at, {number(static_cast<std::int32_t>(8 * width_of(format))),
                      truth(is_signed(leaf->type))});
      break;
    case IpcType::kFloatingPoint:
      flat.table(at, {choice(format == "f" ? 1 : 2)});
      break;
    case IpcType::kDecimal:
      flat.table(at, {number(leaf->precision), number(leaf->scale), number(128)});
      break;
    case IpcType::kDate:
      flat.table(at, {choice(format == "tdD" ? 0 : 1)});  // days or milliseconds
      break;
    case IpcType::kTimestamp: {
      // Only timestamps that are known to be UTC have a zone.
      const auto unit = choice(static_cast<int>(leaf->unit));
      const bool has_zone = !leaf->zone.empty();
      const auto places =
          flat.table(at, {unit, has_zone ? FlatWriter::kReference : FlatWriter::kNoField});
      if (has_zone) flat.string(places[1], leaf->zone);
      break;
    }
    case IpcType::kFixedSizeList:
      flat.table(at, {number(std::atoi(schema.format + 3))});
      break;
    case IpcType::kMap:
      flat.table(at, {truth((schema.flags & ARROW_FLAG_MAP_KEYS_SORTED) != 0)});
      break;
    default:
      flat.table(at, {});
  }
}

/// A dictionary's number and the type of its codes.
void append_encoding(FlatWriter& flat, Place at, const ArrowSchema& codes, std::int64_t number) {
  const bool ordered = (codes.flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
  const auto places = flat.table(at, {FlatWriter::field(number), FlatWriter::kReference,
                                      FlatWriter::field(static_cast<Byte>(ordered))});
  append_type(flat, places[1], codes);
}

/// The fields of a Field table: name, nullable, the type's number, type, dictionary, children. A
/// field of codes has the type and the children of its values. `dictionaries` counts those that
/// have a number.
void append_field(FlatWriter& flat, Place at, const ArrowSchema& schema,
                  std::int64_t& dictionaries) {
  const bool coded = schema.dictionary != nullptr;
  const ArrowSchema& values = coded ? *schema.dictionary : schema;
  const bool nullable = (schema.flags & ARROW_FLAG_NULLABLE) != 0;
  const auto places = flat.table(
      at, {FlatWriter::kReference, FlatWriter::field(static_cast<Byte>(nullable)),
           FlatWriter::field(static_cast<Byte>(type_of(values.format))), FlatWriter::kReference,
           coded ? FlatWriter::kReference : FlatWriter::kNoField, FlatWriter::kReference});
  flat.string(places[0], schema.name);
  append_type(flat, places[3], values);
  if (coded) append_encoding(flat, places[4], schema, dictionaries++);
  const auto count = static_cast<std::size_t>(values.n_children);
  const auto children = flat.references(places[5], count);
  for (std::size_t i = 0; i < count; ++i) {
    append_field(flat, children[i], *values.children[i], dictionaries);
  }
}

/// Lengths and contents of the body's buffers, which stand in it one after another.
struct BodyPlan {
  std::vector<std::int64_t> nodes;    ///< rows, nulls
  std::vector<std::int64_t> buffers;  ///< offset, length
  std::vector<std::int64_t> views;    ///< how many buffers each array of views has
  std::vector<Bytes> contents;
  std::size_t bytes = 0;

  /// `buffer` may be null.
  void add(const void* buffer, std::size_t size) {
    if (buffer == nullptr) size = 0;
    buffers.push_back(static_cast<std::int64_t>(bytes));
    buffers.push_back(static_cast<std::int64_t>(size));
    contents.emplace_back(static_cast<const Byte*>(buffer), size);
    bytes += round_up(size, kIpcAlignment);
  }
};

/// The views of an array, and the buffers that they lead to. The sizes stand in the last one.
void plan_views(const ArrowArray& array, BodyPlan& plan) {
  plan.add(array.buffers[1], static_cast<std::size_t>(array.length) * 16);
  const auto* const sizes = static_cast<const Byte*>(array.buffers[array.n_buffers - 1]);
  plan.views.push_back(array.n_buffers - 3);
  for (std::int64_t i = 2; i + 1 < array.n_buffers; ++i) {
    const auto size = load<std::int64_t>(sizes + 8 * (i - 2));
    plan.add(array.buffers[i], static_cast<std::size_t>(size));
  }
}

/// Offsets of an array, and the bytes of its strings if it has them.
void plan_offsets(std::string_view format, const ArrowArray& array, BodyPlan& plan) {
  const auto rows = static_cast<std::size_t>(array.length);
  const std::size_t width = width_of(format);
  plan.add(array.buffers[1], (rows + 1) * width);
  if (array.n_buffers < 3) return;
  const auto* const offsets = static_cast<const Byte*>(array.buffers[1]);
  if (offsets == nullptr) return plan.add(nullptr, 0);
  const std::int64_t end = width == 4 ? load<std::int32_t>(offsets + rows * width)
                                      : load<std::int64_t>(offsets + rows * width);
  plan.add(array.buffers[2], static_cast<std::size_t>(end));
}

/// The buffers of an array, in the order that Arrow prescribes. Arrays begin with their first
/// value, as those of this library do.
void plan_array(const ArrowSchema& schema, const ArrowArray& array, BodyPlan& plan) {
  const std::string_view format = schema.format;
  const auto rows = static_cast<std::size_t>(array.length);
  const IpcType type = schema.dictionary == nullptr ? type_of(format) : IpcType::kInt;
  // A node has rows and nulls; readers trust both.
  plan.nodes.push_back(array.length);
  plan.nodes.push_back(array.null_count);
  // A buffer of no bytes, with a count of no nulls, stands for a bitmap of ones.
  if (array.n_buffers > 0) plan.add(array.buffers[0], (rows + 7) / 8);
  switch (type) {
    case IpcType::kNull:
    case IpcType::kStruct:
    case IpcType::kFixedSizeList:
    case IpcType::kRunEndEncoded:
      break;
    case IpcType::kUtf8View:
    case IpcType::kBinaryView:
      plan_views(array, plan);
      break;
    case IpcType::kBool:
      plan.add(array.buffers[1], (rows + 7) / 8);
      break;
    case IpcType::kListView:
    case IpcType::kLargeListView:
      plan.add(array.buffers[1], rows * width_of(format));
      plan.add(array.buffers[2], rows * width_of(format));
      break;
    case IpcType::kUtf8:
    case IpcType::kBinary:
    case IpcType::kLargeUtf8:
    case IpcType::kLargeBinary:
    case IpcType::kList:
    case IpcType::kLargeList:
    case IpcType::kMap:
      plan_offsets(format, array, plan);
      break;
    default:
      plan.add(array.buffers[1], rows * width_of(format));
  }
  for (std::int64_t i = 0; i < array.n_children; ++i) {
    plan_array(*schema.children[i], *array.children[i], plan);
  }
}

/// Writes a RecordBatch table at the place of a reference.
void append_batch_table(FlatWriter& flat, Place at, std::int64_t rows, const BodyPlan& plan) {
  const auto length = FlatWriter::field(rows);
  const auto places = plan.views.empty()
                          ? flat.table(at, {length, FlatWriter::kReference, FlatWriter::kReference})
                          : flat.table(at, {length, FlatWriter::kReference, FlatWriter::kReference,
                                            FlatWriter::kNoField, FlatWriter::kReference});
  // Both vectors hold pairs of 64-bit numbers.
  flat.structs(places[1], plan.nodes, 2);
  flat.structs(places[2], plan.buffers, 2);
  if (!plan.views.empty()) flat.structs(places[4], plan.views, 1);
}

/// The body is written directly into `to`, padded to 8 bytes after each buffer.
void append_body(const BodyPlan& plan, Buffer& to) {
  std::size_t at = to.size();
  to.grow(at + plan.bytes);
  // In the order in which the metadata lists them.
  for (const Bytes content : plan.contents) {
    std::copy(content.begin(), content.end(), to.data() + at);
    at += content.size();
    while (at % kIpcAlignment != 0) to.data()[at++] = 0;
  }
}

/// Writes the dictionaries of an array, those within others before them. Numbers are given in the
/// order of append_field(). In a stream each one replaces that of the batch before.
void append_dictionaries(const ArrowSchema& schema, const ArrowArray& array, std::int64_t& number,
                         Buffer& to) {
  const bool coded = schema.dictionary != nullptr;
  const ArrowSchema& values = coded ? *schema.dictionary : schema;
  const ArrowArray& entries = coded ? *array.dictionary : array;
  const std::int64_t own = coded ? number++ : 0;
  for (std::int64_t i = 0; i < values.n_children; ++i) {
    append_dictionaries(*values.children[i], *entries.children[i], number, to);
  }
  if (!coded) return;
  BodyPlan plan;
  plan_array(values, entries, plan);
  FlatWriter flat;
  const Place header = begin_message(flat, IpcHeader::kDictionaryBatch, plan.bytes);
  const auto places = flat.table(header, {FlatWriter::field(own), FlatWriter::kReference});
  append_batch_table(flat, places[1], entries.length, plan);
  append_metadata(flat, to);
  append_body(plan, to);
}

/// `schema` and `batch` are structs of the columns.
void append_batch(const ArrowSchema& schema, const ArrowArray& batch, Buffer& to) {
  BodyPlan plan;
  std::int64_t dictionaries = 0;
  for (std::int64_t i = 0; i < batch.n_children; ++i) {
    append_dictionaries(*schema.children[i], *batch.children[i], dictionaries, to);
    plan_array(*schema.children[i], *batch.children[i], plan);
  }
  FlatWriter flat;
  const Place header = begin_message(flat, IpcHeader::kRecordBatch, plan.bytes);
  append_batch_table(flat, header, batch.length, plan);
  append_metadata(flat, to);
  append_body(plan, to);
}

/// Writes a Schema table at the place of a reference.
Status append_schema_table(FlatWriter& flat, Place at, const TableSchema& table) {
  ArrowOwner<ArrowSchema> schema;
  PRESSO_TRY(export_schema(table, *schema.out()));
  const auto fields =
      flat.table(at, {FlatWriter::field<std::int16_t>(0), FlatWriter::kReference})[1];
  const auto places = flat.references(fields, static_cast<std::size_t>(schema->n_children));
  std::int64_t dictionaries = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    append_field(flat, places[i], *schema->children[i], dictionaries);
  }
  return {};
}

/// A type in which the values of dictionaries stand for themselves.
ArrowType without_dictionaries(const ArrowType& type) {
  ArrowType plain = type.dictionary.empty() ? type : type.dictionary[0];
  plain.name = type.name;
  plain.flags = type.flags & static_cast<Byte>(~ARROW_FLAG_DICTIONARY_ORDERED);
  plain.entries.clear();
  if (!plain.dictionary.empty()) return without_dictionaries(plain);
  for (ArrowType& child : plain.children) child = without_dictionaries(child);
  return plain;
}

}  // namespace

TableSchema ipc_file_schema(const TableSchema& table) {
  TableSchema schema = table;
  for (ColumnSchema& column : schema.columns) {
    const auto type = parse_arrow_type(column.arrow_type);
    if (type) column.arrow_type = serialise_arrow_type(without_dictionaries(*type));
  }
  return schema;
}

Status append_ipc_schema(const TableSchema& table, Buffer& to) {
  FlatWriter flat;
  const Place header = begin_message(flat, IpcHeader::kSchema, 0);
  PRESSO_TRY(append_schema_table(flat, header, table));
  append_metadata(flat, to);
  return {};
}

Status append_ipc_batch(const TableSchema& table, std::vector<ColumnData> columns, Buffer& to) {
  ArrowOwner<ArrowSchema> schema;
  PRESSO_TRY(export_schema(table, *schema.out()));
  PRESSO_ASSIGN(const ArrowBatches batches, arrow_batches(table, std::move(columns)));
  for (const ArrowOwner<ArrowArray>& batch : batches) append_batch(*schema, *batch, to);
  return {};
}

void append_ipc_blocks(Bytes messages, std::uint64_t at, std::vector<std::int64_t>& blocks) {
  for (std::size_t begin = 0; begin < messages.size();) {
    const std::size_t size = load<std::uint32_t>(messages.data() + begin + 4);
    FlatSource source(messages.subspan(begin + 8, size));
    const auto body = FlatTable::root(source).number<std::int64_t>(3);
    const auto metadata = static_cast<std::int64_t>(size) + 8;
    blocks.push_back(static_cast<std::int64_t>(at + begin));
    blocks.push_back(metadata);
    blocks.push_back(body);
    begin += static_cast<std::size_t>(metadata + body);
  }
}

Status append_ipc_footer(const TableSchema& table, std::span<const std::int64_t> blocks,
                         Buffer& to) {
  FlatWriter flat;
  const auto places =
      flat.table(FlatWriter::kRoot, {FlatWriter::field(kIpcVersion5), FlatWriter::kReference,
                                     FlatWriter::kReference, FlatWriter::kReference});
  PRESSO_TRY(append_schema_table(flat, places[1], table));
  flat.structs(places[2], {}, 3);
  flat.structs(places[3], blocks, 3);
  const std::vector<Byte> footer = flat.finish();
  std::vector<Byte> tail;
  append_value(tail, static_cast<std::uint32_t>(footer.size()));
  tail.insert(tail.end(), kIpcMagic.begin(), kIpcMagic.end());
  to.append(footer);
  to.append(tail);
  return {};
}

// The end of a stream: the marker and a size of 0.
void append_ipc_end(Buffer& to) {
  constexpr Byte kEnd[8] = {255, 255, 255, 255};
  to.append(kEnd);
}

}  // namespace presso
