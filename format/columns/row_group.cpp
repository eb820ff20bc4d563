// SPDX-License-Identifier: MIT
// Serialises and checks the directory of a row group. parse_row_group() judges everything that can
// be judged without the blocks, so that readers may rely on sizes and streams. It takes time linear
// in the number of columns and blocks. Tested by tests/unit/format/columns.
#include "format/columns/row_group.h"

#include <array>
#include <span>

#include "format/columns/column_block.h"
#include "format/columns/wire_reader.h"

namespace presso {
namespace {

/// A block's entry has at least a byte for each of its fields.
constexpr std::size_t kLeastBlockBytes = 4;

// The first byte of a column's entry: its representation, and which fields are not 0.
constexpr Byte kRepresentationMask = 7;
constexpr Byte kNullsBit = 8;
constexpr Byte kDistinctBit = 16;
constexpr Byte kEntriesBit = 32;
constexpr Byte kValueBytesBit = 64;
constexpr Byte kReservedBit = 128;

/// Whether a block's entry has the least and the greatest value: elsewhere both are 0.
bool has_zone_range(const ColumnBlock& block) {
  const Byte flags = block.zone_flags & (kZoneKnown | kZoneNoValue);
  return holds_zones(block.stream) && flags == kZoneKnown;
}

bool has_presence(const ColumnBlock& block) {
  return block.stream == ColumnStream::kCodes && (block.zone_flags & kZoneKnown) != 0;
}

void append_chunk(std::vector<Byte>& to, const ColumnChunk& chunk) {
  to.push_back(static_cast<Byte>(
      static_cast<Byte>(chunk.representation) | (chunk.nulls != 0 ? kNullsBit : 0) |
      (chunk.distinct != 0 ? kDistinctBit : 0) | (chunk.entries != 0 ? kEntriesBit : 0) |
      (chunk.value_bytes != 0 ? kValueBytesBit : 0)));
  append_varint(to, chunk.blocks);
  for (const std::uint64_t field : {std::uint64_t{chunk.nulls}, std::uint64_t{chunk.distinct},
                                    std::uint64_t{chunk.entries}, chunk.value_bytes}) {
    if (field != 0) append_varint(to, field);
  }
}

/// A number of 32 bits; `fits` becomes false where it has more.
std::uint32_t read_u32(WireReader& from, bool& fits) {
  const std::uint64_t number = from.varint();
  fits &= number >> 32 == 0;
  return static_cast<std::uint32_t>(number);
}

/// The reverse of append_chunk(), except for the representation. `sound` becomes false where a
/// field is outside its type.
ColumnChunk read_chunk(WireReader& from, bool& sound) {
  ColumnChunk chunk;
  const auto form = from.value<Byte>();
  chunk.representation = static_cast<Representation>(form & kRepresentationMask);
  const auto field = [&](Byte bit) {
    const std::uint64_t number = (form & bit) == 0 ? 0 : from.counted();
    sound &= bit == kValueBytesBit || number >> 32 == 0;
    return number;
  };
  sound &= (form & kReservedBit) == 0;
  chunk.blocks = read_u32(from, sound);
  chunk.nulls = static_cast<std::uint32_t>(field(kNullsBit));
  chunk.distinct = static_cast<std::uint32_t>(field(kDistinctBit));
  chunk.entries = static_cast<std::uint32_t>(field(kEntriesBit));
  chunk.value_bytes = field(kValueBytesBit);
  return chunk;
}

void append_block(std::vector<Byte>& to, const ColumnBlock& block) {
  to.push_back(static_cast<Byte>(static_cast<Byte>(block.stream) | block.zone_flags << 4));
  append_varint(to, block.stored_bytes);
  append_varint(to, block.plain_bytes);
  append_varint(to, block.rows);
  if (has_zone_range(block)) {
    append_image(to, block.least);
    append_image(to, block.most);
  }
  if (has_presence(block)) append_value<std::uint64_t>(to, block.presence);
}

/// `sound` becomes false where a field is outside its type.
ColumnBlock read_block(WireReader& from, bool& sound) {
  ColumnBlock block;
  const auto form = from.value<Byte>();
  block.stream = static_cast<ColumnStream>(form & 15);
  block.zone_flags = form >> 4;
  block.stored_bytes = read_u32(from, sound);
  block.plain_bytes = read_u32(from, sound);
  block.rows = read_u32(from, sound);
  if (has_zone_range(block)) {
    block.least = from.image();
    block.most = from.image();
  }
  if (has_presence(block)) block.presence = from.value<std::uint64_t>();
  return block;
}

/// Sums over the blocks of a chunk, for each stream.
struct StreamTotals {
  std::array<std::uint64_t, kLastStream + 1> rows{};
  std::array<std::uint64_t, kLastStream + 1> plain_bytes{};
  std::array<std::uint64_t, kLastStream + 1> blocks{};

