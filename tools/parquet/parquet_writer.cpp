// SPDX-License-Identifier: MIT
// The footer is made from what the chunks told when they were written. Numbers are fields and
// values of parquet.thrift.
#include "tools/parquet/parquet_writer.h"

#include "format/columns/group_collector.h"
#include "format/columns/utf8_check.h"
#include "format/threads/parallel.h"
#include "presso/ordered_pipeline.h"
#include "tools/parquet/chunk_writer.h"
#include "tools/parquet/codec.h"

namespace presso::cli {

/// A chunk with its place, without its bytes.
struct PlacedChunk {
  WrittenChunk chunk;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};

struct PlacedGroup {
  std::uint64_t rows = 0;
  std::vector<PlacedChunk> chunks;
};

namespace {

constexpr CollectorLimits kGroupLimits = {1u << 20, std::uint64_t{256} << 20};

Bytes bytes_of_text(std::string_view text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

/// The field of the union of logical types, without parameters.
void write_plain_type(ThriftWriter& out, int id) {
  out.struct_field(10);
  out.struct_field(id);
  out.end_struct();
  out.end_struct();
}

void write_timestamp_type(ThriftWriter& out, const ColumnSchema& column) {
  const bool is_utc = !column.zone.empty() || column.text == ValueText::kLetterTimeZ;
  out.struct_field(10);
  out.struct_field(8);
  out.bool_field(1, is_utc);
  out.struct_field(2);
  out.struct_field(std::max(1, static_cast<int>(column.unit)));
  out.end_struct();
  out.end_struct();
  out.end_struct();
  out.end_struct();
}

void write_decimal_type(ThriftWriter& out, const ColumnSchema& column) {
  out.int_field(7, column.scale);
  out.int_field(8, column.precision);
  out.struct_field(10);
  out.struct_field(5);
  out.int_field(1, column.scale);
  out.int_field(2, column.precision);
  out.end_struct();
  out.end_struct();
}

void write_integer_type(ThriftWriter& out, const ColumnSchema& column) {
  out.struct_field(10);
  out.struct_field(10);
  out.byte_field(1, static_cast<std::int8_t>(8 * value_bytes(column.type)));
  out.bool_field(2, is_signed(column.type));
  out.end_struct();
  out.end_struct();
}

void write_logical_type(ThriftWriter& out, const ColumnSchema& column) {
  constexpr int kString = 1;
  constexpr int kDate = 6;
  constexpr int kJson = 12;
  const ColumnType type = column.type;
  if (type == ColumnType::kTimestamp) return write_timestamp_type(out, column);
  if (type == ColumnType::kDate32) return write_plain_type(out, kDate);
  if (is_decimal(type)) return write_decimal_type(out, column);
  if (is_integer(type)) return write_integer_type(out, column);
  if (type != ColumnType::kUtf8 || !column.valid_utf8) return;
  write_plain_type(out, column.text == ValueText::kRawJson ? kJson : kString);
}

void write_schema(ThriftWriter& out, const TableSchema& schema) {
  constexpr int kJsonConverted = 19;
  out.list_field(2, ThriftType::kStruct, schema.columns.size() + 1);
  out.begin_struct();
  out.text_field(4, "schema");
  out.int_field(5, static_cast<std::int64_t>(schema.columns.size()));
  out.end_struct();
  for (const ColumnSchema& column : schema.columns) {
    const StoredType stored = stored_type(column);
    const bool is_json = stored.converted == 0 && column.text == ValueText::kRawJson;
    out.begin_struct();
    out.int_field(1, static_cast<int>(stored.type));
    if (stored.type == ParquetType::kFixed) out.int_field(2, stored.width);
    out.int_field(3, static_cast<int>(ParquetRepetition::kOptional));
    out.text_field(4, column.name);
    if (stored.converted >= 0) out.int_field(6, is_json ? kJsonConverted : stored.converted);
    write_logical_type(out, column);
    out.end_struct();
  }
}

void write_statistics(ThriftWriter& out, const WrittenChunk& chunk) {
  out.struct_field(12);
  out.long_field(3, static_cast<std::int64_t>(chunk.nulls));
  if (chunk.least) {
    out.binary_field(5, bytes_of_text(*chunk.greatest));
    out.binary_field(6, bytes_of_text(*chunk.least));
    out.bool_field(7, true);
    out.bool_field(8, true);
  }
  out.end_struct();
}

void write_column(ThriftWriter& out, const ColumnSchema& column, const PlacedChunk& placed) {
  const WrittenChunk& chunk = placed.chunk;
  out.begin_struct();
  out.long_field(2, 0);
  out.struct_field(3);
  out.int_field(1, static_cast<int>(stored_type(column).type));
  const bool has_dictionary = chunk.dictionary_bytes > 0;
  out.list_field(2, ThriftType::kInt32, has_dictionary ? 3 : 2);
  out.zigzag(static_cast<int>(chunk.encoding));
  out.zigzag(static_cast<int>(ParquetEncoding::kRle));
  if (has_dictionary) out.zigzag(static_cast<int>(ParquetEncoding::kPlain));
  out.list_field(3, ThriftType::kBinary, 1);
  out.text(column.name);
  out.int_field(4, static_cast<int>(written_codec()));
  out.long_field(5, static_cast<std::int64_t>(chunk.values));
  out.long_field(6, static_cast<std::int64_t>(chunk.plain_bytes));
  out.long_field(7, static_cast<std::int64_t>(placed.bytes));
  out.long_field(9, static_cast<std::int64_t>(placed.begin + chunk.dictionary_bytes));
  if (has_dictionary) out.long_field(11, static_cast<std::int64_t>(placed.begin));
  write_statistics(out, chunk);
  out.end_struct();
  out.end_struct();
}

void write_group(ThriftWriter& out, const TableSchema& schema, const PlacedGroup& group) {
  std::uint64_t plain = 0;
  std::uint64_t bytes = 0;
  out.begin_struct();
  out.list_field(1, ThriftType::kStruct, group.chunks.size());
  for (std::size_t i = 0; i < group.chunks.size(); ++i) {
    write_column(out, schema.columns[i], group.chunks[i]);
    plain += group.chunks[i].chunk.plain_bytes;
    bytes += group.chunks[i].bytes;
  }
  out.long_field(2, static_cast<std::int64_t>(plain));
  out.long_field(3, static_cast<std::int64_t>(group.rows));
  out.long_field(5, static_cast<std::int64_t>(group.chunks.front().begin));
  out.long_field(6, static_cast<std::int64_t>(bytes));
  out.end_struct();
}

}  // namespace

/// The implementation. The schema must not move, as the collector refers to it.
class ParquetWriter::Body {
 public:
  Body(ByteSink& sink, const TableSchema& schema, unsigned threads)
      : sink_(sink), schema_(schema), threads_(threads), collector_(schema_, kGroupLimits) {
    is_text_.assign(schema.columns.size(), 1);
  }

