// SPDX-License-Identifier: MIT
// Braces are multiplied out first, so that what is left has stars, classes and characters only. A
// glob is matched by recursion over its elements with a table of failed places. The number of
// alternatives that braces may give is limited by check_glob(), which has to be called first.
// Tested by tests/cli/test_scan_files.py.
#include "tools/io/glob.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace presso::cli {
namespace {

/// The letter as it is compared: in lower case if case is ignored. Only ASCII letters are folded.
char lower(char c, bool fold) {
  return fold ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : c;
}

/// Where the class ends that begins at `begin` ('['), just after its ']'; npos if it does not end.
std::size_t class_end(std::string_view glob, std::size_t begin) {
  std::size_t at = begin + 1;
  if (at < glob.size() && (glob[at] == '!' || glob[at] == '^')) ++at;
  const std::size_t end = glob.find(']', at + 1);
  return end == glob.npos ? end : end + 1;
}

/// Whether a class holds the character; `members` is its inside, perhaps with a negation in front.
/// A class never holds a slash, even if it is negated, so that it does not cross a directory. `c`
/// has been folded already.
bool class_holds(std::string_view members, char c, bool fold) {
  const bool negated = members[0] == '!' || members[0] == '^';
  if (negated) members.remove_prefix(1);
  bool found = false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool range = i + 2 < members.size() && members[i + 1] == '-';
    const char low = lower(members[i], fold);
    const char high = range ? lower(members[i + 2], fold) : low;
    if (range) i += 2;
    if (low <= c && c <= high) found = true;
  }
  return found != negated && c != '/';
}

/// Matches the element of `glob` at `at` with the character `c`; returns the element's length, or
/// nullopt. `at` must be within the glob, and classes must be closed.
std::optional<std::size_t> one(std::string_view glob, std::size_t at, char c, bool fold) {
  if (glob[at] == '?') return c != '/' ? std::optional<std::size_t>(1) : std::nullopt;
  if (glob[at] == '[') {
    const std::size_t end = class_end(glob, at);
    if (!class_holds(glob.substr(at + 1, end - at - 2), c, fold)) return std::nullopt;
    return end - at;
  }
  const bool escaped = glob[at] == '\\' && at + 1 < glob.size();
  if (lower(glob[at + (escaped ? 1 : 0)], fold) != c) return std::nullopt;
  return escaped ? 2 : 1;
}

/// The question whether a glob matches a path. Pairs of places from which there is no match are
/// noted, so that many stars cost no more than the length of the glob times that of the path.
class Question {
 public:
  Question(std::string_view glob, std::string_view path, bool fold)
      : glob_(glob), path_(path), fold_(fold), failed_((glob.size() + 1) * (path.size() + 1)) {}

  /// Whether the glob's rest from `at` matches the path's rest from `in`. Pairs that have failed
  /// are remembered, so time is at most the product of the lengths and not exponential in the
  /// stars.
  bool matches(std::size_t at, std::size_t in) {
    const std::size_t place = at * (path_.size() + 1) + in;
    if (failed_[place]) return false;
    const bool matched = compare(at, in);
    if (!matched) failed_[place] = true;
    return matched;
  }

 private:
  /// One step of that, by the glob's next element. The order of the cases matters: "**" as a whole
  /// part comes before a single star.
  bool compare(std::size_t at, std::size_t in) {
    const std::string_view rest = glob_.substr(at);
    if (rest.empty()) return in == path_.size();
    const bool begins_part = at == 0 || glob_[at - 1] == '/';
    if (begins_part && rest == "**") return in < path_.size();
    if (begins_part && rest.substr(0, 3) == "**/") return any_parts(at + 3, in);
    if (rest[0] == '*') return any_characters(at + 1, in);
    if (in == path_.size()) return false;
    const std::optional<std::size_t> taken = one(glob_, at, lower(path_[in], fold_), fold_);
    return taken && matches(at + *taken, in + 1);
  }

  /// Matches "**/" with any number of whole parts of the path, also none. It begins at a part, so a
  /// glob such as "a**/b" does not come here.
  bool any_parts(std::size_t at, std::size_t in) {
    if (in > 0 && path_[in - 1] != '/') return false;
    for (std::size_t next = in; next <= path_.size(); ++next) {
      const bool begins = next == 0 || path_[next - 1] == '/';
      if (begins && matches(at, next)) return true;
    }
    return false;
  }

  /// Matches "*" with any characters of one part.
  bool any_characters(std::size_t at, std::size_t in) {
    for (std::size_t next = in;; ++next) {
      if (matches(at, next)) return true;
      if (next == path_.size() || path_[next] == '/') return false;
    }
  }

  std::string_view glob_;
  std::string_view path_;
  bool fold_;
  std::vector<bool> failed_;
};

/// Where the '}' is that closes the '{' at `open`; adds the commas between them that belong to this
/// pair.
std::size_t brace_end(std::string_view glob, std::size_t open, std::vector<std::size_t>& commas) {
  int depth = 0;
  for (std::size_t i = open; i < glob.size(); ++i) {
    if (glob[i] == '\\') {
      ++i;
    } else if (glob[i] == '{') {
      ++depth;
    } else if (glob[i] == ',' && depth == 1) {
      commas.push_back(i);
    } else if (glob[i] == '}' && --depth == 0) {
      return i;
    }
  }
  return glob.npos;
}

