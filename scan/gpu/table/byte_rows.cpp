// SPDX-License-Identifier: MIT
#include "scan/gpu/table/byte_rows.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "decompress/table/byte_strings.h"
#include "decompress/table/column_slice.h"
#include "presso/ordered_pipeline.h"
#include "scan/query/row_group_cursor.h"

namespace presso::gpu {
namespace {

/// Bits of a slice's nulls, and what kernels have to know of it.
constexpr std::uint64_t kValidityBytes = sizeof(NumberedSlice) + kSliceRows / 8;
constexpr std::uint64_t kAlignment = 64;

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// What one thread decodes and the device numbers at a time: strings, or which rows of a slice have
/// one.
struct Unit {
  std::size_t group = 0;
  std::uint32_t first = 0;  ///< of its rows, in the row group
  std::uint32_t rows = 0;
  bool is_validity = false;
  std::uint64_t bytes = 0;  ///< on its way, by what the directory says
};

/// A row group that stores the column as bytes.
struct ByteGroup {
  std::shared_ptr<const GroupReader> reader;
  std::uint64_t first_row = 0;  ///< in all tables together
};

class ByteRows {
 public:
  ByteRows(const RunSpace& space, query::Execution& execution, const TableColumn& column,
           const NumbersTo& to, const StringIndex& index)
      : space_(space),
        execution_(execution),
        column_(column),
        to_(to),
        index_(index),
        scratch_(execution.threads) {}

  Status run() {
    PRESSO_TRY(find_units());
    if (units_.empty()) return {};
    PRESSO_TRY(make_slots());
    const auto slots = static_cast<unsigned>(slots_.size());
    Status done = run_ordered<Item, Made>(
        {execution_.threads, slots}, [this] { return next(); },
        [this](Item&& item, unsigned worker) { return decode(item, scratch_[worker]); },
        [this](Made&& made) -> Result<bool> {
          PRESSO_TRY(send(made));
          return true;
        });
    // Slots, and memory on the device, are in use until then.
    const Status waited = space_.device().wait(space_.stream);
    PRESSO_TRY(std::move(done));
    PRESSO_TRY(waited);
    execution_.notes.push_back("on the GPU: strings of " + grouped(rows_) +
                               " rows are stored as bytes, which the CPU decoded on their way");
    return {};
  }

 private:
  struct Item {
    Unit unit;
    ByteGroup group;
    std::size_t slot = 0;
  };
  /// What becomes of a unit.
  struct Made {
    Status status;
    Unit unit;
    std::uint64_t first_row = 0;  ///< in all tables together
    std::size_t slot = 0;
    std::uint64_t bytes = 0;  ///< in the slot, or
    std::vector<Byte> large;  ///< where it has no room for these
  };
  /// A piece of pinned memory, which one unit after another has.
  struct Slot {
    Byte* memory = nullptr;
    OwnedEvent sent;  ///< what the last one put there
  };
  /// Of a thread.
  struct Scratch {
    ByteStrings strings;
    ColumnSlice slice;
  };

  Status find_units() {
    for (query::RowGroupCursor at(column_.tables); at.has_group(); at.next()) {
      ByteGroup group;
      PRESSO_ASSIGN(group.reader, GroupReader::open(column_.tables[at.table()], at.group(),
                                                    &*execution_.counters));
      if (group.reader->chunk(column_.column).representation != Representation::kBytes) continue;
      group.first_row = at.first_row() + group.reader->first_row();
      rows_ += group.reader->rows();
      groups_.push_back(std::move(group));
      add_units();
    }
    return {};
  }