  /// Sums for one stream.
  std::uint64_t rows_of(ColumnStream stream) const {
    return rows[static_cast<std::size_t>(stream)];
  }
  std::uint64_t bytes_of(ColumnStream stream) const {
    return plain_bytes[static_cast<std::size_t>(stream)];
  }
  std::uint64_t blocks_of(ColumnStream stream) const {
    return blocks[static_cast<std::size_t>(stream)];
  }
};

/// Checks one chunk against the row group and the column's type.
class ChunkCheck {
 public:
  ChunkCheck(const ColumnChunk& chunk, std::span<const ColumnBlock> blocks, std::uint32_t rows)
      : chunk_(chunk), blocks_(blocks), rows_(rows) {}

  /// Returns the fault, as words for a message, or nullptr. `column` is nullptr for the pseudo
  /// column of exact lines.
  const char* fault(const ColumnSchema* column) {
    if (chunk_.nulls > rows_) return "number of nulls";
    if (column != nullptr && !column->nullable && chunk_.nulls > 0) {
      return "nulls in a column that has none";
    }
    if (chunk_.value_bytes > kMaxGroupTextBytes) return "bytes of the values";
    if (const char* wrong = take_blocks()) return wrong;
    if (chunk_.representation == Representation::kPacked) return packed_fault(column == nullptr);
    if (column == nullptr) return exact_lines_fault();
    const bool has_validity = chunk_.nulls > 0 && chunk_.nulls < rows_;
    if (integer_stream_fault(ColumnStream::kValidity, 0, has_validity ? rows_ : 0) != nullptr) {
      return "validity";
    }
    if ((chunk_.representation == Representation::kNull) != (chunk_.nulls == rows_)) {
      return "representation of nulls";
    }
    return is_string(column->type) ? string_fault() : number_fault(column->type);
  }

 private:
  // Checks each block's own fields and sums up. Streams must come in the order of their numbers,
  // because readers find them by bisection.
  const char* take_blocks() {
    Byte last = 0;
    for (const ColumnBlock& block : blocks_) {
      const auto stream = static_cast<Byte>(block.stream);
      if (stream > kLastStream || stream < last) return "order of the streams";
      last = stream;
      if (block.zone_flags > kAllZoneFlags) return "zone flags";
      if (block.plain_bytes > kMaxBlockBytes || block.stored_bytes < kBlockHeaderBytes ||
          block.stored_bytes % kFrameAlignment != 0 ||
          block.stored_bytes > kMaxColumnPayloadBytes + kBlockHeaderBytes + kFrameAlignment) {
        return "size of a block";
      }
      totals_.rows[stream] += block.rows;
      totals_.plain_bytes[stream] += block.plain_bytes;
      ++totals_.blocks[stream];
    }
    return nullptr;
  }

  /// A fault if there are blocks of other streams than validity and `allowed`.
  const char* other_streams(std::initializer_list<ColumnStream> allowed) {
    std::uint64_t expected = totals_.blocks_of(ColumnStream::kValidity);
    for (const ColumnStream stream : allowed) expected += totals_.blocks_of(stream);
    return expected == blocks_.size() ? nullptr : "streams of the representation";
  }

  /// A fault unless each block of this stream of integers has values of this width, and all
  /// together have this many rows.
  const char* integer_stream_fault(ColumnStream stream, Byte width_bytes, std::uint64_t rows) {
    for (const ColumnBlock& block : blocks_) {
      if (block.stream != stream) continue;
      if (block.rows == 0 || block.rows > kMaxBlockRows ||
          block.plain_bytes != integer_bytes(width_bytes, block.rows)) {
        return "rows of a block";
      }
    }
    return totals_.rows_of(stream) == rows ? nullptr : "rows of its blocks do not add up";
  }

  /// A packed column has no streams of its own, except that the first one has those of all.
  const char* packed_fault(bool is_exact_lines) {
    if (chunk_.nulls == rows_ || (is_exact_lines && chunk_.nulls != 0)) {
      return "representation of nulls";
    }
    if (chunk_.distinct != 0 || chunk_.value_bytes != 0) return "field of packed rows";
    const std::uint64_t blocks =
        totals_.blocks_of(ColumnStream::kPackedRows) + totals_.blocks_of(ColumnStream::kTextCuts);
    return blocks == blocks_.size() ? nullptr : "streams of the representation";
  }

