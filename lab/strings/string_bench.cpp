// SPDX-License-Identifier: MIT
// Times the engines over columns of strings: the experiments of source S6.8, as CSV.
//
// Figures: 6.1 (substrings in order, all engines), 6.6 (length), 6.7 (failure point), 6.8 (the
// same, 1024 bytes), 6.9 (selectivity), 6.10 (states), 6.11 (threads), worst (adversaries of KMP
// and Boyer-Moore), layouts; all without one.
// gb_per_s is the column's bytes over the time. Only a part is read of strings that do not match:
// up to fails_at, or (0, figures 6.6, 6.9 and 6.11) to a random place, half of them on average.
#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>

#include "corpora/string_data.h"
#include "lab/harness/command_line.h"
#include "lab/harness/report.h"
#include "lab/harness/timing.h"
#include "lab/strings/dfa_layouts.h"
#include "lab/strings/predicate.h"
#include "lab/strings/regex_scan.h"
#include "lab/strings/substring_scan.h"

namespace presso::strings {
namespace {

using namespace presso::harness;
using corpora::Random;

struct Options {
  std::size_t bytes = std::size_t{16} << 20;
  int repeat = 9;
  std::string comments;
  std::vector<std::string> figures;

  bool wants(const char* figure) const {
    return figures.empty() || std::find(figures.begin(), figures.end(), figure) != figures.end();
  }
};

[[noreturn]] void fail(const std::string& what) {
  give_up(make_error(ErrorCode::kContent, what));
}

/// Best of several runs, in seconds: of this thread's CPU time, so that other work on the machine
/// counts less; with several threads, of the wall.
double best_time(int repeat, unsigned threads, const std::function<void()>& run) {
  return best_seconds(repeat, threads == 1 ? Clock::kThread : Clock::kWall, run);
}

/// What a row of the output says besides its engine and its time.
struct Point {
  const char* figure;
  std::size_t length;
  std::size_t fails_at;  ///< 0: does not apply
  double selectivity;    ///< percent
  std::uint32_t states;
  unsigned threads;
};

Report& report() {
  static Report rows(
      Report::Form::kCsv,
      "figure,length,fails_at,selectivity,states,threads,engine,gb_per_s,rows_found");
  return rows;
}

void print(const Point& point, const std::string& engine, std::size_t bytes, double seconds,
           std::size_t found) {
  report().add({point.figure, point.length, point.fails_at, significant(point.selectivity, 6),
                point.states, point.threads, engine,
                fixed(static_cast<double>(bytes) / seconds / 1e9, 3), found});
}

// --- Regular expressions ---

/// One stretch of rows a thread.
template <class View>
std::size_t select_threaded(const View& table, const PaddedColumnView& column,
                            const SelectOptions& options, unsigned threads,
                            std::vector<std::uint32_t>& ids) {
  if (threads == 1) return value_or_exit(select_rows(table, column, options, ids));
  std::vector<std::size_t> found(threads);
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < threads; ++i) {
    workers.emplace_back([&, i] {
      const std::uint64_t begin = column.rows * i / threads;
      const std::uint64_t end = column.rows * (i + 1) / threads;
      PaddedColumnView part = column;
      part.bytes += begin * column.width;
      part.rows = end - begin;
      const std::span<std::uint32_t> room(ids.data() + begin + i * kRowIdSlack,
                                          part.rows + kRowIdSlack);
      found[i] = value_or_exit(select_rows(table, part, options, room));
    });
  }
  std::size_t sum = 0;
  for (unsigned i = 0; i < threads; ++i) {
    workers[i].join();
    sum += found[i];
  }
  return sum;
}

std::string engine_name(const SelectOptions& options, const char* width) {
  constexpr const char* kGathers[] = {"byte", "word", "aligned"};
  if (options.gather == TextGather::kNone) {
    return std::string("lanes-") + width + "-x" + std::to_string(4 * options.unroll);
  }
  if (options.level == CpuLevel::kPortable) return std::string("scalar-") + width;
  return std::string(name(options.level)) + "-" + width + "-" +
         kGathers[static_cast<int>(options.gather)] + "-x" + std::to_string(options.unroll);
}

std::vector<SelectOptions> engines() {
  std::vector<SelectOptions> all;
  for (const CpuLevel level : supported_cpu_levels()) {
    for (const auto gather : {TextGather::kByte, TextGather::kWord, TextGather::kAligned}) {
      for (const unsigned unroll : {1u, 2u}) {
        const bool first = gather == TextGather::kByte && unroll == 1;
        if (level != CpuLevel::kPortable || first) all.push_back({level, gather, unroll});
      }
    }
  }
  for (const unsigned unroll : {1u, 2u}) {
    all.push_back({CpuLevel::kPortable, TextGather::kNone, unroll});
  }
  return all;
}

template <class View>
void time_table(const Options& options, const Point& point, const PaddedColumnView& column,
                const View& table, const char* width) {
  std::vector<std::uint32_t> ids(column.rows + kRowIdSlack * point.threads);
  std::size_t wanted = ~std::size_t{0};
  for (const SelectOptions& engine : engines()) {
    std::size_t found = 0;
    const double seconds = best_time(options.repeat, point.threads, [&] {
      found = select_threaded(table, column, engine, point.threads, ids);
    });
    if (wanted == ~std::size_t{0}) wanted = found;
    if (found != wanted) fail("engines differ");
    print(point, engine_name(engine, width), column.rows * column.width, seconds, found);
  }
}

void time_regex(const Options& options, Point point, const StringColumn& strings, const Dfa& dfa) {
  const PaddedColumn column = value_or_exit(PaddedColumn::make(strings.view()));
  point.states = dfa.states;
  const DfaTable32 wide = value_or_exit(DfaTable32::make(dfa, column.view().pad));
  time_table(options, point, column.view(), wide.view(), "4");
  const auto narrow = DfaTable8::make(dfa, column.view().pad);
  if (narrow.ok()) time_table(options, point, column.view(), narrow->view(), "1");
}

constexpr std::size_t kAnywhere = ~std::size_t{0};

/// kAnywhere: a string fails at a random place, so that half of it is read on average and no
/// branch predictor knows where.
StringColumn urls(std::size_t bytes, std::size_t length, std::size_t fails_at, double selectivity) {
  Random random(length * 1000 + fails_at);
  StringColumn column;
  const std::size_t rows = bytes / length;
  column.reserve(rows, rows * length);
  const auto limit = static_cast<std::uint32_t>(selectivity * 10'000);
  for (std::size_t i = 0; i < rows; ++i) {
    const bool hit = random.below(1'000'000) < limit;
    const std::size_t place =
        fails_at == kAnywhere ? random.below(static_cast<std::uint32_t>(length)) : fails_at;
    column.append(hit ? corpora::url(random, length) : corpora::broken_url(random, length, place));
  }
  return column;
}

void regex_figures(const Options& options) {
  const Dfa dfa = value_or_exit(compile(regex_match(corpora::url_pattern())));
  const auto run = [&](const char* figure, std::size_t length, std::size_t fails_at,
                       double selectivity, unsigned threads) {
    const StringColumn column = urls(options.bytes, length, fails_at, selectivity);
    const std::size_t shown = fails_at == kAnywhere ? 0 : fails_at;
    time_regex(options, {figure, length, shown, selectivity, 0, threads}, column, dfa);
  };
  if (options.wants("6.6")) {
    for (const std::size_t length : {24u, 32u, 48u, 64u, 96u, 128u, 256u}) {
      run("6.6", length, kAnywhere, 1, 1);
    }
  }
  if (options.wants("6.7")) {
    for (std::size_t at = 0; at < 32; at += 4) run("6.7", 32, at, 1, 1);
  }
  if (options.wants("6.8")) {
    for (std::size_t at = 0; at < 1024; at += 128) run("6.8", 1024, at, 1, 1);
  }
  if (options.wants("6.9")) {
    for (const double share : {0., 1., 5., 25., 50., 75., 100.})
      run("6.9", 32, kAnywhere, share, 1);
  }
  if (options.wants("6.11")) {
    for (unsigned threads = 1; threads <= std::thread::hardware_concurrency(); ++threads) {
      run("6.11", 32, kAnywhere, 1, threads);
    }
  }
}

/// A row at a time by each layout of the table (source L7); the sizes in bytes come as lengths.
void layouts_figure(const Options& options) {
  if (!options.wants("layouts")) return;
  const Dfa dfa = value_or_exit(compile(regex_match(corpora::url_pattern())));
  const StringColumn strings = urls(options.bytes, 32, kAnywhere, 1);
  const StringColumnView column = strings.view();
  const auto time_layout = [&](const char* layout, std::size_t size, const auto& accepts) {
    std::size_t found = 0;
    const double seconds = best_time(options.repeat, 1, [&] {
      found = 0;
      for (std::uint64_t i = 0; i < column.rows; ++i) found += accepts(column.row(i)) ? 1 : 0;
    });
    print({"layouts", size, 0, 1, dfa.states, 1}, layout, column.size_bytes(), seconds, found);
  };
  const DfaTable32 wide = value_or_exit(DfaTable32::make(dfa));
  const DfaTable8 narrow = value_or_exit(DfaTable8::make(dfa));
  const FlatDfa flat = value_or_exit(FlatDfa::make(dfa));
  const RangeDfa range = value_or_exit(RangeDfa::make(dfa));
  const auto with = [](const auto& view) {
    return [&view](Bytes row) { return matches(view, row.data(), row.size()); };
  };
  const auto with_layout = [](const auto& view) {
    return [&view](Bytes row) { return layout_matches(view, row.data(), row.size()); };
  };
  const auto wide_view = wide.view();
  const auto narrow_view = narrow.view();
  const auto flat_view = flat.view();
  const auto range_view = range.view();
  time_layout("4-bytes", wide.size_bytes(), with(wide_view));
  time_layout("1-byte", std::size_t{256} * dfa.states, with(narrow_view));
  time_layout("flat", flat.size_bytes(), with_layout(flat_view));
  time_layout("table", range.size_bytes(), with_layout(range_view));
}

/// One of many words somewhere in the string: automata of any size, few of whose states are hot.
void states_figure(const Options& options) {
  if (!options.wants("6.10")) return;
  for (const std::size_t count : {1u, 16u, 160u, 1600u}) {
    Random random(count);
    const std::vector<std::string> dictionary = corpora::words(random, count);
    std::string pattern;
    for (const std::string& word : dictionary) pattern += (pattern.empty() ? "" : "|") + word;
    const Dfa dfa = value_or_exit(compile(regex_search(pattern)));
    StringColumn column;
    for (std::size_t i = 0; i < options.bytes / 32; ++i) {
      std::string text =
          random.one_in(100)
              ? dictionary[random.below(static_cast<std::uint32_t>(dictionary.size()))]
              : "";
      while (text.size() < 32) text += static_cast<char>('a' + random.below(26));
      column.append(text.substr(0, 32));
    }
    time_regex(options, {"6.10", 32, 0, 1, 0, 1}, column, dfa);
  }
}

// --- Substrings ---

void time_substrings(const Options& options, const Point& point, const std::string& data,
                     const StringColumnView& column, const std::vector<std::string>& substrings) {
  std::vector<std::uint32_t> ids(column.rows + kRowIdSlack);
  std::size_t wanted = ~std::size_t{0};
  for (const SubstringEngine engine : all_substring_engines()) {
    const auto scan = SubstringScan::make(substrings, engine);
    if (!scan.ok()) continue;
    std::size_t found = 0;
    const double seconds =
        best_time(options.repeat, point.threads, [&] { found = (*scan)->select(column, ids); });
    if (wanted == ~std::size_t{0}) wanted = found;
    if (found != wanted) fail("engines differ");
    print(point, data + ":" + name(engine), column.size_bytes(), seconds, found);
  }
}

StringColumn comments(std::size_t bytes, double selectivity) {
  Random random(21);
  StringColumn column;
  const auto limit = static_cast<std::uint32_t>(selectivity * 10'000);
  for (std::size_t made = 0; made < bytes;) {
    const std::size_t length = 19 + random.below(60);  // as TPC-H's o_comment
    const bool hit = random.below(1'000'000) < limit;
    using Words = std::vector<std::string>;
    column.append(corpora::comment(random, length, hit ? Words{"special", "packages"} : Words{}));
    made += length;
  }
  return column;
}

void substring_figures(const Options& options) {
  const std::vector<std::string> queries[] = {{"special", "packages"}, {"special", "requests"}};
  if (options.wants("6.1")) {
    const StringColumn column = comments(options.bytes, 1);
    for (const auto& query : queries) {
      time_substrings(options, {"6.1", 48, 0, 1, 0, 1}, "comments:" + query[1], column.view(),
                      query);
    }
  }
  if (options.wants("6.1") && !options.comments.empty()) {
    std::ifstream file(options.comments, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const StringColumn column =
        column_of_lines({reinterpret_cast<const Byte*>(text.data()), text.size()});
    for (const auto& query : queries) {
      time_substrings(options, {"6.1", 0, 0, 0, 0, 1}, "file:" + query[1], column.view(), query);
    }
  }
  if (!options.wants("worst")) return;
  for (const std::size_t size : {8u, 32u}) {
    const corpora::Adversary kmp = corpora::kmp_adversary(size, 128);
    const corpora::Adversary boyer_moore = corpora::boyer_moore_adversary(size, 128);
    for (const auto* adversary : {&kmp, &boyer_moore}) {
      StringColumn column;
      for (std::size_t i = 0; i < options.bytes / 128; ++i) column.append(adversary->text);
      const std::string data = (adversary == &kmp ? "kmp" : "bm") + std::to_string(size);
      time_substrings(options, {"worst", 128, size, 0, 0, 1}, data, column.view(),
                      {adversary->pattern});
    }
  }
}

Options parse(int count, char** arguments) {
  Options options;
  std::uint64_t mebibytes = 16;
  CommandLine line("[FIGURE...]", "Times engines over columns of strings, as CSV.");
  line.add("--mib N", "MiB of each column (16)", mebibytes, 1);
  line.add("--repeat N", "runs, of which the best counts (9)", options.repeat, 1);
  line.add("--comments FILE", "lines in place of made up comments", options.comments);
  options.figures = line.parse(count, arguments);
  options.bytes = mebibytes << 20;
  return options;
}

}  // namespace
}  // namespace presso::strings

int main(int count, char** arguments) {
  const presso::strings::Options options = presso::strings::parse(count, arguments);
  presso::strings::substring_figures(options);
  presso::strings::regex_figures(options);
  presso::strings::layouts_figure(options);
  presso::strings::states_figure(options);
}