  /// Of the last row group: the strings that begin in each block, so that no block is decoded
  /// twice. What the directory says of these need not be so, but any rows are read correctly.
  void add_units() {
    const std::size_t number = groups_.size() - 1;
    const GroupReader& reader = *groups_[number].reader;
    const ColumnChunk& chunk = reader.chunk(column_.column);
    const std::size_t before = units_.size();
    std::uint32_t first = 0;
    for (std::uint32_t i = chunk.first_block; i < chunk.first_block + chunk.blocks; ++i) {
      const ColumnBlock& block = reader.directory().blocks[i];
      if (block.stream != ColumnStream::kBytes) continue;
      const std::uint32_t rows = std::min(block.rows, reader.rows() - first);
      if (rows != 0) units_.push_back({number, first, rows, false, rows * kEndBytes});
      if (units_.size() != before) units_.back().bytes += block.plain_bytes;
      first += rows;
    }
    if (units_.size() == before) units_.push_back({number, 0, 0, false, 0});
    units_.back().rows += reader.rows() - first;
    units_.back().bytes += (reader.rows() - first) * kEndBytes;
    if (chunk.nulls == 0) return;
    for (first = 0; first < reader.rows(); first += kSliceRows) {
      units_.push_back(
          {number, first, std::min(kSliceRows, reader.rows() - first), true, kValidityBytes});
    }
  }

  /// Pinned memory for so many units as are under way together, and a place on the device for one:
  /// it is free again when its kernel is done, which the next copy comes after.
  Status make_slots() {
    std::uint64_t largest = kValidityBytes;
    for (const Unit& unit : units_) largest = std::max(largest, unit.bytes);
    const std::uint64_t piece = space_.pinned.usual_bytes();
    slot_bytes_ = std::min(aligned(largest), piece);
    const std::uint64_t in_piece =
        std::clamp<std::uint64_t>(piece / slot_bytes_, 1, execution_.threads);
    for (unsigned number = 0; number < 2; ++number) {
      PRESSO_ASSIGN(Byte* const memory, space_.pinned.piece(number, in_piece * slot_bytes_));
      for (std::uint64_t i = 0; i < in_piece; ++i) {
        PRESSO_ASSIGN(OwnedEvent event, make_event(space_.device()));
        slots_.push_back({memory + i * slot_bytes_, std::move(event)});
      }
    }
    PRESSO_ASSIGN(room_, memory_for_strings(space_, slot_bytes_));
    return {};
  }

  /// A slot's unit before has been sent when the next one may be made: no more are under way.
  Result<std::optional<Item>> next() {
    if (at_ == units_.size()) return std::optional<Item>();
    PRESSO_TRY(execution_.check_cancelled());
    Item item{units_[at_], groups_[units_[at_].group], at_ % slots_.size()};
    if (at_ >= slots_.size()) PRESSO_TRY(space_.device().wait(slots_[item.slot].sent.get()));
    ++at_;
    // Where strings begin is kept with the reader.
    const bool is_last = at_ == units_.size() || units_[at_].group != item.unit.group;
    if (is_last) groups_[item.unit.group].reader.reset();
    return std::optional(std::move(item));
  }

  /// By any thread.
  Made decode(const Item& item, Scratch& scratch) const {
    Made made;
    made.unit = item.unit;
    made.first_row = item.group.first_row + item.unit.first;
    made.slot = item.slot;
    made.status = item.unit.is_validity ? decode_validity(*item.group.reader, scratch.slice, made)
                                        : decode_text(*item.group.reader, scratch.strings, made);
    return made;
  }

  /// Where each row ends, then the bytes.
  Status decode_text(const GroupReader& reader, ByteStrings& strings, Made& made) const {
    const std::uint32_t rows = made.unit.rows;
    strings.open(reader, column_.column, made.unit.first, rows);
    PRESSO_ASSIGN(const SliceText text, strings.text());
    if (text.text.size() > std::numeric_limits<std::uint32_t>::max()) return no_room_for_strings();
    made.bytes = rows * kEndBytes + text.text.size();
    Byte* to = slots_[made.slot].memory;
    if (made.bytes > slot_bytes_) {
      made.large.resize(static_cast<std::size_t>(made.bytes));
      to = made.large.data();
    }
    auto* const ends = reinterpret_cast<std::uint32_t*>(to);
    for (std::uint32_t row = 0; row < rows; ++row) {
      ends[row] = static_cast<std::uint32_t>(text.offsets[row + 1]);
    }
    if (!text.text.empty()) {
      std::memcpy(to + rows * kEndBytes, text.text.data(), text.text.size());
    }
    return {};
  }

