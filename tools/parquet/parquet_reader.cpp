// SPDX-License-Identifier: MIT
// Row groups are read one after another, some rows at a time, and the columns of these rows side by
// side. A batch is small enough to stay in a processor's cache until it has been taken.
#include "tools/parquet/parquet_reader.h"

#include <algorithm>

#include "compress/table/text/header.h"
#include "compress/table/text/json_fields.h"
#include "format/columns/json_reader.h"
#include "format/columns/schema.h"
#include "format/threads/parallel.h"
#include "tools/parquet/json_assembler.h"
#include "tools/parquet/row_group_filter.h"

namespace presso::cli {
namespace {

/// The rows of a batch: few at first, twice as many as long as a batch is small, so that neither
/// many columns nor long strings take much memory.
constexpr std::uint64_t kFirstBatchRows = 1u << 10;
constexpr std::uint64_t kMostBatchRows = 1u << 16;
constexpr std::uint64_t kSmallBatchBytes = 8u << 20;
constexpr std::uint64_t kLargeBatchBytes = 64u << 20;
/// What is read ahead of all columns together, and of one at most.
constexpr std::uint64_t kAllReadAhead = 64u << 20;
constexpr std::uint64_t kMostReadAhead = 1u << 20;
constexpr std::uint64_t kLeastReadAhead = 16u << 10;

std::uint64_t batch_bytes(std::span<const ColumnView> views) {
  std::uint64_t bytes = 0;
  for (const ColumnView& view : views) {
    bytes += view.offsets != nullptr ? static_cast<std::uint64_t>(view.offsets[view.rows])
                                     : view.rows * value_bytes(view.type);
  }
  return bytes;
}

std::uint64_t next_batch_rows(std::uint64_t rows, std::uint64_t bytes) {
  if (bytes > kLargeBatchBytes) return std::max<std::uint64_t>(rows / 2, 1);
  return bytes <= kSmallBatchBytes ? std::min(2 * rows, kMostBatchRows) : rows;
}

bool has_repeated(const ParquetNode& node) {
  return node.repetition == ParquetRepetition::kRepeated ||
         std::any_of(node.children.begin(), node.children.end(), has_repeated);
}

void add_leaves(const ParquetNode& node, std::vector<const ParquetNode*>& leaves) {
  if (node.is_leaf()) leaves.push_back(&node);
  for (const ParquetNode& child : node.children) add_leaves(child, leaves);
}

/// Gives each row its place: values move from their order without nulls to that with them, from the
/// last one on, so that none is overwritten.
template <std::size_t kWidth>
void spread_fixed(const std::vector<Byte>& levels, Byte most, std::size_t count, Byte* values) {
  std::size_t from = count;
  for (std::size_t row = levels.size(); row-- > from;) {
    if (levels[row] == most) {
      --from;
      std::memmove(values + row * kWidth, values + from * kWidth, kWidth);
    } else {
      std::memset(values + row * kWidth, 0, kWidth);
    }
  }
}

void spread(const std::vector<Byte>& levels, Byte most, std::size_t width, DenseValues& dense) {
  const std::size_t rows = levels.size();
  const std::size_t count = dense.count;
  if (width == 0) {
    dense.offsets.resize(rows + 1);
    std::size_t from = count;
    for (std::size_t row = rows; row > from; --row) {
      dense.offsets[row] = dense.offsets[from];
      if (levels[row - 1] == most) --from;
    }
    return;
  }
  dense.values.grow(rows * width);
  Byte* const values = dense.values.data();
  if (width == 1) return spread_fixed<1>(levels, most, count, values);
  if (width == 2) return spread_fixed<2>(levels, most, count, values);
  if (width == 4) return spread_fixed<4>(levels, most, count, values);
  if (width == 8) return spread_fixed<8>(levels, most, count, values);
  spread_fixed<16>(levels, most, count, values);
}

/// Checks texts of the type JSON, and turns their line feeds into blanks, so that each text fits
/// into a line of JSON Lines. Returns the number of the text that is none, from 1 on, or 0.
std::size_t check_json(DenseValues& texts, std::string& why) {
  std::vector<JsonMember> members;
  JsonReader reader(members);
  JsonMember value;
  for (std::size_t i = 0; i < texts.count; ++i) {
    members.clear();
    reader.begin(texts.string(i));
    if (reader.read_text(value)) continue;
    why = reader.why();
    return i + 1;
  }
  Byte* const begin = texts.values.data();
  // In JSON they stand between values alone, since strings have them escaped.
  const auto is_line_end = [](Byte byte) { return byte == '\n' || byte == '\r'; };
  std::replace_if(begin, begin + texts.values.size(), is_line_end, Byte{' '});
  return 0;
}

/// Looks at the objects and arrays among texts, which are JSON.
void add_json(const ColumnView& texts, std::size_t column, JsonFields& to) {
  const auto bytes = static_cast<std::size_t>(texts.offsets[texts.rows]);
  const Bytes all(texts.values, bytes);
  to.begin(all);
  for (std::uint64_t row = 0; row < texts.rows; ++row) {
    auto at = static_cast<std::size_t>(texts.offsets[row]);
    const auto end = static_cast<std::size_t>(texts.offsets[row + 1]);
    while (at < end && all[at] <= ' ') ++at;
    if (at < end && (all[at] == '{' || all[at] == '[')) to.add(column, at);
  }
  to.end();
}

std::vector<Byte> bits_of(const Byte* truths, std::size_t rows, Byte one) {
  std::vector<Byte> bits((rows + 7) / 8);
  for (std::size_t row = 0; row < rows; ++row) {
    bits[row / 8] |= static_cast<Byte>((truths[row] == one ? 1u : 0u) << (row % 8));
  }
  return bits;
}

}  // namespace

bool begins_parquet(Bytes begun) {
  return begun.size() >= kParquetMagic.size() &&
         std::equal(kParquetMagic.begin(), kParquetMagic.end(), begun.begin());
}

/// Reads a column of the table through one row group.
class ParquetReader::ColumnReader {
 public:
  ColumnReader(const ParquetReader& reader, std::size_t column, std::size_t group,
               std::uint64_t read_ahead)
      : column_(reader.columns_[column]), schema_(reader.schema_.columns[column]) {
    place_ = "row group " + grouped(group + 1) + ", column '" + schema_.name + "'";
    const ParquetRowGroup& chunks = reader.footer_->row_groups[group];
    for (std::size_t i = 0; i < column_.converters.size(); ++i) {
      const std::size_t leaf = column_.node->leaf + i;
      chunks_.emplace_back(reader.file_, *reader.footer_->leaves[leaf], chunks.chunks[leaf],
                           column_.converters[i], place_, read_ahead);
    }
    read_.resize(chunks_.size());
  }

