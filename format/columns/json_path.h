// SPDX-License-Identifier: MIT
// Paths into JSON text, in the forms that DuckDB has, and the values that they lead to:
//
//   $.a."b c"[0][-1]   keys, and places that count from 0, or from the end if they are negative
//   $[#-1]             the last element
//   /a/0               a key or a place for each part (RFC 6901); "~1" stands for '/', "~0" for '~'
//   a.b                any other text is one key
//
// A step that does not fit its value (a place of an object, a key of an array, or one that is not
// there) leads to nothing. If an object has a key twice, the first one counts. Every search reads
// and checks the whole text, in one pass over it and another over each value on the way. Tested by
// tests/unit/format/columns/json_path_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/columns/json_reader.h"

namespace presso {

/// One step of a path.
struct JsonStep {
  enum class Kind : Byte {
    kKey,
    kPlace,
    kEither,  ///< a key of an object, or a place of an array
    kEach,    ///< every element, `[*]`; leads to no single value
    kAnyKey,  ///< the value of every key, `.*`; leads to no single value
  };
  Kind kind = Kind::kKey;
  std::string key;
  std::int64_t place = 0;
  friend bool operator==(const JsonStep&, const JsonStep&) = default;
};
using JsonPath = std::vector<JsonStep>;

/// Parses a path; nullopt if the text is none. `[*]` and `.*` are only taken if `each`
/// is set.
std::optional<JsonPath> parse_json_path(std::string_view text, bool each = false);

/// A step as it stands in such a text: `.key`, `."a key"`, `[0]`, `[*]`, `.*`.
std::string json_step_text(const JsonStep& step);
/// The path as text that begins with '$'.
std::string json_path_text(const JsonPath& path);

/// Searches in texts, one after another. Not for several threads.
class JsonFinder {
 public:
  enum class Found : Byte { kNoJson, kNothing, kValue };

  /// Searches in `text`, which must be kept as long as value() is used.
  Found find(Bytes text, const JsonPath& path);
  /// The value that was found last.
  const JsonMember& value() const { return value_; }
  Bytes text() const { return text_; }
  /// The byte from which on the last text is no JSON, and what is wrong there.
  std::size_t wrong_at() const { return reader_.at(); }
  const char* why() const { return reader_.why(); }
  /// The members of the value that was found, an object or an array.
  const std::vector<JsonMember>& members();

 private:
  bool open(std::size_t at);
  const JsonMember* take(const JsonStep& step);
  bool is_key(const JsonMember& member, const std::string& key);

  Bytes text_;
  std::vector<JsonMember> members_;
  JsonReader reader_{members_};
  JsonMember value_;
  std::string key_;  ///< scratch
};

/// Appends the value as JSON without white space. Numbers with a point or an exponent are written
/// as the shortest text that gives their double, and strings with the escapes that they need.
void append_json(Bytes text, const JsonMember& value, std::string& to);
/// Appends the text of a string, and any other value as JSON. Numbers stay as they are written if
/// `as_written` is set.
void append_json_text(Bytes text, const JsonMember& value, bool as_written, std::string& to);

}  // namespace presso