  Status begin() { return write(bytes_of_text(kParquetMagic)); }

  Status append(std::span<const ColumnView> columns) {
    PRESSO_TRY(check_batch(schema_, columns, rows_));
    const std::uint64_t rows = columns.front().rows;
    for (std::uint64_t row = 0; row < rows;) {
      row += collector_.take(columns, row);
      if (collector_.full()) PRESSO_TRY(write_rows());
    }
    return {};
  }

  Status close() {
    if (collector_.rows() > 0) PRESSO_TRY(write_rows());
    // Text of which nobody has said that it is UTF-8 has been looked at.
    TableSchema schema = schema_;
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
      ColumnSchema& column = schema.columns[i];
      if (column.type == ColumnType::kUtf8) column.valid_utf8 = is_text_[i] != 0;
    }
    std::vector<Byte> footer;
    ThriftWriter out(footer);
    out.begin_struct();
    out.int_field(1, 2);
    write_schema(out, schema);
    out.long_field(3, static_cast<std::int64_t>(rows_));
    out.list_field(4, ThriftType::kStruct, groups_.size());
    for (const PlacedGroup& group : groups_) write_group(out, schema, group);
    out.text_field(6, "presso version " PRESSO_VERSION);
    // All columns are ordered as their types say; readers ignore ranges without this.
    out.list_field(7, ThriftType::kStruct, schema_.columns.size());
    for (std::size_t i = 0; i < schema_.columns.size(); ++i) {
      out.begin_struct();
      out.struct_field(1);
      out.end_struct();
      out.end_struct();
    }
    out.end_struct();
    append_value(footer, static_cast<std::uint32_t>(footer.size()));
    footer.insert(footer.end(), kParquetMagic.begin(), kParquetMagic.end());
    return write(footer);
  }

 private:
  Status write(Bytes bytes) {
    written_ += bytes.size();
    return sink_.write(bytes);
  }

  /// Writes a row group of the rows that were gathered.
  Status write_rows() {
    PlacedGroup group;
    group.rows = collector_.rows();
    rows_ += group.rows;
    const std::vector<ColumnData> columns = collector_.finish();
    group.chunks.resize(columns.size());
    PRESSO_TRY(for_each_in_parallel(columns.size(), threads_, [&](std::size_t i, unsigned) {
      auto chunk = write_chunk(schema_.columns[i], columns[i].view());
      if (!chunk.ok()) return Status(chunk.error());
      group.chunks[i].chunk = std::move(*chunk);
      const ColumnSchema& column = schema_.columns[i];
      if (column.type == ColumnType::kUtf8 && !column.valid_utf8 && is_text_[i] != 0) {
        is_text_[i] = are_valid_utf8(columns[i].values.data(), columns[i].offsets) ? 1 : 0;
      }
      return Status();
    }));
    for (PlacedChunk& placed : group.chunks) {
      placed.begin = written_;
      placed.bytes = placed.chunk.bytes.size();
      PRESSO_TRY(write(placed.chunk.bytes.bytes()));
      placed.chunk.bytes = Buffer();
    }
    groups_.push_back(std::move(group));
    return {};
  }

  ByteSink& sink_;
  const TableSchema schema_;
  unsigned threads_;
  GroupCollector collector_;
  std::vector<PlacedGroup> groups_;
  /// By column: whether its strings have been UTF-8 so far. Bytes, as threads write them.
  std::vector<Byte> is_text_;
  std::uint64_t rows_ = 0;
  std::uint64_t written_ = 0;
};

ParquetWriter::ParquetWriter(std::unique_ptr<Body> body) : body_(std::move(body)) {}
ParquetWriter::ParquetWriter(ParquetWriter&&) noexcept = default;
ParquetWriter& ParquetWriter::operator=(ParquetWriter&&) noexcept = default;
ParquetWriter::~ParquetWriter() = default;

Result<ParquetWriter> ParquetWriter::open(ByteSink& sink, const TableSchema& schema,
                                          unsigned threads) {
  auto body = std::make_unique<Body>(sink, schema, threads_or_all(threads));
  PRESSO_TRY(body->begin());
  return ParquetWriter(std::move(body));
}

Status ParquetWriter::append(std::span<const ColumnView> columns) {
  return without_bad_alloc([&] { return body_->append(columns); });
}

Status ParquetWriter::close() {
  return without_bad_alloc([&] { return body_->close(); });
}

}  // namespace presso::cli
