// SPDX-License-Identifier: MIT
// The file is read and written as a whole, a few kilobytes at most. Two processes that save at the
// same time lose one section and never a part of it, which is measured again later. Tested by
// tests/unit/tools/device_rates_test.cpp.
#include "tools/device/measurement_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace presso::cli {
namespace {

constexpr std::string_view kFirstLine = "presso measurements 1";
/// The largest file that is read: a section has some hundred bytes, so a larger file is not ours.
constexpr std::size_t kMostBytes = 1u << 20;

class OwnedFd {
 public:
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(const OwnedFd&) = delete;
  OwnedFd& operator=(const OwnedFd&) = delete;
  ~OwnedFd() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

/// The folder that an environment variable names; "" unless it is an absolute path, which XDG's
/// specification asks for.
std::string folder_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

/// The content of the file, or nothing if it is not to be trusted. Without O_NONBLOCK a pipe of
/// that name would block.
std::string content_of(const std::string& path) {
  const OwnedFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (file.get() < 0 || fstat(file.get(), &about) != 0) return "";
  const bool ours = S_ISREG(about.st_mode) && about.st_uid == geteuid();
  if (!ours || about.st_size > static_cast<off_t>(kMostBytes)) return "";
  std::string text(static_cast<std::size_t>(about.st_size), '\0');
  const ssize_t got = pread(file.get(), text.data(), text.size(), 0);
  return got == about.st_size ? text : "";
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// The name of a section with everything that would end a name or a line made a space.
std::string section_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return c == '[' || c == ']' || static_cast<unsigned char>(c) < ' '; }, ' ');
  return name;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = problem == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string text_of(double value) {
  char text[32];
  const auto [end, problem] = std::to_chars(text, text + sizeof text, value);
  return problem == std::errc() ? std::string(text, end) : "0";
}

/// Takes the next line off `text`; nullopt if no whole line is left.
std::optional<std::string_view> next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == text.npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

bool make_folder(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), problem);
  return !problem;
}

}  // namespace

MeasurementStore MeasurementStore::of_user() {
  const std::string cache = folder_of("XDG_CACHE_HOME");
  if (!cache.empty()) return MeasurementStore(cache + "/presso/measurements");
  const std::string home = folder_of("HOME");
  return MeasurementStore(home.empty() ? "" : home + "/.cache/presso/measurements");
}

/// Reads all sections; a file in which one line is broken gives none.
MeasurementStore::Sections MeasurementStore::read() const {
  const std::string content = path_.empty() ? "" : content_of(path_);
  std::string_view text = content;
  Sections sections;
  if (next_line(text) != kFirstLine) return {};
  Measurements* section = nullptr;
  while (!text.empty()) {
    const auto line = next_line(text);
    if (!line) return {};
    if (line->empty()) continue;
    if (line->front() == '[' && line->back() == ']') {
      section = &sections[std::string(line->substr(1, line->size() - 2))];
      continue;
    }
    const std::size_t equals = line->find('=');
    if (section == nullptr || equals == line->npos) return {};
    const auto number = number_of(line->substr(equals + 1));
    if (!number) return {};
    (*section)[std::string(line->substr(0, equals))] = *number;
  }
  return sections;
}

std::optional<Measurements> MeasurementStore::find(const std::string& section) const {
  Sections sections = read();
  const auto found = sections.find(section_name(section));
  if (found == sections.end()) return std::nullopt;
  return std::move(found->second);
}

bool MeasurementStore::save(const std::string& section, const Measurements& numbers) const {
  if (path_.empty() || !make_folder(path_)) return false;
  Sections sections = read();
  sections[section_name(section)] = numbers;
  std::string text = std::string(kFirstLine) + "\n";
  for (const auto& [name, values] : sections) {
    text += "[" + name + "]\n";
    for (const auto& [key, value] : values) text += key + "=" + text_of(value) + "\n";
  }
  std::string temporary = path_ + ".XXXXXX";
  const OwnedFd file(mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return false;
  if (write_all(file.get(), text) && rename(temporary.c_str(), path_.c_str()) == 0) return true;
  unlink(temporary.c_str());
  return false;
}

std::optional<MeasurementStore::Lock> MeasurementStore::try_lock() const {
  if (path_.empty() || !make_folder(path_)) return std::nullopt;
  const std::string path = path_ + ".lock";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return std::nullopt;
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    close(fd);
    return std::nullopt;
  }
  return Lock(new int(fd), [](const int* held) {
    close(*held);
    delete held;
  });
}

}  // namespace presso::cli
