// SPDX-License-Identifier: MIT
// How fast a GPU tests the strings of a token column as it is stored.
//
//   strings_gpu_rate [--bytes N] [--runs N] [--only WAY]... FILE.presso COLUMN [KIND TEXT]...
//
// KIND is equal, less, like, ilike or matches. Without conditions: twelve for l_comment of TPC-H.
// The column's blocks are placed in device memory as often as their payloads make N bytes together
// (400,000,000), each copy at a place of its own, counts of codes decoded, and tested in every way
// whose table has room for the automaton (string_table.h), and in the laboratory's
// (row_refill.cuh). Before timing, bits are poisoned, and all of them are compared with what the
// CPU finds in the text; after timing again. Printed, as CSV: the median of 15 runs after three, by
// events around find_strings() without checksums; "places_ms" is the part of it that finds where
// rows begin. "suspects": the part of the rows that the sweep has to walk; "chosen": whether
// choose_layout() takes that way. First comes what decoding the counts would take. Exit status 1
// where bits were wrong.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <functional>
#include <numeric>

#include "decompress/columns/gpu/columns_on_gpu.h"
#include "decompress/gpu/runtime/cuda_device.h"
#include "decompress/gpu/runtime/cuda_error.h"
#include "decompress/gpu/runtime/memory.h"
#include "decompress/gpu/runtime/memory_parts.h"
#include "lab/gpu/refilled_strings.h"
#include "lab/programs/decompress_gpu/bench_support.h"
#include "lab/programs/strings_gpu/string_rate_options.h"
#include "lab/programs/strings_gpu/token_blocks.h"
#include "presso/stopwatch.h"
#include "query/gpu/strings/string_choice.h"
#include "query/gpu/strings/strings_on_gpu.h"
#include "query/strings/condition_automaton.h"

namespace presso::gpu::bench {
namespace {

using query::StringCondition;
using query::StringTest;
using Kind = StringCondition::Kind;

constexpr const char* kUsage =
    "usage: strings_gpu_rate [--bytes N] [--runs N] [--only WAY]... FILE.presso COLUMN\n"
    "                        [KIND TEXT]...\n"
    "  KIND is equal, less, like, ilike or matches; WAY is sweep, classes, refill8, refill16,\n"
    "  refill24, refill32 or wide\n";

/// A way to test rows, under the name that the table has for it.
struct Way {
  const char* name;
  StringLayout layout;
  std::uint32_t refill = 0;
};
constexpr Way kWays[] = {{"sweep", StringLayout::kSweep},
                         {"classes", StringLayout::kClasses},
                         {"refill8", StringLayout::kClasses, 8},
                         {"refill16", StringLayout::kClasses, 16},
                         {"refill24", StringLayout::kClasses, 24},
                         {"refill32", StringLayout::kClasses, kLanes},
                         {"wide", StringLayout::kWide}};
constexpr std::pair<Kind, const char*> kUsual[] = {
    {Kind::kLike, "%special%requests%"},
    {Kind::kLike, "%furiously%"},
    {Kind::kLike, "%Customer%Complaints%"},
    {Kind::kMatches, "b[aeiou]ld.*(deposits|requests)$"},
    {Kind::kMatches, "(foxes|ideas).*(sleep|haggle)"},
    {Kind::kIlike, "%SPECIAL%"},
    {Kind::kLike, "carefully%"},
    {Kind::kLike, "%ly"},
    {Kind::kEqual, "furiously final"},
    {Kind::kLess, "f"},
    {Kind::kMatches, "[0-9]"},
    {Kind::kLike, "%s_e%"},
};

using Options = StringRateOptions;
constexpr std::uint64_t kUsualBytes = 400'000'000;

/// One piece of device memory, filled from the host.
class DevicePiece {
 public:
  Status make(Memory& memory, Stream stream, const std::vector<Byte>& from) {
    PRESSO_ASSIGN(memory_, memory.allocate(std::max<std::size_t>(from.size(), 1)));
    PRESSO_TRY(memory.device().copy_in(memory_.get(), from.data(), from.size(), stream));
    return memory.device().wait(stream);
  }
  Byte* at(std::uint64_t offset) const { return memory_.get() + offset; }

 private:
  DeviceMemory memory_;
};

/// Where the parts of a copy of the column lie in its piece of memory.
struct CopyPlan {
  MemoryParts parts;
  std::vector<std::uint64_t> payloads, counts;  ///< by block
  std::vector<std::uint64_t> packed_counts;

