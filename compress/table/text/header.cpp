// SPDX-License-Identifier: MIT
// The test for a header by the rules of header.h, and usable names for all columns.
#include "compress/table/text/header.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compress/table/text/type_candidate.h"

namespace presso {
namespace {

// The letter case of a field: kNone where it is no identifier, kMixed where it has both cases.
// Files mostly write names in one case.
enum class LetterCase { kNone, kLower, kUpper, kMixed };

// These know ASCII only, whatever the locale.
bool is_lower(Byte byte) {
  return byte >= 'a' && byte <= 'z';
}
bool is_upper(Byte byte) {
  return byte >= 'A' && byte <= 'Z';
}
bool is_digit(Byte byte) {
  return byte >= '0' && byte <= '9';
}

/// The case of an identifier; kNone where `text` is none. An identifier without letters, such as
/// "_1", counts as lower case.
LetterCase identifier_case(Bytes text) {
  if (text.empty() || is_digit(text[0])) return LetterCase::kNone;
  const bool letters = std::all_of(text.begin(), text.end(), [](Byte byte) {
    return is_lower(byte) || is_upper(byte) || is_digit(byte) || byte == '_';
  });
  if (!letters) return LetterCase::kNone;
  if (std::none_of(text.begin(), text.end(), is_upper)) return LetterCase::kLower;
  return std::none_of(text.begin(), text.end(), is_lower) ? LetterCase::kUpper : LetterCase::kMixed;
}

/// The rules of header.h, one function each, on the records of a sample.
class HeaderTest {
 public:
  HeaderTest(const RecordBatch& sample, Bytes text, const TextForm& form)
      : sample_(sample), text_(text), form_(form) {}

  /// The first record must be names that are all different; then either a column has a type
  /// below it, or names alone look different from what follows.
  bool passes() const {
    if (sample_.records() == 0 || !has_names()) return false;
    if (has_typed_column()) return true;
    return sample_.fields_of(0) > 1 && is_of_names(0) && !any_later_of_names();
  }

 private:
  /// A field's bytes, without quotes.
  Bytes value(std::size_t record, std::size_t index) const {
    const Field& field = sample_.fields[sample_.first_field[record] + index];
    return text_.subspan(field.begin, field.length);
  }

  /// Whether all fields of the first record may be names, none empty and no two equal.
  bool has_names() const {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < sample_.fields_of(0); ++i) {
      const Bytes name = value(0, i);
      if (name.empty() || !may_be_name(i)) return false;
      if (!seen.emplace(name.begin(), name.end()).second) return false;
    }
    return true;
  }

  /// Whether the field may be a name: a string, or a word like "t" or "nan" above a column that
  /// it does not fit.
  bool may_be_name(std::size_t index) const {
    const Bytes name = value(0, index);
    const TypeCandidate candidate = candidate_of(name);
    if (candidate.column.type == ColumnType::kUtf8) return true;
    // A word that has a type by itself is a name only above values of another type.
    const TypeCandidate below = values_below(index);
    return (is_lower(name[0]) || is_upper(name[0])) && below.seen &&
           join(below, candidate).column.type == ColumnType::kUtf8;
  }

  // The narrowest type of the values below the first record.
  TypeCandidate values_below(std::size_t index) const {
    TypeCandidate candidate;
    for (std::size_t r = 1; r < sample_.records(); ++r) add_value(r, index, candidate);
    return candidate;
  }

  /// Whether some column below the first record has a type other than string.
  bool has_typed_column() const {
    for (std::size_t i = 0; i < sample_.fields_of(0); ++i) {
      const TypeCandidate candidate = values_below(i);
      if (candidate.seen && candidate.column.type != ColumnType::kUtf8) return true;
    }
    return false;
  }

  /// Joins the type of a value to the candidate; nulls tell nothing of a type.
  void add_value(std::size_t record, std::size_t index, TypeCandidate& candidate) const {
    if (index >= sample_.fields_of(record)) return;
    const Field& field = sample_.fields[sample_.first_field[record] + index];
    if (is_null(field, text_, form_.null_text)) return;
    candidate = join(candidate, candidate_of(value(record, index)));
  }

  /// Whether all fields are identifiers in the letter case of the header's first one.
  bool is_of_names(std::size_t record) const {
    const LetterCase first = identifier_case(value(0, 0));
    if (first != LetterCase::kLower && first != LetterCase::kUpper) return false;
    for (std::size_t i = 0; i < sample_.fields_of(record); ++i) {
      if (identifier_case(value(record, i)) != first) return false;
    }
    return true;
  }

  /// Whether any later record consists of such identifiers, too. Then the file is full of them, and
  /// the first record is no header just because it does.
  bool any_later_of_names() const {
    for (std::size_t r = 1; r < sample_.records(); ++r) {
      if (is_of_names(r)) return true;
    }
    return false;
  }

  const RecordBatch& sample_;
  Bytes text_;
  const TextForm& form_;
};

/// Makes up names that are neither given nor made up before.
class NameMaker {
 public:
  explicit NameMaker(const std::vector<std::string>& given) : taken_(given.begin(), given.end()) {}

  /// `name`, or `name_2`, `name_3` and so on. The last number is remembered, so that many equal
  /// names cost linear time.
  std::string make(const std::string& name) {
    std::string made = name;
    for (std::size_t& number = numbers_[name]; !taken_.insert(made).second;) {
      number = number == 0 ? 2 : number + 1;
      made = name + "_" + std::to_string(number);
    }
    return made;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, std::size_t> numbers_;  ///< the last number that was tried for each name
};

/// The note for people that a column was renamed.
std::string renaming(const std::string& number, const std::string& old, const std::string& name) {
  return "column " + number + " has " + (old.empty() ? "no name" : "the name '" + old + "' again") +
         ": it is called '" + name + "'";
}

}  // namespace

bool looks_like_header(const RecordBatch& sample, Bytes text, const TextForm& form) {
  return HeaderTest(sample, text, form).passes();
}

/// Names that are given and unique are never changed.
ColumnNames usable_names(std::vector<std::string> names) {
  ColumnNames result;
  NameMaker maker(names);
  std::set<std::string> used;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string& name = names[i];
    if (name.empty() || !used.insert(name).second) {
      const std::string number = std::to_string(i + 1);
      const std::string old = name;
      name = maker.make(old.empty() ? "column" + number : old);
      result.notes.push_back(renaming(number, old, name));
    }
  }
  result.names = std::move(names);
  return result;
}

// These are the names for files without a header.
std::vector<std::string> numbered_names(std::size_t columns) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= columns; ++i) names.push_back("column" + std::to_string(i));
  return names;
}

}  // namespace presso
