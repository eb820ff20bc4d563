// SPDX-License-Identifier: MIT
// Implements key_strings.h: finds how many strings there may be, makes an index for them, smaller
// where memory does not suffice, and numbers the rows. kUnsupported, which leaves the query to the
// CPU, for too many rows and where the strings have no room.
#include "query/gpu/table/key_strings.h"

#include <algorithm>
#include <limits>
#include <map>

#include "decompress/gpu/runtime/memory_parts.h"
#include "query/gpu/kernels/block_status.h"
#include "query/gpu/table/numbered_text_rows.h"
#include "query/gpu/table/table_parts.h"
#include "query/rows/table_facts.h"
#include "query/run/query_device.h"

namespace presso::gpu {
namespace {

/// Numbers, and those beside them, are signed ones of 32 bits.
constexpr std::uint64_t kMostRows = (std::uint64_t{1} << 31) - 4;
/// Of as many strings as there are rows an index has room for this share at least.
constexpr std::uint64_t kLeastShare = 64;
/// What row groups, and what is decoded of them, may take of device memory at a time.
constexpr std::uint64_t kMostPartBytes = std::uint64_t{1} << 30;

/// What directories say of a column's strings, as these have not been read.
struct StringFacts {
  std::uint64_t plain_bytes = 0;  ///< of all of them, or more
  bool has_entries = false;       ///< row groups have dictionaries
};

Result<StringFacts> facts_of(const TableColumn& column, const query::OpenGroup& open) {
  StringFacts facts;
  for (const Table& table : column.tables) {
    for (std::uint64_t group = 0; group < table.row_groups(); ++group) {
      PRESSO_ASSIGN(const std::shared_ptr<const GroupReader> reader, open(table, group));
      const ColumnChunk& chunk = reader->chunk(column.column);
      for (std::uint32_t i = chunk.first_block; i < chunk.first_block + chunk.blocks; ++i) {
        const ColumnBlock& block = reader->directory().blocks[i];
        const bool has_strings = block.stream == ColumnStream::kTokens ||
                                 block.stream == ColumnStream::kEntryBytes ||
                                 block.stream == ColumnStream::kBytes;
        if (has_strings) facts.plain_bytes += block.plain_bytes;
      }
      if (chunk.representation == Representation::kDictionary) facts.has_entries = true;
    }
  }
  return facts;
}

/// Numbers of the rows of a part of a table, which has one column.
class PartNumbers {
 public:
  PartNumbers(const RunSpace& space, const LoadedTable& table, std::size_t column,
              const NumbersTo& to)
      : space_(space), table_(table), column_(column), to_(to), text_(space, table, column, to) {
    for (const LoadedStrings& strings : table.strings()) {
      if (!strings.has_bytes) tokens_.push_back(&strings);
    }
  }

  /// Copies to the device what kernels have to know.
  Status prepare() {
    PRESSO_TRY(text_.prepare());
    PRESSO_TRY(add_tokens());
    PRESSO_TRY(add_entries());
    return place();
  }
  /// Waits. Errors: those of blocks.
  Status run(const StringIndex& index) {
    StringKernels& kernels = space_.strings;
    const Stream stream = space_.stream;
    for (const Copy& copy : copies_) {
      PRESSO_TRY(space_.device().copy_within(copy.to, copy.from,
                                             static_cast<std::size_t>(copy.bytes), stream));
    }
    if (counts_batch_.count != 0) {
      PRESSO_TRY(kernels.decode_counts(counts_batch_, !is_verified(), stream));
    }
    batch_.index = entry_batch_.index = index;
    PRESSO_TRY(kernels.number_entries(entry_batch_, stream));
    PRESSO_TRY(kernels.number_rows(batch_, !is_verified(), stream));
    PRESSO_TRY(text_.enqueue(index));
    PRESSO_TRY(kernels.number_slices(slice_batch_, stream));
    std::vector<std::uint32_t> statuses(counts_.size() + blocks_.size());
    PRESSO_TRY(space_.copy_back(statuses.data(), statuses_, statuses.size() * kWord));
    PRESSO_TRY(space_.device().wait(stream));
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      PRESSO_TRY(error_of(statuses[i], places_[i]));
    }
    return text_.check();
  }

