// SPDX-License-Identifier: MIT
// How fast conditions on strings are tested (query/strings), on one thread, in GB/s of the column's
// text: over text that is decoded already, and over token codes that are unpacked already. Both
// must find the same rows. A column of a table file is cut into slices of 65,536 rows, as queries
// see it; tokens are trained on each row group, as loading does it. CPU time, best of RUNS. CSV on
// standard output. Usage: see kUsage.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "compress/columns/token_trainer.h"
#include "presso/byte_stream.h"
#include "presso/table.h"
#include "query/strings/string_test.h"
#include "tests/support/token_codes.h"

namespace presso::bench {
namespace {

constexpr const char* kUsage =
    "usage: string_test_rate [-g GROUPS] [-n RUNS] [-p] FILE.presso COLUMN {KIND TEXT}...\n"
    "  KIND is equal, less, like, ilike, matches or in (TEXT: strings with commas between them)\n"
    "  -g GROUPS  row groups that are read (default: 1)\n"
    "  -n RUNS    runs (default: 5)\n"
    "  -p         the portable code\n";
constexpr std::uint32_t kSliceRows = 65536;

using query::StringCondition;
using query::StringTest;

struct Slice {
  Buffer text;
  std::vector<std::int64_t> offsets;
  test::TokenCodes tokens;
  std::uint32_t rows = 0;
};

struct Group {
  TokenDictionary dictionary;
  std::vector<Slice> slices;
};

/// Of this thread: other work on the machine disturbs it less than the time that passes.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Group cut(const ColumnData& column) {
  Group group;
  group.dictionary = train_tokens(column.view());
  for (std::uint64_t first = 0; first < column.rows; first += kSliceRows) {
    Slice& slice = group.slices.emplace_back();
    slice.rows =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(kSliceRows, column.rows - first));
    const std::int64_t begin = column.offsets[first];
    for (std::uint32_t i = 0; i <= slice.rows; ++i) {
      slice.offsets.push_back(column.offsets[first + i] - begin);
    }
    slice.text.append(
        {column.values.data() + begin, static_cast<std::size_t>(slice.offsets.back())});
    slice.tokens =
        test::token_codes(group.dictionary, slice.text.data(), slice.offsets.data(), slice.rows);
  }
  return group;
}

std::uint64_t matches_in(const std::vector<std::uint64_t>& bits) {
  std::uint64_t count = 0;
  for (const std::uint64_t word : bits) count += static_cast<std::uint64_t>(std::popcount(word));
  return count;
}

struct Timed {
  double seconds = std::numeric_limits<double>::max();
  std::uint64_t matches = 0;
};

/// find(slice, bits) for every slice.
template <class Find>
Timed time_slices(const std::vector<Group>& groups, int runs, const Find& find) {
  Timed best;
  std::vector<std::uint64_t> bits(kSliceRows / 64);
  for (int run = 0; run < runs; ++run) {
    best.matches = 0;
    double seconds = 0;
    for (const Group& group : groups) {
      const double preparing = cpu_seconds();
      auto prepared = find.prepare(group);
      seconds += cpu_seconds() - preparing;
      for (const Slice& slice : group.slices) {
        bits.assign((slice.rows + 63) / 64, 0);
        const double begin = cpu_seconds();
        find.run(prepared, slice, bits.data());
        seconds += cpu_seconds() - begin;
        best.matches += matches_in(bits);
      }
    }
    best.seconds = std::min(best.seconds, seconds);
  }
  return best;
}

struct OverText {
  const StringTest& test;
  int prepare(const Group&) const { return 0; }
  void run(int, const Slice& slice, std::uint64_t* bits) const {
    test.find(slice.text.bytes(), slice.offsets.data(), slice.rows, nullptr, bits);
  }
};

struct OverTokens {
  using Automaton = std::unique_ptr<const StringTest::TokenAutomaton>;
  const StringTest& test;
  Automaton prepare(const Group& group) const { return test.over_tokens(group.dictionary); }
  void run(const Automaton& automaton, const Slice& slice, std::uint64_t* bits) const {
    automaton->find(slice.tokens.codes.data(), slice.tokens.begins.data(), slice.rows, nullptr,
                    bits);
  }
};