  // Exact lines are texts of rows that printing would not give back; there may be one more than
  // rows, for what follows the last row.
  const char* exact_lines_fault() {
    if (chunk_.representation != Representation::kExactLines || chunk_.nulls != 0) {
      return "representation";
    }
    if (totals_.blocks_of(ColumnStream::kValidity) != 0) return "streams of the representation";
    const std::uint64_t lines = totals_.rows_of(ColumnStream::kRows);
    if (lines > std::uint64_t{rows_} + 1) return "number of exact lines";
    if (const char* wrong =
            other_streams({ColumnStream::kRows, ColumnStream::kLengths, ColumnStream::kBytes})) {
      return wrong;
    }
    if (const char* wrong = integer_stream_fault(ColumnStream::kRows, 4, lines)) return wrong;
    if (const char* wrong = integer_stream_fault(ColumnStream::kLengths, 8, lines)) return wrong;
    return bytes_fault();
  }

  // Numbers have one stream; bits, for bools, count as width 0.
  const char* number_fault(ColumnType type) {
    if (chunk_.representation == Representation::kNull) return other_streams({});
    if (chunk_.representation != Representation::kPlain) return "representation";
    if (const char* wrong = other_streams({ColumnStream::kValues})) return wrong;
    return integer_stream_fault(ColumnStream::kValues, static_cast<Byte>(value_bytes(type)), rows_);
  }

  // Strings have one of three representations, unless all are null.
  const char* string_fault() {
    switch (chunk_.representation) {
      case Representation::kNull:
        return other_streams({});
      case Representation::kDictionary:
        return dictionary_fault();
      case Representation::kToken:
        return token_fault();
      case Representation::kBytes:
        if (const char* wrong = other_streams({ColumnStream::kLengths, ColumnStream::kBytes})) {
          return wrong;
        }
        if (const char* wrong = integer_stream_fault(ColumnStream::kLengths, 8, rows_)) {
          return wrong;
        }
        return bytes_fault();
      default:
        return "representation";
    }
  }

  /// Entry lengths, entry bytes and a code for each row.
  const char* dictionary_fault() {
    if (const char* wrong = other_streams(
            {ColumnStream::kEntryLengths, ColumnStream::kEntryBytes, ColumnStream::kCodes})) {
      return wrong;
    }
    if (chunk_.entries == 0 || chunk_.entries > kMaxDictionaryEntries) return "number of entries";
    if (totals_.bytes_of(ColumnStream::kEntryBytes) > kMaxEntryBytes) return "bytes of the entries";
    if (const char* wrong = integer_stream_fault(ColumnStream::kEntryLengths, 4, chunk_.entries)) {
      return wrong;
    }
    return integer_stream_fault(ColumnStream::kCodes, 4, rows_);
  }

  /// One token dictionary, a count for each row, and blocks of codes.
  const char* token_fault() {
    if (const char* wrong = other_streams(
            {ColumnStream::kTokenDictionary, ColumnStream::kTokenCounts, ColumnStream::kTokens})) {
      return wrong;
    }
    if (totals_.blocks_of(ColumnStream::kTokenDictionary) != 1) return "token dictionary";
    if (totals_.rows_of(ColumnStream::kTokens) != rows_) return "rows of its tokens";
    if (totals_.bytes_of(ColumnStream::kTokens) != chunk_.value_bytes) return "bytes of the values";
    return integer_stream_fault(ColumnStream::kTokenCounts, 4, rows_);
  }

  /// Blocks of bytes hold just the strings. Their rows are not checked: readers go by lengths.
  const char* bytes_fault() {
    const bool right = totals_.bytes_of(ColumnStream::kBytes) == chunk_.value_bytes;
    return right ? nullptr : "bytes of the values";
  }