 private:
  static constexpr std::uint64_t kWord = sizeof(std::uint32_t);
  struct Copy {
    Byte* to;
    const Byte* from;
    std::uint64_t bytes;
  };
  /// Of a row group's dictionary of tokens, once for all that have the same.
  struct Tokens {
    Bytes slots;
    Bytes lengths;
    std::uint32_t size = 0;
  };
  /// Of an upload, by number.
  struct Pieces {
    std::vector<std::pair<std::size_t, std::size_t>> tokens;  ///< slots and lengths, by dictionary
    std::size_t counts = 0;
    std::size_t blocks = 0;
    std::size_t numbered = 0;
    std::size_t slices = 0;
    std::size_t bytes = 0;
    std::size_t ends = 0;
  };

  const GroupReader& reader_of(const LoadedStrings& tokens) const {
    return *table_.groups()[tokens.group].reader;
  }
  bool is_verified() const {
    return std::all_of(tokens_.begin(), tokens_.end(),
                       [](const LoadedStrings* tokens) { return tokens->is_verified; });
  }

  Status add_tokens() {
    std::map<const TokenDictionary*, std::size_t> known;
    for (const LoadedStrings* const tokens : tokens_) {
      const GroupReader& reader = reader_of(*tokens);
      PRESSO_ASSIGN(const TokenDictionary* const dictionary, reader.tokens(column_));
      const auto [at, is_new] = known.try_emplace(dictionary, dictionaries_.size());
      if (is_new) {
        dictionaries_.push_back({{dictionary->slots(), kMaxTokens * kMaxTokenBytes},
                                 {dictionary->lengths(), kMaxTokens},
                                 dictionary->size()});
      }
      counts_at_.push_back(parts_.add(reader.rows() * kWord));
      for (const LoadedStrings::Counts& one : tokens->counts) {
        if (one.is_plain) continue;
        IntegerBlock block;
        block.payload = one.payload;
        block.parameters = one.parameters;
        counts_.push_back(block);
        places_.emplace_back(&reader, one.block);
      }
      dictionary_of_.push_back(at->second);
    }
    for (const LoadedStrings* const tokens : tokens_) {
      const GroupReader& reader = reader_of(*tokens);
      for (const LoadedStrings::Codes& one : tokens->codes) {
        StringBlock block;
        block.payload = one.payload;
        block.codes = one.codes;
        block.rows = one.rows;
        block.first_tile = tiles_;
        tiles_ += row_tiles(one.rows);
        blocks_.push_back(block);
        places_.emplace_back(&reader, one.block);
      }
    }
    return {};
  }

  /// Of row groups whose column is a dictionary.
  Status add_entries() {
    for (const LoadedGroup& group : table_.groups()) {
      first_entry_.push_back(ends_.size());
      if (group.reader->chunk(column_).representation != Representation::kDictionary) continue;
      PRESSO_ASSIGN(const DictionaryEntries* const entries, group.reader->dictionary(column_));
      for (std::uint32_t code = 0; code < entries->size(); ++code) {
        const Bytes entry = entries->entry(code);
        bytes_.insert(bytes_.end(), entry.begin(), entry.end());
        ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
      }
      if (bytes_.size() > std::numeric_limits<std::uint32_t>::max()) return no_room_for_strings();
    }
    if (ends_.size() > kMostRows) return no_room_for_strings();
    return {};
  }

  bool is_dictionary(std::uint32_t group) const {
    return table_.groups()[group].reader->chunk(column_).representation ==
           Representation::kDictionary;
  }

