// SPDX-License-Identifier: MIT
#include "scan/gpu/table/device_table.h"

#include <algorithm>
#include <cstring>

#include "decompress/columns/cpu/integer_decoder.h"
#include "decompress/columns/cpu/token_decoder.h"
#include "decompress/gpu/runtime/memory_parts.h"
#include "format/columns/column_block.h"

namespace presso::gpu {
namespace {

constexpr std::uint32_t kSliceRows = kMaxIntegerRows;
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 25;
constexpr std::uint64_t kBlockAlignment = 16;

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

Error not_here(const GroupReader& group, std::size_t column, const char* why) {
  return make_error(ErrorCode::kUnsupported,
                    "column " + group.schema().columns[column].name + ": " + why);
}

/// Of vectors whose entries are damaged it does not matter: they are found out.
void add_needs(ColumnNeeds& needs, const presso::IntegerBlock& block) {
  const std::uint32_t vectors = vectors_of(block.parameters.rows);
  if (block.payload.size() < std::size_t{vectors} * kVectorEntryBytes) return;
  for (std::uint32_t i = 0; i < vectors; ++i) {
    const VectorEntry entry = load_vector_entry(block.payload.data() + i * kVectorEntryBytes);
    const bool is_packed = static_cast<IntegerKind>(entry.kind) == IntegerKind::kPacked;
    if (is_packed && entry.exceptions == 0 && entry.width <= kLanes) {
      needs.packed_words = std::max(needs.packed_words, lane_words(kVectorRows, entry.width));
      continue;
    }
    const std::uint32_t word_bytes = block.parameters.width_bytes == 8 ? 8 : 4;
    needs.staging_bytes = std::max(needs.staging_bytes, kVectorRows * word_bytes);
  }
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

/// The most that a block takes, whichever way it is stored.
std::uint64_t room_of(const ColumnBlock& block) {
  return aligned(std::max(block.stored_bytes, block.plain_bytes)) + Buffer::kSlack;
}

}  // namespace

/// Pieces of pinned memory that are filled and copied to device memory, two in turn.
class TableLoader::Staging {
 public:
  Staging(Memory& memory, Stream stream, std::uint64_t piece_bytes)
      : memory_(memory), stream_(stream), piece_bytes_(piece_bytes) {}

  /// Where `bytes` may be written; valid until the next call.
  Result<Byte*> room(std::uint64_t bytes) {
    if (device_.empty() || used_ + bytes > piece_bytes_) {
      PRESSO_TRY(send());
      PRESSO_TRY(begin());
    }
    return pinned_[turn_].get() + used_;
  }
  /// The device's address of what was written there.
  Byte* take(std::uint64_t bytes) {
    Byte* const there = device_.back().get() + used_;
    used_ = aligned(used_ + bytes);
    return there;
  }
  Status send() {
    if (device_.empty() || used_ == 0) return {};
    PRESSO_TRY(memory_.device().copy_in(device_.back().get(), pinned_[turn_].get(),
                                        static_cast<std::size_t>(used_), stream_));
    PRESSO_ASSIGN(sent_[turn_], make_event(memory_.device()));
    return memory_.device().record(sent_[turn_].get(), stream_);
  }
  std::vector<DeviceMemory> take_memory() { return std::move(device_); }

 private:
  Status begin() {
    turn_ = 1 - turn_;
    if (sent_[turn_].get() != nullptr) PRESSO_TRY(memory_.device().wait(sent_[turn_].get()));
    if (pinned_[turn_].get() == nullptr) {
      PRESSO_ASSIGN(pinned_[turn_], memory_.allocate_pinned(piece_bytes_));
    }
    PRESSO_ASSIGN(DeviceMemory piece, memory_.allocate(piece_bytes_));
    device_.push_back(std::move(piece));
    used_ = 0;
    return {};
  }

