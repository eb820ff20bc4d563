// SPDX-License-Identifier: MIT
// How fast a GPU searches plain text in its memory.
//
//   scan_gpu_bench [--bytes N] [--runs N] [--only PREFIX]... [--layouts] [TEXT...]
//
// Each text, of at most 8 MiB, is repeated to at least N bytes (2^30), ended with a '\n'
// where it lacks one, and searched for every pattern of bench_patterns.cpp by every engine that
// can: the automaton, in the layout that is chosen for it or, with --layouts, in all; the engines
// for literals; the one that presso/text_gpu.h chooses, marked with *. Before timing, results are
// poisoned and the count is compared with what the CPU's engines find in one tile, times the tiles;
// where a line goes across, with a scalar run of the automaton; after timing again. Printed: the
// median of 15 runs after three, by events around the call, as TB/s of text. Without texts: texts
// made against the kernels. Exit status 1 where a count was wrong.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>
#include <functional>

#include "decompress/gpu/runtime/cuda_device.h"
#include "decompress/gpu/runtime/cuda_error.h"
#include "decompress/gpu/runtime/memory.h"
#include "lab/programs/decompress_gpu/bench_support.h"
#include "lab/programs/scan_gpu/bench_patterns.h"
#include "scan/gpu/search/engine.h"
#include "scan/pattern/pattern_access.h"
#include "tests/support/line_dfas.h"

namespace presso::gpu::bench {
namespace {

using presso::test::ScalarScan;
using scan_detail::LineDfa;

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
  std::vector<std::string> only;  ///< prefixes of names; none: all
  bool layouts = false;
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

  std::uint64_t expected(const BenchPattern& pattern) const {
    const bool whole = tile_.back() == '\n';
    if (whole && pattern.pattern) return copies_ * count_on_cpu(*pattern.pattern, tile_);
    return (whole ? copies_ : 1) * lines(*pattern.dfa, whole ? 1 : copies_, pattern.dfa->start);
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
                 const std::vector<BenchPattern>& patterns) {
    TiledText text(device_, memory_, stream_.get());
    PRESSO_TRY(text.place(std::move(tile), options_.bytes));
    for (const BenchPattern& pattern : patterns) {
      if (!is_wanted(pattern)) continue;
      PRESSO_TRY(measure_one(name, text, pattern));
    }
    return {};
  }

  bool all_correct() const { return all_correct_; }

 private:
  using Scan = std::function<Status()>;

  struct Row {
    const std::string& text;
    const std::string& pattern;
    const char* engine;
    std::uint32_t states;
    std::uint64_t bytes, expected;
  };

  bool is_wanted(const BenchPattern& pattern) const {
    const auto begins = [&](const std::string& only) { return pattern.name.starts_with(only); };
    return options_.only.empty() || std::any_of(options_.only.begin(), options_.only.end(), begins);
  }

  Status measure_one(const std::string& name, const TiledText& text, const BenchPattern& pattern) {
    const std::uint64_t expected = text.expected(pattern);
    Row row{name, pattern.name, "", 0, text.bytes(), expected};
    if (pattern.dfa) PRESSO_TRY(measure_layouts(text, *pattern.dfa, row));
    row.states = 0;
    if (!pattern.words.empty()) PRESSO_TRY(measure_literals(text, pattern, row));
    return pattern.pattern ? measure_choice(text, *pattern.pattern, row) : Status();
  }

  Status measure_layouts(const TiledText& text, const LineDfa& dfa, Row row) {
    row.states = dfa.states;
    PRESSO_ASSIGN(const LineTable chosen, lay_out(dfa.view()));
    if (!options_.layouts) return measure_lines(text, chosen, row);
    for (const LineTableKind kind : {LineTableKind::kBytes, LineTableKind::kByteClasses,
                                     LineTableKind::kShared, LineTableKind::kGlobal}) {
      if (kind == LineTableKind::kGlobal && dfa.states <= kMostByteStates) continue;
      const Result<LineTable> table = lay_out_as(kind, dfa.view());
      if (table.ok()) PRESSO_TRY(measure_lines(text, *table, row));
    }
    return {};
  }

  Status measure_lines(const TiledText& text, const LineTable& table, Row row) {
    constexpr const char* kKinds[] = {"bytes", "shared", "global", "classes"};
    row.engine = kKinds[static_cast<std::size_t>(table.view.kind)];
    return measure_engine(text, {table.image, table.view}, row);
  }

  /// By those engines that hold them.
  Status measure_literals(const TiledText& text, const BenchPattern& pattern, Row row) {
    const auto few = lay_out_literals(pattern.words, pattern.ignore_case);
    row.engine = "literal";
    if (few.ok()) PRESSO_TRY(measure_engine(text, {few->image, few->view}, row));
    const auto planes = lay_out_planes(pattern.words, pattern.ignore_case);
    row.engine = "planes";
    if (planes.ok()) PRESSO_TRY(measure_engine(text, {{}, *planes}, row));
    PRESSO_ASSIGN(const ManyLiteralTable many,
                  lay_out_many_literals(pattern.words, pattern.ignore_case));
    row.engine = "many";
    return measure_engine(text, {many.image, many.view}, row);
  }

