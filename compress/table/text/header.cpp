// SPDX-License-Identifier: MIT
// The test for a header by the rules of header.h, and usable names for all columns.
#include "compress/table/text/header.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compress/table/text/rough_kind.h"

namespace presso {
namespace {

/// What the rows below say about one field of the first record.
struct ColumnVotes {
  std::size_t values = 0;   ///< below, which are not null
  std::size_t nulls = 0;    ///< below
  std::size_t typed = 0;    ///< values that are no texts
  std::size_t bools = 0;    ///< values that are truth values
  std::size_t numbers = 0;  ///< values that are numbers
  std::size_t repeats = 0;  ///< values that equal the field
  std::size_t quoted = 0;   ///< values in quotes
  bool one_value = true;    ///< all values are the same
  bool one_shape = true;    ///< all values have the shape of the first one
  Bytes first;              ///< the first value
  std::string shape;        ///< of the first value
};

/// The length of a text and the kinds of its letters: "AD-17" becomes "AA-00".
std::string shape_of(Bytes value) {
  std::string shape(value.begin(), value.end());
  for (char& letter : shape) {
    if (letter >= '0' && letter <= '9') letter = '0';
    if (letter >= 'a' && letter <= 'z') letter = 'a';
    if (letter >= 'A' && letter <= 'Z') letter = 'A';
  }
  return shape;
}

/// How a name is written that has letters, digits and '_' only; kNone: it has others.
enum class NameStyle { kNone, kLower, kUpper, kCapital };

NameStyle name_style(Bytes value) {
  const std::string shape = shape_of(value);
  if (shape.empty() || shape[0] == '0') return NameStyle::kNone;
  if (shape.find_first_not_of("Aa0_") != shape.npos) return NameStyle::kNone;
  if (shape.find('A') == shape.npos) return NameStyle::kLower;
  return shape.find('a') == shape.npos ? NameStyle::kUpper : NameStyle::kCapital;
}

bool equal_bytes(Bytes a, Bytes b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool less_bytes(Bytes a, Bytes b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

/// Whether these are at least three years in steps of the same length.
bool are_years(const std::vector<std::int64_t>& numbers) {
  if (numbers.size() < 3 || numbers[1] == numbers[0]) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 1500 || numbers[i] > 2200) return false;
    if (i > 0 && numbers[i] - numbers[i - 1] != numbers[1] - numbers[0]) return false;
  }
  return true;
}

/// The rules of header.h, one function each, on the records of a sample.
class HeaderTest {
 public:
  HeaderTest(const RecordBatch& sample, Bytes text) : sample_(sample), text_(text) {}

  HeaderKind kind() {
    if (sample_.records() == 0) return HeaderKind::kNone;
    take_votes();
    if (is_too_short()) return HeaderKind::kNone;
    if (!is_header()) return HeaderKind::kNone;
    return shift_ == 0 ? HeaderKind::kNames : HeaderKind::kOneShort;
  }

  bool has_names_above_types() {
    if (sample_.records() == 0) return false;
    take_votes();
    for (std::size_t i = 0; i < columns_; ++i) {
      if (names_typed(i)) return true;
    }
    return false;
  }

 private:
  void take_votes() {
    find_shift();
    columns_ = sample_.fields_of(0);
    for (std::size_t i = 0; i < columns_; ++i) {
      kinds_.push_back(rough_kind_of(value(0, i)));
      votes_.push_back(votes_of(i));
    }
  }

  /// Finds out whether all rows, at least two, have one field more than the first record and begin
  /// with names that are all different. One row alone is rather a row with a field too much.
  void find_shift() {
    std::set<std::string> row_names;
    for (std::size_t r = 1; r < sample_.records(); ++r) {
      const Bytes name = value(r, 0);
      if (sample_.fields_of(r) != sample_.fields_of(0) + 1) return;
      if (!row_names.emplace(name.begin(), name.end()).second) return;
    }
    // A trailing delimiter after every row, but not after the header, gives empty last fields.
    shift_ = row_names.size() > 1 && !has_empty_ends() ? 1 : 0;
  }

