// SPDX-License-Identifier: MIT
// Schemas and row groups for tests of the container of tables, which knows nothing of codings: the
// blocks are any bytes of the right size.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "format/columns/schema.h"
#include "format/columns/table_file.h"

namespace presso::tables {

inline ErrorCode code_of(const Status& status) {
  return status.ok() ? ErrorCode::kOk : status.error().code;
}
template <class T>
ErrorCode code_of(const Result<T>& result) {
  return result.ok() ? ErrorCode::kOk : result.error().code;
}

inline ColumnSchema column_of(std::string name, ColumnType type) {
  ColumnSchema column;
  column.name = std::move(name);
  column.type = type;
  return column;
}

/// An exact table with a head of two lines and columns of integers, strings and times.
inline TableSchema small_schema() {
  TableSchema schema;
  schema.text.kind = TextKind::kDelimited;
  schema.text.head = "# made\nid,name,at\n";
  schema.text.null_text = "NULL";
  schema.exact = true;
  schema.columns.push_back(column_of("id", ColumnType::kInt32));
  schema.columns.push_back(column_of("name", ColumnType::kUtf8));
  schema.columns.push_back(column_of("at", ColumnType::kTimestamp));
  schema.columns[2].unit = TimeUnit::kMilli;
  schema.columns[2].zone = "Europe/Berlin";
  schema.columns[2].text = ValueText::kSpaceTime;
  return schema;
}

inline ColumnBlock block_of(ColumnStream stream, std::uint32_t rows, std::uint32_t plain_bytes,
                            std::uint32_t stored_bytes = 64) {
  ColumnBlock block;
  block.stream = stream;
  block.rows = rows;
  block.plain_bytes = plain_bytes;
  block.stored_bytes = stored_bytes;
  return block;
}

inline void add_column(RowGroup& group, Representation representation,
                       const std::vector<ColumnBlock>& blocks) {
  ColumnChunk chunk;
  chunk.representation = representation;
  chunk.first_block = static_cast<std::uint32_t>(group.blocks.size());
  chunk.blocks = static_cast<std::uint32_t>(blocks.size());
  group.blocks.insert(group.blocks.end(), blocks.begin(), blocks.end());
  group.columns.push_back(chunk);
}

/// Sound for small_schema(): plain integers with zones, a dictionary with nulls, all nulls, and
/// exact lines.
inline RowGroup small_group(std::uint32_t rows, std::uint64_t least) {
  RowGroup group;
  group.rows = rows;
  group.text_bytes = 30 * std::uint64_t{rows};
  group.text_lines = rows;
  group.text_checksum = least;
  ColumnBlock ids = block_of(ColumnStream::kValues, rows, 4 * rows, 96);
  ids.zone_flags = kZoneKnown;
  ids.least = least;
  ids.most = least + rows;
  add_column(group, Representation::kPlain, {ids});
  add_column(
      group, Representation::kDictionary,
      {block_of(ColumnStream::kValidity, rows, (rows + 7) / 8),
       block_of(ColumnStream::kEntryLengths, 2, 8), block_of(ColumnStream::kEntryBytes, 1, 5),
       block_of(ColumnStream::kCodes, rows, 4 * rows)});
  group.columns.back().nulls = 1;
  group.columns.back().entries = 2;
  group.columns.back().value_bytes = 5;
  add_column(group, Representation::kNull, {});
  group.columns.back().nulls = rows;
  add_column(group, Representation::kExactLines,
             {block_of(ColumnStream::kRows, 1, 4), block_of(ColumnStream::kLengths, 1, 8),
              block_of(ColumnStream::kBytes, 1, 7)});
  group.columns.back().value_bytes = 7;
  return group;
}

inline std::vector<Byte> blocks_of(const RowGroup& group) {
  std::mt19937_64 random(group.rows);
  std::vector<Byte> blocks(group.stored_bytes());
  for (Byte& byte : blocks) byte = static_cast<Byte>(random());
  return blocks;
}

/// Row groups of these sizes in a file of one member.
inline std::vector<Byte> table_file(const TableSchema& schema,
                                    const std::vector<std::uint32_t>& rows,
                                    const Metadata& metadata = {}) {
  std::vector<Byte> file;
  VectorSink sink(file);
  TableFileWriter writer(sink);
  EXPECT_TRUE(writer.begin(schema, metadata).ok());
  for (const std::uint32_t count : rows) {
    const RowGroup group = small_group(count, 1000 + count);
    EXPECT_TRUE(writer.add_row_group(group, blocks_of(group)).ok());
  }
  EXPECT_TRUE(writer.finish().ok());
  EXPECT_EQ(writer.bytes_written(), file.size());
  return file;
}

}  // namespace presso::tables
