// SPDX-License-Identifier: MIT
#include "lab/programs/strings_gpu/token_blocks.h"

#include "decompress/table/group_reader.h"
#include "query/gpu/strings/string_batch.h"

namespace presso::gpu::bench {
namespace {

Result<std::vector<std::uint32_t>> read_counts(const GroupReader& reader, std::size_t column) {
  std::vector<std::uint32_t> counts(std::size_t{reader.rows()} + Buffer::kSlack / 4);
  PRESSO_TRY(reader.decoder().read_stream(column, ColumnStream::kTokenCounts, 4, 0, reader.rows(),
                                          reinterpret_cast<Byte*>(counts.data())));
  return counts;
}

Status read_tokens(const GroupReader& reader, std::size_t column, StoredGroup& group) {
  PRESSO_ASSIGN(const std::vector<std::uint32_t> counts, read_counts(reader, column));
  const auto range = reader.blocks_of(column, ColumnStream::kTokens, 0, reader.rows());
  auto at = counts.begin();
  Buffer stored;
  for (std::uint32_t number = range.first; number < range.end; ++number) {
    StoredTokens block;
    PRESSO_TRY(reader.blocks().read(number, stored));
    PRESSO_ASSIGN(const auto opened, reader.blocks().open_tokens(number, stored.bytes()));
    const auto end = at + static_cast<std::ptrdiff_t>(reader.directory().blocks[number].rows);
    block.payload.assign(opened.payload.begin(), opened.payload.end());
    block.counts.assign(at, end);
    block.codes = opened.codes;
    at = end;
    group.blocks.push_back(std::move(block));
  }
  return {};
}

Status read_stored_counts(const GroupReader& reader, std::size_t column, StoredGroup& group) {
  const auto range = reader.blocks_of(column, ColumnStream::kTokenCounts, 0, reader.rows());
  Buffer stored;
  for (std::uint32_t number = range.first; number < range.end; ++number) {
    PRESSO_TRY(reader.blocks().read(number, stored));
    if (BlockReader::is_whole(stored.bytes())) continue;
    PRESSO_ASSIGN(const auto opened, reader.blocks().open_integers(number, 4, stored.bytes()));
    group.counts.push_back({opened.parameters, {opened.payload.begin(), opened.payload.end()}});
  }
  return {};
}

template <class Part>
std::uint64_t sum_over(const std::vector<StoredGroup>& groups, const Part& part) {
  std::uint64_t sum = 0;
  for (const StoredGroup& group : groups) sum += part(group);
  return sum;
}

template <class Part>
std::uint64_t sum_over_blocks(const std::vector<StoredGroup>& groups, const Part& part) {
  return sum_over(groups, [&](const StoredGroup& group) {
    std::uint64_t sum = 0;
    for (const StoredTokens& block : group.blocks) sum += part(block);
    return sum;
  });
}

}  // namespace

Result<StoredColumn> StoredColumn::read(const Table& table, const std::string& column) {
  const auto number = table.find_column(column);
  if (!number) return make_error(ErrorCode::kInvalidArgument, "no such column");
  StoredColumn made;
  for (std::uint64_t i = 0; i < table.row_groups(); ++i) {
    PRESSO_ASSIGN(const auto reader, GroupReader::open(table, i));
    if (reader->chunk(*number).representation != Representation::kToken) continue;
    StoredGroup group;
    group.rows = reader->rows();
    PRESSO_ASSIGN(group.dictionary, reader->tokens(*number));
    PRESSO_TRY(read_tokens(*reader, *number, group));
    PRESSO_TRY(read_stored_counts(*reader, *number, group));
    PRESSO_ASSIGN(auto columns, table.read(i, {&*number, 1}, 0, reader->rows()));
    group.text = std::move(columns[0]);
    made.groups_.push_back(std::move(group));
    made.readers_.push_back(reader);
  }
  if (!made.groups_.empty()) return made;
  return make_error(ErrorCode::kInvalidArgument, "the column is not stored as tokens");
}

std::uint64_t StoredColumn::rows() const {
  return sum_over(groups_, [](const StoredGroup& group) { return group.rows; });
}
std::uint64_t StoredColumn::codes() const {
  return sum_over_blocks(groups_, [](const StoredTokens& block) { return block.codes; });
}
std::uint64_t StoredColumn::text_bytes() const {
  return sum_over(groups_, [](const StoredGroup& group) { return group.text.values.size(); });
}
std::uint64_t StoredColumn::payload_bytes() const {
  return sum_over_blocks(groups_, [](const StoredTokens& block) { return block.payload.size(); });
}

std::vector<std::uint32_t> bits_on_cpu(const query::StringTest& test, const StoredGroup& group) {
  std::vector<std::uint64_t> found((std::size_t{group.rows} + 63) / 64);
  test.find(group.text.values.bytes(), group.text.offsets.data(), group.rows, nullptr,
            found.data());
  std::vector<std::uint32_t> bits;
  std::size_t row = 0;
  for (const StoredTokens& block : group.blocks) {
    const auto rows = static_cast<std::uint32_t>(block.counts.size());
    const std::size_t begin = bits.size();
    bits.resize(begin + row_words(rows));
    for (std::uint32_t i = 0; i < rows; ++i, ++row) {
      const auto bit = static_cast<std::uint32_t>(found[row / 64] >> (row % 64) & 1);
      bits[begin + i / kLanes] |= bit << (i % kLanes);
    }
  }
  return bits;
}

}  // namespace presso::gpu::bench