  Status measure_choice(const TiledText& text, const Pattern& pattern, Row row) {
    const auto chosen = choose_engine(scan_detail::matcher_of(pattern));
    if (!chosen.ok() || !chosen->exact) return {};
    constexpr const char* kEngines[] = {"", "*lines", "*literal", "*planes", "*many"};
    row.engine = kEngines[static_cast<std::size_t>(chosen->engine())];
    return measure_engine(text, *chosen, row);
  }

  Status measure_engine(const TiledText& text, const EngineTable& table, const Row& row) {
    const std::vector<Byte> none(16);
    PRESSO_ASSIGN(const DeviceMemory image, copy_of(table.image.empty() ? none : table.image));
    const EngineView engine = table.placed(image.get());
    PRESSO_ASSIGN(const DeviceMemory temporary,
                  poisoned(engine_temporary_bytes(engine, text.bytes())));
    LineScan scan;
    scan.d_text = text.d_text();
    scan.bytes = text.bytes();
    scan.d_lines = d_lines();
    const bool is_automaton = std::holds_alternative<LineTableView>(engine);
    return time(
        row,
        [&] {
          return scan_by_engine(scan, engine, {temporary.get(), temporary.bytes()}, stream_.get());
        },
        is_automaton ? temporary.get() : nullptr);
  }

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
      // Each chunk begins `lane` letters after the start of its line.
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

BenchPattern counting(const std::string& name, std::uint32_t states) {
  return {name, presso::test::counting_dfa(states), std::nullopt};
}

/// Chains of wrong guesses: of lines that tell their rest what they began with.
Status measure_long_lines(Bench& bench, const BenchPattern& plain, const BenchPattern& error) {
  PRESSO_ASSIGN(const BenchPattern late, regex("^.{40}.*a", "^(?-u:.{40}.*)a"));
  for (const std::size_t line : {300u, 2300u, 20000u, 1000000u}) {
    std::string text = "error";
    while (text.size() < line) text += " some words of no interest " + std::to_string(text.size());
    text += " user";
    const std::string name = "line " + std::to_string(line);
    PRESSO_TRY(bench.measure(name, text_of(text + '\n'), {plain, error, counting("count 31", 31)}));
    if (line < 1000000) continue;
    PRESSO_TRY(bench.measure("one line", text_of(text),
                             {error, counting("count 3", 3), counting("count 31", 31), late}));
  }
  return bench.measure("line 100000", text_of(std::string(100000, 'x') + '\n'),
                       {counting("count 50", 50), counting("count 2000", 2000)});
}

/// Words that begin alike everywhere in the text, and end otherwise.
std::vector<std::string> near_misses() {
  std::vector<std::string> words;
  for (int i = 0; i < 1000; ++i) words.push_back("some words of " + std::to_string(i) + "?");
  return words;
}

/// What was made against the kernels: banks, wrong guesses, filters that let everything through.
Status measure_adversaries(Bench& bench) {
  PRESSO_ASSIGN(const BenchPattern error,
                regex("rx1 error.*user", "(?-u)(error|fail|denied).*(user|account)"));
  PRESSO_ASSIGN(const BenchPattern plain, literals("error", {"error"}));
  PRESSO_ASSIGN(const BenchPattern letters, regex("rx4 30 letters", "[A-Za-z]{30}"));
  PRESSO_TRY(bench.measure("one letter", text_of(std::string(69, 'a') + '\n'), {letters, error}));
  PRESSO_TRY(bench.measure("one bank", one_bank_text(),
                           {counting("count 32", 32),  // allow(bare-32): states
                            counting("count 200", 200)}));
  PRESSO_ASSIGN(const BenchPattern a_runs,
                literals("runs of a", {std::string(20, 'a') + 'b', std::string(30, 'a') + 'c'}));
  PRESSO_ASSIGN(const BenchPattern frequent, literals("all letters", {"a", "b", "c", "so"}));
  PRESSO_ASSIGN(const BenchPattern misses, literals("near misses", near_misses()));
  PRESSO_TRY(bench.measure("runs", text_of(std::string(999, 'a') + '\n'), {a_runs, frequent}));
  PRESSO_TRY(
      bench.measure("misses", text_of("some words of 12 some words of 999\n"), {misses, frequent}));
  return measure_long_lines(bench, plain, error);
}

Result<std::vector<Byte>> read_text(const std::string& path) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;  // the CPU reads them, too
  const InputFile file(path);
  PRESSO_TRY(file.status(path));
  std::vector<Byte> text(std::min<std::uint64_t>(file.size(), kMostBytes));
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
  for (const std::string& path : options.texts) {
    PRESSO_ASSIGN(std::vector<Byte> text, read_text(path));
    PRESSO_ASSIGN(const std::vector<BenchPattern> patterns, usual_patterns(text));
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
      options.only.emplace_back(arguments[++i]);
    } else if (argument == "--layouts") {
      options.layouts = true;
    } else {
      options.texts.push_back(argument);
    }
  }
  const presso::Result<bool> correct = presso::gpu::bench::run(options);
  if (correct.ok()) return *correct ? 0 : 1;
  std::fprintf(stderr, "scan_gpu_bench: %s\n", correct.error().message().c_str());
  return 2;
}