  /// Gives everything its place on the device, and uploads what is known.
  Status place() {
    const std::uint64_t tiles_at = parts_.add(tiles_ * kWord);
    const std::uint64_t bytes_at = parts_.add(blocks_.size() * kWord);
    const std::uint64_t status_at = parts_.add((counts_.size() + blocks_.size()) * kWord);
    const std::uint64_t entries_at = parts_.add(ends_.size() * kWord);
    PRESSO_ASSIGN(work_, space_.memory.allocate(parts_.bytes()));
    const auto words_of = [this](std::uint64_t at) {
      return reinterpret_cast<std::uint32_t*>(work_.get() + at);
    };
    tile_begins_ = words_of(tiles_at);
    block_bytes_ = words_of(bytes_at);
    statuses_ = words_of(status_at);
    entry_numbers_ = words_of(entries_at);
    numbered_.resize(blocks_.size());
    slices_.resize(table_.slices().size());
    Upload upload;
    add_pieces(upload);
    PRESSO_ASSIGN(input_, space_.memory.allocate(upload.bytes()));
    place_tokens(upload);
    place_slices();
    make_batches(upload);
    return space_.copy_there(input_.get(), upload);
  }

  void add_pieces(Upload& upload) {
    for (const Tokens& one : dictionaries_) {
      const std::size_t slots = upload.add(one.slots);
      pieces_.tokens.emplace_back(slots, upload.add(one.lengths));
    }
    pieces_.counts = upload.add(counts_);
    pieces_.blocks = upload.add(blocks_);
    pieces_.numbered = upload.add(numbered_);
    pieces_.slices = upload.add(slices_);
    pieces_.bytes = upload.add(bytes_);
    pieces_.ends = upload.add(ends_);
  }

  /// Says where counts go, and what blocks of codes read.
  void place_tokens(const Upload& upload) {
    auto count = counts_.begin();
    std::size_t number = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const LoadedStrings& tokens = *tokens_[i];
      Byte* const counts = work_.get() + counts_at_[i];
      for (const LoadedStrings::Counts& one : tokens.counts) {
        Byte* const to = counts + one.first_row * kWord;
        if (one.is_plain) {
          copies_.push_back({to, one.payload.bytes, one.payload.size});
        } else {
          (count++)->out = to;
        }
      }
      const std::size_t dictionary = dictionary_of_[i];
      const auto& [slots, lengths] = pieces_.tokens[dictionary];
      for (const LoadedStrings::Codes& one : tokens.codes) {
        StringBlock& block = blocks_[number];
        block.table.tokens = dictionaries_[dictionary].size;
        block.counts = reinterpret_cast<const std::uint32_t*>(counts) + one.first_row;
        block.tile_begins = tile_begins_ + block.first_tile;
        NumberedBlock& to = numbered_[number++];
        to.tokens = {upload.at<Byte>(input_.get(), slots), upload.at<Byte>(input_.get(), lengths),
                     dictionaries_[dictionary].size};
        to.numbers = to_.rows + table_.groups()[tokens.group].first_row + one.first_row;
        to.plain_bytes = reader_of(tokens).directory().blocks[one.block].plain_bytes;
      }
    }
  }

