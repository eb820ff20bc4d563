// SPDX-License-Identifier: MIT
// presso scan: search plain and compressed files as ripgrep does. This file decides what is
// searched and in which way; finding is presso/scan.h's business, printing scan_printer.h's.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "presso/scan.h"
#include "tools/cli/bind.h"
#include "tools/cli/message.h"
#include "tools/commands.h"
#include "tools/output.h"
#include "tools/scan_patterns.h"
#include "tools/scan_printer.h"
#include "tools/scan_settings.h"
#include "tools/scan_stats.h"

namespace presso::cli {
namespace {

const CommandInfo kInfo = {
    .name = "scan",
    .summary = "search compressed and plain files for lines that match",
    .operands = "PATTERN [PATH... | -]",
    .description =
        "Prints the lines that hold PATTERN, with ripgrep's options, output and exit status. Files "
        "made by 'presso compress' are recognised by their content, decoded and searched block by "
        "block on all cores; anything else is searched as it is. Directories are searched "
        "recursively in the order of their names; hidden files and symbolic links in them are left "
        "out. Without PATH standard input is searched, or the current directory where standard "
        "input is a terminal.\n\n"
        "A PATTERN is a regular expression in RE2's syntax as ripgrep reads it, with -F a fixed "
        "string, with --like one of SQL's patterns. It is looked for in lines: no match holds a "
        "line feed.",
    .examples = {{"presso scan 'time(out|r)' app.log.presso", "print the lines that match"},
                 {"presso scan -F '[error]' app.log.presso", "print the lines with [error]"},
                 {"presso scan -c timeout *.presso", "count lines in each file"},
                 {"presso scan -n -e WARN -e ERROR app.log", "several patterns, line numbers"},
                 {"presso scan -q panic logs/ && echo found", "ask by exit status"}},
    .exit_status =
        "0 if a line was selected, 1 if none was, 2 on errors, also when lines were selected "
        "(but 0 with -q and a match).",
};

/// ripgrep reads up to ten files through a memory map, which changes when a NUL byte counts.
constexpr std::size_t kMaxMappedPaths = 10;
/// Smaller plain files are not worth a second thread.
constexpr off_t kParallelBytes = 1 << 20;
constexpr std::string_view kStdinName = "<stdin>";

bool is_directory(const std::string& path) {
  struct stat about {};
  return stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

bool is_regular(const std::string& path) {
  struct stat about {};
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
}

/// Something was piped or redirected in.
bool stdin_has_data() {
  struct stat about {};
  return fstat(STDIN_FILENO, &about) == 0 &&
         (S_ISREG(about.st_mode) || S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
}

bool terminal_takes_color() {
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && std::strcmp(terminal, "dumb") != 0 &&
         std::getenv("NO_COLOR") == nullptr;
}

class ScanCommand final : public Command {
 public:
  const CommandInfo& info() const override { return kInfo; }
  std::vector<Flag> flags() override { return scan_flags(settings_); }
  Result<int> run(std::vector<std::string> operands) override;

 private:
  enum class Origin { kNamed, kFound };

  void take_pattern_operand(std::vector<std::string>& operands);
  void settle_counting();
  void choose_paths(std::vector<std::string> operands);
  PrintOptions print_options() const;
  ScanOptions scan_options(BinaryRule rule) const;
  bool first_line_decides(BinaryRule rule) const;
  bool counts_only() const {
    return settings_.quiet || counting_ != ScanSettings::Counting::kNone ||
           settings_.listing != ScanSettings::Listing::kNone;
  }

  void scan_all();
  void scan_path(const std::string& path, Origin origin);
  void scan_directory(const std::string& path);
  void scan_stdin();
  void scan_file(const std::string& path, Origin origin);
  void scan_open_file(int fd, const std::string& path, Origin origin);
  template <class Source>
  void scan_source(Source& source, const std::string& name, ScanOptions options);
  void show_result(const ScanSummary& summary, BinaryRule rule);
  void show_binary(const ScanSummary& summary, BinaryRule rule);
  BinaryRule rule_for(Origin origin) const;

  void complain(const std::string& path, const std::string& text);
  void report_damage(const std::string& path, const DamagedBlock& damage);
  bool done() const { return stop_ || !output_->usable(); }
  int status() const;

  ScanSettings settings_;
  ScanSettings::Counting counting_ = ScanSettings::Counting::kNone;
  std::vector<std::string> paths_;
  bool default_path_ = false;  ///< the current directory, not named by the user
  bool mapped_ = false;
  std::optional<Pattern> pattern_;
  std::optional<Output> output_;
  std::optional<ScanPrinter> printer_;
  ScanStats stats_;
  bool matched_ = false;
  bool failed_ = false;
  bool stop_ = false;
};

Result<int> ScanCommand::run(std::vector<std::string> operands) {
  if (settings_.patterns.empty()) {
    if (operands.empty()) return make_error(ErrorCode::kInvalidArgument, "no pattern given");
    take_pattern_operand(operands);
  }
  Result<Pattern> pattern = compile_patterns(settings_);
  if (!pattern.ok()) {
    error("", pattern.error().what);
    return kFailure;
  }
  pattern_ = std::move(*pattern);
  settle_counting();
  choose_paths(std::move(operands));
  output_.emplace(isatty(STDOUT_FILENO) != 0);
  printer_.emplace(print_options(), *output_);
  if (settings_.max_count != 0u) scan_all();
  if (settings_.stats) output_->write(stats_.text(output_->bytes()));
  output_->flush();
  if (output_->failure() != 0) error("", errno_error("write", output_->failure()));
  return status();
}

void ScanCommand::take_pattern_operand(std::vector<std::string>& operands) {
  settings_.patterns.push_back({operands.front(), false});
  operands.erase(operands.begin());
}

/// ripgrep's rules for combinations of -c, --count-matches, -o and -v.
void ScanCommand::settle_counting() {
  using Counting = ScanSettings::Counting;
  counting_ = settings_.counting;
  if (counting_ == Counting::kMatches && settings_.invert) {
    counting_ = Counting::kLines;
  } else if (counting_ == Counting::kLines && settings_.only_matching) {
    counting_ = Counting::kMatches;
  }
}

void ScanCommand::choose_paths(std::vector<std::string> operands) {
  paths_ = std::move(operands);
  if (paths_.empty()) {
    default_path_ = !stdin_has_data();
    paths_.push_back(default_path_ ? "." : "-");
  }
  mapped_ =
      paths_.size() <= kMaxMappedPaths && std::all_of(paths_.begin(), paths_.end(), is_regular);
}

PrintOptions ScanCommand::print_options() const {
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  const bool only_stdin = paths_.size() == 1 && paths_.front() == "-";
  const bool several = paths_.size() > 1 || is_directory(paths_.front());
  PrintOptions options;
  options.with_filename = settings_.with_filename.value_or(several);
  options.heading = settings_.heading.value_or(terminal);
  const bool by_default = (terminal && !only_stdin) || settings_.column;
  options.line_number = settings_.line_number.value_or(by_default);
  options.column = settings_.column;
  options.byte_offset = settings_.byte_offset;
  options.only_matching = settings_.only_matching;
  options.null_after_path = settings_.null_after_path;
  options.color =
      settings_.color == ScanSettings::Color::kAlways ||
      (settings_.color == ScanSettings::Color::kAuto && terminal && terminal_takes_color());
  return options;
}

ScanOptions ScanCommand::scan_options(BinaryRule rule) const {
  const PrintOptions print = print_options();
  ScanOptions options;
  options.binary = rule;
  options.threads = settings_.threads;
  options.invert = settings_.invert;
  options.verify = settings_.check;
  options.use_index = settings_.use_index;
  options.dictionaries = settings_.dictionaries;
  options.fail_fast = settings_.fail_fast;
  options.max_lines = settings_.max_count.value_or(options.max_lines);
  if (counts_only()) {
    options.matches = counting_ == ScanSettings::Counting::kMatches && !settings_.quiet;
    if (first_line_decides(rule)) options.max_lines = 1;
  } else {
    options.line_numbers = print.line_number;
    options.matches = !settings_.invert && (print.only_matching || print.column || print.color);
  }
  if (settings_.stats) options.matches = true;
  return options;
}

/// Not so where a NUL further on would make a file without a match of one with a match.
bool ScanCommand::first_line_decides(BinaryRule rule) const {
  using Listing = ScanSettings::Listing;
  if (settings_.quiet) return true;
  if (counting_ != ScanSettings::Counting::kNone) return false;
  return settings_.listing == Listing::kWithMatch ||
         (settings_.listing == Listing::kWithoutMatch && rule != BinaryRule::kQuit);
}

// --- What is searched ---------------------------------------------------------------------------

void ScanCommand::scan_all() {
  for (const std::string& path : paths_) {
    if (done()) return;
    scan_path(path, Origin::kNamed);
  }
}

void ScanCommand::scan_path(const std::string& path, Origin origin) {
  if (path == "-" && origin == Origin::kNamed) {
    scan_stdin();
  } else if (origin == Origin::kNamed && is_directory(path)) {
    scan_directory(path);
  } else {
    scan_file(path, origin);
  }
}

/// Names in order; hidden entries, links and special files left out.
void ScanCommand::scan_directory(const std::string& path) {
  DIR* const directory = opendir(path.c_str());
  if (directory == nullptr) return complain(path, std::strerror(errno));
  std::vector<std::string> names;
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  closedir(directory);
  std::sort(names.begin(), names.end());
  const bool unnamed = default_path_ && path == ".";
  const std::string prefix = unnamed ? "" : path.back() == '/' ? path : path + "/";
  for (const std::string& name : names) {
    if (done()) return;
    const std::string entry = prefix + name;
    struct stat about {};
    if (lstat(entry.c_str(), &about) != 0) {
      complain(entry, std::strerror(errno));
    } else if (S_ISDIR(about.st_mode)) {
      scan_directory(entry);
    } else if (S_ISREG(about.st_mode)) {
      scan_file(entry, Origin::kFound);
    }
  }
}

BinaryRule ScanCommand::rule_for(Origin origin) const {
  if (settings_.text) return BinaryRule::kText;
  if (origin == Origin::kFound) return BinaryRule::kQuit;
  return mapped_ ? BinaryRule::kMapped : BinaryRule::kStream;
}

void ScanCommand::scan_stdin() {
  const ScanOptions options = scan_options(settings_.text ? BinaryRule::kText : BinaryRule::kStdin);
  FdSource source(STDIN_FILENO);
  scan_source(source, std::string(kStdinName), options);
}

void ScanCommand::scan_file(const std::string& path, Origin origin) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return complain(path, std::strerror(errno));
  scan_open_file(fd, path, origin);
  close(fd);
}

/// A regular file is read by all threads; a pipe, a device, or a file that claims to be empty (as
/// those of /proc do) in order.
void ScanCommand::scan_open_file(int fd, const std::string& path, Origin origin) {
  struct stat about {};
  if (fstat(fd, &about) != 0) return complain(path, std::strerror(errno));
  ScanOptions options = scan_options(rule_for(origin));
  const bool sized = S_ISREG(about.st_mode) && about.st_size > 0;
  if (!sized) {
    FdSource source(fd);
    return scan_source(source, path, std::move(options));
  }
  if (about.st_size < kParallelBytes) options.threads = 1;
  const FdRandomAccess file(fd, static_cast<std::uint64_t>(about.st_size));
  scan_source(file, path, std::move(options));
}

template <class Source>
void ScanCommand::scan_source(Source& source, const std::string& name, ScanOptions options) {
  printer_->begin_file(name);
  options.on_damage = [&](const DamagedBlock& damage) { report_damage(name, damage); };
  options.on_bad_index = [&](const Error& damage) {
    warning(name, "the search index is damaged, all blocks are read: " + damage.message());
  };
  LineCallback on_line;
  if (!counts_only()) {
    on_line = [&](const MatchedLine& line) {
      printer_->line(line);
      return output_->usable();
    };
  }
  const auto start = std::chrono::steady_clock::now();
  const Result<ScanSummary> summary = scan(source, *pattern_, options, on_line);
  if (summary.ok()) {
    stats_.add(*summary, std::chrono::steady_clock::now() - start, settings_.invert);
    show_result(*summary, options.binary);
  } else {
    complain(name, summary.error().message());
  }
}

// --- What is shown ------------------------------------------------------------------------------

void ScanCommand::show_result(const ScanSummary& summary, BinaryRule rule) {
  using Listing = ScanSettings::Listing;
  // A file that recursion found and that turned out binary does not count as searched.
  const bool quit = rule == BinaryRule::kQuit && summary.binary_offset.has_value();
  const std::uint64_t lines = quit && counts_only() ? 0 : summary.lines;
  const bool by_absence = settings_.listing == Listing::kWithoutMatch && !settings_.quiet &&
                          counting_ == ScanSettings::Counting::kNone;
  if (by_absence ? lines == 0 : lines > 0) matched_ = true;
  if (settings_.quiet) {
    stop_ = matched_;
  } else if (counting_ != ScanSettings::Counting::kNone) {
    const bool matches = counting_ == ScanSettings::Counting::kMatches;
    if (lines > 0 || (settings_.include_zero && !quit))
      printer_->count(matches ? summary.matches : lines);
  } else if (settings_.listing != Listing::kNone) {
    if ((lines > 0) == (settings_.listing == Listing::kWithMatch) && !quit) printer_->path_line();
  } else {
    show_binary(summary, rule);
  }
}

void ScanCommand::show_binary(const ScanSummary& summary, BinaryRule rule) {
  if (!summary.binary_offset || summary.lines == 0) return;
  printer_->binary_message(*summary.binary_offset, rule == BinaryRule::kQuit);
}

/// -q with a match forgives errors, so the status is kept here and not in message.h.
void ScanCommand::complain(const std::string& path, const std::string& text) {
  failed_ = true;
  if (settings_.no_messages) return;
  output_->flush();
  warning(path, text);
}

void ScanCommand::report_damage(const std::string& path, const DamagedBlock& damage) {
  std::string place = damage.error.block == Error::kNone ? std::string("damage")
                                                         : "block " + grouped(damage.error.block);
  place += " (compressed offset " + grouped(damage.error.byte_offset) + ", plain offset " +
           grouped(damage.plain_offset) + "): ";
  place += describe(damage.error.code);
  place += "; skipped, ";
  place += damage.plain_bytes == 0          ? std::string("an unknown amount")
           : damage.plain_bytes % 1024 == 0 ? grouped(damage.plain_bytes / 1024) + " KiB"
                                            : grouped(damage.plain_bytes) + " bytes";
  complain(path, place + " not searched");
}

int ScanCommand::status() const {
  if (failed_ && !(settings_.quiet && matched_)) return kFailure;
  return matched_ ? kSuccess : kNoMatch;
}

}  // namespace

std::unique_ptr<Command> make_scan_command() {
  return std::make_unique<ScanCommand>();
}

}  // namespace presso::cli
