// SPDX-License-Identifier: MIT
// Writes and reads packed rows. Every value that is written is parsed again, so that what does not
// come back is found before it is stored.
#include "format/columns/packed_rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "format/columns/bit_copy.h"
#include "format/columns/row_group.h"
#include "format/columns/schema.h"
#include "format/columns/text_cuts.h"
#include "format/columns/value_text.h"
#include "format/columns/wire_reader.h"

namespace presso {
namespace {

/// Bytes that separate the fields of most texts; the first that is free ends fields.
constexpr std::string_view kUsualEnds = ",\t;|\n";

Error bad_rows(const char* what) {
  return make_error(ErrorCode::kBadRowGroup, std::string("packed rows: ") + what);
}

/// Whether this byte may stand in the text of a value that is no string.
bool stands_in_values(unsigned byte) {
  constexpr std::string_view kSigns = "+-.: ";
  const unsigned letter = byte | 0x20;
  return (byte >= '0' && byte <= '9') || (letter >= 'a' && letter <= 'z') ||
         kSigns.find(static_cast<char>(byte)) != kSigns.npos;
}

/// Prints one value and proves that its text gives it again.
class ValueWriter {
 public:
  explicit ValueWriter(const PackedField& field)
      : field_(&field),
        print_(value_printer(field.schema)),
        parse_(value_parser(field.schema)),
        bytes_(value_bytes(field.schema.type)) {}

  bool append(std::uint64_t row, PackedMarks marks, Buffer& to) const {
    const ColumnView& column = field_->column;
    if (row >= column.rows) return true;
    if (column.is_null(row)) return end(marks, to);
    if (column.offsets != nullptr) {
      const Bytes text = column.string(row);
      to.append(text.empty() ? Bytes(&marks.empty, 1) : text);
      return end(marks, to);
    }
    Byte bit = 0;
    const Byte* value = column.values + row * bytes_;
    if (bytes_ == 0) {
      bit = bit_at(column.values, row) ? 1 : 0;
      value = &bit;
    }
    char text[kMaxValueText];
    Byte again[16];
    const Bytes printed(reinterpret_cast<const Byte*>(text), print_(field_->schema, value, text));
    if (!parse_(field_->schema, printed, again)) return false;
    if (std::memcmp(value, again, std::max<std::size_t>(bytes_, 1)) != 0) return false;
    to.append(printed);
    return end(marks, to);
  }

 private:
  static bool end(PackedMarks marks, Buffer& to) {
    to.append(Bytes(&marks.end, 1));
    return true;
  }