bool condition_of(const std::string& kind, const std::string& text, StringCondition& condition) {
  using Kind = StringCondition::Kind;
  static constexpr std::pair<const char*, Kind> kKinds[] = {
      {"equal", Kind::kEqual}, {"less", Kind::kLess},       {"like", Kind::kLike},
      {"ilike", Kind::kIlike}, {"matches", Kind::kMatches}, {"in", Kind::kIn}};
  for (const auto& [name, value] : kKinds) {
    if (kind != name) continue;
    condition.kind = value;
    condition.text = text;
    for (std::size_t at = 0; value == Kind::kIn && at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      condition.set.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return true;
  }
  return false;
}

bool measure(const std::vector<Group>& groups, double bytes, const StringCondition& condition,
             const std::string& kind, int runs, CpuLevel level) {
  const auto test = StringTest::compile(condition, level);
  if (!test.ok()) {
    std::fprintf(stderr, "string_test_rate: %s\n", test.error().message().c_str());
    return false;
  }
  const Timed text = time_slices(groups, runs, OverText{*test});
  Timed tokens;
  const bool has_tokens = test->over_tokens(groups[0].dictionary) != nullptr;
  if (has_tokens) tokens = time_slices(groups, runs, OverTokens{*test});
  if (has_tokens && tokens.matches != text.matches) {
    std::fputs("string_test_rate: text and tokens disagree\n", stderr);
    return false;
  }
  std::printf("%s,\"%s\",%llu,%.2f,%.2f,%.3f,\"%s\"\n", kind.c_str(), condition.text.c_str(),
              static_cast<unsigned long long>(text.matches), bytes / text.seconds / 1e9,
              has_tokens ? bytes / tokens.seconds / 1e9 : 0.0, test->byte_cost_ns(),
              test->describe().c_str());
  return true;
}

struct Options {
  std::uint64_t groups = 1;
  int runs = 5;
  CpuLevel level = cpu_level();
};

int run(const Options& options, char** arguments, int count) {
  const int fd = open(arguments[0], O_RDONLY);
  if (fd < 0) return std::perror(arguments[0]), 1;
  const FdRandomAccess file(fd, static_cast<std::uint64_t>(lseek(fd, 0, SEEK_END)));
  const auto table = Table::open(file);
  if (!table.ok()) return std::fprintf(stderr, "%s\n", table.error().message().c_str()), 1;
  const auto column = table->find_column(arguments[1]);
  if (!column) return std::fputs("string_test_rate: no such column\n", stderr), 1;
  std::vector<Group> groups;
  double bytes = 0;
  for (std::uint64_t group = 0; group < std::min(options.groups, table->row_groups()); ++group) {
    const auto read = table->read(group, {&*column, 1}, 0, table->row_group(group).rows);
    if (!read.ok()) return std::fprintf(stderr, "%s\n", read.error().message().c_str()), 1;
    if (!is_string((*read)[0].type)) return std::fputs("not a column of strings\n", stderr), 1;
    groups.push_back(cut((*read)[0]));
    bytes += static_cast<double>((*read)[0].values.size());
  }
  std::puts("kind,text,matches,text_gb_s,tokens_gb_s,byte_cost_ns,how");
  for (int i = 2; i + 1 < count; i += 2) {
    StringCondition condition;
    if (!condition_of(arguments[i], arguments[i + 1], condition)) return std::puts(kUsage), 2;
    if (!measure(groups, bytes, condition, arguments[i], options.runs, options.level)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace presso::bench

int main(int count, char** arguments) {
  presso::bench::Options options;
  int option = 0;
  while ((option = getopt(count, arguments, "g:n:p")) != -1) {
    if (option == 'g') options.groups = std::strtoull(optarg, nullptr, 10);
    if (option == 'n') options.runs = std::atoi(optarg);
    if (option == 'p') options.level = presso::CpuLevel::kPortable;
    if (option == '?') return std::fputs(presso::bench::kUsage, stderr), 2;
  }
  if (count - optind < 4) return std::fputs(presso::bench::kUsage, stderr), 2;
  return presso::bench::run(options, arguments + optind, count - optind);
}
