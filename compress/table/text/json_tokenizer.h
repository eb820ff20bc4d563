// SPDX-License-Identifier: MIT
// Cuts JSON into rows and their top-level members, batch by batch, without copying a byte. A row is
// an object; all of it is checked as RFC 8259 defines it (format/columns/json_reader.h). A
// JsonLayout says how objects follow one another. White space before an object belongs to its row.
// Anything else that is no object is a fault, of which the place and the reason are given. Tested
// by tests/unit/compress/table/json_tokenizer_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/columns/json_reader.h"
#include "presso/bytes.h"

namespace presso {

/// How the objects of a text follow one another.
enum class JsonLayout : Byte {
  /// One in each line. An object that its line does not close goes on in the next lines. A line
  /// that is no object is a fault by itself; reading goes on after it.
  kLines,
  kSpread,  ///< one after another; a fault lasts to the end of the text
  /// Elements of one array, whose '[' is in TextForm::head. A row ends after its comma, or before
  /// the ']'. A fault lasts to the end of the text.
  kArray,
  kLooseArray,  ///< an array out of which rows were taken, so that a comma may be left over
};

/// Text that is no row: text[begin, end), which is wrong at `at`.
struct JsonFault {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t at = 0;
  const char* why = "";  ///< a clause: "a value is expected"
};

/// Rows of a text. Row r has the members [first_member[r], first_member[r + 1]) and its '{' at
/// object[r]. With the white space that follows it up to the line's end, and the lines before it
/// that are no rows, it has the bytes [begin[r], begin[r + 1]).
struct JsonBatch {
  std::vector<JsonMember> members;
  std::vector<std::uint32_t> first_member;
  std::vector<std::uint32_t> object;
  std::vector<std::uint32_t> begin;
  std::vector<JsonFault> faults;
  // The following hold for all calls with the same batch, which must be of the same text.
  bool closed = false;           ///< the ']' of an array was met
  std::size_t failed_bytes = 0;  ///< of objects that were read in vain over several lines

  std::size_t rows() const { return object.size(); }
};

// Texts of more than kMaxJsonText bytes must be cut at a line's end.

/// Replaces the rows of `batch` by at most `most_rows` rows of `text` from `at`. Returns where the
/// next row's bytes begin; the text's size if there is no further row, so that whatever follows the
/// last one is skipped.
std::size_t tokenize_json(Bytes text, std::size_t at, std::size_t most_rows, JsonLayout layout,
                          JsonBatch& batch);

/// The message about a fault, without its line: "not a JSON object: at byte 6 a value is expected".
std::string fault_text(const JsonFault& fault, Bytes text, JsonLayout layout);

}  // namespace presso
