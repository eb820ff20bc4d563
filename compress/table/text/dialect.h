// SPDX-License-Identifier: MIT
// Finds out from the begin of a text how it is written: what the caller does not say is taken from
// the file's name and then from the text's first records.
//
// - Delimiter: `.tsv`, `.tab`: tab; `.tbl`, `.psv`: '|'; else that of , tab ; | with which the
//   most records have equally many fields, more than one; among equals the one with more fields;
//   a comma where there is none.
// - Quote: '"', but none in `.tbl`, and none in a text with tabs in which a field begins with a
//   quote and does not end with it.
// - Trailing delimiter: where the delimiter is '|' and every record ends with it.
// - Line end: CR LF where the first record ends so.
// - Header: header.h; never in `.tbl`.
// What stands before the first row becomes TextForm::head: a byte order mark, skipped lines, the
// header record and what stands before that; all of a text that has no record.
// Tested by tests/unit/compress/table/dialect_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"
#include "presso/table_schema.h"

namespace presso {

struct SniffOptions {
  std::optional<Byte> delimiter;
  std::optional<Byte> quote;  ///< 0: none
  std::optional<bool> trailing_delimiter;
  std::optional<bool> header;
  std::string null_text;
  Byte comment = 0;
  std::uint64_t skip_lines = 0;
};

struct SniffedText {
  TextForm form;  ///< form.head.size() bytes stand before the first row
  std::vector<std::string> names;
  bool has_header = false;
  std::uint64_t first_line = 1;    ///< of the first row
  std::vector<std::string> notes;  ///< for people: columns that were renamed
};

/// Enough of a text to sniff at, unless its first record is longer.
constexpr std::size_t kSniffBytes = std::size_t{1} << 18;

/// `name`: of the file, "" where there is none. `all`: `head` is the whole text. kTruncated: more
/// of the text is needed, the header or first record does not end in `head`. kInvalidArgument:
/// options that contradict each other, a quote that is never closed. kUnsupported: UTF-16.
Result<SniffedText> sniff(Bytes head, bool all, std::string_view name,
                          const SniffOptions& options = {});

}  // namespace presso
