// SPDX-License-Identifier: MIT
// How near a search of a compressed file comes to what PCIe allows: from the page cache to the
// count, or to the lines, of gpu::FileScanner.
//
// A PATTERN is a regular expression; "F:TEXT" is a fixed string, "W:TEXT" the same as a word,
// "I:TEXT" with case ignored, and "N:COUNT" that number of words, made up except for one that is
// in most logs ("N:5000i": with case ignored). An engine that cannot search for a pattern gives a
// line that begins with # and says why.
//
// A bare copy of 64 MiB gives the limit: its rate times the file's ratio. Rows: the file is only
// checked (no search), then each pattern counted by the CPU's threads, counted by the GPU, which
// must give the same, and with line numbers of matching lines. Median of all runs after one that
// warms up; CUDA and all memory started before. A file of 1 GiB and more of plain bytes says most.
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "lab/harness/command_line.h"
#include "lab/harness/files.h"
#include "lab/harness/gpu.h"
#include "lab/harness/report.h"
#include "presso/scan_gpu.h"

namespace presso::gpu {
namespace {

using namespace presso::harness;

struct Options {
  int runs = 9;
  unsigned readers = 0;  ///< as GpuOptions has it
  std::string csv, commit;
  std::vector<TextEngine> engines;
  std::string path;
  std::vector<std::string> patterns;
};

constexpr const char* kEngineNames[] = {"auto", "automaton", "literal", "planes", "many"};

std::vector<std::string> made_up_words(std::size_t count) {
  std::vector<std::string> words{"denied"};
  while (words.size() < count) words.push_back("user" + std::to_string(words.size() * 7919));
  return words;
}

Result<Pattern> pattern_of(const std::string& text) {
  PatternOptions options;
  if (text.size() < 2 || text[1] != ':') return Pattern::compile(std::vector<std::string>{text});
  std::string rest = text.substr(2);
  if (text[0] == 'N') {
    options.ignore_case = rest.back() == 'i';
    return Pattern::compile_literals(made_up_words(std::stoul(rest)), options);
  }
  options.ignore_case = text[0] == 'I';
  if (text[0] == 'W') options.bounds = MatchBounds::kWord;
  return Pattern::compile_literals({rest}, options);
}

class Bench {
 public:
  Bench(Gpu& gpu, const Options& options, const RandomAccess& file, Decompressor& decompressor)
      : gpu_(gpu), options_(options), file_(file), decompressor_(decompressor) {}

  Result<bool> run() {
    PRESSO_ASSIGN(const double copy, gpu_.copy_rate(true, options_.runs));
    PRESSO_ASSIGN(const Times checked, measure(options_.runs, 1, [&]() -> Status {
                    DecodeJob job;
                    job.file = &file_;
                    PRESSO_ASSIGN(const DecompressSummary summary, decompressor_.run(job));
                    plain_bytes_ = static_cast<double>(summary.plain_bytes);
                    return {};
                  }));
    const double ratio = plain_bytes_ / static_cast<double>(file_.size());
    limit_ = copy * ratio;
    std::printf("%.0f plain bytes, ratio %.2f, PCIe %.1f GB/s: at most %.1f GB/s of text\n",
                plain_bytes_, ratio, copy / 1e9, limit_ / 1e9);
    Report report(Report::Form::kAligned,
                  "what:-28,pattern:-34,engine:-9,lines:10,gb_s:9,of_limit:9,right:5");
    PRESSO_ASSIGN(const std::vector<DeviceInfo> devices, list_devices());
    PRESSO_TRY(report.also_to(options_.csv, {{"device", devices[0].name},
                                             {"commit", options_.commit},
                                             {"file", base_name(options_.path)}}));
    report_ = &report;
    add("decoded only", "", "", 0, checked, true);
    for (const std::string& text : options_.patterns) PRESSO_TRY(search(text));
    return all_right_;
  }

 private:
  /// By the CPU first, whose count is right.
  Status search(const std::string& text) {
    PRESSO_ASSIGN(const Pattern pattern, pattern_of(text));
    std::uint64_t expected = 0;
    PRESSO_TRY(
        time_row("counted by the CPU", text, "cpu", expected, [&]() -> Result<std::uint64_t> {
          PRESSO_ASSIGN(const ScanSummary summary, presso::scan(file_, pattern));
          return expected = summary.lines;
        }));
    for (const TextEngine engine : options_.engines) {
      PRESSO_TRY(search_on_gpu(text, pattern, engine, expected));
    }
    return {};
  }

