// SPDX-License-Identifier: MIT
// Takes pieces of 1 KiB at even distances in the column's bytes. A piece begins at the start of a
// row, unless that row began 1 KiB or more before.
#include "compress/columns/string_sample.h"

#include <algorithm>

#include "format/columns/token_dictionary.h"

namespace presso {
namespace {

constexpr std::int64_t kPieceBytes = 1024;

/// Appends rows, or parts of them, from byte `at` of the column to before `end`.
void append_range(const ColumnView& strings, std::int64_t at, std::int64_t end,
                  StringSample& sample) {
  const std::int64_t* const offsets = strings.offsets;
  const std::int64_t* row = std::upper_bound(offsets, offsets + strings.rows + 1, at);
  while (at < end) {
    const std::int64_t row_end = std::min(*row++, end);
    if (row_end == at) continue;
    sample.text.insert(sample.text.end(), strings.values + at, strings.values + row_end);
    sample.ends.push_back(sample.text.size());
    at = row_end;
  }
}

/// Appends the piece at `at`, moved back to the start of the row there, but by less than a
/// piece; so a few bytes may be in two pieces.
void append_piece(const ColumnView& strings, std::int64_t at, StringSample& sample) {
  const std::int64_t* const end = strings.offsets + strings.rows + 1;
  const std::int64_t row_start = *(std::upper_bound(strings.offsets, end, at) - 1);
  const std::int64_t begin = at - row_start < kPieceBytes ? row_start : at;
  append_range(strings, begin, begin + kPieceBytes, sample);
}

}  // namespace

/// A small column is taken whole.
StringSample sample_strings(const ColumnView& strings, std::size_t bytes) {
  StringSample sample;
  const std::int64_t total = strings.rows == 0 ? 0 : strings.offsets[strings.rows];
  if (total == 0) return sample;
  const auto pieces = static_cast<std::int64_t>(bytes) / kPieceBytes;
  if (total <= pieces * kPieceBytes) {
    append_range(strings, 0, total, sample);
  } else {
    for (std::int64_t i = 0; i < pieces; ++i) {
      append_piece(strings, (total - kPieceBytes) / pieces * i, sample);
    }
  }
  sample.text.resize(sample.text.size() + kMaxTokenBytes);
  return sample;
}

}  // namespace presso