  void place_slices() {
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      const LoadedSlice& from = table_.slices()[i];
      NumberedSlice& slice = slices_[i];
      slice.block = table_.blocks_of(0)[i];
      slice.numbers = to_.rows + from.first_row;
      if (is_dictionary(from.group)) {
        slice.entry_numbers = entry_numbers_ + first_entry_[from.group];
      }
    }
  }

  void make_batches(const Upload& upload) {
    const Byte* const there = input_.get();
    counts_batch_ = IntegerBatch{upload.at<IntegerBlock>(there, pieces_.counts), statuses_,
                                 static_cast<std::uint32_t>(counts_.size())};
    batch_.strings = StringBatch{upload.at<StringBlock>(there, pieces_.blocks),
                                 statuses_ + counts_.size(),
                                 block_bytes_,
                                 static_cast<std::uint32_t>(blocks_.size()),
                                 tiles_,
                                 0};
    batch_.blocks = upload.at<NumberedBlock>(there, pieces_.numbered);
    batch_.numbers = to_.rows;
    batch_.none = to_.none;
    batch_.adds = to_.adds;
    entry_batch_ = {upload.at<Byte>(there, pieces_.bytes),
                    upload.at<std::uint32_t>(there, pieces_.ends),
                    entry_numbers_,
                    static_cast<std::uint32_t>(ends_.size()),
                    {},
                    to_.none,
                    to_.adds};
    slice_batch_ = {upload.at<NumberedSlice>(there, pieces_.slices),
                    static_cast<std::uint32_t>(slices_.size()), to_.null_number};
  }

  const RunSpace& space_;
  const LoadedTable& table_;
  std::size_t column_;
  NumbersTo to_;
  NumberedTextRows text_;
  std::vector<const LoadedStrings*> tokens_;
  MemoryParts parts_;
  std::vector<Tokens> dictionaries_;
  std::vector<std::size_t> dictionary_of_;  ///< by tokens_, as counts_at_
  std::vector<std::uint64_t> counts_at_;    ///< in work_
  std::vector<IntegerBlock> counts_;
  std::vector<StringBlock> blocks_;
  std::vector<NumberedBlock> numbered_;  ///< of these
  std::uint32_t tiles_ = 0;
  std::vector<BlockOfGroup> places_;  ///< of counts_ and blocks_, for errors
  std::vector<Copy> copies_;          ///< of counts that need no decoding
  std::vector<Byte> bytes_;           ///< of entries of dictionaries, of all row groups
  std::vector<std::uint32_t> ends_;
  std::vector<std::size_t> first_entry_;  ///< by row group
  std::vector<NumberedSlice> slices_;
  DeviceMemory input_, work_;
  Pieces pieces_;  ///< of input_
  // In work_.
  std::uint32_t* tile_begins_ = nullptr;
  std::uint32_t* block_bytes_ = nullptr;
  std::uint32_t* statuses_ = nullptr;  ///< of counts_, then of blocks_
  std::uint32_t* entry_numbers_ = nullptr;
  IntegerBatch counts_batch_;
  NumberBatch batch_;
  EntryBatch entry_batch_;
  SliceBatch slice_batch_;
};

}  // namespace

Status KeyStrings::make_index(const TableColumn& column, Numbering numbering) {
  const std::uint64_t rows = query::rows_of(column.tables);
  if (rows > kMostRows) {
    return make_error(ErrorCode::kUnsupported, "keys that are strings of too many rows");
  }
  PRESSO_ASSIGN(const StringFacts facts, facts_of(column, query::group_opener(execution_)));
  // Strings mostly repeat: where there is no room for as many as rows fewer may do, which turns out
  // when they are put in.
  for (std::uint64_t share = 1;; share *= 4) {
    const Status done = allocate_index(rows / share, facts.plain_bytes / share);
    index_.by_rows = numbering == Numbering::kAny && share == 1 && !facts.has_entries;
    if (done.ok()) break;
    memory_ = {};
    if (done.error().code != ErrorCode::kUnsupported || share == kLeastShare) return done;
  }
  const auto cleared =
      static_cast<std::size_t>(reinterpret_cast<const Byte*>(index_.cells) - memory_.get());
  return space_.kernels.clear(memory_.get(), cleared, space_.stream);
}

