// SPDX-License-Identifier: MIT
// Types are a table of texts (scan_type_table.h), which is read once if a flag is about types.
// Globs are compiled only for the chosen types. Tested by tests/cli/test_scan_choice.py.
#include "tools/scan/scan_types.h"

#include <algorithm>
#include <cctype>

#include "format/suggest.h"
#include "tools/scan/scan_type_table.h"

namespace presso::cli {
namespace {

constexpr std::string_view kAllTypes = "all";

/// Calls `take` with each part of a text that `separator` divides.
template <class Take>
Status for_each_part(std::string_view text, char separator, const Take& take) {
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    PRESSO_TRY(take(text.substr(0, end)));
    if (end == text.size()) return {};
    text.remove_prefix(end + 1);
  }
}

/// Whether it may name a type: letters and digits; letters beyond ASCII are permitted.
bool is_type_name(std::string_view name) {
  return !name.empty() && name != kAllTypes && std::all_of(name.begin(), name.end(), [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code >= 0x80 || std::isalnum(code) != 0;
  });
}

/// The name without the endings of files that are searched within, of which there may be several
/// (app.log.gz.presso).
std::string_view without_compression(std::string_view name) {
  constexpr std::string_view kEndings[] = {".presso", ".gz", ".zst", ".lz4"};
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view ending : kEndings) {
      if (name.size() <= ending.size() || !name.ends_with(ending)) continue;
      name.remove_suffix(ending.size());
      found = true;
    }
  }
  return name;
}

}  // namespace

FileTypes::Definitions& FileTypes::definitions() {
  if (!definitions_.empty()) return definitions_;
  for (const auto& [names, globs] : kFileTypes) {
    std::vector<std::string> list;
    (void)for_each_part(globs, ' ', [&](std::string_view glob) -> Status {
      list.emplace_back(glob);
      return {};
    });
    (void)for_each_part(names, ' ', [&](std::string_view name) -> Status {
      definitions_.emplace(name, list);
      return {};
    });
  }
  return definitions_;
}

Status FileTypes::define(std::string_view definition) {
  constexpr std::string_view kInclude = "include:";
  const std::size_t colon = definition.find(':');
  const std::string_view name = definition.substr(0, colon);
  if (colon == definition.npos || colon + 1 == definition.size() || !is_type_name(name)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "'" + std::string(definition) +
                          "' is not of the form NAME:GLOB or NAME:include:NAME,NAME; a NAME has "
                          "letters and digits and is not 'all'");
  }
  std::string_view value = definition.substr(colon + 1);
  std::vector<std::string> added;
  if (!value.starts_with(kInclude)) {
    PRESSO_TRY(check_glob(value));
    added.emplace_back(value);
  } else {
    value.remove_prefix(kInclude.size());
    PRESSO_TRY(for_each_part(value, ',', [&](std::string_view included) -> Status {
      const auto found = definitions().find(included);
      if (found == definitions().end()) {
        return make_error(ErrorCode::kInvalidArgument, "'" + std::string(definition) +
                                                           "': there is no file type '" +
                                                           std::string(included) + "'");
      }
      added.insert(added.end(), found->second.begin(), found->second.end());
      return {};
    }));
  }
  std::vector<std::string>& globs = definitions()[std::string(name)];
  globs.insert(globs.end(), added.begin(), added.end());
  return {};
}

void FileTypes::clear(std::string_view name) {
  const auto found = definitions().find(name);
  if (found != definitions().end()) definitions_.erase(found);
}

void FileTypes::choose(std::string_view name, bool leave_out) {
  choices_.push_back({std::string(name), leave_out, {}});
  if (!leave_out) only_chosen_ = true;
}

Status FileTypes::settle() {
  for (Choice& choice : choices_) {
    const auto add = [&choice](const std::vector<std::string>& globs) {
      for (const std::string& glob : globs) choice.globs.emplace_back(glob, false);
    };
    if (choice.name == kAllTypes) {
      for (const auto& [name, globs] : definitions()) add(globs);
      continue;
    }
    const auto found = definitions().find(choice.name);
    if (found == definitions().end()) {
      std::vector<std::string> names;
      for (const auto& [name, globs] : definitions()) names.push_back(name);
      return make_error(ErrorCode::kInvalidArgument, "there is no file type '" + choice.name + "'" +
                                                         did_you_mean(choice.name, names) +
                                                         "; --type-list lists them");
    }
    add(found->second);
  }
  return {};
}

std::optional<bool> FileTypes::wanted(std::string_view name) const {
  const std::string_view plain = without_compression(name);
  for (auto choice = choices_.rbegin(); choice != choices_.rend(); ++choice) {
    for (const Glob& glob : choice->globs) {
      if (glob.matches(plain, false) || (plain != name && glob.matches(name, false))) {
        return !choice->leave_out;
      }
    }
  }
  return only_chosen_ ? std::optional(false) : std::nullopt;
}

std::string FileTypes::list() {
  std::string text;
  for (auto& [name, globs] : definitions()) {
    std::sort(globs.begin(), globs.end());
    text += name;
    std::string_view separator = ": ";
    for (const std::string& glob : globs) {
      text += separator;
      text += glob;
      separator = ", ";
    }
    text += '\n';
  }
  return text;
}

}  // namespace presso::cli