  const ColumnChunk& chunk_;
  std::span<const ColumnBlock> blocks_;
  std::uint32_t rows_;
  StreamTotals totals_;
};

/// Messages name the column, since a table may have thousands.
Error bad_column(const TableSchema& schema, std::size_t column, const char* what) {
  std::string name = "spellings";
  if (column < schema.columns.size()) name = "column '" + schema.columns[column].name + "'";
  if (column == schema.columns.size()) name = "exact lines";
  return make_error(ErrorCode::kBadRowGroup, name + ": " + what);
}

/// Each column's blocks follow those of the column before it.
Status check_chunks(const RowGroup& group, const TableSchema& schema) {
  bool has_packed = false;
  const bool is_text = group.is_text();
  for (std::size_t i = 0; i < group.columns.size(); ++i) {
    const ColumnChunk& chunk = group.columns[i];
    if (chunk.representation == Representation::kPacked) {
      if ((chunk.blocks == 0) != has_packed) return bad_column(schema, i, "blocks of packed rows");
      has_packed = true;
      // The field of a column of text is that of its number.
      if ((chunk.entries == 0) != is_text) return bad_column(schema, i, "field of packed rows");
    }
    const std::span<const ColumnBlock> blocks(group.blocks.data() + chunk.first_block,
                                              chunk.blocks);
    static const ColumnSchema kSpellings;  // strings, which may be null
    const ColumnSchema* column = i < schema.columns.size() ? &schema.columns[i] : &kSpellings;
    if (i == schema.columns.size()) column = nullptr;
    if (const char* wrong = ChunkCheck(chunk, blocks, group.rows).fault(column)) {
      return bad_column(schema, i, wrong);
    }
  }
  return {};
}

/// The text of an exact table gives its lines and spellings, so nothing else is stored of them.
Status check_text_blocks(const RowGroup& group, const TableSchema& schema) {
  std::uint64_t text_bytes = 0;
  for (const ColumnBlock& block : group.blocks) {
    if (block.stream == ColumnStream::kPackedRows) text_bytes += block.plain_bytes;
    const bool is_right = schema.exact && (block.stream == ColumnStream::kPackedRows ||
                                           block.stream == ColumnStream::kTextCuts);
    if (!is_right) return make_error(ErrorCode::kBadRowGroup, "blocks beside the text");
  }
  for (std::size_t i = schema.columns.size(); i < group.columns.size(); ++i) {
    if (group.columns[i].representation == Representation::kPacked) {
      return bad_column(schema, i, "representation");
    }
  }
  if (text_bytes == group.text_bytes) return {};
  return make_error(ErrorCode::kBadRowGroup, "bytes of the text");
}

}  // namespace

// The directory itself is not counted.
std::uint64_t RowGroup::stored_bytes() const {
  std::uint64_t total = 0;
  for (const ColumnBlock& block : blocks) total += block.stored_bytes;
  return total;
}

bool RowGroup::is_packed() const {
  return std::any_of(columns.begin(), columns.end(), [](const ColumnChunk& chunk) {
    return chunk.representation == Representation::kPacked;
  });
}

bool RowGroup::is_text() const {
  return std::any_of(blocks.begin(), blocks.end(), [](const ColumnBlock& block) {
    return block.stream == ColumnStream::kTextCuts;
  });
}

// Not checked: the encoder makes only directories that parse_row_group() takes.
std::vector<Byte> serialise_row_group(const RowGroup& group) {
  std::vector<Byte> payload;
  append_varint(payload, group.rows);
  append_varint(payload, group.columns.size());
  append_varint(payload, group.text_bytes);
  append_varint(payload, group.text_lines);
  append_value<std::uint64_t>(payload, group.text_checksum);
  for (const ColumnChunk& chunk : group.columns) append_chunk(payload, chunk);
  for (const ColumnBlock& block : group.blocks) append_block(payload, block);
  return payload;
}

/// Counts are summed in 64 bits and compared with the section's size before anything is
/// reserved.
Result<RowGroup> parse_row_group(Bytes payload, const TableSchema& schema) {
  const auto bad = [](const char* what) { return make_error(ErrorCode::kBadRowGroup, what); };
  WireReader from(payload);
  RowGroup group;
  bool sound = true;
  group.rows = read_u32(from, sound);
  const std::uint32_t columns = read_u32(from, sound);
  group.text_bytes = from.varint();
  group.text_lines = from.varint();
  group.text_checksum = from.value<std::uint64_t>();
  // Checked before any loop over them.
  if (!sound || columns != stored_columns(schema)) return bad("number of columns");
  if (group.rows == 0 || group.rows > most_group_rows(columns)) return bad("number of rows");
  if (group.text_bytes > kMaxGroupTextBytes || group.text_lines > group.text_bytes) {
    return bad("size of the text");
  }
  std::uint64_t blocks = 0;
  std::uint64_t value_bytes = 0;
  for (std::uint32_t i = 0; i < columns && !from.overran(); ++i) {
    ColumnChunk chunk = read_chunk(from, sound);
    if (chunk.representation > Representation::kPacked || !sound) {
      return bad_column(schema, i, "representation");
    }
    chunk.first_block = static_cast<std::uint32_t>(blocks);
    blocks += chunk.blocks;
    if (chunk.value_bytes > kMaxGroupTextBytes - value_bytes) {
      return bad_column(schema, i, "bytes of strings");
    }
    value_bytes += chunk.value_bytes;
    group.columns.push_back(chunk);
  }
  if (from.overran() || blocks > from.left() / kLeastBlockBytes) return bad("size of the section");
  group.blocks.reserve(static_cast<std::size_t>(blocks));
  for (std::uint64_t i = 0; i < blocks && !from.overran(); ++i) {
    group.blocks.push_back(read_block(from, sound));
  }
  if (!from.ended_exactly() || !sound) return bad("size of the section");
  PRESSO_TRY(check_chunks(group, schema));
  if (group.is_text()) PRESSO_TRY(check_text_blocks(group, schema));
  return group;
}

}  // namespace presso
