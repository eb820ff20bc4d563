// SPDX-License-Identifier: MIT
// How fast a GPU tests the strings of a column that are text in its memory.
//
// The column may be stored in any form, so that what text takes can be compared with what tokens
// take (strings_gpu_rate). Its text is placed in device memory as often as it makes --bytes
// together, each copy at a place of its own, with a length of 8 bytes for each row, and tested in
// every way whose table has room for the automaton (text_table.h), and in the laboratory's
// (text_refill.cuh). Before timing, bits are poisoned, and all of them are compared with what the
// CPU finds; after timing again. Printed, as CSV: the median of all runs, by events around
// test_text(); "places_ms" is the part of it that finds where rows begin. "lane_use" is counted on
// the host: how many of a warp's lanes have a row (lane_use.h). Decoding text and lengths is no
// part of it: decode_rate times that.
#include <cstdio>
#include <functional>

#include "decompress/gpu/runtime/memory_parts.h"
#include "decompress/table/group_reader.h"
#include "lab/gpu/refilled_text.h"
#include "lab/harness/files.h"
#include "lab/harness/report.h"
#include "lab/programs/strings_gpu/lane_use.h"
#include "lab/programs/strings_gpu/string_rate.h"
#include "query/gpu/kernels/text_tests.h"
#include "query/gpu/strings/text_table.h"
#include "query/strings/condition_automaton.h"

namespace presso::gpu::bench {
namespace {

using namespace presso::harness;
using query::StringCondition;
using query::StringTest;

/// A way to test rows, under the name that the table has for it.
struct Way {
  const char* name;
  TextLayout layout;
  std::uint32_t refill = 0;  ///< 0: lanes keep their rows
};
constexpr Way kWays[] = {
    {"classes", TextLayout::kClasses},      {"refill1", TextLayout::kClasses, 1},
    {"refill8", TextLayout::kClasses, 8},   {"refill16", TextLayout::kClasses, 16},
    {"refill24", TextLayout::kClasses, 24}, {"refill28", TextLayout::kClasses, 28},
    {"refill32", TextLayout::kClasses, 32}, {"wide", TextLayout::kWide}};
constexpr std::pair<Kind, const char*> kUsual[] = {
    {Kind::kLike, "%ab%"},  {Kind::kLike, "%special%requests%"},
    {Kind::kLike, "a%"},    {Kind::kLike, "%7"},
    {Kind::kLess, "8"},     {Kind::kEqual, "0123456789abcdef"},
    {Kind::kIlike, "%AB%"}, {Kind::kMatches, "(ab|cd).*(ef|01)"}};

/// A row group's strings.
struct TextGroup {
  std::uint32_t rows = 0;
  ColumnData text;
  std::vector<std::uint64_t> lengths;
};

/// How many pieces each row of each row group has.
Result<std::vector<std::vector<std::uint32_t>>> pieces_of(const std::vector<TextGroup>& groups,
                                                          const scan_detail::Dfa& dfa) {
  PRESSO_ASSIGN(const TextTable table, lay_out_text(dfa));
  std::vector<std::vector<std::uint32_t>> pieces;
  for (const TextGroup& group : groups) {
    pieces.push_back(pieces_of_rows(dfa, table, group.text.values.bytes(), group.text.offsets));
  }
  return pieces;
}

/// Over all row groups, each of which counts as often as it has steps.
double lane_use_of(const std::vector<std::vector<std::uint32_t>>& pieces, std::uint32_t refill) {
  LaneSteps all;
  for (const auto& of_group : pieces) all += count_lane_steps(of_group, refill);
  return all.use();
}

class Bench {
 public:
  Bench(Gpu& gpu, const StringRateOptions& options, const std::vector<TextGroup>& groups)
      : gpu_(gpu), options_(options), groups_(groups) {
    for (const TextGroup& group : groups_) {
      rows_ += group.rows;
      text_bytes_ += group.text.values.size();
    }
    copies_ = std::max<std::uint64_t>(options_.bytes / std::max<std::uint64_t>(text_bytes_, 1), 1);
  }

  Result<bool> run() {
    PRESSO_TRY(place_copies());
    std::printf(
        "# %llu rows, %llu bytes of text, %llu copies\n", static_cast<unsigned long long>(rows_),
        static_cast<unsigned long long>(text_bytes_), static_cast<unsigned long long>(copies_));
    Report report(Report::Form::kCsv,
                  "kind,text,states,classes,way,table_bytes,median_ms,best_ms,places_ms,g_rows_s,"
                  "text_tb_s,matching,lane_use,right");
    for (const StringCondition& condition : options_.conditions) {
      PRESSO_TRY(measure(condition, report));
    }
    return all_right_;
  }

 private:
  /// Where a row group's arrays are.
  struct Place {
    std::uint64_t text, lengths, counts, tile_begins;
  };