  explicit CopyPlan(const StoredColumn& column) {
    for (const StoredGroup& group : column.groups()) {
      for (const StoredTokens& block : group.blocks) payloads.push_back(add(block.payload));
      for (const StoredTokens& block : group.blocks) counts.push_back(add(block.counts));
      for (const StoredCounts& block : group.counts) packed_counts.push_back(add(block.payload));
    }
  }
  std::vector<Byte> image(const StoredColumn& column) const {
    std::vector<Byte> bytes(parts.bytes());
    auto payload = payloads.begin(), count = counts.begin(), packed = packed_counts.begin();
    for (const StoredGroup& group : column.groups()) {
      for (const StoredTokens& block : group.blocks) put(bytes, *payload++, block.payload);
      for (const StoredTokens& block : group.blocks) put(bytes, *count++, block.counts);
      for (const StoredCounts& block : group.counts) put(bytes, *packed++, block.payload);
    }
    return bytes;
  }

 private:
  template <class T>
  std::uint64_t add(const std::vector<T>& part) {
    return parts.add(part.size() * sizeof(T));
  }
  template <class T>
  static void put(std::vector<Byte>& to, std::uint64_t at, const std::vector<T>& from) {
    std::copy_n(reinterpret_cast<const Byte*>(from.data()), from.size() * sizeof(T),
                to.begin() + static_cast<std::ptrdiff_t>(at));
  }
};

class Bench {
 public:
  Bench(Device& device, const Options& options, const StoredColumn& column)
      : device_(device), memory_(device, {}), options_(options), column_(column) {}

  /// Places the copies.
  Status begin() {
    PRESSO_ASSIGN(stream_, make_stream(device_));
    PRESSO_TRY(check(cudaEventCreate(&begin_), "making an event"));
    PRESSO_TRY(check(cudaEventCreate(&end_), "making an event"));
    const std::uint64_t payload = std::max<std::uint64_t>(column_.payload_bytes(), 1);
    copies_ = std::max<std::uint64_t>((options_.bytes + payload - 1) / payload, 1);
    const CopyPlan plan(column_);
    const std::vector<Byte> image = plan.image(column_);
    MemoryParts parts;
    for (std::uint64_t copy = 0; copy < copies_; ++copy) parts.add(image.size());
    PRESSO_ASSIGN(blocks_memory_, memory_.allocate(parts.bytes()));
    for (std::uint64_t copy = 0; copy < copies_; ++copy) {
      Byte* const at = blocks_memory_.get() + copy * image.size();
      PRESSO_TRY(device_.copy_in(at, image.data(), image.size(), stream_.get()));
      add_blocks(plan, at);
    }
    PRESSO_TRY(device_.wait(stream_.get()));
    return add_temporaries();
  }

  Status measure(const StringCondition& condition) {
    PRESSO_ASSIGN(const StringTest test, StringTest::compile(condition));
    PRESSO_ASSIGN(const auto dfa, query::condition_automaton(condition));
    std::vector<TokenFunctions> functions;
    const Stopwatch watch;
    for (const StoredGroup& group : column_.groups()) {
      PRESSO_ASSIGN(TokenFunctions made, token_functions(dfa, group.tokens()));
      functions.push_back(std::move(made));
    }
    table_ms_ = watch.seconds() * 1e3 / static_cast<double>(functions.size());
    chosen_ = choose_layout(functions[0], sample());
    expected_.clear();
    matches_ = 0;
    for (const StoredGroup& group : column_.groups()) {
      const std::vector<std::uint32_t> bits = bits_on_cpu(test, group);
      expected_.insert(expected_.end(), bits.begin(), bits.end());
    }
    for (const std::uint32_t word : expected_) matches_ += popcount(word);
    for (const Way& way : kWays) {
      if (is_wanted(way.name)) PRESSO_TRY(measure_way(condition, functions, way));
    }
    return {};
  }

