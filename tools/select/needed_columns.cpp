// SPDX-License-Identifier: MIT
// The text is not parsed: whatever is not plainly something else counts as a sign that all columns
// are needed.
#include "tools/select/needed_columns.h"

#include <algorithm>
#include <string_view>

namespace presso::cli {
namespace {

bool is_name_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_' ||
         static_cast<unsigned char>(letter) >= 0x80;
}

bool is_blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

std::string lower(const std::string& text) {
  std::string result = text;
  for (char& letter : result) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return result;
}

/// The text before the blanks that end `text`.
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// The word that ends the text, or its last byte if that belongs to no word.
std::string_view last_token(std::string_view text) {
  text = trimmed(text);
  std::size_t begin = text.size();
  while (begin > 0 && is_name_letter(text[begin - 1])) --begin;
  return begin < text.size() ? text.substr(begin) : text.substr(text.size() - !text.empty());
}

bool is_one_of(std::string_view token, std::initializer_list<std::string_view> tokens) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

/// Whether the star after `before` stands for columns, and is no product and not that of count(*).
bool is_star_of_columns(std::string_view before) {
  const std::string_view token = last_token(before);
  if (token == "(") {
    before = trimmed(before);
    before.remove_suffix(1);
    return last_token(before) != "count";
  }
  return is_one_of(token, {"", ",", ".", "select", "distinct", "all"});
}

/// Whether FROM after `before` begins a query of its own, whose columns are all of them.
bool begins_query(std::string_view before) {
  return is_one_of(last_token(before), {"", "(", "as", "union", "all", "except", "intersect",
                                        "explain", "analyze", ";"});
}

/// Words after which columns are meant without being named.
bool means_all_alone(std::string_view word, std::string_view before, std::string_view after) {
  while (!after.empty() && is_blank(after.front())) after.remove_prefix(1);
  if (word == "from") return begins_query(before);
  if (word == "copy") return !after.starts_with('(');
  if (word == "on") return last_token(before) == "distinct";
  return is_one_of(word, {"describe", "summarize", "natural", "columns", "pivot", "unpivot",
                          "positional", "show", "struct", "row"});
}

bool means_all(std::string_view text) {
  // Comments are not told apart from stars and words.
  if (text.find("/*") != text.npos || text.find("--") != text.npos) return true;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view before = text.substr(0, at);
    if (text[at] == '*' && is_star_of_columns(before)) return true;
    std::size_t end = at;
    while (end < text.size() && is_name_letter(text[end])) ++end;
    if (means_all_alone(text.substr(at, end - at), before, text.substr(end))) return true;
    at = std::max(end, at + 1);
  }
  return false;
}

}  // namespace

NeededColumns::NeededColumns(const std::string& text)
    : text_(lower(text)), all_(means_all(text_)) {}

bool NeededColumns::needs(const std::string& column) const {
  // A quote within a name is doubled in the text, and the parts of a.b may stand in quotes each.
  const std::string last = lower(column.substr(column.rfind('.') + 1));
  return all_ || column.find('"') != column.npos || text_.find(last) != text_.npos;
}

}  // namespace presso::cli
