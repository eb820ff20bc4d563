// SPDX-License-Identifier: MIT
// How fast a GPU tests the strings of a column that are text in its memory.
//
//   text_gpu_rate [--bytes N] [--runs N] [--only WAY]... FILE.presso COLUMN [KIND TEXT]...
//
// KIND is equal, less, like, ilike or matches. Without conditions: those of kUsual. The column may
// be stored in any form, so that what text takes can be compared with what tokens take
// (strings_gpu_rate). Its text is placed in device memory as often as it makes N bytes together
// (1,000,000,000), each copy at a place of its own, with a length of 8 bytes for each row, and
// tested in every way whose table has room for the automaton (text_table.h), and in the
// laboratory's (text_refill.cuh). Before timing, bits are poisoned, and all of them are compared
// with what the CPU finds; after timing again. Printed, as CSV: the median of 15 runs after three,
// by events around test_text(); "places_ms" is the part of it that finds where rows begin.
// "lane_use" is counted on the host: how many of a warp's lanes have a row (lane_use.h). Decoding
// text and lengths is no part of it: decode_rate times that. Exit status 1 where bits were wrong.
//
//   text_gpu_rate --lanes FILE.presso COLUMN [KIND TEXT]...
//
// counts lane_use only, and needs no GPU.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <functional>

#include "decompress/gpu/runtime/cuda_device.h"
#include "decompress/gpu/runtime/cuda_error.h"
#include "decompress/gpu/runtime/memory.h"
#include "decompress/gpu/runtime/memory_parts.h"
#include "decompress/table/group_reader.h"
#include "lab/gpu/refilled_text.h"
#include "lab/programs/decompress_gpu/bench_support.h"
#include "lab/programs/strings_gpu/lane_use.h"
#include "lab/programs/strings_gpu/string_rate_options.h"
#include "query/gpu/kernels/text_tests.h"
#include "query/gpu/strings/text_table.h"
#include "query/strings/condition_automaton.h"

namespace presso::gpu::bench {
namespace {

using query::StringCondition;
using query::StringTest;
using Kind = StringCondition::Kind;

constexpr const char* kUsage =
    "usage: text_gpu_rate [--bytes N] [--runs N] [--only WAY]... FILE.presso COLUMN\n"
    "                     [KIND TEXT]...\n"
    "       text_gpu_rate --lanes FILE.presso COLUMN [KIND TEXT]...\n"
    "  KIND is equal, less, like, ilike or matches; WAY is classes, refill1, refill8, refill16,\n"
    "  refill24, refill28, refill32 or wide\n";

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

struct Options : StringRateOptions {
  bool only_lanes = false;
};
constexpr std::uint64_t kUsualBytes = 1'000'000'000;

/// A row group's strings.
struct TextGroup {
  std::uint32_t rows = 0;
  ColumnData text;
  std::vector<std::uint64_t> lengths;
};

/// Of the rows of each row group.
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
  Bench(Device& device, const Options& options, const std::vector<TextGroup>& groups)
      : device_(device), memory_(device, {}), options_(options), groups_(groups) {
    for (const TextGroup& group : groups_) {
      rows_ += group.rows;
      text_bytes_ += group.text.values.size();
    }
  }