/// The first '{' that is not escaped or in a class.
std::size_t first_brace(std::string_view glob) {
  for (std::size_t i = 0; i < glob.size(); ++i) {
    if (glob[i] == '{') return i;
    if (glob[i] == '\\') ++i;
    if (i < glob.size() && glob[i] == '[') {
      const std::size_t end = class_end(glob, i);
      if (end == glob.npos) return end;
      i = end - 1;
    }
  }
  return glob.npos;
}

/// Appends the globs that one with braces stands for, by recursion. Eight pairs of braces are
/// permitted, and each alternative is a copy of the glob.
void multiply_out(const std::string& glob, std::vector<std::string>& into) {
  const std::size_t open = first_brace(glob);
  if (open == glob.npos) {
    into.push_back(glob);
    return;
  }
  std::vector<std::size_t> ends;
  const std::size_t close = brace_end(glob, open, ends);
  ends.push_back(close);
  std::size_t begin = open + 1;
  for (const std::size_t end : ends) {
    multiply_out(glob.substr(0, open) + glob.substr(begin, end - begin) + glob.substr(close + 1),
                 into);
    begin = end + 1;
  }
}

/// The error for a glob, with its text.
Error refuse_glob(std::string_view text, std::string_view why) {
  return make_error(ErrorCode::kInvalidArgument,
                    "glob '" + std::string(text) + "': " + std::string(why));
}

}  // namespace

/// Prepares the glob: '!' excludes, a '/' at the end means directories, a glob without '/' matches
/// at any depth, and braces are multiplied out into alternatives.
Glob::Glob(std::string_view text, bool ignore_case) : ignore_case_(ignore_case) {
  excludes_ = text.substr(0, 1) == "!";
  if (excludes_) text.remove_prefix(1);
  only_directories_ = text.size() > 1 && text.back() == '/';
  if (only_directories_) text.remove_suffix(1);
  const bool anchored = text.find('/') != text.npos;
  if (anchored && text.front() == '/') text.remove_prefix(1);
  std::vector<std::string> globs;
  multiply_out((anchored ? "" : "**/") + std::string(text), globs);
  for (const std::string& glob : globs) {
    std::size_t tail = glob.find_last_of("*?[]\\") + 1;
    // "**/" may match nothing, and then there is no slash.
    if (tail >= 2 && tail < glob.size() && glob.substr(tail - 2, 3) == "**/") ++tail;
    alternatives_.push_back({glob, glob.substr(tail)});
  }
}

/// Most globs are a name or "*.ending", for which comparing the end of the path is all; for most
/// others it rules out nearly all paths.
bool Glob::matches(const Alternative& alternative, std::string_view path) const {
  const auto& [glob, tail] = alternative;
  if (tail.size() > path.size()) return false;
  const std::size_t begin = path.size() - tail.size();
  for (std::size_t i = 0; i < tail.size(); ++i) {
    if (lower(path[begin + i], ignore_case_) != lower(tail[i], ignore_case_)) return false;
  }
  const std::string_view before = std::string_view(glob).substr(0, glob.size() - tail.size());
  if (before.empty()) return begin == 0;
  if (before == "**/") return begin == 0 || path[begin - 1] == '/';
  if (before == "**/*" && tail.find('/') == tail.npos) return true;
  return Question(glob, path, ignore_case_).matches(0, 0);
}

/// Whether some alternative matches the whole path.
bool Glob::matches(std::string_view path, bool is_directory) const {
  if (only_directories_ && !is_directory) return false;
  return std::any_of(alternatives_.begin(), alternatives_.end(),
                     [&](const Alternative& one) { return matches(one, path); });
}

/// Checks a glob before it is used. Error: kInvalidArgument. Braces are limited, since alternatives
/// multiply. The limits bound the table of a Question to a few megabytes and the alternatives to
/// what eight braces give.
Status check_glob(std::string_view text) {
  constexpr std::size_t kMostBytes = 4096;
  constexpr std::size_t kMostBraces = 8;
  if (text.size() > kMostBytes) return refuse_glob(text.substr(0, 40), "too long");
  if (text.empty() || text == "!") return refuse_glob(text, "empty");
  std::size_t braces = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::vector<std::size_t> commas;
    if (text[i] == '\\') {
      if (++i == text.size()) return refuse_glob(text, "it ends with a backslash");
    } else if (text[i] == '[') {
      const std::size_t end = class_end(text, i);
      if (end == text.npos) return refuse_glob(text, "a '[' is not closed");
      i = end - 1;
    } else if (text[i] == '{') {
      if (brace_end(text, i, commas) == text.npos) return refuse_glob(text, "a '{' is not closed");
      if (++braces > kMostBraces) return refuse_glob(text, "too many braces");
    }
  }
  return {};
}

}  // namespace presso::cli
