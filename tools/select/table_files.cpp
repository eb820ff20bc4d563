// SPDX-License-Identifier: MIT
// Patterns are matched part by part, so that only folders that may hold a match are listed.
#include "tools/select/table_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "format/ascii.h"
#include "tools/io/glob.h"
#include "tools/io/input_file.h"

namespace presso::cli {
namespace {

namespace fs = std::filesystem;

/// Suffixes of the files of a folder that are read, before those of compressors.
constexpr std::array<std::string_view, 14> kTableSuffixes = {
    ".csv",   ".tsv",    ".tab",     ".psv",   ".tbl",    ".txt",     ".json",
    ".jsonl", ".ndjson", ".parquet", ".arrow", ".arrows", ".feather", ".presso"};
constexpr std::array<std::string_view, 4> kCompressedSuffixes = {".gz", ".zst", ".lz4", ".presso"};
/// The folder that stands for null in the paths that Hive, Spark and DuckDB write.
constexpr std::string_view kNullFolder = "__HIVE_DEFAULT_PARTITION__";

bool is_folder(const std::string& path) {
  std::error_code problem;
  return fs::is_directory(path, problem);
}

bool is_there(const std::string& path) {
  struct stat about {};
  return stat(path.c_str(), &about) == 0;
}

bool is_hidden(std::string_view name) {
  return name.starts_with('.') || name.starts_with('_');
}

/// Whether the name says that the file holds a table.
bool has_table_suffix(std::string name) {
  name = ascii::lower(name);
  const auto ends = [&name](std::string_view suffix) { return name.ends_with(suffix); };
  if (name.ends_with(".presso")) return true;
  for (const std::string_view suffix : kCompressedSuffixes) {
    if (ends(suffix)) name.resize(name.size() - suffix.size());
  }
  return std::any_of(kTableSuffixes.begin(), kTableSuffixes.end(), ends);
}

/// The names in a folder, sorted. A folder that cannot be listed is an error.
Result<std::vector<std::string>> names_in(const std::string& folder) {
  std::error_code problem;
  std::vector<std::string> names;
  fs::directory_iterator entry(folder.empty() ? "." : folder, problem);
  for (const fs::directory_iterator end; !problem && entry != end; entry.increment(problem)) {
    names.push_back(entry->path().filename().string());
  }
  if (problem) {
    return make_error(ErrorCode::kIo, folder + ": cannot list: " + problem.message());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Calls `visit(path)` for each file below a folder, and for each folder if `with_folders`. Links
/// to folders are not followed.
template <class Visit>
Status walk(const std::string& folder, bool with_folders, const Visit& visit) {
  PRESSO_ASSIGN(const std::vector<std::string> names, names_in(folder));
  for (const std::string& name : names) {
    if (is_hidden(name)) continue;
    const std::string path = folder + name;
    const bool is_link = fs::is_symlink(path);
    if (!is_folder(path)) {
      if (!with_folders) visit(path);
    } else if (!is_link) {
      if (with_folders) visit(path + "/");
      PRESSO_TRY(walk(path + "/", with_folders, visit));
    }
  }
  return {};
}

/// Matches the parts of a pattern from `begin` on with what is in `folder`, which ends with '/'
/// unless it is empty.
Status match(const std::string& folder, std::string_view pattern, std::vector<std::string>& into) {
  const std::size_t slash = pattern.find('/');
  const std::string part(pattern.substr(0, slash));
  const bool is_last = slash == std::string_view::npos;
  const std::string_view rest = is_last ? "" : pattern.substr(slash + 1);
  if (part == "**") {
    if (is_last) return walk(folder, false, [&](const std::string& path) { into.push_back(path); });
    PRESSO_TRY(match(folder, rest, into));
    Status matched;
    PRESSO_TRY(walk(folder, true, [&](const std::string& path) {
      if (matched.ok()) matched = match(path, rest, into);
    }));
    return matched;
  }
  if (!is_pattern(part)) {
    const std::string path = folder + part;
    if (is_last) {
      if (!part.empty() && is_there(path) && !is_folder(path)) into.push_back(path);
      return {};
    }
    return part.empty() || is_folder(path) ? match(path + "/", rest, into) : Status();
  }
  const Glob glob("/" + part, false);
  PRESSO_ASSIGN(const std::vector<std::string> names, names_in(folder));
  for (const std::string& name : names) {
    if (name.starts_with('.') && !part.starts_with('.')) continue;
    if (!glob.matches(name, false)) continue;
    const std::string path = folder + name;
    const bool folder_found = is_folder(path);
    if (is_last && !folder_found) into.push_back(path);
    if (!is_last && folder_found) PRESSO_TRY(match(path + "/", rest, into));
  }
  return {};
}

/// Replaces %20 and the like.
std::string decoded(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
  };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded =
        text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    plain += coded ? static_cast<char>(16 * digit(text[i + 1]) + digit(text[i + 2])) : text[i];
    if (coded) i += 2;
  }
  return plain;
}

}  // namespace

bool is_pattern(const std::string& name) {
  return name.find_first_of("*?[{") != std::string::npos;
}

Result<FilesOfName> files_of_name(const std::string& name) {
  FilesOfName found;
  if (name != kStandardInput && is_folder(name)) {
    found.is_set = true;
    PRESSO_TRY(walk(name.ends_with('/') ? name : name + "/", false, [&](const std::string& path) {
      if (has_table_suffix(path)) found.paths.push_back(path);
    }));
    if (found.paths.empty()) {
      return make_error(
          ErrorCode::kInvalidArgument,
          "the folder has no tables and texts (.presso, .parquet, .arrow, .csv, .tsv, .tbl, .txt, "
          ".json, .jsonl, also as .gz, .zst, .lz4); '" +
              (name.ends_with('/') ? name : name + "/") + "*' takes all files");
    }
  } else if (name != kStandardInput && !is_there(name) && is_pattern(name)) {
    found.is_set = true;
    PRESSO_TRY(check_glob(name));
    PRESSO_TRY(match("", name, found.paths));
    if (found.paths.empty()) {
      return make_error(ErrorCode::kInvalidArgument, "no file matches this pattern");
    }
  } else {
    found.paths = {name};
  }
  std::sort(found.paths.begin(), found.paths.end());
  found.paths.erase(std::unique(found.paths.begin(), found.paths.end()), found.paths.end());
  return found;
}

PathKeys keys_of_path(const std::string& path) {
  PathKeys keys;
  for (std::size_t begin = 0;;) {
    const std::size_t slash = path.find('/', begin);
    if (slash == std::string::npos) return keys;
    const std::string_view part = std::string_view(path).substr(begin, slash - begin);
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos && equals != 0) {
      const std::string_view value = part.substr(equals + 1);
      auto& key = keys.emplace_back(decoded(part.substr(0, equals)), std::nullopt);
      if (value != kNullFolder) key.second = decoded(value);
    }
    begin = slash + 1;
  }
}

}  // namespace presso::cli
