// SPDX-License-Identifier: MIT
// Implements opened_group.h: makes a job for each block that the wanted slices need. kUnsupported,
// with the column's name and the reason, for columns in a form that kernels do not read, which
// leaves the query to the CPU.
#include "query/gpu/table/opened_group.h"

#include <algorithm>

namespace presso::gpu {
namespace {

constexpr std::uint32_t kSliceRows = kMaxIntegerRows;

Error not_here(const GroupReader& group, std::size_t column, const char* why) {
  return make_error(ErrorCode::kUnsupported,
                    "column " + group.schema().columns[column].name + ": " + why);
}

/// The one block that has the slice's rows and no others.
Result<std::uint32_t> block_of(const GroupReader& group, std::size_t column, ColumnStream stream,
                               const LoadedSlice& slice) {
  const auto range = group.blocks_of(column, stream, slice.first, slice.first + slice.rows);
  if (range.end != range.first + 1 || group.begin_of(range.first) != slice.first ||
      group.directory().blocks[range.first].rows != slice.rows) {
    return not_here(group, column, "blocks that do not hold 65,536 rows each");
  }
  return range.first;
}

ColumnType type_of(const GroupReader& group, std::size_t column) {
  return group.schema().columns[column].type;
}

Status check_representation(const GroupReader& group, std::size_t column) {
  const Representation stored = group.chunk(column).representation;
  if (stored != Representation::kPlain) return {};
  const std::size_t width = value_bytes(type_of(group, column));
  if (width != 0 && width <= 8) return {};
  return not_here(group, column, "neither numbers of up to 64 bits nor codes");
}

/// Lists the blocks of a row group's wanted slices.
class JobMaker {
 public:
  JobMaker(OpenedGroup& made, std::span<const std::size_t> columns, const StringLoading& strings)
      : made_(made), reader_(*made.group.reader), columns_(columns), loading_(strings) {}

  Status add_column(std::size_t column);

 private:
  Status add_values(std::size_t column);
  Status add_strings(std::size_t column);
  Status add_nulls(std::size_t column, std::size_t slice);
  void add_tokens(std::size_t column, const LoadedSlice& slice);
  void add_bytes(std::size_t column);
  void add_counts(std::size_t column, GroupReader::BlockRange range, Byte width_bytes);
  void add_codes(std::size_t column, GroupReader::BlockRange range);
  BlockJob& add_job(std::size_t column, std::uint32_t block, BlockJob::Kind kind);
  BlockJob& add_string_job(std::size_t column, std::uint32_t block, BlockJob::Kind kind,
                           std::size_t number);

