// SPDX-License-Identifier: MIT
// append_rows(): copies the picked rows of one column after another. Nothing is checked: every pick
// must name a row that its source has.
#include "compress/table/rows/row_gather.h"

#include <algorithm>

#include "format/columns/bit_copy.h"

namespace presso {
namespace {

/// Appends the picked rows of one column.
class ColumnGather {
 public:
  ColumnGather(std::span<const std::vector<ColumnView>> sources, std::span<const RowPick> picks,
               std::size_t column, ColumnData& to)
      : sources_(sources), picks_(picks), column_(column), to_(to) {}

  /// Validity comes first, because it needs the number of rows before the picks.
  void append() {
    append_validity();
    if (is_string(to_.type)) {
      append_strings();
    } else if (to_.type == ColumnType::kBool) {
      append_bits();
    } else {
      append_fixed();
    }
    to_.rows += picks_.size();
  }

 private:
  /// The column of the source that the pick names.
  const ColumnView& from(const RowPick& pick) const { return sources_[pick.source][column_]; }

  static std::size_t bitmap_bytes(std::uint64_t rows) {
    return static_cast<std::size_t>((rows + 7) / 8);
  }

  /// Before the first null a column has no validity bits, as all its rows have values.
  void append_validity() {
    const auto is_null = [&](const RowPick& pick) { return from(pick).is_null(pick.row); };
    const bool has_null = std::any_of(picks_.begin(), picks_.end(), is_null);
    if (to_.validity.empty() && !has_null) return;
    if (to_.validity.empty()) {
      // Ones for all rows before, zeros after the last.
      to_.validity.assign(bitmap_bytes(to_.rows), 0xFF);
      if (to_.rows % 8 != 0) to_.validity.back() = static_cast<Byte>((1u << (to_.rows % 8)) - 1);
    }
    to_.validity.resize(bitmap_bytes(to_.rows + picks_.size()));
    set_bits(to_.validity.data(), [&](const RowPick& pick) { return !is_null(pick); });
  }

  /// Sets a bit for each pick for which bit_of() is true.
  template <class BitOf>
  void set_bits(Byte* bits, BitOf bit_of) const {
    std::uint64_t at = to_.rows;
    for (const RowPick& pick : picks_) {
      if (bit_of(pick)) bits[at / 8] |= static_cast<Byte>(1u << (at % 8));
      ++at;
    }
  }

  /// Bits are set one by one, so the new bytes begin as zeros.
  void append_bits() {
    const std::size_t before = to_.values.size();
    to_.values.grow(bitmap_bytes(to_.rows + picks_.size()));
    std::fill(to_.values.data() + before, to_.values.data() + to_.values.size(), Byte{0});
    set_bits(to_.values.data(),
             [&](const RowPick& pick) { return bit_at(from(pick).values, pick.row); });
  }

  /// Chooses the copy for the width of the values.
  void append_fixed() {
    switch (value_bytes(to_.type)) {
      case 1:
        return append_values<1>();
      case 2:
        return append_values<2>();
      case 4:
        return append_values<4>();
      case 8:
        return append_values<8>();
      default:
        return append_values<16>();
    }
  }

  // A constant width makes memcpy a single load and store.
  template <std::size_t kBytes>
  void append_values() {
    const std::size_t before = to_.values.size();
    to_.values.grow(before + picks_.size() * kBytes);
    Byte* at = to_.values.data() + before;
    for (const RowPick& pick : picks_) {
      std::memcpy(at, from(pick).values + std::size_t{pick.row} * kBytes, kBytes);
      at += kBytes;
    }
  }

  /// The row's text; a null has none, whatever stands under it.
  Bytes string(const RowPick& pick) const {
    const ColumnView& column = from(pick);
    return column.is_null(pick.row) ? Bytes() : column.string(pick.row);
  }

  /// Measures all strings first, then copies them; nulls are empty.
  void append_strings() {
    const std::size_t before = to_.values.size();
    std::size_t size = before;
    for (const RowPick& pick : picks_) {
      size += string(pick).size();
      to_.offsets.push_back(static_cast<std::int64_t>(size));
    }
    to_.values.grow(size);
    Byte* at = to_.values.data() + before;
    for (const RowPick& pick : picks_) {
      const Bytes text = string(pick);
      at = std::copy(text.begin(), text.end(), at);
    }
  }

  std::span<const std::vector<ColumnView>> sources_;
  std::span<const RowPick> picks_;
  std::size_t column_;
  ColumnData& to_;
};

}  // namespace

std::vector<ColumnData> empty_columns(const TableSchema& schema) {
  std::vector<ColumnData> columns;
  for (const ColumnSchema& column : schema.columns) {
    columns.emplace_back().type = column.type;
    if (is_string(column.type)) columns.back().offsets.push_back(0);
  }
  return columns;
}

void append_rows(std::span<const std::vector<ColumnView>> sources, std::span<const RowPick> picks,
                 std::vector<ColumnData>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) ColumnGather(sources, picks, i, to[i]).append();
}

}  // namespace presso
