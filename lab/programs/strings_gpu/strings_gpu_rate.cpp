// SPDX-License-Identifier: MIT
// How fast a GPU tests the strings of a token column as it is stored.
//
// The column's blocks are placed in device memory as often as their payloads make --bytes together,
// each copy at a place of its own, counts of codes decoded, and tested in every way whose table has
// room for the automaton (string_table.h), and in the laboratory's (row_refill.cuh). Before timing,
// bits are poisoned, and all of them are compared with what the CPU finds in the text; after timing
// again. Printed, as CSV: the median of all runs, by events around find_strings() without
// checksums; "places_ms" is the part of it that finds where rows begin. "suspects": the part of the
// rows that the sweep has to walk; "chosen": whether choose_layout() takes that way. First comes
// what decoding the counts would take.
#include <cstdio>
#include <functional>
#include <numeric>

#include "decompress/columns/gpu/columns_on_gpu.h"
#include "decompress/gpu/runtime/memory_parts.h"
#include "lab/gpu/refilled_strings.h"
#include "lab/harness/files.h"
#include "lab/harness/report.h"
#include "lab/programs/strings_gpu/string_rate.h"
#include "lab/programs/strings_gpu/token_blocks.h"
#include "query/gpu/strings/string_choice.h"
#include "query/gpu/strings/strings_on_gpu.h"
#include "query/strings/condition_automaton.h"

namespace presso::gpu::bench {
namespace {

using namespace presso::harness;
using query::StringCondition;
using query::StringTest;

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
  Bench(Gpu& gpu, const StringRateOptions& options, const StoredColumn& column)
      : gpu_(gpu), options_(options), column_(column), plan_(column) {
    const std::uint64_t payload = std::max<std::uint64_t>(column_.payload_bytes(), 1);
    copies_ = std::max<std::uint64_t>((options_.bytes + payload - 1) / payload, 1);
  }

  Result<bool> run() {
    PRESSO_TRY(place_copies());
    std::printf("# %llu copies\n", static_cast<unsigned long long>(copies_));
    Report report(Report::Form::kCsv,
                  "kind,text,states,classes,way,table_bytes,median_ms,best_ms,places_ms,"
                  "g_codes_s,text_tb_s,moved_gb_s,matching,suspects,table_ms,chosen,right");
    PRESSO_TRY(measure_counts(report));
    for (const StringCondition& condition : options_.conditions) {
      PRESSO_TRY(measure(condition, report));
    }
    return all_right_;
  }

 private:
  Status place_copies() {
    const std::vector<Byte> image = plan_.image(column_);
    PRESSO_ASSIGN(blocks_memory_, gpu_.allocate(copies_ * image.size()));
    PRESSO_TRY(gpu_.copy_in(blocks_memory_.get(), image.data(), image.size()));
    PRESSO_TRY(gpu_.repeat(blocks_memory_.get(), image.size(), copies_ * image.size()));
    for (std::uint64_t copy = 0; copy < copies_; ++copy) {
      add_blocks(blocks_memory_.get() + copy * image.size());
    }
    PRESSO_ASSIGN(tile_begins_, gpu_.allocate(std::uint64_t{tiles_} * 4));
    PRESSO_TRY(found_.make(gpu_, copies_, words_, blocks_.size()));
    std::uint32_t* bits = found_.bits();
    for (StringBlock& block : blocks_) {
      block.tile_begins = as<std::uint32_t>(tile_begins_) + block.first_tile;
      block.bits = bits;
      bits += row_words(block.rows);
    }
    return {};
  }

  Status measure(const StringCondition& condition, Report& report) {
    PRESSO_ASSIGN(const StringTest test, StringTest::compile(condition));
    PRESSO_ASSIGN(const auto dfa, query::condition_automaton(condition));
    std::vector<TokenFunctions> functions;
    const double begin = now(Clock::kWall);
    for (const StoredGroup& group : column_.groups()) {
      PRESSO_ASSIGN(TokenFunctions made, token_functions(dfa, group.tokens()));
      functions.push_back(std::move(made));
    }
    table_ms_ = (now(Clock::kWall) - begin) * 1e3 / static_cast<double>(functions.size());
    chosen_ = choose_layout(functions[0], sample());
    std::vector<std::uint32_t> expected;
    for (const StoredGroup& group : column_.groups()) {
      const std::vector<std::uint32_t> bits = bits_on_cpu(test, group);
      expected.insert(expected.end(), bits.begin(), bits.end());
    }
    found_.expect(std::move(expected));
    for (const Way& way : kWays) {
      if (options_.wants(way.name)) PRESSO_TRY(measure_way(condition, functions, way, report));
    }
    return {};
  }