  /// Whether most rows have at least two fields more than the first record, which then names none
  /// of their columns.
  bool is_too_short() const {
    std::size_t longer = 0;
    for (std::size_t r = 1; r < sample_.records(); ++r) {
      longer += sample_.fields_of(r) > columns_ + 1 ? 1 : 0;
    }
    return 2 * longer > sample_.records();
  }

  bool has_empty_ends() const {
    for (std::size_t r = 1; r < sample_.records(); ++r) {
      if (sample_.fields[sample_.first_field[r + 1] - 1].length != 0) return false;
    }
    return true;
  }

  /// A field's bytes, without quotes and the blanks around it.
  Bytes value(std::size_t record, std::size_t index) const {
    const Field& field = sample_.fields[sample_.first_field[record] + index];
    return without_blanks(text_.subspan(field.begin, field.length));
  }
  /// The value below field `index` of the first record; empty where a row lacks it.
  Bytes value_below(std::size_t record, std::size_t index) const {
    return index + shift_ < sample_.fields_of(record) ? value(record, index + shift_) : Bytes();
  }

  bool is_quoted(std::size_t record, std::size_t index) const {
    return sample_.fields[sample_.first_field[record] + index].quoted;
  }

  /// Whether the record repeats the first one, as in files that were made of several.
  bool repeats_first(std::size_t record) const {
    if (sample_.fields_of(record) != sample_.fields_of(0)) return false;
    for (std::size_t i = 0; i < sample_.fields_of(0); ++i) {
      if (!equal_bytes(value(0, i), value(record, i))) return false;
    }
    return true;
  }

  ColumnVotes votes_of(std::size_t index) const {
    ColumnVotes votes;
    for (std::size_t r = 1; r < sample_.records(); ++r) {
      if (!repeats_first(r)) add_vote(r, index, votes);
    }
    return votes;
  }

  void add_vote(std::size_t record, std::size_t index, ColumnVotes& votes) const {
    const Bytes below = value_below(record, index);
    const RoughKind kind = rough_kind_of(below);
    if (kind == RoughKind::kNull) {
      ++votes.nulls;
      return;
    }
    if (votes.values == 0) {
      votes.first = below;
      votes.shape = shape_of(below);
    }
    votes.one_value = votes.one_value && equal_bytes(below, votes.first);
    votes.one_shape = votes.one_shape && shape_of(below) == votes.shape;
    ++votes.values;
    votes.typed += kind != RoughKind::kText ? 1 : 0;
    votes.bools += kind == RoughKind::kBool ? 1 : 0;
    votes.numbers += kind == RoughKind::kNumber ? 1 : 0;
    votes.quoted += is_quoted(record, index + shift_) ? 1 : 0;
    votes.repeats += equal_bytes(below, value(0, index)) ? 1 : 0;
  }

  /// Whether all values below are numbers, dates or truth values. A column of nothing but F is
  /// text.
  bool is_typed(std::size_t index) const {
    const ColumnVotes& votes = votes_[index];
    if (votes.bools == votes.values && votes.one_value) return false;
    return votes.values > 0 && votes.typed == votes.values;
  }

  /// Whether the field is a name above typed values. A letter like "t" is one, a word like "yes"
  /// unless a value below is such a word, and a date is one above numbers.
  bool names_typed(std::size_t index) const {
    if (!is_typed(index) || kinds_[index] == RoughKind::kNull) return false;
    if (is_quoted(0, index) && votes_[index].quoted == 0) return true;
    if (kinds_[index] == RoughKind::kBool) {
      return votes_[index].bools == 0 || value(0, index).size() == 1;
    }
    if (kinds_[index] == RoughKind::kTime) return votes_[index].numbers == votes_[index].values;
    return kinds_[index] == RoughKind::kText;
  }

  /// Whether the field is a value like those below it. If there is none, it is one if it looks so.
  bool is_typed_value(std::size_t index) const {
    if (kinds_[index] == RoughKind::kText) return false;
    if (kinds_[index] == RoughKind::kNull) {
      return !value(0, index).empty() && is_typed(index) && votes_[index].bools == 0;
    }
    if (votes_[index].values == 0) return kinds_[index] != RoughKind::kBool;
    return 2 * votes_[index].typed > votes_[index].values && !names_typed(index);
  }