  /// Places the copies.
  Status begin() {
    PRESSO_ASSIGN(stream_, make_stream(device_));
    PRESSO_TRY(check(cudaEventCreate(&begin_), "making an event"));
    PRESSO_TRY(check(cudaEventCreate(&end_), "making an event"));
    copies_ = std::max<std::uint64_t>(options_.bytes / std::max<std::uint64_t>(text_bytes_, 1), 1);
    MemoryParts parts;
    std::vector<Place> places;
    for (std::uint64_t copy = 0; copy < copies_; ++copy) {
      for (const TextGroup& group : groups_) {
        places.push_back({parts.add(group.text.values.size()), parts.add(group.rows * 8),
                          parts.add(group.rows * 4), parts.add(row_tiles(group.rows) * 4)});
        words_ += row_words(group.rows);
      }
    }
    PRESSO_ASSIGN(work_, memory_.allocate(parts.bytes()));
    // What is behind the end of text is read, too.
    PRESSO_TRY(check(cudaMemsetAsync(work_.get(), 0, parts.bytes(), stream_.get()), "clearing"));
    PRESSO_ASSIGN(bits_, memory_.allocate(words_ * 4));
    PRESSO_ASSIGN(statuses_, memory_.allocate(places.size() * 4));
    PRESSO_ASSIGN(matches_of_, memory_.allocate(places.size() * 4));
    auto* bits = reinterpret_cast<std::uint32_t*>(bits_.get());
    for (std::size_t i = 0; i < places.size(); ++i) {
      PRESSO_TRY(add_group(groups_[i % groups_.size()], places[i], bits));
    }
    PRESSO_TRY(device_.wait(stream_.get()));
    PRESSO_ASSIGN(d_blocks_, copy_of(blocks_));
    PRESSO_ASSIGN(d_numbered_, copy_of(numbered_));
    all_rows_.strings = batch_of(d_blocks_);
    all_rows_.blocks = reinterpret_cast<const NumberedBlock*>(d_numbered_.get());
    all_rows_.has_text = true;
    return {};
  }

  Status measure(const StringCondition& condition) {
    PRESSO_ASSIGN(const StringTest test, StringTest::compile(condition));
    PRESSO_ASSIGN(const auto dfa, query::condition_automaton(condition));
    expected_.clear();
    std::uint64_t matches = 0;
    for (const TextGroup& group : groups_) {
      std::vector<std::uint64_t> found((std::size_t{group.rows} + 63) / 64);
      test.find(group.text.values.bytes(), group.text.offsets.data(), group.rows, nullptr,
                found.data());
      for (std::uint32_t i = 0; i < row_words(group.rows); ++i) {
        expected_.push_back(static_cast<std::uint32_t>(found[i / 2] >> (kLanes * (i % 2))));
        matches += static_cast<std::uint64_t>(__builtin_popcount(expected_.back()));
      }
    }
    PRESSO_ASSIGN(pieces_, pieces_of(groups_, dfa));
    for (const Way& way : kWays) {
      if (!is_wanted(way.name) || !fits(way.layout, dfa)) continue;
      PRESSO_TRY(measure_way(condition, dfa, way, matches));
    }
    return {};
  }