  Status read(std::uint64_t rows) {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      PRESSO_TRY(chunks_[i].read(rows, read_[i]));
    }
    validity_.clear();
    return column_.is_json ? assemble(rows) : spread_values(rows);
  }

  ColumnView view(std::uint64_t rows) const {
    const bool strings = is_string(schema_.type);
    return {schema_.type, rows,
            schema_.type == ColumnType::kBool ? bits_.data() : read_[0].values.values.data(),
            strings ? read_[0].values.offsets.data() : nullptr,
            validity_.empty() ? nullptr : validity_.data()};
  }

 private:
  Status spread_values(std::uint64_t rows) {
    ChunkValues& read = read_[0];
    const ParquetNode& leaf = *column_.node;
    const auto most = static_cast<Byte>(leaf.def_level);
    if (schema_.text == ValueText::kRawJson) {
      std::string why;
      const std::size_t bad = check_json(read.values, why);
      if (bad > 0) {
        return make_error(ErrorCode::kInvalidArgument,
                          place_ + ": value " + grouped(values_ + bad) + " is no JSON: " + why);
      }
      values_ += read.values.count;
    }
    if (read.values.count < rows) {
      validity_ = bits_of(read.def_levels.data(), rows, most);
      spread(read.def_levels, most, column_.converters[0].width(), read.values);
    }
    if (schema_.type == ColumnType::kBool) bits_ = bits_of(read.values.values.data(), rows, 1);
    return {};
  }

  Status assemble(std::uint64_t rows) {
    JsonAssembler assembler(*column_.node, read_, column_.converters);
    std::vector<Byte> text;
    std::vector<std::int64_t> offsets = {0};
    std::vector<Byte> present;
    for (std::uint64_t row = 0; row < rows; ++row) {
      present.push_back(assembler.next_row(text) ? 1 : 0);
      offsets.push_back(static_cast<std::int64_t>(text.size()));
    }
    if (!assembler.ok()) {
      return make_error(ErrorCode::kInvalidArgument, place_ + ": its levels do not fit together");
    }
    const bool has_nulls = std::find(present.begin(), present.end(), Byte{0}) != present.end();
    if (has_nulls) validity_ = bits_of(present.data(), present.size(), 1);
    DenseValues& made = read_[0].values;
    made.values.clear();
    made.values.append(text);
    made.offsets = std::move(offsets);
    return {};
  }

  const Column& column_;
  const ColumnSchema& schema_;
  std::string place_;
  std::vector<ChunkReader> chunks_;
  std::vector<ChunkValues> read_;
  std::vector<Byte> bits_;
  std::vector<Byte> validity_;
  std::uint64_t values_ = 0;  ///< texts of the type JSON that have been read
};

ParquetReader::ParquetReader(const RandomAccess& file, std::unique_ptr<ParquetFooter> footer)
    : file_(file), footer_(std::move(footer)) {}
ParquetReader::~ParquetReader() = default;