  Status search_on_gpu(const std::string& text, const Pattern& pattern, TextEngine wanted,
                       const std::uint64_t& expected) {
    FileScanner scanner(decompressor_, pattern, wanted);
    const std::string engine = kEngineNames[static_cast<std::size_t>(wanted)];
    std::printf("# %s, %s: %s\n", text.c_str(), engine.c_str(), scanner.describe().c_str());
    if (scanner.why_not({}, true)) return {};
    PRESSO_TRY(time_row("counted by the GPU", text, engine, expected,
                        [&] { return lines_of(scanner.scan(file_), scanner); }));
    const auto pinned = gpu_.pinned(file_.size(), &file_);
    if (pinned.ok()) {
      const Bytes bytes(pinned->get(), static_cast<std::size_t>(file_.size()));
      PRESSO_TRY(time_row("counted from pinned memory", text, engine, expected,
                          [&] { return lines_of(scanner.scan(bytes), scanner); }));
    }
    ScanOptions numbered;
    numbered.line_numbers = true;
    return time_row("lines with their numbers", text, engine, expected, [&] {
      std::uint64_t lines = 0;
      const LineCallback on_line = [&](const MatchedLine&) {
        ++lines;
        return true;
      };
      const auto summary = scanner.scan(file_, numbered, on_line);
      return summary.ok() && summary->lines != lines ? Result<std::uint64_t>(~std::uint64_t{0})
                                                     : lines_of(summary, scanner);
    });
  }

  static Result<std::uint64_t> lines_of(const Result<ScanSummary>& summary,
                                        const FileScanner& scanner) {
    if (!summary.ok()) return summary.error();
    if (!scanner.used_gpu()) return make_error(ErrorCode::kUnsupported, "the CPU has searched");
    return summary->lines;
  }

  /// `search` returns the number of lines; `expected` is read when it is done.
  Status time_row(const char* what, const std::string& text, const std::string& engine,
                  const std::uint64_t& expected,
                  const std::function<Result<std::uint64_t>()>& search) {
    std::uint64_t lines = 0;
    PRESSO_ASSIGN(const Times times, measure(options_.runs, 1, [&]() -> Status {
                    PRESSO_ASSIGN(lines, search());
                    return {};
                  }));
    add(what, text, engine, lines, times, lines == expected);
    return {};
  }

  void add(const char* what, const std::string& text, const std::string& engine,
           std::uint64_t lines, const Times& seconds, bool right) {
    const double rate = plain_bytes_ / seconds.median;
    report_->add(
        {what, text, engine, lines, fixed(rate / 1e9, 2), fixed(rate / limit_, 4), verdict(right)});
    all_right_ = all_right_ && right;
  }

  Gpu& gpu_;
  const Options& options_;
  const RandomAccess& file_;
  Decompressor& decompressor_;
  Report* report_ = nullptr;
  double plain_bytes_ = 0, limit_ = 1;
  bool all_right_ = true;
};

Result<bool> run(int count, char** arguments) {
  Options options;
  CommandLine line("FILE.presso PATTERN...",
                   "Times searches of a compressed file. PATTERN is a regular expression, F:TEXT, "
                   "W:TEXT (a word),\nI:TEXT (case ignored) or N:COUNT (words). Exit status 1 "
                   "where a count was wrong.");
  line.add("--runs N", "timed runs (9)", options.runs, 1);
  line.add("--readers N", "threads that read", options.readers);
  line.add("--csv FILE", "append the rows there", options.csv);
  line.add("--commit TEXT", "a column of the CSV", options.commit);
  line.add("--engine LIST", "of auto,automaton,literal,planes,many (auto)",
           names_among(kEngineNames, [&](std::size_t place) {
             options.engines.push_back(static_cast<TextEngine>(place));
           }));
  const std::vector<std::string> operands = line.parse(count, arguments, 2);
  options.path = operands[0];
  options.patterns.assign(operands.begin() + 1, operands.end());
  if (options.engines.empty()) options.engines = {TextEngine::kAuto};
  PRESSO_ASSIGN(const FdRandomAccess file, open_file(options.path));
  GpuOptions gpu_options;
  gpu_options.reader_threads = options.readers;
  PRESSO_ASSIGN(Decompressor decompressor, Decompressor::open(gpu_options));
  PRESSO_ASSIGN(const auto gpu, Gpu::open());
  return Bench(*gpu, options, file, decompressor).run();
}

}  // namespace
}  // namespace presso::gpu

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::gpu::run(count, arguments));
}