  /// What decoding the counts takes, where all are stored as integers.
  Status measure_counts(Report& report) {
    std::vector<IntegerBlock> blocks;
    std::uint64_t rows = 0, packed = 0;
    std::vector<std::uint64_t> outs;
    MemoryParts parts;
    for (std::uint64_t copy = 0; copy < copies_; ++copy) {
      auto at = plan_.packed_counts.begin();
      for (const StoredGroup& group : column_.groups()) {
        for (const StoredCounts& one : group.counts) {
          IntegerBlock block;
          const auto size = static_cast<std::uint32_t>(one.payload.size());
          block.payload = {blocks_memory_.get() + copy * plan_.parts.bytes() + *at++, size, 0};
          block.parameters = one.parameters;
          outs.push_back(parts.add(4 * one.parameters.rows));
          blocks.push_back(block);
          rows += one.parameters.rows;
          packed += size;
        }
      }
    }
    if (rows != copies_ * column_.rows()) return {};
    PRESSO_ASSIGN(const DeviceMemory out, gpu_.allocate(parts.bytes()));
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i].out = out.get() + outs[i];
    PRESSO_ASSIGN(const DeviceMemory d_blocks, gpu_.copy_of(blocks));
    PRESSO_ASSIGN(const DeviceMemory status, gpu_.allocate(blocks.size() * 4));
    const IntegerBatch batch{as<const IntegerBlock>(d_blocks), as<std::uint32_t>(status),
                             static_cast<std::uint32_t>(blocks.size())};
    ColumnOptions options;
    options.verify = options.wide = false;
    PRESSO_ASSIGN(const Times ms, gpu_.time(options_.runs, [&] {
      return decode_integer_blocks(batch, options, gpu_.stream());
    }));
    report.add({"counts", "decode", 0, 0, "", 0, fixed(ms.median, 4), fixed(ms.best, 4), "",
                fixed(static_cast<double>(rows) / ms.median / 1e6, 1), "",
                fixed(static_cast<double>(packed + 4 * rows) / ms.median / 1e6, 1), "", "", "", "",
                ""});
    return {};
  }

  void add_blocks(Byte* at) {
    auto payload = plan_.payloads.begin(), count = plan_.counts.begin();
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

  Status measure_way(const StringCondition& condition, const std::vector<TokenFunctions>& functions,
                     const Way& way, Report& report) {
    std::vector<StringTable> tables;
    std::vector<DeviceMemory> images;
    StringBatch batch;
    for (const TokenFunctions& one : functions) {
      if (!fits(way.layout, one)) return {};
      PRESSO_ASSIGN(StringTable table, lay_out(way.layout, one));
      PRESSO_ASSIGN(DeviceMemory image, gpu_.copy_of(table.image));
      table.view.d_image = image.get();
      batch.table_bytes = std::max(batch.table_bytes, table.view.shared_bytes);
      images.push_back(std::move(image));
      tables.push_back(std::move(table));
    }
    std::vector<StringBlock> blocks = blocks_;
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i].table = tables[group_of_[i]].view;
    PRESSO_ASSIGN(const DeviceMemory d_blocks, gpu_.copy_of(blocks));
    batch.blocks = as<const StringBlock>(d_blocks);
    batch.status = found_.statuses();
    batch.matches = found_.matches();
    batch.count = static_cast<std::uint32_t>(blocks.size());
    batch.tiles = tiles_;
    const auto find_in = [&](const StringBatch& in) {
      if (way.refill > 0) return find_strings_refilled(in, false, way.refill, gpu_.stream());
      return find_strings(in, {false, way.layout}, gpu_.stream());
    };
    Times ms;
    bool right = false;
    PRESSO_TRY(found_.time(
        options_.runs, true, [&] { return find_in(batch); }, ms, right));
    StringBatch places = batch;
    places.tiles = 0;
    PRESSO_ASSIGN(const Times places_ms, gpu_.time(options_.runs, [&] { return find_in(places); }));
    const auto copies = static_cast<double>(copies_);
    const auto rows = static_cast<double>(column_.rows());
    const double codes = copies * static_cast<double>(column_.codes());
    const double text = copies * static_cast<double>(column_.text_bytes());
    const double moved = copies * (static_cast<double>(column_.payload_bytes()) + 8 * rows);
    const bool is_sweep = way.layout == StringLayout::kSweep;
    report.add({name_of(condition.kind), condition.text, functions[0].states, functions[0].classes,
                way.name, tables[0].view.image_bytes, fixed(ms.median, 4), fixed(ms.best, 4),
                fixed(places_ms.median, 4), fixed(codes / ms.median / 1e6, 1),
                fixed(text / ms.median / 1e9, 3), fixed(moved / ms.median / 1e6, 1),
                fixed(static_cast<double>(found_.expected_matches()) / rows, 4),
                fixed(is_sweep ? suspects(tables) : 0.0, 4), fixed(table_ms_, 3),
                way.refill == 0 && way.layout == chosen_ ? "yes" : "no", verdict(right)});
    all_right_ = all_right_ && right;
    return {};
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

  Gpu& gpu_;
  const StringRateOptions& options_;
  const StoredColumn& column_;
  const CopyPlan plan_;
  std::uint64_t copies_ = 1;
  DeviceMemory blocks_memory_, tile_begins_;
  FoundRows found_;
  std::vector<StringBlock> blocks_;
  std::vector<std::uint32_t> group_of_;
  std::uint32_t tiles_ = 0;
  std::uint64_t words_ = 0;
  double table_ms_ = 0;
  StringLayout chosen_ = StringLayout::kClasses;
  bool all_right_ = true;
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

Result<bool> run(int count, char** arguments) {
  CommandLine line("FILE.presso COLUMN [KIND TEXT]...",
                   "Times conditions on a token column: KIND is equal, less, like, ilike or "
                   "matches. Without\nconditions: twelve for l_comment of TPC-H. Exit status 1 "
                   "where bits were wrong.");
  const StringRateOptions options = parse_string_rate(
      line, count, arguments, "sweep, classes, refill8, refill16, refill24, refill32, wide",
      400'000'000, kUsual);
  PRESSO_ASSIGN(const FdRandomAccess file, open_file(options.path));
  PRESSO_ASSIGN(const Table table, Table::open(file));
  PRESSO_ASSIGN(const StoredColumn column, StoredColumn::read(table, options.column));
  print_shape(column);
  PRESSO_ASSIGN(const auto gpu, Gpu::open());
  return Bench(*gpu, options, column).run();
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::gpu::bench::run(count, arguments));
}