  bool is_header() const {
    std::size_t names = 0;
    std::size_t typed_values = 0;
    std::size_t nulls = 0;
    for (std::size_t i = 0; i < columns_; ++i) {
      names += names_typed(i) ? 1 : 0;
      typed_values += is_typed_value(i) ? 1 : 0;
      nulls += kinds_[i] == RoughKind::kNull ? 1 : 0;
    }
    if (nulls == columns_) return false;
    if (typed_values == 0) return names > 0 || names_row_numbers() || is_header_of_texts();
    return names > typed_values || (names > 0 && has_labels()) || has_years();
  }

  /// Whether the first record has no values but numbers that are all different, as labels are.
  bool has_labels() const {
    std::set<std::string> labels;
    for (std::size_t i = 0; i < columns_; ++i) {
      if (!is_typed_value(i)) continue;
      if (kinds_[i] != RoughKind::kNumber) return false;
      const Bytes label = value(0, i);
      if (!labels.emplace(label.begin(), label.end()).second) return false;
    }
    return true;
  }

  bool has_years() const { return are_years(years_of(0)) && !are_years(years_of(1)); }

  /// The whole numbers of four digits in a record.
  std::vector<std::int64_t> years_of(std::size_t record) const {
    std::vector<std::int64_t> years;
    for (std::size_t i = 0; i < sample_.fields_of(record); ++i) {
      const Bytes text = value(record, i);
      if (shape_of(text) != "0000") continue;
      years.push_back(std::stoll(std::string(text.begin(), text.end())));
    }
    return years;
  }

  /// Whether the first column has no name and hardly an empty value.
  bool names_row_numbers() const {
    return columns_ > 1 && shift_ == 0 && value(0, 0).empty() && votes_[0].values > 0 &&
           4 * votes_[0].nulls < votes_[0].values;
  }

  bool is_header_of_texts() const {
    std::size_t like = 0;
    std::size_t unlike = 0;
    for (std::size_t i = 0; i < columns_; ++i) {
      if (kinds_[i] == RoughKind::kNull && is_typed(i)) return false;
      if (kinds_[i] == RoughKind::kNull) continue;
      const bool has_shape = votes_[i].values > 2 && votes_[i].one_shape;
      const bool fits = has_shape && shape_of(value(0, i)) == votes_[i].shape;
      like += fits || votes_[i].repeats > 0 ? 1 : 0;
      unlike += has_shape && !fits ? 1 : 0;
    }
    if (2 * like >= columns_ && like > 0) return false;
    return unlike > 0 || columns_ + shift_ > 1 || stands_out();
  }

  /// Whether the line of a text of one column is written differently from all that follow, or above
  /// lines in order, but not in order with them.
  bool stands_out() const {
    if (is_written_differently()) return true;
    if (sample_.records() < 4) return false;
    for (std::size_t r = 2; r < sample_.records(); ++r) {
      if (less_bytes(value_below(r, 0), value_below(r - 1, 0))) return false;
    }
    return less_bytes(value_below(1, 0), value(0, 0));
  }

  bool is_written_differently() const {
    const NameStyle style = name_style(value(0, 0));
    if (style == NameStyle::kNone || votes_[0].values < 2) return false;
    const bool all_quoted = votes_[0].quoted == votes_[0].values;
    if (!is_quoted(0, 0) && all_quoted) return true;
    for (std::size_t r = 1; r < sample_.records(); ++r) {
      if (name_style(value_below(r, 0)) == style) return false;
    }
    return true;
  }

  const RecordBatch& sample_;
  Bytes text_;
  std::size_t shift_ = 0;    ///< how many columns stand before that of the first field
  std::size_t columns_ = 0;  ///< fields of the first record
  std::vector<RoughKind> kinds_;
  std::vector<ColumnVotes> votes_;
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

HeaderKind header_kind(const RecordBatch& sample, Bytes text) {
  return HeaderTest(sample, text).kind();
}

bool has_names_above_types(const RecordBatch& sample, Bytes text) {
  return HeaderTest(sample, text).has_names_above_types();
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