/// For up to so many strings, of so many bytes together.
Status KeyStrings::allocate_index(std::uint64_t strings, std::uint64_t bytes) {
  index_.most_strings = std::max<std::uint32_t>(static_cast<std::uint32_t>(strings), 1);
  index_.buckets = index_.most_strings / 2 + 1;
  MemoryParts parts;
  parts.add(sizeof(StringIndexState));
  const std::uint64_t place_bytes =
      std::uint64_t{index_.buckets} * kPlacesOfBucket * sizeof *index_.places;
  const std::uint64_t places_at = parts.add(place_bytes);
  const std::uint64_t cells_at = parts.add(index_.most_strings * sizeof(StringCell));
  PRESSO_ASSIGN(memory_, memory_for_strings(space_, parts.bytes()));
  index_.state = reinterpret_cast<StringIndexState*>(memory_.get());
  index_.places = reinterpret_cast<std::uint64_t*>(memory_.get() + places_at);
  index_.cells = reinterpret_cast<StringCell*>(memory_.get() + cells_at);
  // The fronts of strings are in cells: what is behind them has fewer words than an eighth of all
  // bytes.
  index_.most_words = std::max<std::uint64_t>(bytes / sizeof *index_.rest, 1);
  PRESSO_ASSIGN(rest_, memory_for_strings(space_, index_.most_words * sizeof *index_.rest));
  index_.rest = reinterpret_cast<std::uint64_t*>(rest_.get());
  return {};
}

/// Of what has been put in. With an index for as many strings as rows none is without room, if
/// blocks hold what their directory says.
Status KeyStrings::check_room() {
  StringIndexState state;
  PRESSO_TRY(space_.copy_back(&state, index_.state, sizeof state));
  if (state.lacks_words != 0 || state.lacks_strings != 0) return no_room_for_strings();
  count_ = index_.by_rows ? index_.most_strings : static_cast<std::uint32_t>(state.strings);
  return {};
}

Result<RowNumbers> KeyStrings::number(const TableColumn& column, bool adds) {
  const DeviceStep step(space_.device(), adds ? "numbers of strings" : "strings by numbers");
  RowNumbers made;
  made.rows = query::rows_of(column.tables);
  if (made.rows > kMostRows) {
    return make_error(ErrorCode::kUnsupported, "keys that are strings of too many rows");
  }
  PRESSO_ASSIGN(made.memory, memory_for_strings(space_, std::max<std::uint64_t>(made.rows, 1) *
                                                            sizeof(std::uint32_t)));
  NumbersTo to;
  to.rows = reinterpret_cast<std::uint32_t*>(made.memory.get());
  to.none = none();
  to.null_number = adds ? null_number() : none();
  to.adds = adds;
  const std::uint64_t part_rows =
      std::min(kMostPartBytes, space_.memory.device_bytes_left() / 4) / sizeof(std::uint32_t);
  const WantsRows all = [](const GroupReader&, std::uint32_t, std::uint32_t) -> Result<bool> {
    return true;
  };
  TableParts parts(space_, column.tables, {{column.column}, 1, all, part_rows, true},
                   *execution_.counters, execution_.threads);
  for (;;) {
    PRESSO_TRY(execution_.check_cancelled());
    PRESSO_ASSIGN(const std::optional<LoadedTable> table,
                  parts.next(std::min(kMostPartBytes, space_.memory.device_bytes_left() / 2)));
    if (!table) break;
    PartNumbers part(space_, *table, column.column, to);
    PRESSO_TRY(part.prepare());
    PRESSO_TRY(part.run(index_));
    if (adds) PRESSO_TRY(check_room());
  }
  QuerySummary& summary = execution_.summary;
  summary.bytes_read = execution_.counters->bytes;
  summary.blocks_read = execution_.counters->blocks;
  summary.bytes_stored += parts.stored_bytes();
  summary.bytes_resident += parts.resident_bytes();
  summary.blocks_skipped += parts.blocks_skipped();
  if (!adds) return made;
  execution_.notes.push_back("on the GPU: strings of " + grouped(made.rows) + " rows, " +
                             (index_.by_rows ? "numbered by these" : grouped(count_) + " numbers"));
  return made;
}

Result<std::unique_ptr<KeyStrings>> KeyStrings::make(const RunSpace& space,
                                                     query::Execution& execution,
                                                     const TableColumn& column,
                                                     Numbering numbering) {
  std::unique_ptr<KeyStrings> made(new KeyStrings(space, execution));
  PRESSO_TRY(made->make_index(column, numbering));
  PRESSO_ASSIGN(made->own_rows_, made->number(column, true));
  return made;
}

}  // namespace presso::gpu