  bool all_correct() const { return all_correct_; }
  std::uint64_t copies() const { return copies_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t text_bytes() const { return text_bytes_; }

 private:
  /// Where a row group's arrays are.
  struct Place {
    std::uint64_t text, lengths, counts, tile_begins;
  };

  bool is_wanted(const std::string& way) const {
    return options_.only.empty() ||
           std::find(options_.only.begin(), options_.only.end(), way) != options_.only.end();
  }

  Status add_group(const TextGroup& group, const Place& place, std::uint32_t*& bits) {
    Byte* const work = work_.get();
    PRESSO_TRY(device_.copy_in(work + place.text, group.text.values.data(),
                               group.text.values.size(), stream_.get()));
    PRESSO_TRY(device_.copy_in(work + place.lengths,
                               reinterpret_cast<const Byte*>(group.lengths.data()),
                               group.lengths.size() * 8, stream_.get()));
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

  template <class T>
  Result<DeviceMemory> copy_of(const std::vector<T>& from) {
    PRESSO_ASSIGN(DeviceMemory to, memory_.allocate(from.size() * sizeof(T)));
    PRESSO_TRY(device_.copy_in(to.get(), reinterpret_cast<const Byte*>(from.data()),
                               from.size() * sizeof(T), stream_.get()));
    PRESSO_TRY(device_.wait(stream_.get()));
    return to;
  }

  StringBatch batch_of(const DeviceMemory& d_blocks) const {
    StringBatch batch;
    batch.blocks = reinterpret_cast<const StringBlock*>(d_blocks.get());
    batch.status = reinterpret_cast<std::uint32_t*>(statuses_.get());
    batch.matches = reinterpret_cast<std::uint32_t*>(matches_of_.get());
    batch.count = static_cast<std::uint32_t>(blocks_.size());
    batch.tiles = tiles_;
    return batch;
  }

  Status measure_way(const StringCondition& condition, const scan_detail::Dfa& dfa, const Way& way,
                     std::uint64_t matches) {
    PRESSO_ASSIGN(TextTable table, lay_out_text(way.layout, dfa));
    PRESSO_ASSIGN(const DeviceMemory image, copy_of(table.image));
    table.view.d_image = image.get();
    std::vector<StringBlock> blocks = blocks_;
    for (StringBlock& block : blocks) block.table = table.view;
    PRESSO_ASSIGN(const DeviceMemory d_blocks, copy_of(blocks));
    TextTest test;
    test.rows = batch_of(d_blocks);
    test.rows.table_bytes = table.view.shared_bytes;
    test.layout = way.layout;
    test.least_bytes = table.least_bytes;
    test.most_bytes = table.most_bytes;
    const auto run_tests = [&](std::span<const TextTest> tests) {
      if (way.refill == 0) return test_text(all_rows_, tests, stream_.get());
      return test_text_refilled(all_rows_, tests, way.refill, stream_.get());
    };
    const auto run = [&] { return run_tests({&test, 1}); };
    PRESSO_TRY(check(cudaMemsetAsync(bits_.get(), 0xA5, words_ * 4, stream_.get()), "poisoning"));
    PRESSO_TRY(run());
    PRESSO_ASSIGN(const bool before, is_right());
    PRESSO_ASSIGN(const Times ms, time(run));
    PRESSO_ASSIGN(const bool after, is_right());
    PRESSO_ASSIGN(const Times places_ms, time([&] { return run_tests({}); }));
    const double rows = static_cast<double>(copies_) * static_cast<double>(rows_);
    const double text = static_cast<double>(copies_) * static_cast<double>(text_bytes_);
    std::printf("%s,\"%s\",%u,%u,%s,%u,%.4f,%.4f,%.4f,%.2f,%.3f,%.4f,%.3f%s\n",
                name_of(condition.kind), condition.text.c_str(), dfa.states, dfa.classes, way.name,
                table.view.image_bytes, ms.median, ms.best, places_ms.median,
                rows / ms.median / 1e6, text / ms.median / 1e9,
                static_cast<double>(matches) / static_cast<double>(rows_),
                lane_use_of(pieces_, way.refill), before && after ? "" : ",WRONG");
    all_correct_ = all_correct_ && before && after;
    return {};
  }

  Result<bool> is_right() {
    std::vector<std::uint32_t> bits(words_), statuses(blocks_.size());
    PRESSO_TRY(copy_out(bits, bits_.get()));
    PRESSO_TRY(copy_out(statuses, statuses_.get()));
    for (const std::uint32_t status : statuses) {
      if (status != 0) return false;
    }
    for (std::uint64_t copy = 0; copy < copies_; ++copy) {
      const auto at = bits.begin() + static_cast<std::ptrdiff_t>(copy * expected_.size());
      if (!std::equal(expected_.begin(), expected_.end(), at)) return false;
    }
    return true;
  }
  Status copy_out(std::vector<std::uint32_t>& to, const Byte* d_from) {
    PRESSO_TRY(
        device_.copy_out(reinterpret_cast<Byte*>(to.data()), d_from, to.size() * 4, stream_.get()));
    return device_.wait(stream_.get());
  }

  Result<Times> time(const std::function<Status()>& run) {
    std::vector<double> times;
    for (int i = -3; i < options_.runs; ++i) {
      PRESSO_TRY(check(cudaEventRecord(begin_, stream_.get()), "timing"));
      PRESSO_TRY(run());
      PRESSO_TRY(check(cudaEventRecord(end_, stream_.get()), "timing"));
      PRESSO_TRY(check(cudaEventSynchronize(end_), "waiting"));
      float ms = 0;
      PRESSO_TRY(check(cudaEventElapsedTime(&ms, begin_, end_), "timing"));
      if (i >= 0) times.push_back(static_cast<double>(ms));
    }
    return summary(times);
  }

  Device& device_;
  Memory memory_;
  const Options& options_;
  const std::vector<TextGroup>& groups_;
  std::uint64_t rows_ = 0;        ///< of one copy
  std::uint64_t text_bytes_ = 0;  ///< likewise
  OwnedStream stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::uint64_t copies_ = 1;
  DeviceMemory work_, bits_, statuses_, matches_of_, d_blocks_, d_numbered_;
  std::vector<StringBlock> blocks_;
  std::vector<NumberedBlock> numbered_;
  NumberBatch all_rows_;
  std::uint32_t tiles_ = 0;
  std::uint64_t words_ = 0;
  std::vector<std::uint32_t> expected_;             ///< bits of one copy
  std::vector<std::vector<std::uint32_t>> pieces_;  ///< of rows, by row group
  bool all_correct_ = true;
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

Status count_lanes(const Options& options, const std::vector<TextGroup>& groups) {
  std::puts("kind,text,way,lane_use");
  for (const StringCondition& condition : options.conditions) {
    PRESSO_ASSIGN(const auto dfa, query::condition_automaton(condition));
    PRESSO_ASSIGN(const auto pieces, pieces_of(groups, dfa));
    for (const Way& way : kWays) {
      if (way.layout != TextLayout::kClasses) continue;
      std::printf("%s,\"%s\",%s,%.3f\n", name_of(condition.kind), condition.text.c_str(), way.name,
                  lane_use_of(pieces, way.refill));
    }
  }
  return {};
}

Result<bool> run(const Options& options) {
  const InputFile file(options.path);
  PRESSO_TRY(file.status(options.path));
  PRESSO_ASSIGN(const Table table, Table::open(file));
  PRESSO_ASSIGN(const std::vector<TextGroup> groups, read_text(table, options.column));
  if (options.only_lanes) {
    PRESSO_TRY(count_lanes(options, groups));
    return true;
  }
  PRESSO_ASSIGN(const std::unique_ptr<Device> device, open_cuda_device(0));
  Bench bench(*device, options, groups);
  PRESSO_TRY(bench.begin());
  std::printf("# %llu rows, %llu bytes of text, %llu copies\n",
              static_cast<unsigned long long>(bench.rows()),
              static_cast<unsigned long long>(bench.text_bytes()),
              static_cast<unsigned long long>(bench.copies()));
  std::puts(
      "kind,text,states,classes,way,table_bytes,median_ms,best_ms,places_ms,g_rows_s,text_tb_s,"
      "matching,lane_use");
  for (const StringCondition& condition : options.conditions) {
    PRESSO_TRY(bench.measure(condition));
  }
  return bench.all_correct();
}

bool parse(std::span<char* const> arguments, Options& options) {
  options.bytes = kUsualBytes;
  options.only_lanes = !arguments.empty() && std::string(arguments[0]) == "--lanes";
  return parse_string_rate(arguments.subspan(options.only_lanes ? 1 : 0), kUsual, options);
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int count, char** arguments) {
  presso::gpu::bench::Options options;
  if (!presso::gpu::bench::parse({arguments + 1, arguments + count}, options)) {
    std::fputs(presso::gpu::bench::kUsage, stderr);
    return 2;
  }
  const presso::Result<bool> correct = presso::gpu::bench::run(options);
  if (correct.ok()) return *correct ? 0 : 1;
  std::fprintf(stderr, "text_gpu_rate: %s\n", correct.error().message().c_str());
  return 2;
}