  OpenedGroup& made_;
  const GroupReader& reader_;
  std::span<const std::size_t> columns_;
  const StringLoading& loading_;
};

BlockJob& JobMaker::add_job(std::size_t column, std::uint32_t block, BlockJob::Kind kind) {
  BlockJob& job = made_.jobs.emplace_back();
  job.reader = &reader_;
  job.block = block;
  job.column = static_cast<std::uint32_t>(column);
  job.kind = kind;
  return job;
}

Status JobMaker::add_column(std::size_t column) {
  PRESSO_TRY(check_representation(reader_, columns_[column]));
  const Representation stored = reader_.chunk(columns_[column]).representation;
  const bool has_strings = stored == Representation::kToken || stored == Representation::kBytes;
  return has_strings ? add_strings(column) : add_values(column);
}

Status JobMaker::add_values(std::size_t column) {
  const std::size_t number = columns_[column];
  const ColumnChunk& chunk = reader_.chunk(number);
  const bool has_codes = chunk.representation == Representation::kDictionary;
  const ColumnType type = type_of(reader_, number);
  const Byte width = has_codes ? Byte{4} : static_cast<Byte>(value_bytes(type));
  for (std::size_t i = 0; i < made_.slices.size(); ++i) {
    TableBlock& to = made_.blocks[column].emplace_back();
    to.rows = made_.slices[i].rows;
    to.width_bytes = width;
    if (chunk.representation == Representation::kNull) continue;
    // For values that turn out to be stored as they lie in memory; others say it themselves.
    to.is_signed = is_signed(type);
    to.floating = type == ColumnType::kFloat || type == ColumnType::kDouble;
    const ColumnStream stream = has_codes ? ColumnStream::kCodes : ColumnStream::kValues;
    PRESSO_ASSIGN(const std::uint32_t block, block_of(reader_, number, stream, made_.slices[i]));
    BlockJob& job = add_job(column, block, BlockJob::Kind::kValues);
    job.number = static_cast<std::uint32_t>(i);
    job.width_bytes = width;
    job.entries = has_codes ? chunk.entries : 0;
    PRESSO_TRY(add_nulls(column, i));
  }
  return {};
}

Status JobMaker::add_nulls(std::size_t column, std::size_t slice) {
  const std::size_t number = columns_[column];
  if (reader_.chunk(number).nulls == 0) return {};
  PRESSO_ASSIGN(const std::uint32_t block,
                block_of(reader_, number, ColumnStream::kValidity, made_.slices[slice]));
  add_job(column, block, BlockJob::Kind::kValidity).number = static_cast<std::uint32_t>(slice);
  return {};
}

BlockJob& JobMaker::add_string_job(std::size_t column, std::uint32_t block, BlockJob::Kind kind,
                                   std::size_t number) {
  BlockJob& job = add_job(column, block, kind);
  job.strings = static_cast<std::uint32_t>(made_.strings.size() - 1);
  job.number = static_cast<std::uint32_t>(number);
  job.verifies = loading_.is_verified;
  return job;
}

/// Adds the blocks of counts. `width_bytes`: 4 for strings of tokens, 8 for strings of bytes.
void JobMaker::add_counts(std::size_t column, GroupReader::BlockRange range, Byte width_bytes) {
  auto& counts = made_.strings.back().counts;
  for (std::uint32_t block = range.first; block < range.end; ++block) {
    if (!counts.empty() && block <= counts.back().block) continue;
    BlockJob& job = add_string_job(column, block, BlockJob::Kind::kCounts, counts.size());
    job.width_bytes = width_bytes;
    job.is_sampled = width_bytes == 4 && counts.empty();
    counts.push_back({block, static_cast<std::uint32_t>(reader_.begin_of(block)), {}, {}, false});
  }
}

void JobMaker::add_codes(std::size_t column, GroupReader::BlockRange range) {
  auto& codes = made_.strings.back().codes;
  for (std::uint32_t block = range.first; block < range.end; ++block) {
    if (!codes.empty() && block <= codes.back().block) continue;
    BlockJob& job = add_string_job(column, block, BlockJob::Kind::kCodes, codes.size());
    job.is_sampled = codes.empty();
    codes.push_back({block,
                     static_cast<std::uint32_t>(reader_.begin_of(block)),
                     reader_.directory().blocks[block].rows,
                     0,
                     {}});
  }
}

void JobMaker::add_tokens(std::size_t column, const LoadedSlice& slice) {
  const std::size_t number = columns_[column];
  const auto codes =
      reader_.blocks_of(number, ColumnStream::kTokens, slice.first, slice.first + slice.rows);
  const std::uint64_t begin = reader_.begin_of(codes.first);
  const std::uint64_t end =
      reader_.begin_of(codes.end - 1) + reader_.directory().blocks[codes.end - 1].rows;
  add_counts(column, reader_.blocks_of(number, ColumnStream::kTokenCounts, begin, end), 4);
  add_codes(column, codes);
}

/// Adds the blocks of all rows, because the places of a slice's strings are known only from all
/// lengths.
void JobMaker::add_bytes(std::size_t column) {
  const std::size_t number = columns_[column];
  add_counts(column, reader_.blocks_of(number, ColumnStream::kLengths, 0, reader_.rows()), 8);
  const ColumnChunk& chunk = reader_.chunk(number);
  auto& text = made_.strings.back().text;
  for (std::uint32_t block = chunk.first_block; block < chunk.first_block + chunk.blocks; ++block) {
    if (reader_.directory().blocks[block].stream != ColumnStream::kBytes) continue;
    add_string_job(column, block, BlockJob::Kind::kText, text.size());
    text.emplace_back().block = block;
  }
}

Status JobMaker::add_strings(std::size_t column) {
  const bool is_wanted = !loading_.wanted || (*loading_.wanted >> column & 1) != 0;
  const bool has_bytes = reader_.chunk(columns_[column]).representation == Representation::kBytes;
  if (is_wanted && has_bytes && !loading_.takes_bytes) {
    return not_here(reader_, columns_[column], "strings that are stored as bytes");
  }
  if (is_wanted) {
    LoadedStrings& strings = made_.strings.emplace_back();
    strings.column = static_cast<std::uint32_t>(column);
    strings.has_bytes = has_bytes;
    strings.is_verified = loading_.is_verified;
  }
  for (std::size_t i = 0; i < made_.slices.size(); ++i) {
    TableBlock& to = made_.blocks[column].emplace_back();
    to.rows = made_.slices[i].rows;
    to.is_plain = true;
    to.width_bytes = 4;
    PRESSO_TRY(add_nulls(column, i));
    if (is_wanted && !has_bytes) add_tokens(column, made_.slices[i]);
  }
  if (is_wanted && has_bytes) add_bytes(column);
  return {};
}

}  // namespace

std::uint64_t OpenedGroup::bytes() const {
  std::uint64_t bytes = 0;
  for (const BlockJob& job : jobs) bytes += block_room(job.stored_bytes());
  return bytes;
}

Status check_form(const GroupReader& group, std::size_t column) {
  PRESSO_TRY(check_representation(group, column));
  const ColumnChunk& chunk = group.chunk(column);
  for (std::uint32_t first = 0; first < group.rows(); first += kSliceRows) {
    const LoadedSlice slice{0, first, std::min(kSliceRows, group.rows() - first), 0};
    if (chunk.nulls != 0 && chunk.representation != Representation::kNull) {
      PRESSO_TRY(block_of(group, column, ColumnStream::kValidity, slice));
    }
    if (chunk.representation == Representation::kPlain) {
      PRESSO_TRY(block_of(group, column, ColumnStream::kValues, slice));
    } else if (chunk.representation == Representation::kDictionary) {
      PRESSO_TRY(block_of(group, column, ColumnStream::kCodes, slice));
    }
  }
  return {};
}

Result<OpenedGroup> open_group(const std::vector<Table>& tables, const GroupToOpen& place,
                               std::span<const std::size_t> columns, const StringLoading& strings,
                               const WantsRows& wants, ReadCounters& counters) {
  OpenedGroup made;
  made.group.table = place.table;
  PRESSO_ASSIGN(made.group.reader, GroupReader::open(tables[place.table], place.group, &counters));
  const GroupReader& reader = *made.group.reader;
  made.group.first_row = place.first_row + reader.first_row();
  for (const std::size_t column : columns) {
    const auto cost = reader.cost(column, 0, reader.rows());
    made.all.bytes += cost.bytes;
    made.all.blocks += cost.blocks;
  }
  for (std::uint32_t first = 0; first < reader.rows(); first += kSliceRows) {
    const std::uint32_t rows = std::min(kSliceRows, reader.rows() - first);
    PRESSO_ASSIGN(const bool wanted, wants(reader, first, rows));
    if (!wanted) continue;
    made.slices.push_back({0, first, rows, made.group.first_row + first});
    made.rows += rows;
  }
  made.blocks.resize(columns.size());
  if (made.slices.empty()) return made;
  JobMaker maker(made, columns, strings);
  for (std::size_t i = 0; i < columns.size(); ++i) PRESSO_TRY(maker.add_column(i));
  return made;
}

}  // namespace presso::gpu
