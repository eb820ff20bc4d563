// SPDX-License-Identifier: MIT
// Finds out from the beginning of a delimited text how it is written, its dialect. What the caller
// does not say is taken from the file's name, then from the text's first records.
//
// - Delimiter: `.tsv`, `.tab`: tab; `.tbl`, `.psv`: '|'; otherwise the one of , tab ; | with
//   which the most records have the same number of fields, which must be over one; among equals
//   the one with more fields; a comma if there is none.
// - Quote: '"', but none in `.tbl`, and none in a text with tabs where a field begins with a
//   quote and does not end with one.
// - Trailing delimiter: if the delimiter is '|' and every record ends with it.
// - Line end: CR LF if the first record ends with it.
// - Header: header.h; never in `.tbl`.
// Whatever stands before the first row becomes TextForm::head: a byte order mark, skipped
// lines, the header record and what precedes it; or all of a text that has no record. Guesses
// can be wrong, so commands have a flag for each. Tested by
// tests/unit/compress/table/dialect_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"
#include "presso/table_schema.h"

namespace presso {

/// What the caller has said; unset members are found out.
struct SniffOptions {
  std::optional<Byte> delimiter;
  std::optional<Byte> quote;  ///< 0: fields are never quoted
  std::optional<bool> trailing_delimiter;
  std::optional<bool> header;
  std::string null_text;
  Byte comment = 0;
  std::uint64_t skip_lines = 0;
};

/// What sniff() has found out.
struct SniffedText {
  TextForm form;  ///< the first form.head.size() bytes stand before the first row
  std::vector<std::string> names;
  bool has_header = false;
  std::uint64_t first_line = 1;    ///< of the first row
  std::vector<std::string> notes;  ///< for people: names that were changed
};

/// Usually enough text to sniff at, unless its first record is longer.
constexpr std::size_t kSniffBytes = std::size_t{1} << 18;

/// Finds out the dialect of the text that begins with `head`. `name`: the file's name, or "".
/// `all`: whether `head` is the whole text. kTruncated: more text is needed, as the header or the
/// first record does not end in `head`. kInvalidArgument: options that contradict each other, or a
/// quote that is never closed. kUnsupported: UTF-16.
Result<SniffedText> sniff(Bytes head, bool all, std::string_view name,
                          const SniffOptions& options = {});

}  // namespace presso