  const PackedField* field_;
  PrintValue print_;
  ParseValue parse_;
  std::size_t bytes_;
};

}  // namespace

std::optional<PackedMarks> find_marks(std::span<const PackedField> fields) {
  std::array<bool, 256> used{};
  for (const PackedField& field : fields) {
    const ColumnView& column = field.column;
    if (column.offsets == nullptr) continue;
    for (std::int64_t i = column.offsets[0]; i < column.offsets[column.rows]; ++i) {
      used[column.values[i]] = true;
    }
  }
  std::vector<Byte> free;
  const auto take = [&](unsigned byte) {
    if (!used[byte] && !stands_in_values(byte)) free.push_back(static_cast<Byte>(byte));
    used[byte] = true;
  };
  for (const char byte : kUsualEnds) take(static_cast<Byte>(byte));
  for (unsigned byte = 1; byte < used.size(); ++byte) take(byte);
  if (free.size() < 2) return std::nullopt;
  // The byte that ends fields is a usual one; the other should not be.
  return PackedMarks{free.front(), free.back()};
}

void append_packed_head(PackedMarks marks, std::size_t fields, Buffer& to) {
  const Byte bytes[] = {marks.end, marks.empty};
  to.append(bytes);
  append_varint(to, fields);
}

bool append_packed_rows(std::span<const PackedField> fields, PackedMarks marks, std::uint64_t first,
                        std::uint64_t rows, Buffer& to) {
  std::vector<ValueWriter> writers(fields.begin(), fields.end());
  for (std::uint64_t row = first; row < first + rows; ++row) {
    for (const ValueWriter& writer : writers) {
      if (!writer.append(row, marks, to)) return false;
    }
  }
  return true;
}

Result<PackedRows> PackedRows::parse(Bytes stream, std::uint32_t rows) {
  PackedRows made;
  made.stream_ = stream;
  made.rows_ = rows;
  WireReader head(stream);
  PackedMarks marks;
  marks.end = head.value<Byte>();
  marks.empty = head.value<Byte>();
  const std::uint64_t fields = head.counted();
  if (head.overran() || marks.end == marks.empty) return bad_rows("head");
  // Each field has at least the byte that ends it.
  if (fields > head.left() / rows) return bad_rows("number of fields");
  made.fields_ = static_cast<std::size_t>(fields);
  const Byte* const begin = stream.data();
  const Byte* const end = begin + stream.size();
  made.places_.reserve(made.fields_ * rows + 1);
  for (const Byte* at = head.next(); at != end;) {
    if (made.places_.size() > made.fields_ * rows) return bad_rows("number of fields");
    const void* found = std::memchr(at, marks.end, static_cast<std::size_t>(end - at));
    if (found == nullptr) return bad_rows("a field without an end");
    const auto* const field_end = static_cast<const Byte*>(found);
    const bool is_empty = field_end - at == 1 && *at == marks.empty;
    const FieldPlace place{static_cast<std::uint32_t>(at - begin),
                           static_cast<std::uint32_t>((is_empty ? at : field_end) - begin)};
    made.places_.push_back(field_end == at ? kNullField : place);
    at = field_end + 1;
  }
  if (made.places_.size() < made.fields_ * rows) return bad_rows("number of fields");
  return made;
}

Result<PackedRows> PackedRows::cut(const TableSchema& schema, Bytes text, Bytes cuts,
                                   std::uint32_t rows) {
  PackedRows made;
  made.stream_ = text;
  made.is_cut_ = true;
  made.rows_ = rows;
  made.fields_ = schema.columns.size();
  PRESSO_ASSIGN(made.places_, cut_rows(schema, text, cuts, rows, made.made_));
  return made;
}

Bytes PackedRows::bytes_at(FieldPlace place) const {
  const bool is_made = place.begin >= stream_.size() && made_.size() > 0;
  const Bytes from = is_made ? made_.bytes() : stream_;
  return from.subspan(place.begin - (is_made ? stream_.size() : 0), place.end - place.begin);
}

Result<ColumnData> PackedRows::column(std::size_t number, const ColumnSchema& schema,
                                      bool follows) const {
  const std::size_t last = rows_ * fields_;
  if (number >= fields_ || (follows && places_.size() <= last)) return bad_rows("fields");
  ColumnData column;
  column.type = schema.type;
  column.rows = rows_ + (follows ? 1u : 0u);
  column.validity.assign((column.rows + 7) / 8 + 8, 0);
  if (is_string(schema.type)) {
    PRESSO_TRY(take_strings(number, column));
  } else if (is_cut_) {
    const LooseValue value(schema);
    const auto read = [&](Bytes text, Byte* to) { return value.read(text, to); };
    PRESSO_TRY(take_values(number, read, column));
  } else {
    const ColumnSchema type = bare_type(schema);
    const ParseValue take = value_parser(type);
    const auto read = [&](Bytes text, Byte* to) { return take(type, text, to); };
    PRESSO_TRY(take_values(number, read, column));
  }
  if (count_bits(column.validity.data(), column.rows) == column.rows) column.validity.clear();
  return column;
}

Status PackedRows::take_strings(std::size_t number, ColumnData& column) const {
  column.offsets.assign(1, 0);
  for (std::uint64_t row = 0; row < column.rows; ++row) {
    // The field after the last row stands where the first one of a further row would.
    const std::size_t at = static_cast<std::size_t>(row) * fields_ + (row == rows_ ? 0 : number);
    const FieldPlace place = places_[at];
    if (place.begin <= place.end) {
      column.validity[row / 8] |= static_cast<Byte>(1u << row % 8);
      column.values.append(bytes_at(place));
    }
    column.offsets.push_back(static_cast<std::int64_t>(column.values.size()));
  }
  return {};
}

template <class Read>
Status PackedRows::take_values(std::size_t number, const Read& read, ColumnData& column) const {
  const std::size_t width = value_bytes(column.type);
  const std::size_t size = width == 0 ? (column.rows + 7) / 8 : column.rows * width;
  column.values.resize_discarding(size);
  std::fill_n(column.values.data(), size, Byte{0});
  for (std::uint64_t row = 0; row < column.rows; ++row) {
    const FieldPlace place = places_[static_cast<std::size_t>(row) * fields_ + number];
    if (place.begin > place.end) continue;
    Byte value[16];
    if (!read(bytes_at(place), value)) {
      return bad_rows("a field that is no value of its column");
    }
    column.validity[row / 8] |= static_cast<Byte>(1u << row % 8);
    if (width != 0) {
      std::memcpy(column.values.data() + row * width, value, width);
    } else if (value[0] != 0) {
      column.values.data()[row / 8] |= static_cast<Byte>(1u << row % 8);
    }
  }
  return {};
}

}  // namespace presso
