// SPDX-License-Identifier: MIT
// How near a search of a compressed file comes to what PCIe allows: from the page cache to the
// count, or to the lines, of gpu::FileScanner.
//
//   file_scan_rate [OPTION VALUE]... FILE.presso PATTERN...
//
//   --runs N --readers N (threads that read) --csv FILE --commit TEXT
//   --engine auto|automaton|literal|planes|many    auto,automaton compares two; default auto
//
// A PATTERN is a regular expression; "F:TEXT" is a fixed string, "W:TEXT" the same as a word,
// "I:TEXT" with case ignored, and "N:COUNT" that number of words, made up except for one that is
// in most logs ("N:5000i": with case ignored). An engine that cannot search for a pattern gives a
// row with no rate, which says why.
//
// A bare copy of 64 MiB gives the limit: its rate times the file's ratio. Rows: the file is only
// checked (no search), then each pattern counted, with line numbers of matching lines, and by the
// CPU's threads, whose count must be the same. Median of N runs (default 9) after one that warms
// up; CUDA and all memory started before. A file of 1 GiB and more of plain bytes says most.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "decompress/gpu/runtime/cuda_error.h"
#include "lab/programs/decompress_gpu/bench_support.h"
#include "presso/gpu_devices.h"
#include "presso/scan_gpu.h"