  Memory& memory_;
  Stream stream_;
  std::uint64_t piece_bytes_;
  std::vector<DeviceMemory> device_;
  PinnedMemory pinned_[2];
  OwnedEvent sent_[2];
  unsigned turn_ = 1;
  std::uint64_t used_ = 0;
};

struct TableLoader::Loading {
  DeviceTable table;
  Staging staging;
  Buffer stored;
  /// By column, then by slice: the slices are only known in the end.
  std::vector<std::vector<TableBlock>> blocks;
  std::vector<Arrived> arrived;

  Loading(Memory& memory, Stream stream, std::uint64_t piece_bytes, std::size_t columns)
      : staging(memory, stream, piece_bytes), blocks(columns) {
    table.needs_.resize(columns);
  }
};

TableLoader::TableLoader(Memory& memory, TableKernels& kernels, const std::vector<Table>& tables,
                         std::vector<std::size_t> columns, ReadCounters& counters,
                         std::uint32_t string_columns)
    : memory_(memory),
      kernels_(kernels),
      tables_(tables),
      columns_(std::move(columns)),
      counters_(counters),
      string_columns_(string_columns) {}

Result<TableLoader::Wanted> TableLoader::wanted_of(const GroupReader& group,
                                                   const WantsRows& wants) const {
  Wanted all;
  for (std::uint32_t first = 0; first < group.rows(); first += kSliceRows) {
    const std::uint32_t rows = std::min(kSliceRows, group.rows() - first);
    PRESSO_ASSIGN(const bool wanted, wants(group, first, rows));
    if (!wanted) continue;
    all.rows += rows;
    for (const std::size_t column : columns_) all.bytes += group.cost(column, first, rows).bytes;
  }
  return all;
}

Status TableLoader::add_block(Loading& loading, const LoadedGroup& group, std::uint32_t block,
                              Byte width_bytes, std::uint32_t entries, TableBlock& to,
                              ColumnNeeds* needs) {
  const bool is_validity = needs == nullptr;
  const GroupReader& reader = *group.reader;
  const ColumnBlock& known = reader.directory().blocks[block];
  PRESSO_TRY(reader.blocks().read(block, loading.stored));
  PRESSO_ASSIGN(Byte* const room, loading.staging.room(room_of(known)));
  const std::uint32_t* words = nullptr;
  const bool is_plain = BlockReader::is_bytes(loading.stored);
  if (is_plain) {
    PRESSO_TRY(reader.blocks().decode_bytes(block, loading.stored, room));
    if (known.plain_bytes != integer_bytes(width_bytes, known.rows)) {
      return reader.blocks().at_block(make_error(ErrorCode::kBadLength), block);
    }
    if (entries != 0) {
      for (std::uint32_t row = 0; row < known.rows; ++row) {
        if (load<std::uint32_t>(room + 4 * row) < entries) continue;
        return reader.blocks().at_block(
            make_error(ErrorCode::kBadRowGroup, "a code beyond the dictionary"), block);
      }
    }
    words = reinterpret_cast<const std::uint32_t*>(loading.staging.take(known.plain_bytes));
  } else {
    // Its checksum is the device's business.
    PRESSO_ASSIGN(const BlockReader::StoredIntegers opened,
                  reader.blocks().parse_integers(block, width_bytes, loading.stored));
    const Bytes payload = opened.block.payload;
    std::memcpy(room, payload.data(), payload.size());
    const Byte* const there = loading.staging.take(payload.size());
    words = reinterpret_cast<const std::uint32_t*>(there);
    Arrived one{loading.table.groups_.size(), block, entries, {}};
    one.on_device.payload = {there, static_cast<std::uint32_t>(payload.size()), opened.checksum};
    one.on_device.parameters = opened.block.parameters;
    loading.arrived.push_back(one);
    if (!is_validity) {
      to.divisor = opened.block.parameters.divisor;
      to.is_signed = opened.block.parameters.is_signed;
      to.floating = opened.block.parameters.floating;
      add_needs(*needs, opened.block);
    }
  }
  if (is_validity) {
    to.validity = words;
    to.is_plain_validity = is_plain;
    return {};
  }
  to.words = words;
  to.is_plain = is_plain;
  to.width_bytes = width_bytes;
  return {};
}

Status TableLoader::add_column(Loading& loading, const LoadedGroup& group, std::size_t column,
                               std::size_t first_slice) {
  const GroupReader& reader = *group.reader;
  const std::size_t number = columns_[column];
  const ColumnChunk& chunk = reader.chunk(number);
  const bool has_codes = chunk.representation == Representation::kDictionary;
  const bool is_null = chunk.representation == Representation::kNull;
  const ColumnType type = reader.schema().columns[number].type;
  if (chunk.representation == Representation::kToken) {
    return add_tokens(loading, group, column, first_slice);
  }
  if (!has_codes && !is_null && (chunk.representation != Representation::kPlain)) {
    return not_here(reader, number, "strings that are stored as bytes");
  }
  const Byte width = has_codes ? Byte{4} : static_cast<Byte>(value_bytes(type));
  if (!is_null && (width == 0 || width > 8)) {
    return not_here(reader, number, "neither numbers of up to 64 bits nor codes");
  }
  for (std::size_t i = first_slice; i < loading.table.slices_.size(); ++i) {
    const LoadedSlice& slice = loading.table.slices_[i];
    TableBlock& to = loading.blocks[column].emplace_back();
    to.rows = slice.rows;
    to.width_bytes = width;
    if (is_null) continue;
    const ColumnStream stream = has_codes ? ColumnStream::kCodes : ColumnStream::kValues;
    PRESSO_ASSIGN(const std::uint32_t block, block_of(reader, number, stream, slice));
    PRESSO_TRY(add_block(loading, group, block, width, has_codes ? chunk.entries : 0, to,
                         &loading.table.needs_[column]));
    if (to.is_plain) {
      to.is_signed = is_signed(type);
      to.floating = type == ColumnType::kFloat || type == ColumnType::kDouble;
    }
    PRESSO_TRY(add_nulls(loading, group, column, slice, to));
  }
  return {};
}

Status TableLoader::add_nulls(Loading& loading, const LoadedGroup& group, std::size_t column,
                              const LoadedSlice& slice, TableBlock& to) {
  const GroupReader& reader = *group.reader;
  const std::size_t number = columns_[column];
  if (reader.chunk(number).nulls == 0) return {};
  PRESSO_ASSIGN(const std::uint32_t block,
                block_of(reader, number, ColumnStream::kValidity, slice));
  return add_block(loading, group, block, Byte{0}, 0, to, nullptr);
}

Result<LoadedTokens::Counts> TableLoader::add_counts(Loading& loading, const LoadedGroup& group,
                                                     std::uint32_t block, StringSample* sample) {
  const GroupReader& reader = *group.reader;
  const ColumnBlock& known = reader.directory().blocks[block];
  LoadedTokens::Counts made;
  made.block = block;
  made.first_row = static_cast<std::uint32_t>(reader.begin_of(block));
  PRESSO_TRY(reader.blocks().read(block, loading.stored));
  PRESSO_ASSIGN(Byte* const room, loading.staging.room(room_of(known)));
  made.is_plain = BlockReader::is_bytes(loading.stored);
  std::vector<std::uint32_t> counts;
  if (made.is_plain) {
    PRESSO_TRY(reader.blocks().decode_bytes(block, loading.stored, room));
    if (known.plain_bytes != integer_bytes(4, known.rows)) {
      return reader.blocks().at_block(make_error(ErrorCode::kBadLength), block);
    }
    made.parameters.rows = known.rows;
    made.payload = {loading.staging.take(known.plain_bytes), known.plain_bytes, 0};
    counts.resize(known.rows);
    std::memcpy(counts.data(), room, known.plain_bytes);
  } else {
    PRESSO_ASSIGN(const BlockReader::StoredIntegers opened,
                  reader.blocks().parse_integers(block, 4, loading.stored));
    const Bytes payload = opened.block.payload;
    std::memcpy(room, payload.data(), payload.size());
    made.parameters = opened.block.parameters;
    made.payload = {loading.staging.take(payload.size()),
                    static_cast<std::uint32_t>(payload.size()), opened.checksum};
    if (sample != nullptr) {
      counts.resize(std::size_t{known.rows} + Buffer::kSlack / 4);
      const Status decoded =
          decode_integers(made.parameters, payload,
                          {reinterpret_cast<Byte*>(counts.data()), integer_bytes(4, known.rows)});
      if (!decoded.ok()) counts.clear();  // that is found out on the device
    }
  }
  if (sample != nullptr) {
    counts.resize(std::min<std::size_t>(counts.size(), std::min(known.rows, kSampleRows)));
    sample->counts = std::move(counts);
  }
  return made;
}

Result<LoadedTokens::Codes> TableLoader::add_codes(Loading& loading, const LoadedGroup& group,
                                                   std::size_t column, std::uint32_t block,
                                                   StringSample* sample) {
  const GroupReader& reader = *group.reader;
  const ColumnBlock& known = reader.directory().blocks[block];
  PRESSO_TRY(reader.blocks().read(block, loading.stored));
  PRESSO_ASSIGN(const BlockReader::StoredTokens opened,
                reader.blocks().parse_tokens(block, loading.stored));
  PRESSO_ASSIGN(Byte* const room, loading.staging.room(room_of(known)));
  const Bytes payload = opened.block.payload;
  std::memcpy(room, payload.data(), payload.size());
  LoadedTokens::Codes made;
  made.block = block;
  made.first_row = static_cast<std::uint32_t>(reader.begin_of(block));
  made.rows = known.rows;
  made.codes = opened.block.codes;
  made.payload = {loading.staging.take(payload.size()), static_cast<std::uint32_t>(payload.size()),
                  opened.checksum};
  if (sample == nullptr) return made;
  PRESSO_ASSIGN(const TokenDictionary* const tokens, reader.tokens(columns_[column]));
  sample->counts.resize(std::min<std::size_t>(sample->counts.size(), known.rows));
  std::uint64_t codes = 0;
  for (const std::uint32_t count : sample->counts) codes += count;
  if (codes <= made.codes) {
    sample->codes.resize(static_cast<std::size_t>(codes) + 2 * kVectorRows);
    const Status unpacked = unpack_token_part(
        *tokens, payload, made.codes, 0, static_cast<std::uint32_t>(codes), sample->codes.data());
    sample->codes.resize(static_cast<std::size_t>(codes));
    if (unpacked.ok()) return made;
  }
  *sample = {};  // damaged, which is found out on the device
  return made;
}

Status TableLoader::add_tokens(Loading& loading, const LoadedGroup& group, std::size_t column,
                               std::size_t first_slice) {
  const GroupReader& reader = *group.reader;
  const std::size_t number = columns_[column];
  const std::vector<LoadedSlice>& slices = loading.table.slices_;
  LoadedTokens made;
  made.column = static_cast<std::uint32_t>(column);
  made.group = static_cast<std::uint32_t>(loading.table.groups_.size());
  const bool is_first =
      std::none_of(loading.table.tokens_.begin(), loading.table.tokens_.end(),
                   [&made](const LoadedTokens& other) { return other.column == made.column; });
  StringSample* const sample = is_first ? &made.sample : nullptr;
  // The blocks have values, which nobody asks for.
  PRESSO_TRY(loading.staging.room(1));
  const auto* const values = reinterpret_cast<const std::uint32_t*>(loading.staging.take(1));
  for (std::size_t i = first_slice; i < slices.size(); ++i) {
    const LoadedSlice slice = slices[i];
    TableBlock& to = loading.blocks[column].emplace_back();
    to.rows = slice.rows;
    to.words = values;
    to.is_plain = true;
    to.width_bytes = 4;
    PRESSO_TRY(add_nulls(loading, group, column, slice, to));
    if ((string_columns_ >> column & 1) == 0) continue;
    const auto codes =
        reader.blocks_of(number, ColumnStream::kTokens, slice.first, slice.first + slice.rows);
    const std::uint32_t begin = static_cast<std::uint32_t>(reader.begin_of(codes.first));
    const std::uint32_t end = static_cast<std::uint32_t>(reader.begin_of(codes.end - 1)) +
                              reader.directory().blocks[codes.end - 1].rows;
    const auto counts = reader.blocks_of(number, ColumnStream::kTokenCounts, begin, end);
    for (std::uint32_t block = counts.first; block < counts.end; ++block) {
      if (!made.counts.empty() && block <= made.counts.back().block) continue;
      PRESSO_ASSIGN(const LoadedTokens::Counts one,
                    add_counts(loading, group, block, made.counts.empty() ? sample : nullptr));
      made.counts.push_back(one);
    }
    for (std::uint32_t block = codes.first; block < codes.end; ++block) {
      if (!made.codes.empty() && block <= made.codes.back().block) continue;
      PRESSO_ASSIGN(
          const LoadedTokens::Codes one,
          add_codes(loading, group, column, block, made.codes.empty() ? sample : nullptr));
      made.codes.push_back(one);
    }
  }
  if (!made.codes.empty()) loading.table.tokens_.push_back(std::move(made));
  return {};
}

Status TableLoader::add_group(Loading& loading, const LoadedGroup& group, const WantsRows& wants) {
  const std::size_t first_slice = loading.table.slices_.size();
  const GroupReader& reader = *group.reader;
  for (std::uint32_t first = 0; first < reader.rows(); first += kSliceRows) {
    const std::uint32_t rows = std::min(kSliceRows, reader.rows() - first);
    PRESSO_ASSIGN(const bool wanted, wants(reader, first, rows));
    if (!wanted) continue;
    loading.table.slices_.push_back({static_cast<std::uint32_t>(loading.table.groups_.size()),
                                     first, rows, group.first_row + first});
    loading.table.rows_ += rows;
  }
  if (loading.table.slices_.size() == first_slice) return {};
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    PRESSO_TRY(add_column(loading, group, column, first_slice));
  }
  loading.table.groups_.push_back(group);
  return {};
}

/// Uploads what describes the blocks, and has them checked.
Status TableLoader::check(Loading& loading, Stream stream) {
  Device& device = memory_.device();
  DeviceTable& table = loading.table;
  const std::size_t slices = table.slices_.size();
  const std::size_t blocks = loading.arrived.size();
  MemoryParts parts;
  const std::uint64_t slices_at = parts.add(slices * sizeof(TableSlice));
  const std::uint64_t blocks_at = parts.add(columns_.size() * slices * sizeof(TableBlock));
  const std::uint64_t batch_at = parts.add(blocks * sizeof(IntegerBlock));
  const std::uint64_t entries_at = parts.add(blocks * sizeof(std::uint32_t));
  const std::uint64_t status_at = parts.add(blocks * sizeof(std::uint32_t));
  PRESSO_ASSIGN(const PinnedMemory pinned, memory_.allocate_pinned(parts.bytes()));
  PRESSO_ASSIGN(DeviceMemory there, memory_.allocate(parts.bytes()));
  Byte* const here = pinned.get();
  for (std::size_t i = 0; i < slices; ++i) {
    const LoadedSlice& slice = table.slices_[i];
    const TableSlice one{slice.first_row, slice.rows, slice.group};
    std::memcpy(here + slices_at + i * sizeof one, &one, sizeof one);
  }
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::memcpy(here + blocks_at + column * slices * sizeof(TableBlock),
                loading.blocks[column].data(), slices * sizeof(TableBlock));
  }
  for (std::size_t i = 0; i < blocks; ++i) {
    const Arrived& one = loading.arrived[i];
    std::memcpy(here + batch_at + i * sizeof(IntegerBlock), &one.on_device, sizeof(IntegerBlock));
    store(here + entries_at + 4 * i, one.entries);
  }
  PRESSO_TRY(device.copy_in(there.get(), here, static_cast<std::size_t>(parts.bytes()), stream));
  auto* const status = reinterpret_cast<std::uint32_t*>(there.get() + status_at);
  PRESSO_TRY(kernels_.check({reinterpret_cast<const IntegerBlock*>(there.get() + batch_at), status,
                             static_cast<std::uint32_t>(blocks)},
                            reinterpret_cast<const std::uint32_t*>(there.get() + entries_at),
                            stream));
  PRESSO_TRY(device.copy_out(here + status_at, there.get() + status_at, 4 * blocks, stream));
  PRESSO_TRY(device.wait(stream));
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto code = static_cast<ErrorCode>(load<std::uint32_t>(here + status_at + 4 * i));
    if (code == ErrorCode::kOk) continue;
    const Arrived& one = loading.arrived[i];
    Error error = code == ErrorCode::kBadRowGroup ? make_error(code, "a code beyond the dictionary")
                                                  : make_error(code);
    return table.groups_[one.group].reader->blocks().at_block(std::move(error), one.block);
  }
  table.blocks_ = {reinterpret_cast<const TableSlice*>(there.get() + slices_at),
                   reinterpret_cast<const TableBlock*>(there.get() + blocks_at),
                   static_cast<std::uint32_t>(slices)};
  table.memory_ = loading.staging.take_memory();
  table.memory_.push_back(std::move(there));
  return {};
}

