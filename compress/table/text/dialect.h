// SPDX-License-Identifier: MIT
// Finds out from the beginning of a delimited text how it is written, its dialect. What the caller
// does not say is taken from the file's name, then from the text itself.
//
// - First lines: a byte order mark, skipped lines, and `sep=;`, which names the delimiter.
// - Delimiter: `.tsv`, `.tab`: tab; `.tbl`, `.psv`: '|'; otherwise the one of , tab ; | with
//   which the most records have the same number of fields, which must be over one; among equals
//   the one with more fields. Where none of them separates anything, runs of blanks do if all
//   records have the same number of fields and these are mostly numbers or stand in quotes; else
//   the delimiter is a comma.
// - Quote: '"', but none in `.tbl`. A single quote if no field stands in double quotes and at least
//   two stand in single ones. None where closing quotes with text after them are read better as
//   text: in a text with tabs, also if a quote is never closed, and where all records then have the
//   same number of fields.
// - Escape: a backslash, if only this makes all quotations end before a delimiter or line end.
// - Comment: '#', if lines that begin with it have another number of fields than the rows. The last
//   such line before the first row is the header if its fields fit the rows as names.
// - Title: up to 20 lines of one field before a header of at least three are no rows. So are lines
//   of several fields, at least two fewer than the rows have, if the header has names above types,
//   and such lines before ten rows without a header.
// - Trailing delimiter: if the delimiter is '|' and every record ends with it, or if every record
//   but the first one does.
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

#include "compress/table/text/csv_tokenizer.h"
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
  std::optional<Byte> comment;  ///< 0: there are no comments
  std::optional<Byte> escape;   ///< 0: there is no escape byte
  std::uint64_t skip_lines = 0;
};

/// What sniff() has found out.
struct SniffedText {
  TextForm form;  ///< the first form.head.size() bytes stand before the first row
  ReadingRules rules;
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
/// quote that is never closed.
Result<SniffedText> sniff(Bytes head, bool all, std::string_view name,
                          const SniffOptions& options = {});

}  // namespace presso