namespace presso::gpu {
namespace {

using bench::InputFile;
using bench::Times;

constexpr std::size_t kCopyBytes = 64u << 20;

struct Arguments {
  int runs = 9;
  unsigned readers = 0;  ///< as GpuOptions has it
  std::string csv, commit;
  std::vector<TextEngine> engines{TextEngine::kAuto};
  std::string path;
  std::vector<std::string> patterns;
};

constexpr const char* kEngineNames[] = {"auto", "automaton", "literal", "planes", "many"};

/// A list of names, with commas; false where one is none.
bool parse_engines(const std::string& names, std::vector<TextEngine>& engines) {
  engines.clear();
  std::stringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    const auto found = std::find(std::begin(kEngineNames), std::end(kEngineNames), name);
    if (found == std::end(kEngineNames)) return false;
    engines.push_back(static_cast<TextEngine>(found - std::begin(kEngineNames)));
  }
  return !engines.empty();
}

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

Result<Times> measure(int runs, const std::function<Status()>& action) {
  std::vector<double> seconds;
  for (int run = 0; run <= runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    PRESSO_TRY(action());
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (run > 0) seconds.push_back(passed.count());
  }
  return bench::summary(std::move(seconds));
}

/// Bytes a second of copies from pinned memory.
Result<double> copy_rate(int runs) {
  void *host = nullptr, *device = nullptr;
  cudaStream_t stream = nullptr;
  PRESSO_TRY(check(cudaMallocHost(&host, kCopyBytes), "pinned memory"));
  PRESSO_TRY(check(cudaMalloc(&device, kCopyBytes), "device memory"));
  PRESSO_TRY(check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream"));
  PRESSO_ASSIGN(const Times times, measure(runs, [&]() -> Status {
                  for (int i = 0; i < 8; ++i) {
                    PRESSO_TRY(check(
                        cudaMemcpyAsync(device, host, kCopyBytes, cudaMemcpyHostToDevice, stream),
                        "copying"));
                  }
                  return check(cudaStreamSynchronize(stream), "waiting");
                }));
  static_cast<void>(cudaStreamDestroy(stream));
  static_cast<void>(cudaFree(device));
  static_cast<void>(cudaFreeHost(host));
  return 8 * kCopyBytes / times.median;
}

/// All of a file.
class PinnedCopy {
 public:
  explicit PinnedCopy(const InputFile& file) : size_(static_cast<std::size_t>(file.size())) {
    if (cudaMallocHost(&memory_, size_) != cudaSuccess || !file.read_at(0, into()).ok()) size_ = 0;
  }
  ~PinnedCopy() { static_cast<void>(cudaFreeHost(memory_)); }
  PinnedCopy(const PinnedCopy&) = delete;
  PinnedCopy& operator=(const PinnedCopy&) = delete;

  std::size_t size() const { return size_; }
  Bytes bytes() const { return {static_cast<const Byte*>(memory_), size_}; }

 private:
  MutableBytes into() { return {static_cast<Byte*>(memory_), size_}; }

  void* memory_ = nullptr;
  std::size_t size_;
};

struct Row {
  std::string what, pattern, engine;
  std::uint64_t lines = 0;
  double gb_s = 0;
  double of_limit = 0;
  bool right = true;
};

class Bench {
 public:
  Bench(const Arguments& arguments, const InputFile& file, Decompressor& decompressor)
      : arguments_(arguments), file_(file), decompressor_(decompressor) {}

  Result<bool> run() {
    PRESSO_ASSIGN(const double copy, copy_rate(arguments_.runs));
    PRESSO_TRY(check_only());
    limit_ = copy * static_cast<double>(plain_bytes_) / static_cast<double>(file_.size());
    std::printf("%llu plain bytes, ratio %.2f, PCIe %.1f GB/s: at most %.1f GB/s of text\n",
                static_cast<unsigned long long>(plain_bytes_),
                static_cast<double>(plain_bytes_) / static_cast<double>(file_.size()), copy / 1e9,
                limit_ / 1e9);
    std::printf("%-28s %-34s %-9s %10s %9s %9s\n", "what", "pattern", "engine", "lines", "GB/s",
                "of limit");
    add({"decoded only", "", "", 0, checked_gb_s_});
    for (const std::string& text : arguments_.patterns) PRESSO_TRY(search(text));
    return all_right_;
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  Status check_only() {
    DecodeJob job;
    job.file = &file_;
    PRESSO_ASSIGN(const Times times, measure(arguments_.runs, [&]() -> Status {
                    PRESSO_ASSIGN(const DecompressSummary summary, decompressor_.run(job));
                    plain_bytes_ = summary.plain_bytes;
                    return {};
                  }));
    checked_gb_s_ = static_cast<double>(plain_bytes_) / times.median / 1e9;
    return {};
  }

  /// By the CPU first, whose count is right.
  Status search(const std::string& text) {
    PRESSO_ASSIGN(const Pattern pattern, pattern_of(text));
    std::uint64_t expected = 0;
    PRESSO_TRY(
        time_row("counted by the CPU", text, "cpu", expected, [&]() -> Result<std::uint64_t> {
          PRESSO_ASSIGN(const ScanSummary summary, presso::scan(file_, pattern));
          return expected = summary.lines;
        }));
    for (const TextEngine engine : arguments_.engines) {
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
    const PinnedCopy pinned(file_);
    if (pinned.size() > 0) {
      PRESSO_TRY(time_row("counted from pinned memory", text, engine, expected,
                          [&] { return lines_of(scanner.scan(pinned.bytes()), scanner); }));
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
    PRESSO_ASSIGN(const Times times, measure(arguments_.runs, [&]() -> Status {
                    PRESSO_ASSIGN(lines, search());
                    return {};
                  }));
    const double rate = static_cast<double>(plain_bytes_) / times.median / 1e9;
    add({what, text, engine, lines, rate, 0, lines == expected});
    return {};
  }

  void add(Row row) {
    row.of_limit = row.gb_s * 1e9 / limit_;
    all_right_ = all_right_ && row.right;
    std::printf("%-28s %-34s %-9s %10llu %9.1f %9.3f%s\n", row.what.c_str(), row.pattern.c_str(),
                row.engine.c_str(), static_cast<unsigned long long>(row.lines), row.gb_s,
                row.of_limit, row.right ? "" : "  WRONG");
    std::fflush(stdout);
    rows_.push_back(std::move(row));
  }

  const Arguments& arguments_;
  const InputFile& file_;
  Decompressor& decompressor_;
  std::uint64_t plain_bytes_ = 0;
  double limit_ = 1, checked_gb_s_ = 0;
  bool all_right_ = true;
  std::vector<Row> rows_;
};

Status write_csv(const Arguments& arguments, const std::vector<Row>& rows) {
  if (arguments.csv.empty()) return {};
  PRESSO_ASSIGN(const std::vector<DeviceInfo> devices, list_devices());
  std::FILE* const csv = std::fopen(arguments.csv.c_str(), "a");
  if (csv == nullptr) return errno_error(arguments.csv, errno);
  std::fseek(csv, 0, SEEK_END);
  if (std::ftell(csv) == 0) {
    std::fputs("device,commit,file,what,pattern,engine,lines,gb_s,of_limit,right\n", csv);
  }
  for (const Row& row : rows) {
    std::fprintf(csv, "%s,%s,%s,%s,\"%s\",%s,%llu,%.2f,%.4f,%s\n", devices[0].name.c_str(),
                 arguments.commit.c_str(),
                 arguments.path.substr(arguments.path.rfind('/') + 1).c_str(), row.what.c_str(),
                 row.pattern.c_str(), row.engine.c_str(),
                 static_cast<unsigned long long>(row.lines), row.gb_s, row.of_limit,
                 row.right ? "yes" : "WRONG");
  }
  return std::fclose(csv) == 0 ? Status() : errno_error(arguments.csv, errno);
}

Result<bool> run(const Arguments& arguments) {
  const InputFile file(arguments.path);
  PRESSO_TRY(file.status(arguments.path));
  GpuOptions options;
  options.reader_threads = arguments.readers;
  PRESSO_ASSIGN(Decompressor decompressor, Decompressor::open(options));
  Bench bench(arguments, file, decompressor);
  PRESSO_ASSIGN(const bool right, bench.run());
  PRESSO_TRY(write_csv(arguments, bench.rows()));
  return right;
}

bool parse(int count, char** texts, Arguments& arguments) {
  int at = 1;
  for (; at + 1 < count && texts[at][0] == '-'; at += 2) {
    const std::string name = texts[at];
    if (name == "--runs") {
      arguments.runs = std::atoi(texts[at + 1]);
    } else if (name == "--readers") {
      arguments.readers = static_cast<unsigned>(std::atoi(texts[at + 1]));
    } else if (name == "--csv") {
      arguments.csv = texts[at + 1];
    } else if (name == "--commit") {
      arguments.commit = texts[at + 1];
    } else if (name == "--engine") {
      if (!parse_engines(texts[at + 1], arguments.engines)) return false;
    } else {
      return false;
    }
  }
  if (at < count) arguments.path = texts[at++];
  arguments.patterns.assign(texts + at, texts + count);
  return arguments.runs > 0 && !arguments.patterns.empty();
}

}  // namespace
}  // namespace presso::gpu

int main(int count, char** texts) {
  presso::gpu::Arguments arguments;
  if (!presso::gpu::parse(count, texts, arguments)) {
    std::fputs(
        "usage: file_scan_rate [--runs N] [--readers N] [--csv FILE] [--commit TEXT] [--engine "
        "NAME,...] FILE.presso PATTERN...\n",
        stderr);
    return 2;
  }
  const presso::Result<bool> right = presso::gpu::run(arguments);
  if (right.ok()) return *right ? 0 : 1;
  std::fprintf(stderr, "file_scan_rate: %s\n", right.error().message().c_str());
  return 2;
}