  Status place_copies() {
    MemoryParts parts;
    std::vector<Place> places;
    std::uint64_t words = 0;
    for (std::uint64_t copy = 0; copy < copies_; ++copy) {
      for (const TextGroup& group : groups_) {
        places.push_back({parts.add(group.text.values.size()), parts.add(group.rows * 8),
                          parts.add(group.rows * 4), parts.add(row_tiles(group.rows) * 4)});
        words += row_words(group.rows);
      }
    }
    PRESSO_ASSIGN(work_, gpu_.allocate(parts.bytes()));
    // The bytes after the end of text are read, too.
    PRESSO_TRY(gpu_.fill(work_.get(), 0, parts.bytes()));
    PRESSO_TRY(found_.make(gpu_, copies_, words, places.size()));
    std::uint32_t* bits = found_.bits();
    for (std::size_t i = 0; i < places.size(); ++i) {
      PRESSO_TRY(add_group(groups_[i % groups_.size()], places[i], bits));
    }
    PRESSO_ASSIGN(d_blocks_, gpu_.copy_of(blocks_));
    PRESSO_ASSIGN(d_numbered_, gpu_.copy_of(numbered_));
    all_rows_.strings = batch_of(d_blocks_);
    all_rows_.blocks = as<const NumberedBlock>(d_numbered_);
    all_rows_.has_text = true;
    return {};
  }

  Status measure(const StringCondition& condition, Report& report) {
    PRESSO_ASSIGN(const StringTest test, StringTest::compile(condition));
    PRESSO_ASSIGN(const auto dfa, query::condition_automaton(condition));
    std::vector<std::uint32_t> expected;
    for (const TextGroup& group : groups_) {
      std::vector<std::uint64_t> found((std::size_t{group.rows} + 63) / 64);
      test.find(group.text.values.bytes(), group.text.offsets.data(), group.rows, nullptr,
                found.data());
      for (std::uint32_t i = 0; i < row_words(group.rows); ++i) {
        expected.push_back(static_cast<std::uint32_t>(found[i / 2] >> (kLanes * (i % 2))));
      }
    }
    found_.expect(std::move(expected));
    PRESSO_ASSIGN(pieces_, pieces_of(groups_, dfa));
    for (const Way& way : kWays) {
      if (!options_.wants(way.name) || !fits(way.layout, dfa)) continue;
      PRESSO_TRY(measure_way(condition, dfa, way, report));
    }
    return {};
  }

  Status add_group(const TextGroup& group, const Place& place, std::uint32_t*& bits) {
    Byte* const work = work_.get();
    PRESSO_TRY(gpu_.copy_in(work + place.text, group.text.values.data(), group.text.values.size()));
    PRESSO_TRY(gpu_.copy_in(work + place.lengths, group.lengths.data(), group.lengths.size() * 8));
    NumberedBlock& rows = numbered_.emplace_back();
    rows.text = work + place.text;
    rows.lengths = reinterpret_cast<const std::uint64_t*>(work + place.lengths);
    rows.counts = reinterpret_cast<std::uint32_t*>(work + place.counts);
    StringBlock& block = blocks_.emplace_back();
    block.payload.bytes = rows.text;
    block.codes = static_cast<std::uint32_t>(group.text.values.size());
    block.rows = group.rows;
    block.first_tile = tiles_;
    block.counts = rows.counts;
    block.tile_begins = reinterpret_cast<std::uint32_t*>(work + place.tile_begins);
    block.bits = bits;
    tiles_ += row_tiles(block.rows);
    bits += row_words(block.rows);
    return {};
  }

  StringBatch batch_of(const DeviceMemory& d_blocks) const {
    StringBatch batch;
    batch.blocks = as<const StringBlock>(d_blocks);
    batch.status = found_.statuses();
    batch.matches = found_.matches();
    batch.count = static_cast<std::uint32_t>(blocks_.size());
    batch.tiles = tiles_;
    return batch;
  }