Result<std::optional<DeviceTable>> TableLoader::next(Stream stream, std::uint64_t most_bytes,
                                                     const WantsRows& wants) {
  std::vector<LoadedGroup> groups;
  std::uint64_t bytes = 0;
  std::uint64_t largest = 0;
  while (table_ < tables_.size()) {
    if (group_ == tables_[table_].row_groups()) {
      first_row_ += tables_[table_].rows();
      ++table_;
      group_ = 0;
      continue;
    }
    if (!ahead_) {
      LoadedGroup group;
      PRESSO_ASSIGN(group.reader, GroupReader::open(tables_[table_], group_, &counters_));
      group.table = table_;
      group.first_row = first_row_ + group.reader->first_row();
      for (const std::size_t column : columns_) {
        const auto cost = group.reader->cost(column, 0, group.reader->rows());
        stored_bytes_ += cost.bytes;
        blocks_ += cost.blocks;
      }
      ahead_ = std::move(group);
    }
    PRESSO_ASSIGN(const Wanted more, wanted_of(*ahead_->reader, wants));
    if (!groups.empty() && bytes + more.bytes > most_bytes) break;
    if (more.rows > 0) {
      bytes += more.bytes;
      for (const ColumnBlock& block : ahead_->reader->directory().blocks) {
        largest = std::max(largest, room_of(block));
      }
      groups.push_back(std::move(*ahead_));
    }
    ahead_.reset();
    ++group_;
  }
  if (groups.empty()) return std::optional<DeviceTable>();
  const std::uint64_t piece = std::max(std::min(bytes + bytes / 8, kPieceBytes), largest);
  Loading loading(memory_, stream, aligned(piece), columns_.size());
  for (const LoadedGroup& group : groups) PRESSO_TRY(add_group(loading, group, wants));
  PRESSO_TRY(loading.staging.send());
  PRESSO_TRY(check(loading, stream));
  return std::optional<DeviceTable>(std::move(loading.table));
}

}  // namespace presso::gpu
