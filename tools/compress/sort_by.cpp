// SPDX-License-Identifier: MIT
// A hand-written parser of one line; it costs nothing beside reading a file. Declines, with
// kInvalidArgument, a quote that is never closed, a missing name, and a word after a quoted name
// that is neither asc nor desc. Tested by tests/unit/tools/sort_by_test.cpp.
#include "tools/compress/sort_by.h"

#include <algorithm>

namespace presso::cli {
namespace {

/// The error for the value of --sort-by.
Error wrong(std::string what) {
  return make_error(ErrorCode::kInvalidArgument, std::move(what));
}

/// The text without blanks at both ends.
std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// Whether `text` is an order; if so `descending` is set. A name that ends in a blank and such a
/// word has to stand in quotes.
bool is_order(std::string_view text, bool& descending) {
  if (text != "asc" && text != "ASC" && text != "desc" && text != "DESC") return false;
  descending = text == "desc" || text == "DESC";
  return true;
}

/// Takes a name in quotes off the beginning of `text`. The quotes are taken off, and doubled ones
/// become one.
Result<std::string> take_quoted(std::string_view& text) {
  std::string name;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      const bool doubled = i + 1 < text.size() && text[i + 1] == '"';
      if (!doubled) {
        text.remove_prefix(i + 1);
        return name;
      }
      ++i;
    }
    name += text[i];
  }
  return wrong("has a quote that is never closed");
}

/// Takes what comes before the next comma off `text`, without spaces around it.
std::string_view take_until_comma(std::string_view& text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const std::string_view taken = text.substr(0, comma);
  text.remove_prefix(comma);
  return trimmed(taken);
}

/// Takes one column with its order off `text`, up to the comma. An order belongs to a plain name if
/// a blank stands before it.
Result<SortBy> take_column(std::string_view& text) {
  SortBy column;
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (text.starts_with('"')) {
    PRESSO_ASSIGN(column.column, take_quoted(text));
    const std::string_view order = take_until_comma(text);
    if (!order.empty() && !is_order(order, column.descending)) {
      return wrong("has '" + std::string(order) + "' after a name, which is neither asc nor desc");
    }
    return column;
  }
  std::string_view name = take_until_comma(text);
  const std::size_t space = name.rfind(' ');
  if (space != name.npos && is_order(name.substr(space + 1), column.descending)) {
    name = trimmed(name.substr(0, space));
  }
  if (name.empty()) return wrong("lacks the name of a column");
  column.column = name;
  return column;
}

}  // namespace

/// The loop ends at the last column: after a comma another one must follow.
Result<std::vector<SortBy>> parse_sort_by(std::string_view text) {
  std::vector<SortBy> columns;
  while (true) {
    PRESSO_ASSIGN(SortBy column, take_column(text));
    columns.push_back(std::move(column));
    if (text.empty()) return columns;
    text.remove_prefix(1);  // the comma
  }
}

}  // namespace presso::cli
