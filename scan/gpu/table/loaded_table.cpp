// SPDX-License-Identifier: MIT
#include "scan/gpu/table/loaded_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "decompress/columns/cpu/integer_decoder.h"
#include "decompress/columns/cpu/token_decoder.h"
#include "decompress/gpu/runtime/memory_parts.h"
#include "format/columns/column_block.h"
#include "presso/ordered_pipeline.h"

namespace presso::gpu {
namespace {

constexpr std::uint32_t kSliceRows = kMaxIntegerRows;
constexpr std::uint64_t kBlockAlignment = 16;

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

Error not_here(const GroupReader& group, std::size_t column, const char* why) {
  return make_error(ErrorCode::kUnsupported,
                    "column " + group.schema().columns[column].name + ": " + why);
}

/// What a vector takes of shared memory, in words, where its rows are found without decoding all of
/// it: packed numbers, a map of rows, and how many there are before each word of that
/// (program.cuh). Nothing: all of it is decoded.
std::optional<std::uint32_t> staged_words(const presso::IntegerBlock& block,
                                          const VectorEntry& entry) {
  const auto kind = static_cast<IntegerKind>(entry.kind);
  if (entry.width > kLanes) return std::nullopt;
  if (kind == IntegerKind::kPacked) {
    return lane_words(kVectorRows, entry.width) + (entry.exceptions != 0 ? 2 * kRunMapWords : 0);
  }
  const auto of_runs = static_cast<IntegerKind>(entry.exceptions);
  if (kind != IntegerKind::kRuns || of_runs != IntegerKind::kPacked) return std::nullopt;
  constexpr std::size_t kMapBytes = kRunMapWords * sizeof(std::uint32_t);
  const std::size_t at = vectors_of(block.parameters.rows) * kVectorEntryBytes +
                         std::size_t{entry.word_offset} * sizeof(std::uint32_t);
  if (at + kMapBytes > block.payload.size()) return std::nullopt;
  unsigned runs = 0;
  for (std::size_t byte = 0; byte < kMapBytes; ++byte) {
    runs += static_cast<unsigned>(std::popcount(block.payload[at + byte]));
  }
  // What comes behind begins where 16 bytes can be copied to.
  const std::uint32_t words = (lane_words(runs, entry.width) + kLanes - 1) / kLanes * kLanes;
  return words + 2 * kRunMapWords;
}

/// Whether a program finds rows of a vector with runs or exceptions one by one (PackedVector).
bool has_rows_by_map(const presso::IntegerParameters& block, const VectorEntry& entry) {
  if (block.floating || block.width_bytes == 0 || block.width_bytes > sizeof(std::uint64_t)) {
    return false;
  }
  const std::uint64_t base = widened(entry.base, block.width_bytes, block.is_signed);
  return stays_within(block.width_bytes, block.is_signed, base, block.divisor, entry.width);
}

/// Of vectors whose entries are damaged it does not matter: they are found out.
void add_needs(ColumnNeeds& needs, const presso::IntegerBlock& block) {
  const std::uint32_t vectors = vectors_of(block.parameters.rows);
  if (block.payload.size() < std::size_t{vectors} * kVectorEntryBytes) return;
  for (std::uint32_t i = 0; i < vectors; ++i) {
    const VectorEntry entry = load_vector_entry(block.payload.data() + i * kVectorEntryBytes);
    const auto staged = staged_words(block, entry);
    needs.packed_words = std::max(needs.packed_words, staged.value_or(0));
    const bool is_packed = static_cast<IntegerKind>(entry.kind) == IntegerKind::kPacked;
    if (staged && is_packed && entry.exceptions == 0) continue;
    const std::uint32_t bytes = kVectorRows * (block.parameters.width_bytes == 8 ? 8 : 4);
    if (staged && has_rows_by_map(block.parameters, entry)) {
      needs.patched_bytes = std::max(needs.patched_bytes, bytes);
    } else {
      needs.staging_bytes = std::max(needs.staging_bytes, bytes);
    }
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

ColumnType type_of(const GroupReader& group, std::size_t column) {
  return group.schema().columns[column].type;
}

Status check_representation(const GroupReader& group, std::size_t column) {
  const Representation stored = group.chunk(column).representation;
  if (stored == Representation::kBytes) {
    return not_here(group, column, "strings that are stored as bytes");
  }
  if (stored != Representation::kPlain) return {};
  const std::size_t width = value_bytes(type_of(group, column));
  if (width != 0 && width <= 8) return {};
  return not_here(group, column, "neither numbers of up to 64 bits nor codes");
}

}  // namespace

std::uint64_t LoadedTable::device_bytes() const {
  std::uint64_t bytes = 0;
  for (const DeviceMemory& memory : memory_) bytes += memory.bytes();
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

/// Pieces of device memory, to which blocks come by way of pinned memory, which two of them have at
/// a time.
class TableLoader::Staging {
 public:
  /// Where a block is to lie.
  struct Place {
    std::size_t piece = 0;
    std::uint64_t offset = 0;
    const Byte* there = nullptr;  ///< on the device
  };

  Staging(const RunSpace& space, std::uint64_t piece_bytes)
      : space_(space), piece_bytes_(piece_bytes) {}

  /// A place for `bytes`, at most those of a piece, in the last piece or a new one.
  Result<Place> take(std::uint64_t bytes) {
    if (is_sealed_ || pieces_.back().used + bytes > piece_bytes_) {
      PRESSO_ASSIGN(DeviceMemory piece, space_.memory.allocate(piece_bytes_));
      pieces_.push_back({std::move(piece), 0});
      is_sealed_ = false;
    }
    Piece& piece = pieces_.back();
    const Place place{pieces_.size() - 1, piece.used, piece.memory.get() + piece.used};
    piece.used = aligned(piece.used + bytes);
    return place;
  }
  /// What comes now goes to a new piece.
  void seal() { is_sealed_ = true; }

  /// Pinned memory for the next piece that blocks are read for, once it is free: the piece before
  /// the last one must have been sent.
  Result<Byte*> begin() {
    turn_ = 1 - turn_;
    if (sent_[turn_].get() != nullptr) PRESSO_TRY(space_.device().wait(sent_[turn_].get()));
    return space_.pinned.piece(turn_, piece_bytes_);
  }
  /// `from`: what begin() gave for the piece.
  Status send(std::size_t piece, const Byte* from) {
    PRESSO_TRY(space_.device().copy_in(pieces_[piece].memory.get(), from,
                                       static_cast<std::size_t>(pieces_[piece].used),
                                       space_.stream));
    sending_ = 1 - sending_;
    PRESSO_ASSIGN(sent_[sending_], make_event(space_.device()));
    return space_.device().record(sent_[sending_].get(), space_.stream);
  }
  std::vector<DeviceMemory> take_memory() {
    std::vector<DeviceMemory> memory;
    for (Piece& piece : pieces_) memory.push_back(std::move(piece.memory));
    return memory;
  }

 private:
  struct Piece {
    DeviceMemory memory;
    std::uint64_t used = 0;
  };

  const RunSpace& space_;
  std::uint64_t piece_bytes_;
  std::vector<Piece> pieces_;
  bool is_sealed_ = true;
  OwnedEvent sent_[2];
  unsigned turn_ = 1;     ///< whose pinned memory was begun last
  unsigned sending_ = 1;  ///< and sent
};

/// Several threads read blocks and put them where there is room for them; what becomes of each is
/// written down in their order.
struct TableLoader::Loading {
  struct Job {
    std::size_t piece;
    std::uint64_t offset;
    std::function<Status(Byte* to, Buffer& scratch)> read;  ///< by any thread
    std::function<Status()> take;                           ///< after it, in order
  };

  LoadedTable table;
  Staging staging;
  std::vector<Job> jobs;  ///< by piece
  /// Jobs of what turned out to take other room than it was given: to be done after all others.
  struct Plain {
    std::shared_ptr<const Buffer> data;
    std::uint32_t bytes;
    std::function<void(const std::uint32_t* there)> place;
  };
  std::vector<Plain> plain;
  std::vector<Buffer> scratch;  ///< by thread
  std::vector<Arrived> arrived;

  Loading(const RunSpace& space, std::uint64_t piece_bytes, std::size_t columns, unsigned threads)
      : staging(space, piece_bytes), scratch(threads) {
    table.needs_.resize(columns);
    table.host_blocks_.resize(columns);
  }

  void add(const Staging::Place& place, std::function<Status(Byte*, Buffer&)> read,
           std::function<Status()> take) {
    jobs.push_back({place.piece, place.offset, std::move(read), std::move(take)});
  }
};

TableLoader::TableLoader(const RunSpace& space, const std::vector<Table>& tables,
                         std::vector<std::size_t> columns, ReadCounters& counters, unsigned threads,
                         TokenLoading tokens)
    : space_(space),
      tables_(tables),
      columns_(std::move(columns)),
      counters_(counters),
      threads_(threads),
      tokens_(tokens),
      at_group_(tables) {}

/// Runs the jobs, and those that come of them.
Status TableLoader::read_blocks(Loading& loading) {
  PRESSO_TRY(run_jobs(loading));
  loading.staging.seal();
  for (Loading::Plain& one : loading.plain) {
    PRESSO_ASSIGN(const Staging::Place place, loading.staging.take(one.bytes));
    one.place(reinterpret_cast<const std::uint32_t*>(place.there));
    loading.add(
        place,
        [data = one.data, bytes = one.bytes](Byte* to, Buffer&) -> Status {
          std::memcpy(to, data->data(), bytes);
          return {};
        },
        [] { return Status(); });
  }
  loading.plain.clear();
  return run_jobs(loading);
}

namespace {

/// Jobs [first, end) of a piece, which one thread does: to hand one over takes microseconds, as
/// long as to read a block.
struct JobBatch {
  std::size_t first = 0;
  std::size_t end = 0;
  bool ends_piece = false;
};

template <class Job>
std::vector<JobBatch> batches_of(const std::vector<Job>& jobs, unsigned threads) {
  constexpr std::uint64_t kBatchBytes = std::uint64_t{512} << 10;
  constexpr std::size_t kForThread = 8;
  const std::size_t most_jobs = std::max<std::size_t>(jobs.size() / (kForThread * threads), 1);
  std::vector<JobBatch> batches;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const bool begins_piece = i == 0 || jobs[i].piece != jobs[i - 1].piece;
    const bool is_full =
        i != 0 && (i - batches.back().first >= most_jobs ||
                   jobs[i].offset - jobs[batches.back().first].offset >= kBatchBytes);
    if (begins_piece && i != 0) batches.back().ends_piece = true;
    if (begins_piece || is_full) batches.push_back({i, i, false});
    batches.back().end = i + 1;
  }
  if (!batches.empty()) batches.back().ends_piece = true;
  return batches;
}

}  // namespace

/// A piece's pinned memory is that of the piece before the last one, all batches of which are done
/// when its own first one is made, since so few are under way together.
Status TableLoader::run_jobs(Loading& loading) {
  using Job = Loading::Job;
  struct Made {
    JobBatch batch;
    Byte* piece;  ///< pinned
  };
  struct Done {
    Made made;
    std::size_t read;  ///< jobs up to this one are done
    Status status;
  };
  std::vector<Job> jobs = std::move(loading.jobs);
  loading.jobs.clear();
  const std::vector<JobBatch> batches = batches_of(jobs, threads_);
  if (batches.empty()) return {};
  constexpr std::size_t kForThread = 3;
  std::size_t in_flight = kForThread * threads_;
  std::size_t of_piece = 0;
  for (std::size_t i = 0; i + 1 < batches.size(); ++i) {
    ++of_piece;
    if (!batches[i].ends_piece) continue;
    in_flight = std::min(in_flight, of_piece + 1);
    of_piece = 0;
  }
  std::size_t next = 0;
  Byte* pinned = nullptr;
  return run_ordered<Made, Done>(
      {threads_, static_cast<unsigned>(std::max<std::size_t>(in_flight, 1))},
      [&]() -> Result<std::optional<Made>> {
        if (next == batches.size()) return std::optional<Made>();
        if (next == 0 || batches[next - 1].ends_piece) {
          PRESSO_ASSIGN(pinned, loading.staging.begin());
        }
        return std::optional(Made{batches[next++], pinned});
      },
      [&](Made made, unsigned worker) {
        for (std::size_t i = made.batch.first; i < made.batch.end; ++i) {
          Status read = jobs[i].read(made.piece + jobs[i].offset, loading.scratch[worker]);
          if (!read.ok()) return Done{made, i, std::move(read)};
        }
        return Done{made, made.batch.end, Status()};
      },
      [&](Done done) -> Result<bool> {
        for (std::size_t i = done.made.batch.first; i < done.read; ++i) PRESSO_TRY(jobs[i].take());
        PRESSO_TRY(std::move(done.status));
        if (done.made.batch.ends_piece) {
          PRESSO_TRY(loading.staging.send(jobs[done.made.batch.first].piece, done.made.piece));
        }
        return true;
      });
}

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

namespace {

/// A block of integers that was read.
struct ReadIntegers {
  bool is_plain = false;
  std::shared_ptr<Buffer> plain;  ///< decoded, where it is not stored as integers
  std::uint32_t bytes = 0;
  std::uint64_t checksum = 0;
  IntegerParameters parameters;
  ColumnNeeds needs;
};

Status read_plain(const GroupReader& reader, std::uint32_t block, Byte width_bytes,
                  std::uint32_t entries, const Buffer& stored, ReadIntegers& made) {
  const ColumnBlock& known = reader.directory().blocks[block];
  made.is_plain = true;
  made.bytes = known.plain_bytes;
  made.plain = std::make_shared<Buffer>();
  made.plain->grow(known.plain_bytes);
  PRESSO_TRY(reader.blocks().decode_bytes(block, stored, made.plain->data()));
  if (known.plain_bytes != integer_bytes(width_bytes, known.rows)) {
    return reader.blocks().at_block(make_error(ErrorCode::kBadLength), block);
  }
  if (entries == 0) return {};
  for (std::uint32_t row = 0; row < known.rows; ++row) {
    if (load<std::uint32_t>(made.plain->data() + 4 * row) < entries) continue;
    return reader.blocks().at_block(
        make_error(ErrorCode::kBadRowGroup, "a code beyond the dictionary"), block);
  }
  return {};
}

/// `to`: room for what is stored, whose payload comes behind a header. Checksums are the device's
/// business.
Status read_integers(const GroupReader& reader, std::uint32_t block, Byte width_bytes,
                     std::uint32_t entries, Byte* to, Buffer& scratch, ReadIntegers& made) {
  const MutableBytes stored{to, reader.directory().blocks[block].stored_bytes};
  PRESSO_TRY(reader.blocks().read(block, stored));
  if (BlockReader::is_bytes(stored)) {
    scratch.clear();
    scratch.append(stored);
    return read_plain(reader, block, width_bytes, entries, scratch, made);
  }
  PRESSO_ASSIGN(const BlockReader::StoredIntegers opened,
                reader.blocks().parse_integers(block, width_bytes, stored));
  made.bytes = static_cast<std::uint32_t>(opened.block.payload.size());
  made.checksum = opened.checksum;
  made.parameters = opened.block.parameters;
  add_needs(made.needs, opened.block);
  return {};
}

}  // namespace

Status TableLoader::add_block(Loading& loading, const LoadedGroup& group, std::uint32_t block,
                              Byte width_bytes, std::uint32_t entries, const BlockPlace& place,
                              bool is_validity) {
  const std::shared_ptr<const GroupReader> reader = group.reader;
  const std::uint32_t stored_bytes = reader->directory().blocks[block].stored_bytes;
  PRESSO_ASSIGN(const Staging::Place at, loading.staging.take(stored_bytes));
  const Byte* const there = at.there + kBlockHeaderBytes;
  const auto made = std::make_shared<ReadIntegers>();
  const auto read = [=](Byte* to, Buffer& scratch) {
    return read_integers(*reader, block, width_bytes, entries, to, scratch, *made);
  };
  const auto take = [=, this, &loading, number = loading.table.groups_.size()]() -> Status {
    const auto set_words = [&loading, place, is_validity](const std::uint32_t* words) {
      TableBlock& slice = loading.table.host_blocks_[place.column][place.slice];
      (is_validity ? slice.validity : slice.words) = words;
    };
    TableBlock& slice = loading.table.host_blocks_[place.column][place.slice];
    (is_validity ? slice.is_plain_validity : slice.is_plain) = made->is_plain;
    if (!is_validity) slice.width_bytes = width_bytes;
    if (made->is_plain) {
      loading.plain.push_back({std::move(made->plain), made->bytes, set_words});
      const ColumnType type = reader->schema().columns[columns_[place.column]].type;
      if (is_validity) return {};
      slice.is_signed = is_signed(type);
      slice.floating = type == ColumnType::kFloat || type == ColumnType::kDouble;
      return {};
    }
    set_words(reinterpret_cast<const std::uint32_t*>(there));
    Arrived one{number, block, entries, {}};
    one.on_device.payload = {there, made->bytes, made->checksum};
    one.on_device.parameters = made->parameters;
    loading.arrived.push_back(one);
    if (is_validity) return {};
    slice.divisor = made->parameters.divisor;
    slice.is_signed = made->parameters.is_signed;
    slice.floating = made->parameters.floating;
    ColumnNeeds& needs = loading.table.needs_[place.column];
    needs.raise_to(made->needs);
    return {};
  };
  loading.add(at, read, take);
  return {};
}

Status TableLoader::add_column(Loading& loading, const LoadedGroup& group, std::size_t column,
                               std::size_t first_slice) {
  const GroupReader& reader = *group.reader;
  const std::size_t number = columns_[column];
  const ColumnChunk& chunk = reader.chunk(number);
  const bool has_codes = chunk.representation == Representation::kDictionary;
  const bool is_null = chunk.representation == Representation::kNull;
  PRESSO_TRY(check_representation(reader, number));
  if (chunk.representation == Representation::kToken) {
    return add_tokens(loading, group, column, first_slice);
  }
  const Byte width = has_codes ? Byte{4} : static_cast<Byte>(value_bytes(type_of(reader, number)));
  for (std::size_t i = first_slice; i < loading.table.slices_.size(); ++i) {
    const LoadedSlice slice = loading.table.slices_[i];
    TableBlock& to = loading.table.host_blocks_[column].emplace_back();
    to.rows = slice.rows;
    to.width_bytes = width;
    if (is_null) continue;
    const ColumnStream stream = has_codes ? ColumnStream::kCodes : ColumnStream::kValues;
    PRESSO_ASSIGN(const std::uint32_t block, block_of(reader, number, stream, slice));
    PRESSO_TRY(
        add_block(loading, group, block, width, has_codes ? chunk.entries : 0, {column, i}, false));
    PRESSO_TRY(add_nulls(loading, group, slice, {column, i}));
  }
  return {};
}

Status TableLoader::add_nulls(Loading& loading, const LoadedGroup& group, const LoadedSlice& slice,
                              const BlockPlace& place) {
  const GroupReader& reader = *group.reader;
  const std::size_t number = columns_[place.column];
  if (reader.chunk(number).nulls == 0) return {};
  PRESSO_ASSIGN(const std::uint32_t block,
                block_of(reader, number, ColumnStream::kValidity, slice));
  return add_block(loading, group, block, Byte{0}, 0, place, true);
}

namespace {

/// A block of counts of tokens that was read, and what of it is a sample.
struct ReadCounts {
  ReadIntegers stored;
  std::vector<std::uint32_t> sample;
};

Status read_counts(const GroupReader& reader, std::uint32_t block, bool is_sampled, bool verifies,
                   Byte* to, Buffer& scratch, ReadCounts& made) {
  const ColumnBlock& known = reader.directory().blocks[block];
  PRESSO_TRY(read_integers(reader, block, Byte{4}, 0, to, scratch, made.stored));
  if (verifies && !made.stored.is_plain) {
    PRESSO_TRY(reader.blocks().open_integers(block, Byte{4}, {to, known.stored_bytes}));
  }
  if (!is_sampled) return {};
  std::vector<std::uint32_t>& counts = made.sample;
  if (made.stored.is_plain) {
    counts.resize(known.rows);
    std::memcpy(counts.data(), made.stored.plain->data(), made.stored.bytes);
  } else {
    counts.resize(std::size_t{known.rows} + Buffer::kSlack / 4);
    const Status decoded =
        decode_integers(made.stored.parameters, {to + kBlockHeaderBytes, made.stored.bytes},
                        {reinterpret_cast<Byte*>(counts.data()), integer_bytes(4, known.rows)});
    if (!decoded.ok()) counts.clear();  // that is found out on the device
  }
  counts.resize(std::min<std::size_t>(counts.size(), std::min(known.rows, kSampleRows)));
  return {};
}

/// Codes of the rows whose counts the sample has, from its first block of codes.
void sample_codes(StringSample& sample, const TokenDictionary& tokens, Bytes payload,
                  std::uint32_t codes_in_block, std::uint32_t rows) {
  sample.counts.resize(std::min<std::size_t>(sample.counts.size(), rows));
  std::uint64_t codes = 0;
  for (const std::uint32_t count : sample.counts) codes += count;
  if (codes <= codes_in_block) {
    sample.codes.resize(static_cast<std::size_t>(codes) + 2 * kVectorRows);
    const Status unpacked = unpack_token_part(
        tokens, payload, codes_in_block, 0, static_cast<std::uint32_t>(codes), sample.codes.data());
    sample.codes.resize(static_cast<std::size_t>(codes));
    if (unpacked.ok()) return;
  }
  sample = {};  // damaged, which is found out on the device
}

}  // namespace

/// `tokens`: the number of the column's tokens in LoadedTable::tokens().
Status TableLoader::add_counts(Loading& loading, const LoadedGroup& group, std::uint32_t block,
                               std::size_t tokens, bool is_sampled) {
  const std::shared_ptr<const GroupReader> reader = group.reader;
  LoadedTokens& all = loading.table.tokens_[tokens];
  const std::size_t number = all.counts.size();
  all.counts.push_back({block, static_cast<std::uint32_t>(reader->begin_of(block)), {}, {}, false});
  const ColumnBlock known = reader->directory().blocks[block];
  PRESSO_ASSIGN(const Staging::Place at, loading.staging.take(known.stored_bytes));
  const Byte* const there = at.there + kBlockHeaderBytes;
  const auto made = std::make_shared<ReadCounts>();
  const auto read = [=, verifies = tokens_.is_verified](Byte* to, Buffer& scratch) {
    return read_counts(*reader, block, is_sampled, verifies, to, scratch, *made);
  };
  const auto take = [=, &loading]() -> Status {
    LoadedTokens& of = loading.table.tokens_[tokens];
    LoadedTokens::Counts& counts = of.counts[number];
    counts.is_plain = made->stored.is_plain;
    if (is_sampled) of.sample.counts = std::move(made->sample);
    if (!counts.is_plain) {
      counts.parameters = made->stored.parameters;
      counts.payload = {there, made->stored.bytes, made->stored.checksum};
      return {};
    }
    counts.parameters.rows = known.rows;
    loading.plain.push_back({std::move(made->stored.plain), made->stored.bytes,
                             [=, &loading](const std::uint32_t* words) {
                               loading.table.tokens_[tokens].counts[number].payload = {
                                   reinterpret_cast<const Byte*>(words), known.plain_bytes, 0};
                             }});
    return {};
  };
  loading.add(at, read, take);
  return {};
}

Status TableLoader::add_codes(Loading& loading, const LoadedGroup& group, std::uint32_t block,
                              std::size_t tokens, bool is_sampled) {
  const std::shared_ptr<const GroupReader> reader = group.reader;
  LoadedTokens& all = loading.table.tokens_[tokens];
  const std::size_t number = all.codes.size();
  const ColumnBlock known = reader->directory().blocks[block];
  all.codes.push_back(
      {block, static_cast<std::uint32_t>(reader->begin_of(block)), known.rows, 0, {}});
  PRESSO_ASSIGN(const Staging::Place at, loading.staging.take(known.stored_bytes));
  const Byte* const there = at.there + kBlockHeaderBytes;
  const auto made = std::make_shared<BlockReader::StoredTokens>();
  const auto read = [=, verifies = tokens_.is_verified](Byte* to, Buffer&) -> Status {
    const MutableBytes stored{to, known.stored_bytes};
    PRESSO_TRY(reader->blocks().read(block, stored));
    PRESSO_ASSIGN(*made, reader->blocks().parse_tokens(block, stored));
    if (verifies) PRESSO_TRY(reader->blocks().open_tokens(block, stored));
    return {};
  };
  const auto take = [=, this, &loading]() -> Status {
    LoadedTokens& of = loading.table.tokens_[tokens];
    const Bytes payload = made->block.payload;
    of.codes[number].codes = made->block.codes;
    of.codes[number].payload = {there, static_cast<std::uint32_t>(payload.size()), made->checksum};
    if (!is_sampled) return {};
    PRESSO_ASSIGN(const TokenDictionary* const dictionary, reader->tokens(columns_[of.column]));
    sample_codes(of.sample, *dictionary, payload, made->block.codes, known.rows);
    return {};
  };
  loading.add(at, read, take);
  return {};
}

Status TableLoader::add_tokens(Loading& loading, const LoadedGroup& group, std::size_t column,
                               std::size_t first_slice) {
  const GroupReader& reader = *group.reader;
  const std::size_t number = columns_[column];
  const std::vector<LoadedSlice>& slices = loading.table.slices_;
  const bool is_first =
      std::none_of(loading.table.tokens_.begin(), loading.table.tokens_.end(),
                   [column](const LoadedTokens& other) { return other.column == column; });
  const std::size_t tokens = loading.table.tokens_.size();
  const auto made = [&]() -> LoadedTokens& { return loading.table.tokens_[tokens]; };
  loading.table.tokens_.emplace_back();
  made().column = static_cast<std::uint32_t>(column);
  made().group = static_cast<std::uint32_t>(loading.table.groups_.size());
  made().is_verified = tokens_.is_verified;
  // The blocks have values, which nobody asks for.
  PRESSO_ASSIGN(const Staging::Place place, loading.staging.take(1));
  const auto* const values = reinterpret_cast<const std::uint32_t*>(place.there);
  for (std::size_t i = first_slice; i < slices.size(); ++i) {
    const LoadedSlice slice = slices[i];
    TableBlock& to = loading.table.host_blocks_[column].emplace_back();
    to.rows = slice.rows;
    to.words = values;
    to.is_plain = true;
    to.width_bytes = 4;
    PRESSO_TRY(add_nulls(loading, group, slice, {column, i}));
    if (tokens_.wanted && (*tokens_.wanted >> column & 1) == 0) continue;
    const auto codes =
        reader.blocks_of(number, ColumnStream::kTokens, slice.first, slice.first + slice.rows);
    const std::uint32_t begin = static_cast<std::uint32_t>(reader.begin_of(codes.first));
    const std::uint32_t end = static_cast<std::uint32_t>(reader.begin_of(codes.end - 1)) +
                              reader.directory().blocks[codes.end - 1].rows;
    const auto counts = reader.blocks_of(number, ColumnStream::kTokenCounts, begin, end);
    for (std::uint32_t block = counts.first; block < counts.end; ++block) {
      if (!made().counts.empty() && block <= made().counts.back().block) continue;
      PRESSO_TRY(add_counts(loading, group, block, tokens, is_first && made().counts.empty()));
    }
    for (std::uint32_t block = codes.first; block < codes.end; ++block) {
      if (!made().codes.empty() && block <= made().codes.back().block) continue;
      PRESSO_TRY(add_codes(loading, group, block, tokens, is_first && made().codes.empty()));
    }
  }
  if (made().codes.empty()) loading.table.tokens_.pop_back();
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
Status TableLoader::check(Loading& loading) {
  const Stream stream = space_.stream;
  LoadedTable& table = loading.table;
  const std::size_t slices = table.slices_.size();
  const std::size_t blocks = loading.arrived.size();
  MemoryParts parts;
  const std::uint64_t slices_at = parts.add(slices * sizeof(TableSlice));
  const std::uint64_t blocks_at = parts.add(columns_.size() * slices * sizeof(TableBlock));
  const std::uint64_t batch_at = parts.add(blocks * sizeof(IntegerBlock));
  const std::uint64_t entries_at = parts.add(blocks * sizeof(std::uint32_t));
  const std::uint64_t status_at = parts.add(blocks * sizeof(std::uint32_t));
  PRESSO_ASSIGN(DeviceMemory there, space_.memory.allocate(parts.bytes()));
  std::vector<Byte> image(static_cast<std::size_t>(parts.bytes()));
  Byte* const here = image.data();
  for (std::size_t i = 0; i < slices; ++i) {
    const LoadedSlice& slice = table.slices_[i];
    const TableSlice one{slice.first_row, slice.rows, slice.group};
    std::memcpy(here + slices_at + i * sizeof one, &one, sizeof one);
  }
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::memcpy(here + blocks_at + column * slices * sizeof(TableBlock),
                loading.table.host_blocks_[column].data(), slices * sizeof(TableBlock));
  }
  for (std::size_t i = 0; i < blocks; ++i) {
    const Arrived& one = loading.arrived[i];
    std::memcpy(here + batch_at + i * sizeof(IntegerBlock), &one.on_device, sizeof(IntegerBlock));
    store(here + entries_at + 4 * i, one.entries);
  }
  // The blocks come through the same pieces of pinned memory.
  PRESSO_TRY(space_.device().wait(stream));
  PRESSO_TRY(space_.copy_there(there.get(), here, parts.bytes()));
  auto* const status = reinterpret_cast<std::uint32_t*>(there.get() + status_at);
  PRESSO_TRY(space_.kernels.check({reinterpret_cast<const IntegerBlock*>(there.get() + batch_at),
                                   status, static_cast<std::uint32_t>(blocks)},
                                  reinterpret_cast<const std::uint32_t*>(there.get() + entries_at),
                                  stream));
  PRESSO_TRY(space_.copy_back(here + status_at, there.get() + status_at, 4 * blocks));
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

/// Of the columns, as it is stored or, where it may be decoded on its way, as it is then.
std::uint64_t TableLoader::largest_block(const GroupReader& group) const {
  std::uint64_t largest = 0;
  for (const std::size_t column : columns_) {
    const ColumnChunk& chunk = group.chunk(column);
    for (std::uint32_t i = chunk.first_block; i < chunk.first_block + chunk.blocks; ++i) {
      const ColumnBlock& block = group.directory().blocks[i];
      const bool may_be_decoded =
          block.stream != ColumnStream::kTokens && block.stream != ColumnStream::kEntryBytes;
      const std::uint32_t plain = may_be_decoded ? block.plain_bytes : 0;
      largest = std::max<std::uint64_t>(largest, std::max(block.stored_bytes, plain));
    }
  }
  return largest;
}

Result<std::optional<LoadedTable>> TableLoader::next(std::uint64_t most_bytes,
                                                     const WantsRows& wants) {
  std::vector<LoadedGroup> groups;
  std::uint64_t bytes = 0;
  std::uint64_t largest = 0;
  while (at_group_.has_group()) {
    if (!ahead_) {
      LoadedGroup group;
      group.table = at_group_.table();
      PRESSO_ASSIGN(group.reader,
                    GroupReader::open(tables_[group.table], at_group_.group(), &counters_));
      group.first_row = at_group_.first_row() + group.reader->first_row();
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
      largest = std::max(largest, largest_block(*ahead_->reader));
      groups.push_back(std::move(*ahead_));
    }
    ahead_.reset();
    at_group_.next();
  }
  if (groups.empty()) return std::optional<LoadedTable>();
  const DeviceStep step(space_.device(), "load blocks");
  const std::uint64_t piece =
      std::max(std::min(bytes + bytes / 8, space_.pinned.usual_bytes()), largest);
  Loading loading(space_, aligned(piece), columns_.size(), threads_);
  for (const LoadedGroup& group : groups) PRESSO_TRY(add_group(loading, group, wants));
  PRESSO_TRY(read_blocks(loading));
  PRESSO_TRY(check(loading));
  return std::optional<LoadedTable>(std::move(loading.table));
}

}  // namespace presso::gpu
