// SPDX-License-Identifier: MIT
// How fast a GPU counts matching lines of plain text in its own memory.
//
//   scan_gpu_bench [--bytes N] [--runs N] [--only PREFIX] [--adversary] TEXT...
//
// Each text is tiled to at least N bytes (2^30), behind its own end with a '\n' where it lacks one,
// and searched for every pattern below. Before timing, results are poisoned and the count is
// compared with a scalar run of the automaton on one tile times the tiles, on all of it where a
// line goes across; after timing again. Printed: the median of 15 runs after three, by events
// around scan_lines, as TB/s of text. Without texts: texts made against the kernels. Exit status 1
// where a count was wrong.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>
#include <functional>

#include "decompress/gpu/bench/bench_support.h"
#include "decompress/gpu/cuda_device.h"
#include "decompress/gpu/cuda_error.h"
#include "decompress/gpu/pipeline/memory.h"
#include "scan/gpu/line_scan.h"
#include "scan/gpu/literal_scan.h"
#include "tests/support/mini_regex.h"

namespace presso::gpu::bench {
namespace {

using presso::test::MiniRegex;
using presso::test::ScalarScan;
using scan_detail::LineDfa;

/// With words it is measured with scan_literals, too; the automaton says what is right.
struct Pattern {
  std::string name;
  LineDfa dfa;
  std::vector<std::string> words = {};
};

Pattern literals(const std::string& name, const std::vector<std::string>& words) {
  return {name, presso::test::words_dfa(words), words};
}

std::vector<std::string> many_words(std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < count; ++i) {
    std::string word;
    for (std::size_t size = 4 + random() % 5; word.size() < size;) {
      word += static_cast<char>('a' + random() % 26);
    }
    words.push_back(word);
  }
  return words;
}

std::vector<Pattern> usual_patterns() {
  const std::string words = "(error|warning|denied|refused|ironic)";
  return {
      literals("absent", {"zqxwvjkq"}),
      literals("rare", {"Chuzzlew"}),
      literals("the", {"the"}),
      literals("e", {"e"}),
      literals("3 rare", {"Chuzzlew", "theodoli", "Firewall"}),
      literals("5 literals", {"error", "fail", "denied", "user", "account"}),
      {"rx0 date", MiniRegex::compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")},
      {"rx1 error.*user", MiniRegex::compile("(error|fail|denied).*(user|account)")},
      {"rx2 url", MiniRegex::compile("(http|https)://[a-z0-9.-]+\\.(de|fr|uk)/")},
      {"rx3 ing", MiniRegex::compile("[A-Za-z]+ing[^A-Za-z]")},
      {"rx4 30 letters", MiniRegex::compile("[A-Za-z]{30}")},
      {"rx7 words near", MiniRegex::compile(words + ".{0,5}(user|account|session|packages)")},
      {"words near .{0,9}", MiniRegex::compile(words + ".{0,9}(user|account|session|packages)")},
      {"400 words", presso::test::words_dfa(many_words(400))},
      {"4000 words", presso::test::words_dfa(many_words(4000))},
      {"^.{40}a", MiniRegex::compile("^.{40}.*a")},
  };
}

struct TimedEvents {
  cudaEvent_t begin = nullptr, end = nullptr;
  Status make() {
    PRESSO_TRY(check(cudaEventCreate(&begin), "making an event"));
    return check(cudaEventCreate(&end), "making an event");
  }
  ~TimedEvents() {
    static_cast<void>(cudaEventDestroy(begin));
    static_cast<void>(cudaEventDestroy(end));
  }
};

struct Options {
  std::uint64_t bytes = std::uint64_t{1} << 30;
  int runs = 15;
  std::string only;
  std::vector<std::string> texts;
};

/// A text on the device, as often as wanted.
class TiledText {
 public:
  TiledText(Device& device, Memory& memory, Stream stream)
      : device_(device), memory_(memory), stream_(stream) {}

  Status place(std::vector<Byte> tile, std::uint64_t bytes) {
    tile_ = std::move(tile);
    copies_ = std::max<std::uint64_t>((bytes + tile_.size() - 1) / tile_.size(), 1);
    PRESSO_ASSIGN(text_, memory_.allocate(this->bytes()));
    PRESSO_TRY(device_.copy_in(text_.get(), tile_.data(), tile_.size(), stream_));
    for (std::uint64_t done = 1; done < copies_;) {
      const std::uint64_t more = std::min(done, copies_ - done);
      PRESSO_TRY(device_.copy_within(text_.get() + done * tile_.size(), text_.get(),
                                     more * tile_.size(), stream_));
      done += more;
    }
    return device_.wait(stream_);
  }

  std::uint64_t bytes() const { return copies_ * tile_.size(); }
  const Byte* d_text() const { return text_.get(); }

  std::uint64_t expected(const LineDfa& dfa) const {
    if (tile_.back() == '\n') return copies_ * lines(dfa, 1, dfa.start);
    return lines(dfa, copies_, dfa.start);
  }

 private:
  std::uint64_t lines(const LineDfa& dfa, std::uint64_t copies, std::uint32_t state) const {
    std::uint64_t found = 0;
    for (std::uint64_t copy = 0; copy < copies; ++copy) {
      const ScalarScan scan(dfa.view(), tile_, copy + 1 == copies, state);
      found += scan.ends.size();
      state = scan.state;
    }
    return found;
  }

  Device& device_;
  Memory& memory_;
  Stream stream_;
  DeviceMemory text_;
  std::vector<Byte> tile_;
  std::uint64_t copies_ = 1;
};

class Bench {
 public:
  Bench(Device& device, const Options& options)
      : device_(device), memory_(device, {}), options_(options) {}

  Status begin() {
    PRESSO_ASSIGN(stream_, make_stream(device_));
    PRESSO_ASSIGN(result_, memory_.allocate(sizeof(std::uint64_t)));
    return events_.make();
  }

  Status measure(const std::string& name, std::vector<Byte> tile,
                 const std::vector<Pattern>& patterns) {
    TiledText text(device_, memory_, stream_.get());
    PRESSO_TRY(text.place(std::move(tile), options_.bytes));
    for (const Pattern& pattern : patterns) {
      if (pattern.name.rfind(options_.only, 0) != 0) continue;
      PRESSO_TRY(measure_one(name, text, pattern));
    }
    return {};
  }

  bool all_correct() const { return all_correct_; }

 private:
  using Scan = std::function<Status()>;

  Status measure_one(const std::string& name, const TiledText& text, const Pattern& pattern) {
    const std::uint64_t expected = text.expected(pattern.dfa);
    PRESSO_TRY(measure_lines(name, text, pattern, expected));
    if (pattern.words.empty()) return {};
    PRESSO_ASSIGN(const LiteralTable table, lay_out_literals(pattern.words, false));
    PRESSO_ASSIGN(const DeviceMemory image, copy_of(table.image));
    PRESSO_ASSIGN(const DeviceMemory temporary,
                  poisoned(literal_scan_temporary_bytes(text.bytes())));
    LiteralScanRequest request;
    request.d_text = text.d_text();
    request.bytes = text.bytes();
    request.table = table.view;
    request.table.d_image = image.get();
    request.d_lines = d_lines();
    request.d_temporary = temporary.get();
    request.temporary_bytes = temporary.bytes();
    const Row row{name, pattern.name, "literal", 0, text.bytes(), expected};
    return time(
        row, [&] { return scan_literals(request, stream_.get()); }, nullptr);
  }

  Status measure_lines(const std::string& name, const TiledText& text, const Pattern& pattern,
                       std::uint64_t expected) {
    PRESSO_ASSIGN(const LineTable table, lay_out(pattern.dfa.view()));
    PRESSO_ASSIGN(const DeviceMemory image, copy_of(table.image));
    PRESSO_ASSIGN(const DeviceMemory temporary, poisoned(line_scan_temporary_bytes(text.bytes())));
    LineScanRequest request;
    request.d_text = text.d_text();
    request.bytes = text.bytes();
    request.table = table.view;
    request.table.d_image = image.get();
    request.d_lines = d_lines();
    request.d_temporary = temporary.get();
    request.temporary_bytes = temporary.bytes();
    constexpr const char* kKinds[] = {"bytes", "shared", "global"};
    const Row row{name,
                  pattern.name,
                  kKinds[static_cast<std::size_t>(table.view.kind)],
                  table.view.states,
                  text.bytes(),
                  expected};
    return time(
        row, [&] { return scan_lines(request, stream_.get()); }, temporary.get());
  }

  struct Row {
    const std::string& text;
    const std::string& pattern;
    const char* engine;
    std::uint32_t states;
    std::uint64_t bytes, expected;
  };

  /// `d_broken`: of the tiles of a line scan, their number.
  Status time(const Row& row, const Scan& scan, const Byte* d_broken) {
    std::vector<double> times;
    bool correct = true;
    for (int run = -3; run < options_.runs; ++run) {
      PRESSO_ASSIGN(const double ms, scan_once(scan));
      if (run >= 0) times.push_back(ms);
      std::uint64_t found = 0;
      PRESSO_TRY(copy_out(&found, result_.get(), sizeof found));
      correct = correct && found == row.expected;
    }
    std::uint32_t broken = 0;
    if (d_broken != nullptr) PRESSO_TRY(copy_out(&broken, d_broken, sizeof broken));
    all_correct_ = all_correct_ && correct;
    const Times ms = summary(times);
    std::printf("%-14s %-18s %6u %-7s %11llu %7u %9.4f %9.4f %7.3f%s\n", row.text.c_str(),
                row.pattern.c_str(), row.states, row.engine,
                static_cast<unsigned long long>(row.expected), broken, ms.median, ms.worst,
                static_cast<double>(row.bytes) / ms.median / 1e9, correct ? "" : "  WRONG");
    std::fflush(stdout);
    return {};
  }

  Result<double> scan_once(const Scan& scan) {
    const auto stream = stream_.get();
    PRESSO_TRY(check(cudaMemsetAsync(result_.get(), 0, sizeof(std::uint64_t), stream), "clear"));
    PRESSO_TRY(check(cudaEventRecord(events_.begin, stream), "timing"));
    PRESSO_TRY(scan());
    PRESSO_TRY(check(cudaEventRecord(events_.end, stream), "timing"));
    PRESSO_TRY(check(cudaEventSynchronize(events_.end), "waiting for a scan"));
    float ms = 0;
    PRESSO_TRY(check(cudaEventElapsedTime(&ms, events_.begin, events_.end), "timing"));
    return static_cast<double>(ms);
  }

  std::uint64_t* d_lines() const { return reinterpret_cast<std::uint64_t*>(result_.get()); }
  Result<DeviceMemory> copy_of(const std::vector<Byte>& from) {
    PRESSO_ASSIGN(DeviceMemory to, memory_.allocate(from.size()));
    PRESSO_TRY(device_.copy_in(to.get(), from.data(), from.size(), stream_.get()));
    PRESSO_TRY(device_.wait(stream_.get()));
    return to;
  }
  Result<DeviceMemory> poisoned(std::size_t bytes) {
    PRESSO_ASSIGN(DeviceMemory memory, memory_.allocate(bytes));
    PRESSO_TRY(check(cudaMemsetAsync(memory.get(), 0xA5, bytes, stream_.get()), "poisoning"));
    return memory;
  }
  Status copy_out(void* to, const Byte* d_from, std::size_t bytes) {
    PRESSO_TRY(device_.copy_out(static_cast<Byte*>(to), d_from, bytes, stream_.get()));
    return device_.wait(stream_.get());
  }

  Device& device_;
  Memory memory_;
  const Options& options_;
  OwnedStream stream_;
  DeviceMemory result_;
  TimedEvents events_;
  bool all_correct_ = true;
};

/// Text in which the lanes of a warp stand in different states all the time, and read different
/// words of one bank: state + byte / 4 is the same modulo 32. For counting_dfa(32).
std::vector<Byte> one_bank_text() {
  std::vector<Byte> text(1 << 20);
  for (std::size_t chunk = 0; chunk < text.size(); chunk += 1024) {
    const std::size_t lane = chunk / 1024 % 32;  // allow(bare-32): host code
    for (std::size_t at = 0; at < 1024; ++at) {
      // Each chunk begins `lane` letters behind its line's begin.
      const std::size_t state = (at + lane) % 32;  // allow(bare-32): states
      Byte byte = static_cast<Byte>(((0u - state) & 31) * 4);
      if (byte == 8) byte = 9;
      text[chunk + at] = byte;
    }
    text[chunk + 1023 - lane] = '\n';
  }
  return text;
}

std::vector<Byte> text_of(const std::string& text) {
  return {text.begin(), text.end()};
}

/// What was made against the kernels: banks, and chains of wrong guesses.
Status measure_adversaries(Bench& bench) {
  const Pattern error{"rx1 error.*user", MiniRegex::compile("(error|fail|denied).*(user|account)")};
  const Pattern plain = literals("error", {"error"});
  PRESSO_TRY(bench.measure("one letter", text_of(std::string(69, 'a') + '\n'),
                           {{"rx4 30 letters", MiniRegex::compile("[A-Za-z]{30}")}, error}));
  PRESSO_TRY(
      bench.measure("one bank", one_bank_text(),
                    {{"count 32", presso::test::counting_dfa(32)}}));  // allow(bare-32): states
  for (const std::size_t line : {300u, 2300u, 20000u, 1000000u}) {
    std::string text = "error";
    while (text.size() < line) text += " some words of no interest " + std::to_string(text.size());
    text += " user";
    const std::string name = "line " + std::to_string(line);
    PRESSO_TRY(bench.measure(name, text_of(text + '\n'), {plain, error}));
    if (line < 1000000) continue;
    PRESSO_TRY(bench.measure("one line", text_of(text),
                             {error,
                              {"count 3", presso::test::counting_dfa(3)},
                              {"count 31", presso::test::counting_dfa(31)},
                              {"^.{40}.*a", MiniRegex::compile("^.{40}.*a")}}));
  }
  return bench.measure("line 100000", text_of(std::string(100000, 'x') + '\n'),
                       {{"count 50", presso::test::counting_dfa(50)}});
}

Result<std::vector<Byte>> read_text(const std::string& path) {
  const InputFile file(path);
  PRESSO_TRY(file.status(path));
  std::vector<Byte> text(file.size());
  PRESSO_TRY(file.read_at(0, text));
  if (text.empty() || text.back() != '\n') text.push_back('\n');
  return text;
}

Result<bool> run(const Options& options) {
  PRESSO_ASSIGN(const std::unique_ptr<Device> device, open_cuda_device(0));
  Bench bench(*device, options);
  PRESSO_TRY(bench.begin());
  std::printf("%-14s %-18s %6s %-7s %11s %7s %9s %9s %7s\n", "text", "pattern", "states", "engine",
              "lines", "broken", "ms", "worst", "TB/s");
  if (options.texts.empty()) PRESSO_TRY(measure_adversaries(bench));
  const std::vector<Pattern> patterns =
      options.texts.empty() ? std::vector<Pattern>() : usual_patterns();
  for (const std::string& path : options.texts) {
    PRESSO_ASSIGN(std::vector<Byte> text, read_text(path));
    PRESSO_TRY(bench.measure(path.substr(path.rfind('/') + 1), std::move(text), patterns));
  }
  return bench.all_correct();
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int count, char** arguments) {
  presso::gpu::bench::Options options;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const bool has_value = i + 1 < count;
    if (argument == "--bytes" && has_value) {
      options.bytes = std::stoull(arguments[++i]);
    } else if (argument == "--runs" && has_value) {
      options.runs = std::stoi(arguments[++i]);
    } else if (argument == "--only" && has_value) {
      options.only = arguments[++i];
    } else {
      options.texts.push_back(argument);
    }
  }
  const presso::Result<bool> correct = presso::gpu::bench::run(options);
  if (correct.ok()) return *correct ? 0 : 1;
  std::fprintf(stderr, "scan_gpu_bench: %s\n", correct.error().message().c_str());
  return 2;
}