  /// Bits of rows, behind room for a NumberedSlice.
  Status decode_validity(const GroupReader& reader, ColumnSlice& slice, Made& made) const {
    made.bytes = kValidityBytes;
    slice.open(reader, column_.column, made.unit.first, made.unit.rows);
    Byte* to = slots_[made.slot].memory + sizeof(NumberedSlice);
    for (std::uint32_t vector = 0; vector < slice.vectors(); ++vector) {
      std::uint64_t bits[kVectorRows / 64];
      PRESSO_TRY(slice.validity(vector, bits));
      std::memcpy(to, bits, sizeof bits);
      to += sizeof bits;
    }
    return {};
  }

  /// In order, by one thread at a time.
  Status send(Made& made) {
    PRESSO_TRY(std::move(made.status));
    if (made.bytes > room_.bytes()) {
      PRESSO_TRY(space_.device().wait(space_.stream));
      room_.reset();
      PRESSO_ASSIGN(room_, memory_for_strings(space_, made.bytes));
    }
    std::uint32_t* const numbers = to_.rows + made.first_row;
    if (made.unit.is_validity) {
      NumberedSlice slice;
      slice.block = block_of_validity(made.unit.rows);
      slice.numbers = numbers;
      std::memcpy(slots_[made.slot].memory, &slice, sizeof slice);
    }
    PRESSO_TRY(copy(made));
    if (made.unit.is_validity) {
      return space_.strings.number_slices(
          {reinterpret_cast<const NumberedSlice*>(room_.get()), 1, to_.null_number}, space_.stream);
    }
    EntryBatch batch;
    batch.bytes = room_.get() + made.unit.rows * kEndBytes;
    batch.ends = reinterpret_cast<const std::uint32_t*>(room_.get());
    batch.numbers = numbers;
    batch.count = made.unit.rows;
    batch.index = index_;
    batch.none = to_.none;
    batch.adds = to_.adds;
    return space_.strings.number_entries(batch, space_.stream);
  }

  TableBlock block_of_validity(std::uint32_t rows) const {
    TableBlock block;
    block.rows = rows;
    block.words = reinterpret_cast<const std::uint32_t*>(room_.get());  // which nobody asks for
    block.is_plain = true;
    block.validity = reinterpret_cast<const std::uint32_t*>(room_.get() + sizeof(NumberedSlice));
    block.is_plain_validity = true;
    return block;
  }

  Status copy(const Made& made) {
    Slot& slot = slots_[made.slot];
    if (made.large.empty()) {
      PRESSO_TRY(space_.device().copy_in(room_.get(), slot.memory,
                                         static_cast<std::size_t>(made.bytes), space_.stream));
      return space_.device().record(slot.sent.get(), space_.stream);
    }
    for (std::uint64_t at = 0; at < made.bytes; at += slot_bytes_) {
      const auto count = static_cast<std::size_t>(std::min(made.bytes - at, slot_bytes_));
      std::memcpy(slot.memory, made.large.data() + at, count);
      PRESSO_TRY(space_.device().copy_in(room_.get() + at, slot.memory, count, space_.stream));
      PRESSO_TRY(space_.device().wait(space_.stream));
    }
    return {};
  }

  static constexpr std::uint64_t kEndBytes = sizeof(std::uint32_t);

  const RunSpace& space_;
  query::Execution& execution_;
  TableColumn column_;
  NumbersTo to_;
  StringIndex index_;
  std::vector<ByteGroup> groups_;
  std::uint64_t rows_ = 0;  ///< of these
  std::vector<Unit> units_;
  std::size_t at_ = 0;  ///< the next one
  std::uint64_t slot_bytes_ = 0;
  std::vector<Slot> slots_;
  DeviceMemory room_;
  std::vector<Scratch> scratch_;
};

}  // namespace

Status number_byte_rows(const RunSpace& space, query::Execution& execution,
                        const TableColumn& column, const NumbersTo& to, const StringIndex& index) {
  return ByteRows(space, execution, column, to, index).run();
}

}  // namespace presso::gpu