  Status measure_way(const StringCondition& condition, const scan_detail::Dfa& dfa, const Way& way,
                     Report& report) {
    PRESSO_ASSIGN(TextTable table, lay_out_text(way.layout, dfa));
    PRESSO_ASSIGN(const DeviceMemory image, gpu_.copy_of(table.image));
    table.view.d_image = image.get();
    std::vector<StringBlock> blocks = blocks_;
    for (StringBlock& block : blocks) block.table = table.view;
    PRESSO_ASSIGN(const DeviceMemory d_blocks, gpu_.copy_of(blocks));
    TextTest test;
    test.rows = batch_of(d_blocks);
    test.rows.table_bytes = table.view.shared_bytes;
    test.layout = way.layout;
    test.least_bytes = table.least_bytes;
    test.most_bytes = table.most_bytes;
    const auto run_tests = [&](std::span<const TextTest> tests) {
      if (way.refill == 0) return test_text(all_rows_, tests, gpu_.stream());
      return test_text_refilled(all_rows_, tests, way.refill, gpu_.stream());
    };
    Times ms;
    bool right = false;
    PRESSO_TRY(found_.time(
        options_.runs, false,
        [&] {
          return run_tests({&test, 1});
        },
        ms, right));
    PRESSO_ASSIGN(const Times places_ms, gpu_.time(options_.runs, [&] { return run_tests({}); }));
    const double rows = static_cast<double>(copies_) * static_cast<double>(rows_);
    const double text = static_cast<double>(copies_) * static_cast<double>(text_bytes_);
    const auto matches = static_cast<double>(found_.expected_matches());
    report.add({name_of(condition.kind), condition.text, dfa.states, dfa.classes, way.name,
                table.view.image_bytes, fixed(ms.median, 4), fixed(ms.best, 4),
                fixed(places_ms.median, 4), fixed(rows / ms.median / 1e6, 2),
                fixed(text / ms.median / 1e9, 3), fixed(matches / static_cast<double>(rows_), 4),
                fixed(lane_use_of(pieces_, way.refill), 3), verdict(right)});
    all_right_ = all_right_ && right;
    return {};
  }

  Gpu& gpu_;
  const StringRateOptions& options_;
  const std::vector<TextGroup>& groups_;
  std::uint64_t rows_ = 0, text_bytes_ = 0;  ///< of one copy
  std::uint64_t copies_ = 1;
  DeviceMemory work_, d_blocks_, d_numbered_;
  FoundRows found_;
  std::vector<StringBlock> blocks_;
  std::vector<NumberedBlock> numbered_;
  NumberBatch all_rows_;
  std::uint32_t tiles_ = 0;
  std::vector<std::vector<std::uint32_t>> pieces_;  ///< of rows, by row group
  bool all_right_ = true;
};

Result<std::vector<TextGroup>> read_text(const Table& table, const std::string& name) {
  const auto column = table.find_column(name);
  if (!column) return make_error(ErrorCode::kInvalidArgument, "no such column");
  std::vector<TextGroup> groups;
  for (std::uint64_t i = 0; i < table.row_groups(); ++i) {
    PRESSO_ASSIGN(const auto reader, GroupReader::open(table, i));
    TextGroup& group = groups.emplace_back();
    group.rows = reader->rows();
    PRESSO_ASSIGN(auto columns, table.read(i, {&*column, 1}, 0, group.rows));
    group.text = std::move(columns[0]);
    if (group.text.offsets.size() != group.text.rows + 1) {
      return make_error(ErrorCode::kInvalidArgument, "the column has no strings");
    }
    for (std::uint32_t row = 0; row < group.rows; ++row) {
      const std::int64_t length = group.text.offsets[row + 1] - group.text.offsets[row];
      group.lengths.push_back(static_cast<std::uint64_t>(length));
    }
  }
  return groups;
}

Result<bool> count_lanes(const StringRateOptions& options, const std::vector<TextGroup>& groups) {
  Report report(Report::Form::kCsv, "kind,text,way,lane_use");
  for (const StringCondition& condition : options.conditions) {
    PRESSO_ASSIGN(const auto dfa, query::condition_automaton(condition));
    PRESSO_ASSIGN(const auto pieces, pieces_of(groups, dfa));
    for (const Way& way : kWays) {
      if (way.layout != TextLayout::kClasses) continue;
      report.add({name_of(condition.kind), condition.text, way.name,
                  fixed(lane_use_of(pieces, way.refill), 3)});
    }
  }
  return true;
}

Result<bool> run(int count, char** arguments) {
  CommandLine line("FILE.presso COLUMN [KIND TEXT]...",
                   "Times conditions on a column of strings: KIND is equal, less, like, ilike or "
                   "matches.\nExit status 1 where bits were wrong.");
  bool only_lanes = false;
  line.add("--lanes", "count lane_use only, which needs no GPU", only_lanes);
  const StringRateOptions options =
      parse_string_rate(line, count, arguments,
                        "classes, refill1, refill8, refill16, refill24, refill28, refill32, wide",
                        1'000'000'000, kUsual);
  PRESSO_ASSIGN(const FdRandomAccess file, open_file(options.path));
  PRESSO_ASSIGN(const Table table, Table::open(file));
  PRESSO_ASSIGN(const std::vector<TextGroup> groups, read_text(table, options.column));
  if (only_lanes) return count_lanes(options, groups);
  PRESSO_ASSIGN(const auto gpu, Gpu::open());
  return Bench(*gpu, options, groups).run();
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::gpu::bench::run(count, arguments));
}
