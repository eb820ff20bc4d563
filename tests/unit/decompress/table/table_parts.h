// SPDX-License-Identifier: MIT
// Table files taken apart and put together again with something changed and every checksum right,
// and read in every way.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "format/columns/table_file.h"
#include "presso/compress_table.h"
#include "presso/table.h"

namespace presso::table_files {

using File = std::vector<Byte>;

inline Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

inline File table_of(const std::string& text, TableOptions options = {}) {
  MemorySource source(bytes_of(text));
  MemorySource types_from(bytes_of(text));
  File file;
  VectorSink sink(file);
  options.compress.threads = 1;
  const auto made = compress_table(source, &types_from, sink, options);
  EXPECT_TRUE(made.ok()) << made.error().message();
  return file;
}

/// Every representation, nulls, a row stored as it stood, two row groups.
inline std::string mixed_text() {
  std::string text = "# head\nid,kind,words,real,day,flag\n";
  std::uint32_t state = 1;
  for (int i = 0; i < 90; ++i) {
    state = state * 1664525 + 1013904223;
    text += i % 9 == 5 ? "" : std::to_string(3 * i);
    text += ",kind " + std::to_string(i % 4) + (i % 7 == 1 ? ",\"" : ",");
    text += "text " + std::to_string(state) + (i % 7 == 1 ? "\"," : ",");
    text += std::to_string(i % 50) + ".5,2024-01-" + std::to_string(10 + i % 20);
    text += i % 2 == 0 ? ",true\n" : ",false\n";
  }
  return text;
}

inline File mixed_table() {
  TableOptions options;
  options.group_rows = 50;
  options.text.comment = '#';
  return table_of(mixed_text(), options);
}

struct Group {
  RowGroup directory;
  File blocks;
};

/// A file of one member.
struct Parts {
  TableSchema schema;
  std::vector<Group> groups;
};

inline Parts take_apart(const File& file) {
  Parts parts;
  MemorySource source(file);
  TableStream stream(source);
  for (;;) {
    auto frame = stream.next();
    EXPECT_TRUE(frame.ok()) << frame.error().message();
    if (!frame.ok() || std::holds_alternative<EndOfInput>(*frame)) return parts;
    if (auto* begin = std::get_if<TableBegin>(&*frame)) parts.schema = begin->schema;
    if (auto* group = std::get_if<StoredRowGroup>(&*frame)) {
      const Bytes blocks = group->blocks.bytes();
      parts.groups.push_back({group->directory, {blocks.begin(), blocks.end()}});
    }
  }
}

inline File put_together(const Parts& parts) {
  File file;
  VectorSink sink(file);
  TableFileWriter writer(sink);
  EXPECT_TRUE(writer.begin(parts.schema, {}).ok());
  for (const Group& group : parts.groups) {
    EXPECT_TRUE(writer.add_row_group(group.directory, group.blocks).ok());
  }
  EXPECT_TRUE(writer.finish().ok());
  return file;
}

struct Decoded {
  ErrorCode code = ErrorCode::kOk;
  std::string text;
};

inline Decoded decompress(const File& file, const DecodeOptions& decode = {}) {
  DecompressOptions options;
  options.decode = decode;
  options.threads = 1;
  MemorySource source(file);
  File text;
  VectorSink sink(text);
  const auto done = decompress_table(source, sink, options);
  return {done.ok() ? ErrorCode::kOk : done.error().code, {text.begin(), text.end()}};
}

/// The outcome, which must be the same at every level of CPU.
inline ErrorCode decompress_everywhere(const File& file) {
  const Decoded first = decompress(file);
  for (const CpuLevel level : supported_cpu_levels()) {
    DecodeOptions decode;
    decode.level = level;
    const Decoded other = decompress(file, decode);
    EXPECT_EQ(other.code, first.code) << name(level);
    EXPECT_EQ(other.text, first.text) << name(level);
  }
  return first.code;
}

/// Opens the file and reads all columns of all row groups.
inline ErrorCode read_at_random(const File& file) {
  const MemoryRandomAccess access(file);
  const auto table = Table::open(access);
  if (!table.ok()) return table.error().code;
  for (std::uint64_t group = 0; group < table->row_groups(); ++group) {
    for (std::size_t column = 0; column < table->schema().columns.size(); ++column) {
      const auto read = table->read(group, {&column, 1}, 0, table->row_group(group).rows);
      if (!read.ok()) return read.error().code;
    }
  }
  return ErrorCode::kOk;
}

}  // namespace presso::table_files
