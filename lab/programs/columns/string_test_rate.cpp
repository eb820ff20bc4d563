// SPDX-License-Identifier: MIT
// How fast conditions on strings are tested (query/strings), on one thread, in GB/s of the column's
// text: over text that is decoded already, and over token codes that are unpacked already. Both
// must find the same rows. A column of a table file is cut into slices of 65,536 rows, as queries
// see it; tokens are trained on each row group, as loading does it. CPU time, best of all
// runs. CSV on standard output.
#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "compress/columns/token_trainer.h"
#include "lab/harness/command_line.h"
#include "lab/harness/report.h"
#include "lab/harness/tables.h"
#include "lab/harness/timing.h"
#include "query/strings/string_test.h"
#include "tests/support/token_codes.h"

namespace presso::bench {
namespace {

using namespace presso::harness;
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
      const double preparing = now(Clock::kThread);
      auto prepared = find.prepare(group);
      seconds += now(Clock::kThread) - preparing;
      for (const Slice& slice : group.slices) {
        bits.assign((slice.rows + 63) / 64, 0);
        seconds += seconds_of(Clock::kThread, [&] { find.run(prepared, slice, bits.data()); });
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

Status measure(const std::vector<Group>& groups, double bytes, const StringCondition& condition,
               const std::string& kind, int runs, CpuLevel level, Report& report) {
  PRESSO_ASSIGN(const StringTest test, StringTest::compile(condition, level));
  const Timed text = time_slices(groups, runs, OverText{test});
  Timed tokens;
  const bool has_tokens = test.over_tokens(groups[0].dictionary) != nullptr;
  if (has_tokens) tokens = time_slices(groups, runs, OverTokens{test});
  if (has_tokens && tokens.matches != text.matches) {
    return make_error(ErrorCode::kContent, "text and tokens disagree");
  }
  report.add({kind, condition.text, text.matches, fixed(bytes / text.seconds / 1e9, 2),
              fixed(has_tokens ? bytes / tokens.seconds / 1e9 : 0.0, 2),
              fixed(test.byte_cost_ns(), 3), test.describe()});
  return {};
}

Status run(int count, char** arguments) {
  std::uint64_t most_groups = 1;
  int runs = 5;
  bool is_portable = false;
  CommandLine line("FILE.presso COLUMN {KIND TEXT}...",
                   "Times conditions on strings: KIND is equal, less, like, ilike, matches or in "
                   "(TEXT: strings with commas between them).");
  line.add("-g GROUPS", "row groups that are read (1)", most_groups);
  line.add("-n RUNS", "runs (5)", runs, 1);
  line.add("-p", "the portable code", is_portable);
  const std::vector<std::string> operands = line.parse(count, arguments, 4);
  PRESSO_ASSIGN(const Table table, open_table(operands[0]));
  const auto column = table.find_column(operands[1]);
  if (!column) return make_error(ErrorCode::kInvalidArgument, "no such column");
  std::vector<Group> groups;
  double bytes = 0;
  for (std::uint64_t group = 0; group < std::min(most_groups, table.row_groups()); ++group) {
    PRESSO_ASSIGN(const auto read,
                  table.read(group, {&*column, 1}, 0, table.row_group(group).rows));
    if (!is_string(read[0].type)) {
      return make_error(ErrorCode::kInvalidArgument, "not a column of strings");
    }
    groups.push_back(cut(read[0]));
    bytes += static_cast<double>(read[0].values.size());
  }
  const CpuLevel level = is_portable ? CpuLevel::kPortable : cpu_level();
  Report report(Report::Form::kCsv, "kind,text,matches,text_gb_s,tokens_gb_s,byte_cost_ns,how");
  for (std::size_t i = 2; i + 1 < operands.size(); i += 2) {
    StringCondition condition;
    if (!condition_of(operands[i], operands[i + 1], condition)) line.refuse("no such KIND");
    PRESSO_TRY(measure(groups, bytes, condition, operands[i], runs, level, report));
  }
  return {};
}

}  // namespace
}  // namespace presso::bench

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::bench::run(count, arguments));
}