  /// What decoding the counts takes, where all are stored as integers.
  Status measure_counts() {
    std::vector<IntegerBlock> blocks;
    const CopyPlan plan(column_);
    std::uint64_t rows = 0, packed = 0;
    std::vector<std::uint64_t> outs;
    MemoryParts parts;
    for (std::uint64_t copy = 0; copy < copies_; ++copy) {
      auto at = plan.packed_counts.begin();
      for (const StoredGroup& group : column_.groups()) {
        for (const StoredCounts& one : group.counts) {
          IntegerBlock block;
          const auto size = static_cast<std::uint32_t>(one.payload.size());
          block.payload = {blocks_memory_.get() + copy * plan.parts.bytes() + *at++, size, 0};
          block.parameters = one.parameters;
          outs.push_back(parts.add(4 * one.parameters.rows));
          blocks.push_back(block);
          rows += one.parameters.rows;
          packed += size;
        }
      }
    }
    if (rows != copies_ * column_.rows()) return {};
    PRESSO_ASSIGN(const DeviceMemory out, memory_.allocate(parts.bytes()));
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i].out = out.get() + outs[i];
    PRESSO_ASSIGN(const DeviceMemory d_blocks, copy_of(blocks));
    PRESSO_ASSIGN(const DeviceMemory status, memory_.allocate(blocks.size() * 4));
    const IntegerBatch batch{reinterpret_cast<const IntegerBlock*>(d_blocks.get()),
                             reinterpret_cast<std::uint32_t*>(status.get()),
                             static_cast<std::uint32_t>(blocks.size())};
    ColumnOptions options;
    options.verify = options.wide = false;
    PRESSO_ASSIGN(const Times ms,
                  time([&] { return decode_integer_blocks(batch, options, stream_.get()); }));
    std::printf("counts,decode,0,0,,0,%.4f,%.4f,,%.1f,,%.1f,,,\n", ms.median, ms.best,
                static_cast<double>(rows) / ms.median / 1e6,
                static_cast<double>(packed + 4 * rows) / ms.median / 1e6);
    return {};
  }

  bool all_correct() const { return all_correct_; }
  std::uint64_t copies() const { return copies_; }

 private:
  static std::uint32_t popcount(std::uint32_t word) {
    return static_cast<std::uint32_t>(__builtin_popcount(word));
  }
  bool is_wanted(const std::string& way) const {
    return options_.only.empty() ||
           std::find(options_.only.begin(), options_.only.end(), way) != options_.only.end();
  }

  void add_blocks(const CopyPlan& plan, Byte* at) {
    auto payload = plan.payloads.begin(), count = plan.counts.begin();
    std::uint32_t group_number = 0;
    for (const StoredGroup& group : column_.groups()) {
      for (const StoredTokens& one : group.blocks) {
        StringBlock block;
        block.payload = {at + *payload++, static_cast<std::uint32_t>(one.payload.size()), 0};
        block.codes = one.codes;
        block.rows = static_cast<std::uint32_t>(one.counts.size());
        block.first_tile = tiles_;
        block.counts = reinterpret_cast<const std::uint32_t*>(at + *count++);
        tiles_ += row_tiles(block.rows);
        words_ += row_words(block.rows);
        blocks_.push_back(block);
        group_of_.push_back(group_number);
      }
      ++group_number;
    }
  }

  Status add_temporaries() {
    PRESSO_ASSIGN(tile_begins_, memory_.allocate(std::uint64_t{tiles_} * 4));
    PRESSO_ASSIGN(bits_, memory_.allocate(words_ * 4));
    PRESSO_ASSIGN(statuses_, memory_.allocate(blocks_.size() * 4));
    PRESSO_ASSIGN(matches_of_, memory_.allocate(blocks_.size() * 4));
    auto* bits = reinterpret_cast<std::uint32_t*>(bits_.get());
    for (StringBlock& block : blocks_) {
      block.tile_begins = reinterpret_cast<std::uint32_t*>(tile_begins_.get()) + block.first_tile;
      block.bits = bits;
      bits += row_words(block.rows);
    }
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

  Status measure_way(const StringCondition& condition, const std::vector<TokenFunctions>& functions,
                     const Way& way) {
    std::vector<StringTable> tables;
    std::vector<DeviceMemory> images;
    StringBatch batch;
    for (const TokenFunctions& one : functions) {
      if (!fits(way.layout, one)) return {};
      PRESSO_ASSIGN(StringTable table, lay_out(way.layout, one));
      PRESSO_ASSIGN(DeviceMemory image, copy_of(table.image));
      table.view.d_image = image.get();
      batch.table_bytes = std::max(batch.table_bytes, table.view.shared_bytes);
      images.push_back(std::move(image));
      tables.push_back(std::move(table));
    }
    std::vector<StringBlock> blocks = blocks_;
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i].table = tables[group_of_[i]].view;
    PRESSO_ASSIGN(const DeviceMemory d_blocks, copy_of(blocks));
    batch.blocks = reinterpret_cast<const StringBlock*>(d_blocks.get());
    batch.status = reinterpret_cast<std::uint32_t*>(statuses_.get());
    batch.matches = reinterpret_cast<std::uint32_t*>(matches_of_.get());
    batch.count = static_cast<std::uint32_t>(blocks.size());
    batch.tiles = tiles_;
    const auto find_in = [&](const StringBatch& in) {
      if (way.refill > 0) return find_strings_refilled(in, false, way.refill, stream_.get());
      return find_strings(in, {false, way.layout}, stream_.get());
    };
    const auto find = [&] { return find_in(batch); };
    PRESSO_TRY(check(cudaMemsetAsync(bits_.get(), 0xA5, words_ * 4, stream_.get()), "poisoning"));
    PRESSO_TRY(find());
    PRESSO_ASSIGN(const bool before, is_right());
    PRESSO_ASSIGN(const Times ms, time(find));
    PRESSO_ASSIGN(const bool after, is_right());
    StringBatch places = batch;
    places.tiles = 0;
    PRESSO_ASSIGN(const Times places_ms, time([&] { return find_in(places); }));
    print(condition, functions[0], way, tables, ms, places_ms, before && after);
    all_correct_ = all_correct_ && before && after;
    return {};
  }

