// SPDX-License-Identifier: MIT
// How fast a GPU searches plain text in its memory.
//
// Each text, of at most 8 MiB, is repeated to at least --bytes, ended with a '\n' where it lacks
// one, and searched for every pattern of bench_patterns.cpp by every engine that can: the
// automaton, in the layout that is chosen for it or, with --layouts, in all; the engines for
// literals; the one that presso/text_gpu.h chooses, marked with *. The count of each run is
// compared with what the CPU's engines find in one tile, times the tiles; where a line goes across,
// with a scalar run of the automaton. Printed: the median of all runs, by events around the call,
// as TB/s of text. Without texts: texts made against the kernels.
#include <functional>

#include "lab/harness/command_line.h"
#include "lab/harness/files.h"
#include "lab/harness/gpu.h"
#include "lab/harness/report.h"
#include "lab/programs/scan_gpu/bench_patterns.h"
#include "scan/gpu/search/engine.h"
#include "scan/pattern/pattern_access.h"
#include "tests/support/line_dfas.h"

namespace presso::gpu::bench {
namespace {

using namespace presso::harness;
using presso::test::ScalarScan;
using scan_detail::LineDfa;

struct Options {
  std::uint64_t bytes = std::uint64_t{1} << 30;
  int runs = 15;
  std::vector<std::string> only;  ///< prefixes of names; none: all
  bool layouts = false;
};

/// A text on the device, as often as wanted.
class TiledText {
 public:
  Status place(Gpu& gpu, std::vector<Byte> tile, std::uint64_t bytes) {
    tile_ = std::move(tile);
    copies_ = std::max<std::uint64_t>((bytes + tile_.size() - 1) / tile_.size(), 1);
    PRESSO_ASSIGN(text_, gpu.allocate(this->bytes()));
    PRESSO_TRY(gpu.copy_in(text_.get(), tile_.data(), tile_.size()));
    return gpu.repeat(text_.get(), tile_.size(), this->bytes());
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

  DeviceMemory text_;
  std::vector<Byte> tile_;
  std::uint64_t copies_ = 1;
};

class Bench {
 public:
  Bench(Gpu& gpu, const Options& options)
      : gpu_(gpu),
        options_(options),
        report_(Report::Form::kAligned,
                "text:-14,pattern:-18,states:6,engine:-8,lines:11,broken_tiles:12,ms_median:9,"
                "ms_worst:9,tb_per_s:8,right:5") {}

  Status measure(const std::string& name, std::vector<Byte> tile,
                 const std::vector<BenchPattern>& patterns) {
    PRESSO_TRY(gpu_.reserve(result_, sizeof(std::uint64_t)));
    TiledText text;
    PRESSO_TRY(text.place(gpu_, std::move(tile), options_.bytes));
    for (const BenchPattern& pattern : patterns) {
      if (!is_wanted(pattern)) continue;
      PRESSO_TRY(measure_one(name, text, pattern));
    }
    return {};
  }

  bool all_right() const { return all_right_; }

 private:
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
    PRESSO_ASSIGN(const DeviceMemory image, gpu_.copy_of(table.image));
    const EngineView engine = table.placed(image.get());
    PRESSO_ASSIGN(const DeviceMemory temporary,
                  gpu_.allocate(engine_temporary_bytes(engine, text.bytes())));
    PRESSO_TRY(gpu_.fill(temporary.get(), 0xA5, temporary.bytes()));
    LineScan scan;
    scan.d_text = text.d_text();
    scan.bytes = text.bytes();
    scan.d_lines = as<std::uint64_t>(result_);
    const TemporaryMemory room{temporary.get(), temporary.bytes()};
    PRESSO_TRY(gpu_.fill(result_.get(), 0, sizeof(std::uint64_t)));
    bool right = true;
    PRESSO_ASSIGN(
        const Times ms,
        gpu_.time(
            options_.runs, [&] { return scan_by_engine(scan, engine, room, gpu_.stream()); },
            [&] { return check_count(row.expected, right); }));
    // The tiles of a line scan whose guess was wrong.
    std::uint32_t broken = 0;
    if (std::holds_alternative<LineTableView>(engine)) {
      PRESSO_ASSIGN(broken, gpu_.value<std::uint32_t>(temporary.get()));
    }
    const double rate = static_cast<double>(row.bytes) / ms.median / 1e9;
    report_.add({row.text, row.pattern, row.states, row.engine, row.expected, broken,
                 fixed(ms.median, 4), fixed(ms.worst, 4), fixed(rate, 3), verdict(right)});
    all_right_ = all_right_ && right;
    return {};
  }

  /// The count of a run, which it sets to 0 for the next one.
  Status check_count(std::uint64_t expected, bool& right) {
    PRESSO_ASSIGN(const auto found, gpu_.value<std::uint64_t>(result_.get()));
    right = right && found == expected;
    return gpu_.fill(result_.get(), 0, sizeof found);
  }

  Gpu& gpu_;
  const Options& options_;
  Report report_;
  DeviceMemory result_;
  bool all_right_ = true;
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

/// Chains of wrong guesses: lines that tell their rest what they began with.
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

/// Texts made against the kernels: banks, wrong guesses, filters that let everything through.
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

Result<bool> run(int count, char** arguments) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;  // the CPU reads them, too
  Options options;
  CommandLine line("[TEXT...]", "Times searches. Exit status 1 where a count was wrong.");
  line.add("--bytes N", "bytes of text in device memory, at least (2^30)", options.bytes);
  line.add("--runs N", "timed runs (15)", options.runs, 1);
  line.add("--only PREFIX", "patterns whose names begin so; may be repeated", options.only);
  line.add("--layouts", "all layouts of automata", options.layouts);
  const std::vector<std::string> texts = line.parse(count, arguments);
  PRESSO_ASSIGN(const auto gpu, Gpu::open());
  Bench bench(*gpu, options);
  if (texts.empty()) PRESSO_TRY(measure_adversaries(bench));
  for (const std::string& path : texts) {
    PRESSO_ASSIGN(std::vector<Byte> text, read_file(path, kMostBytes));
    if (text.back() != '\n') text.push_back('\n');
    PRESSO_ASSIGN(const std::vector<BenchPattern> patterns, usual_patterns(text));
    PRESSO_TRY(bench.measure(base_name(path), std::move(text), patterns));
  }
  return bench.all_right();
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::gpu::bench::run(count, arguments));
}
