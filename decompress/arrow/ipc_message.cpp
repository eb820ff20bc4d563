// SPDX-License-Identifier: MIT
// Builds Arrow's IPC messages: metadata as FlatBuffers, then the columns' buffers. The numbers
// of fields and types are those of Arrow's Schema.fbs and Message.fbs. Tested by
// tests/cli/test_table_arrow.py, which reads them with pyarrow.
#include "decompress/arrow/ipc_message.h"

#include <algorithm>

#include "decompress/arrow/flat_writer.h"
#include "decompress/arrow/ipc_format.h"
#include "format/columns/arrow_format.h"
#include "format/columns/bit_copy.h"

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

/// Strings that are not known to be UTF-8 are binary, since Arrow's consumers do not check.
IpcType type_of(const ColumnSchema& column) {
  switch (column.type) {
    case ColumnType::kBool:
      return IpcType::kBool;
    case ColumnType::kFloat:
    case ColumnType::kDouble:
      return IpcType::kFloatingPoint;
    case ColumnType::kDate32:
      return IpcType::kDate;
    case ColumnType::kTimestamp:
      return IpcType::kTimestamp;
    case ColumnType::kDecimal64:
    case ColumnType::kDecimal128:
      return IpcType::kDecimal;
    case ColumnType::kUtf8:
      return column.valid_utf8 ? IpcType::kLargeUtf8 : IpcType::kLargeBinary;
    case ColumnType::kBinary:
      return IpcType::kLargeBinary;
    default:
      return IpcType::kInt;
  }
}

/// The type's own table, with width, precision or unit.
void append_type(FlatWriter& flat, Place at, const ColumnSchema& column) {
  const auto number = [](std::int32_t value) { return FlatWriter::field(value); };
  const auto choice = [](int value) { return FlatWriter::field(static_cast<std::int16_t>(value)); };
  const auto truth = [](bool value) { return FlatWriter::field(static_cast<Byte>(value)); };
  switch (type_of(column)) {
    case IpcType::kInt:
      flat.table(at, {number(static_cast<std::int32_t>(8 * value_bytes(column.type))),
                      truth(is_signed(column.type))});
      break;
    case IpcType::kFloatingPoint:
      flat.table(at, {choice(column.type == ColumnType::kFloat ? 1 : 2)});
      break;
    case IpcType::kDecimal:
      flat.table(at, {number(column.precision), number(column.scale), number(128)});
      break;
    case IpcType::kDate:
      flat.table(at, {choice(0)});  // days
      break;
    case IpcType::kTimestamp: {
      // Only timestamps that are known to be UTC have a zone.
      const std::string zone = arrow_zone(column);
      const auto unit = choice(static_cast<int>(column.unit));
      const auto places =
          flat.table(at, {unit, zone.empty() ? FlatWriter::kNoField : FlatWriter::kReference});
      if (!zone.empty()) flat.string(places[1], zone);
      break;
    }
    default:
      flat.table(at, {});
  }
}

/// The fields of a Field table: name, nullable, the type's number, type, dictionary, children.
void append_field(FlatWriter& flat, Place at, const ColumnSchema& column) {
  const auto places =
      flat.table(at, {FlatWriter::kReference, FlatWriter::field(static_cast<Byte>(column.nullable)),
                      FlatWriter::field(static_cast<Byte>(type_of(column))), FlatWriter::kReference,
                      FlatWriter::kNoField, FlatWriter::kReference});
  flat.string(places[0], arrow_name(column));
  append_type(flat, places[3], column);
  flat.references(places[5], 0);
}

/// Lengths and contents of the body's buffers, which stand in it one after another.
struct BodyPlan {
  std::vector<std::int64_t> nodes;    ///< rows, nulls
  std::vector<std::int64_t> buffers;  ///< offset, length
  std::vector<Bytes> contents;
  std::size_t bytes = 0;

  void add(Bytes content) {
    buffers.push_back(static_cast<std::int64_t>(bytes));
    buffers.push_back(static_cast<std::int64_t>(content.size()));
    contents.push_back(content);
    bytes += round_up(content.size(), kIpcAlignment);
  }
};

/// The bitmap without spare bytes; empty if there are no nulls.
Bytes validity_of(const ColumnData& column) {
  return Bytes(column.validity)
      .first(std::min<std::size_t>(column.validity.size(), (column.rows + 7) / 8));
}

/// Validity, offsets if any, and values, in the order that Arrow prescribes.
void plan_column(const ColumnData& column, BodyPlan& plan) {
  // A node has rows and nulls; readers trust both.
  const auto rows = static_cast<std::int64_t>(column.rows);
  // A buffer of no bytes, with a count of no nulls, stands for a bitmap of ones.
  const Bytes validity = validity_of(column);
  plan.nodes.push_back(rows);
  plan.nodes.push_back(validity.empty() ? 0
                                        : rows - static_cast<std::int64_t>(
                                                     count_bits(validity.data(), column.rows)));
  plan.add(validity);
  if (is_string(column.type)) {
    plan.add({reinterpret_cast<const Byte*>(column.offsets.data()),
              column.offsets.size() * sizeof(std::int64_t)});
  }
  plan.add(column.values.bytes());
}

}  // namespace

// Without a body. Dictionaries are not used in this form.
void append_ipc_schema(const TableSchema& schema, Buffer& to) {
  FlatWriter flat;
  const Place header = begin_message(flat, IpcHeader::kSchema, 0);
  const auto fields =
      flat.table(header, {FlatWriter::field<std::int16_t>(0), FlatWriter::kReference})[1];
  const auto places = flat.references(fields, schema.columns.size());
  for (std::size_t i = 0; i < places.size(); ++i) append_field(flat, places[i], schema.columns[i]);
  append_metadata(flat, to);
}

/// The body is written directly into `to`, padded to 8 bytes after each buffer.
void append_ipc_batch(const std::vector<ColumnData>& columns, Buffer& to) {
  BodyPlan plan;
  for (const ColumnData& column : columns) plan_column(column, plan);
  FlatWriter flat;
  const Place header = begin_message(flat, IpcHeader::kRecordBatch, plan.bytes);
  const auto places =
      flat.table(header, {FlatWriter::field(static_cast<std::int64_t>(columns.front().rows)),
                          FlatWriter::kReference, FlatWriter::kReference});
  // Both vectors hold pairs of 64-bit numbers.
  flat.structs(places[1], plan.nodes, 2);
  flat.structs(places[2], plan.buffers, 2);
  append_metadata(flat, to);
  std::size_t at = to.size();
  to.grow(at + plan.bytes);
  // In the order in which the metadata lists them.
  for (const Bytes content : plan.contents) {
    std::copy(content.begin(), content.end(), to.data() + at);
    at += content.size();
    while (at % kIpcAlignment != 0) to.data()[at++] = 0;
  }
}

// The end of a stream: the marker and a size of 0.
void append_ipc_end(Buffer& to) {
  constexpr Byte kEnd[8] = {255, 255, 255, 255};
  to.append(kEnd);
}

}  // namespace presso