  void print(const StringCondition& condition, const TokenFunctions& functions, const Way& way,
             const std::vector<StringTable>& tables, const Times& ms, const Times& places_ms,
             bool right) const {
    const auto copies = static_cast<double>(copies_);
    const double codes = copies * static_cast<double>(column_.codes());
    const double text = copies * static_cast<double>(column_.text_bytes());
    const double moved = copies * static_cast<double>(column_.payload_bytes()) +
                         8 * copies * static_cast<double>(column_.rows());
    const bool is_sweep = way.layout == StringLayout::kSweep;
    std::printf("%s,\"%s\",%u,%u,%s,%u,%.4f,%.4f,%.4f,%.1f,%.3f,%.1f,%.4f,%.4f,%.3f,%s%s\n",
                name_of(condition.kind), condition.text.c_str(), functions.states,
                functions.classes, way.name, tables[0].view.image_bytes, ms.median, ms.best,
                places_ms.median, codes / ms.median / 1e6, text / ms.median / 1e9,
                moved / ms.median / 1e6,
                static_cast<double>(matches_) / static_cast<double>(column_.rows()),
                is_sweep ? suspects(tables) : 0.0, table_ms_,
                way.refill == 0 && way.layout == chosen_ ? "yes" : "no", right ? "" : "  WRONG");
    std::fflush(stdout);
  }

  /// The first rows of the column.
  StringSample sample() const {
    const StoredTokens& block = column_.groups()[0].blocks[0];
    StringSample sample;
    sample.counts = block.counts;
    sample.counts.resize(std::min<std::size_t>(block.counts.size(), kSampleRows));
    sample.codes = unpacked(block);
    sample.codes.resize(std::accumulate(sample.counts.begin(), sample.counts.end(), 0u));
    return sample;
  }
  /// The part of the rows with a hit, as row_sweep.cuh finds them.
  double suspects(const std::vector<StringTable>& tables) const {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const auto* const words = reinterpret_cast<const std::uint32_t*>(tables[i].image.data());
      for (const StoredTokens& block : column_.groups()[i].blocks) {
        const std::vector<std::uint16_t> codes = unpacked(block);
        std::size_t at = 0;
        for (const std::uint32_t row_codes : block.counts) {
          bool has_hit = false;
          for (const std::size_t end = at + row_codes; at < end; ++at) {
            const std::uint32_t last = at == 0 ? 1u << 31 : words[codes[at - 1]];
            has_hit = has_hit || (last >> 16 & words[codes[at]]) != 0;
          }
          count += has_hit ? 1 : 0;
        }
      }
    }
    return static_cast<double>(count) / static_cast<double>(column_.rows());
  }
  static std::vector<std::uint16_t> unpacked(const StoredTokens& block) {
    std::vector<std::uint16_t> codes(block.codes);
    for (std::uint32_t i = 0; i < block.codes; ++i) {
      const std::uint32_t bit = i % kVectorRows / kLanes * kTokenBits;
      const std::size_t word = i / kVectorRows * kTokenVectorWords + bit / 32 * kLanes + i % kLanes;
      std::uint64_t bits = load<std::uint32_t>(block.payload.data() + 4 * word);
      if (bit % 32 > 32 - kTokenBits) {
        bits |= std::uint64_t{load<std::uint32_t>(block.payload.data() + 4 * (word + kLanes))}
                << 32;
      }
      codes[i] = static_cast<std::uint16_t>(bits >> (bit % 32) & (kMaxTokens - 1));
    }
    return codes;
  }

