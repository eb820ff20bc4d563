// SPDX-License-Identifier: MIT
// Steps that look into JSON text: each row's text is searched for the value that a path leads to
// (format/columns/json_path.h). A path that is a constant is parsed once for a vector, any other
// one for each row. What a row costs grows with its text, all of which is checked. Tested by
// tests/unit/query/compute/json_test.cpp.
#include <charconv>
#include <optional>
#include <string>

#include "format/columns/json_path.h"
#include "query/compute/characters.h"
#include "query/compute/steps.h"

namespace presso::query {
namespace {

/// One run of a step: finds the values of its rows.
class JsonRows {
 public:
  explicit JsonRows(const StepContext& c) : c_(c), texts_(c.from[0]->as<StringRef>()) {
    if (c.arguments[1] == nullptr) {
      path_.emplace();
    } else if (c.arguments[1]->kind == Node::Kind::kConstant) {
      path_ = parse_json_path(c.arguments[1]->text);
    } else {
      paths_ = c.from[1]->as<StringRef>();
    }
  }

  /// Searches in a row that is not null.
  JsonFinder::Found find(std::uint32_t row) {
    if (paths_ != nullptr) path_ = parse_json_path(view_of(paths_[row].bytes()));
    return path_ ? finder_.find(texts_[row].bytes(), *path_) : JsonFinder::Found::kNoJson;
  }

  /// Calls `apply` for the rows that have a value. Others are null, or fail.
  template <class T, class Apply>
  void for_values(Apply apply) {
    T* const to = c_.to.make<T>();
    for (std::uint32_t i = 0; i < c_.count; ++i) {
      to[i] = T{};
      if (c_.to.is_null(i)) continue;
      const JsonFinder::Found found = find(i);
      if (found == JsonFinder::Found::kValue) {
        to[i] = apply(i);
      } else if (found == JsonFinder::Found::kNothing) {
        c_.set_null(i);
      } else {
        c_.fail(i);
      }
    }
  }

  /// The value that was found as JSON, or as text.
  StringRef value(std::uint32_t row, bool as_text) {
    const JsonMember& value = finder_.value();
    const bool plain_null = as_text || c_.node.parameter != 0;
    if (value.kind == JsonKind::kNull && plain_null) {
      c_.set_null(row);
      return {};
    }
    if (value.kind == JsonKind::kString && as_text && !value.escaped) {
      return {finder_.text().data() + value.begin, value.length};
    }
    text_.clear();
    if (as_text) {
      append_json_text(finder_.text(), value, c_.node.parameter != 0, text_);
    } else {
      append_json(finder_.text(), value, text_);
    }
    return c_.strings.add({reinterpret_cast<const Byte*>(text_.data()), text_.size()});
  }

  /// The elements of an array. Other values have none, or with the parameter 1 the characters of
  /// their text.
  std::int64_t length(std::uint32_t row) {
    const bool is_array = finder_.value().kind == JsonKind::kNested && first() == '[';
    if (is_array) return static_cast<std::int64_t>(finder_.members().size());
    return c_.node.parameter == 0 ? 0 : count_characters(value(row, true).bytes());
  }

  /// The name that DuckDB has for the value's type.
  StringRef type() const {
    const std::string_view name = type_name();
    return {reinterpret_cast<const Byte*>(name.data()), name.size()};
  }

 private:
  char first() const { return static_cast<char>(finder_.text()[finder_.value().begin]); }
  std::string_view type_name() const {
    switch (finder_.value().kind) {
      case JsonKind::kNull:
        return "NULL";
      case JsonKind::kBool:
        return "BOOLEAN";
      case JsonKind::kString:
        return "VARCHAR";
      case JsonKind::kNested:
        return first() == '[' ? "ARRAY" : "OBJECT";
      default:
        return number_type();
    }
  }
  std::string_view number_type() const {
    const JsonMember& value = finder_.value();
    const std::string_view text = view_of(finder_.text().subspan(value.begin, value.length));
    std::uint64_t number = 0;
    const bool negative = text.starts_with('-');
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + (negative ? 1 : 0), end, number);
    const bool fits = !negative || number <= std::uint64_t{1} << 63;
    if (read.ec != std::errc() || read.ptr != end || !fits) return "DOUBLE";
    return negative ? "BIGINT" : "UBIGINT";
  }

  const StepContext& c_;
  const StringRef* texts_;
  const StringRef* paths_ = nullptr;  ///< where each row has a path of its own
  std::optional<JsonPath> path_;
  JsonFinder finder_;
  std::string text_;  ///< scratch
};

/// Whether something is found, or with `valid` whether the text is JSON.
void test_rows(const StepContext& c, bool valid) {
  JsonRows rows(c);
  Byte* const to = c.to.make<Byte>();
  for (std::uint32_t i = 0; i < c.count; ++i) {
    to[i] = 0;
    if (c.to.is_null(i)) continue;
    const JsonFinder::Found found = rows.find(i);
    to[i] = Byte{found == JsonFinder::Found::kValue};
    if (found == JsonFinder::Found::kNoJson && !valid) c.fail(i);
  }
}

}  // namespace

void run_json_step(const StepContext& c) {
  JsonRows rows(c);
  switch (c.node.step) {
    case Step::kJsonExtract:
      return rows.for_values<StringRef>([&](std::uint32_t i) { return rows.value(i, false); });
    case Step::kJsonText:
      return rows.for_values<StringRef>([&](std::uint32_t i) { return rows.value(i, true); });
    case Step::kJsonLength:
      return rows.for_values<std::int64_t>([&](std::uint32_t i) { return rows.length(i); });
    case Step::kJsonType:
      return rows.for_values<StringRef>([&](std::uint32_t) { return rows.type(); });
    default:
      return test_rows(c, c.node.step == Step::kJsonValid);
  }
}

std::string json_failure(Bytes text, Bytes path) {
  if (!parse_json_path(view_of(path))) {
    return "'" + std::string(view_of(path)) + "' is not a JSON path";
  }
  JsonFinder finder;
  finder.find(text, {});
  constexpr std::size_t kShown = 60;
  std::string shown(view_of(text.first(std::min(text.size(), kShown))));
  if (shown.size() < text.size()) shown += "...";
  return "a text is not JSON: at byte " + std::to_string(finder.wrong_at() + 1) + " " +
         finder.why() + ": `" + shown + "`";
}

}  // namespace presso::query