Status ParquetReader::add_column(const ParquetNode& node, const std::string& name, bool is_json) {
  Column column;
  column.node = &node;
  column.is_json = is_json;
  std::vector<const ParquetNode*> leaves;
  add_leaves(node, leaves);
  for (const ParquetNode* leaf : leaves) {
    auto converter = ValueConverter::make(*leaf);
    if (!converter.ok()) {
      return make_error(converter.error().code, "column '" + name + "' " + converter.error().what +
                                                    ", which presso does not read");
    }
    column.converters.push_back(std::move(*converter));
  }
  ColumnSchema schema = column.converters[0].schema();
  if (is_json) {
    schema = {};
    schema.valid_utf8 = true;
    schema.text = ValueText::kRawJson;
    schema.fields = json_fields(node, column.converters);
    // Paths beyond the limit of a table are left out: their values have no type then.
    path_bytes_ += bytes_of_paths(schema.fields);
    if (path_bytes_ > kMaxPathBytes) schema.fields = {};
  }
  schema.name = name;
  schema_.columns.push_back(std::move(schema));
  columns_.push_back(std::move(column));
  return {};
}

/// A structure without lists becomes the columns of its fields.
Status ParquetReader::add_columns(const ParquetNode& node, const std::string& name) {
  const bool is_annotated =
      node.meaning == ParquetMeaning::kList || node.meaning == ParquetMeaning::kMap;
  if (node.repetition == ParquetRepetition::kRepeated || (is_annotated && has_repeated(node))) {
    return add_column(node, name, true);
  }
  if (node.is_leaf()) return add_column(node, name, false);
  for (const ParquetNode& child : node.children) {
    PRESSO_TRY(add_columns(child, name + "." + child.name));
  }
  return {};
}

Result<std::unique_ptr<ParquetReader>> ParquetReader::open(const RandomAccess& file) {
  PRESSO_ASSIGN(std::unique_ptr<ParquetFooter> footer, read_parquet_footer(file));
  std::unique_ptr<ParquetReader> opened(new ParquetReader(file, std::move(footer)));
  ParquetReader& reader = *opened;
  for (const ParquetNode& child : reader.footer_->root.children) {
    PRESSO_TRY(reader.add_columns(child, child.name));
  }
  // Tables need names that differ.
  std::vector<std::string> names;
  for (const ColumnSchema& column : reader.schema_.columns) names.push_back(column.name);
  ColumnNames usable = usable_names(std::move(names));
  for (std::size_t i = 0; i < usable.names.size(); ++i) {
    reader.schema_.columns[i].name = std::move(usable.names[i]);
  }
  reader.notes_ = std::move(usable.notes);
  return opened;
}

std::uint64_t ParquetReader::leave_out(const RowConditions& conditions) {
  std::vector<RangedColumn> columns;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const bool has_range =
        schema_.columns[i].text != ValueText::kRawJson && columns_[i].node->rep_level == 0;
    columns.push_back({&schema_.columns[i], has_range ? columns_[i].node : nullptr});
  }
  std::uint64_t rows = 0;
  left_out_.clear();
  for (const ParquetRowGroup& group : footer_->row_groups) {
    left_out_.push_back(is_ruled_out(conditions, columns, group));
    if (left_out_.back()) rows += group.rows;
  }
  return rows;
}

Status ParquetReader::find_fields(std::span<const std::size_t> columns, unsigned threads,
                                  TableSchema& schema) const {
  std::vector<std::size_t> texts;  // by their place in `columns`
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_text = !columns_[columns[i]].is_json;
    if (!is_text || schema.columns[i].text != ValueText::kRawJson) continue;
    texts.push_back(i);
    numbers.push_back(columns[i]);
  }
  if (texts.empty()) return {};
  JsonFields found;
  PRESSO_TRY(read(numbers, threads, [&](std::span<const ColumnView> views) {
    for (std::size_t i = 0; i < views.size(); ++i) add_json(views[i], texts[i], found);
    return Status();
  }));
  std::size_t path_bytes = path_bytes_;
  for (const std::size_t i : texts) {
    NestedFields fields = found.of(i);
    path_bytes += bytes_of_paths(fields);
    if (path_bytes <= kMaxPathBytes) schema.columns[i].fields = std::move(fields);
  }
  return {};
}

Status ParquetReader::read(std::span<const std::size_t> columns, unsigned threads,
                           const OnRows& on_rows) const {
  const std::uint64_t read_ahead = std::clamp(
      kAllReadAhead / std::max<std::uint64_t>(columns.size(), 1), kLeastReadAhead, kMostReadAhead);
  std::uint64_t at_once = kFirstBatchRows;
  for (std::size_t group = 0; group < footer_->row_groups.size(); ++group) {
    if (!left_out_.empty() && left_out_[group]) continue;
    std::vector<ColumnReader> readers;
    for (const std::size_t column : columns) readers.emplace_back(*this, column, group, read_ahead);
    const std::uint64_t rows = footer_->row_groups[group].rows;
    std::uint64_t some = 0;
    for (std::uint64_t row = 0; row < rows; row += some) {
      some = std::min(at_once, rows - row);
      PRESSO_TRY(for_each_in_parallel(
          readers.size(), threads, [&](std::size_t i, unsigned) { return readers[i].read(some); }));
      std::vector<ColumnView> views;
      for (const ColumnReader& reader : readers) views.push_back(reader.view(some));
      PRESSO_TRY(on_rows(views));
      if (some == at_once) at_once = next_batch_rows(at_once, batch_bytes(views));
    }
  }
  return {};
}

}  // namespace presso::cli