  Result<bool> is_right() {
    std::vector<std::uint32_t> bits(words_), statuses(blocks_.size()), matches(blocks_.size());
    PRESSO_TRY(copy_out(bits, bits_.get()));
    PRESSO_TRY(copy_out(statuses, statuses_.get()));
    PRESSO_TRY(copy_out(matches, matches_of_.get()));
    for (const std::uint32_t status : statuses) {
      if (status != 0) return false;
    }
    for (std::uint64_t copy = 0; copy < copies_; ++copy) {
      const auto at = bits.begin() + static_cast<std::ptrdiff_t>(copy * expected_.size());
      if (!std::equal(expected_.begin(), expected_.end(), at)) return false;
    }
    return std::accumulate(matches.begin(), matches.end(), std::uint64_t{0}) == copies_ * matches_;
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
  const StoredColumn& column_;
  OwnedStream stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::uint64_t copies_ = 1;
  DeviceMemory blocks_memory_, tile_begins_, bits_, statuses_, matches_of_;
  std::vector<StringBlock> blocks_;
  std::vector<std::uint32_t> group_of_;
  std::uint32_t tiles_ = 0;
  std::uint64_t words_ = 0;
  std::vector<std::uint32_t> expected_;  ///< bits of one copy
  std::uint64_t matches_ = 0;            ///< of one copy
  double table_ms_ = 0;
  StringLayout chosen_ = StringLayout::kClasses;
  bool all_correct_ = true;
};

/// How long rows are, and how much longer the longest of 32.
void print_shape(const StoredColumn& column) {
  std::uint64_t longest = 0, groups = 0;
  std::uint32_t least_tokens = kMaxTokens;
  for (const StoredGroup& group : column.groups()) {
    least_tokens = std::min(least_tokens, group.tokens().size());
    for (const StoredTokens& block : group.blocks) {
      for (std::size_t row = 0; row < block.counts.size(); row += kLanes, ++groups) {
        const std::size_t end = std::min<std::size_t>(row + kLanes, block.counts.size());
        longest += *std::max_element(block.counts.begin() + static_cast<std::ptrdiff_t>(row),
                                     block.counts.begin() + static_cast<std::ptrdiff_t>(end));
      }
    }
  }
  const auto rows = static_cast<double>(column.rows());
  const auto codes = static_cast<double>(column.codes());
  std::printf(
      "# %.0f rows, %.0f bytes of text, %.0f codes: %.2f bytes a code, "
      "%.2f codes a row, the longest of 32 rows has %.2f; %u tokens at least\n",
      rows, static_cast<double>(column.text_bytes()), codes,
      static_cast<double>(column.text_bytes()) / codes, codes / rows,
      static_cast<double>(longest) / static_cast<double>(std::max<std::uint64_t>(groups, 1)),
      least_tokens);
}

Result<bool> run(const Options& options) {
  const InputFile file(options.path);
  PRESSO_TRY(file.status(options.path));
  PRESSO_ASSIGN(const Table table, Table::open(file));
  PRESSO_ASSIGN(const StoredColumn column, StoredColumn::read(table, options.column));
  print_shape(column);
  PRESSO_ASSIGN(const std::unique_ptr<Device> device, open_cuda_device(0));
  Bench bench(*device, options, column);
  PRESSO_TRY(bench.begin());
  std::printf("# %llu copies\n", static_cast<unsigned long long>(bench.copies()));
  std::puts(
      "kind,text,states,classes,way,table_bytes,median_ms,best_ms,places_ms,g_codes_s,"
      "text_tb_s,moved_gb_s,matching,suspects,table_ms,chosen");
  PRESSO_TRY(bench.measure_counts());
  for (const StringCondition& condition : options.conditions) {
    PRESSO_TRY(bench.measure(condition));
  }
  return bench.all_correct();
}

bool parse(std::span<char* const> arguments, Options& options) {
  options.bytes = kUsualBytes;
  return parse_string_rate(arguments, kUsual, options);
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
  std::fprintf(stderr, "strings_gpu_rate: %s\n", correct.error().message().c_str());
  return 2;
}
