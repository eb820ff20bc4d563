// SPDX-License-Identifier: MIT
// How fast blocks that lie in device memory are decoded: plain bytes a second by file, strategy,
// verification and number of blocks (S7.5 to S7.9). sc, mrr-multikernel and fused are variants of
// the laboratory (lab/gpu).
//
// The blocks of each file are replicated until their plain bytes reach --bytes. Each row is decoded
// once into poisoned memory and compared with the CPU decoder's bytes, then warmed up, then timed:
// the median from an event before decode_batch to one after it, launches included, which show
// where there are few blocks. Afterwards the bytes are compared again. mrr-multikernel, whose
// memory for references is several times its plain bytes, gets at most 64 MiB.
// --nested shows time against the depth of dependencies (nested_data.h); de takes mrr there, since
// those blocks claim no rule.
#include <optional>

#include "lab/harness/command_line.h"
#include "lab/harness/files.h"
#include "lab/programs/decompress_gpu/block_report.h"
#include "lab/programs/decompress_gpu/device_batch.h"

namespace presso::gpu::bench {
namespace {

using namespace presso::harness;

/// A strategy of the product, or a variant of the laboratory.
struct NamedStrategy {
  std::string name;
  Strategy value;
  std::optional<lab::Variant> variant = {};

  bool operator==(const std::string& other) const { return name == other; }
};
const NamedStrategy kStrategies[] = {
    {"auto", Strategy::kAuto},
    {"sc", Strategy::kMultiRound, lab::Variant::kSequential},
    {"mrr", Strategy::kMultiRound},
    {"mrr-multikernel", Strategy::kMultiRound, lab::Variant::kMultiRoundKernels},
    {"de", Strategy::kDependencyFree},
    {"fused", Strategy::kAuto, lab::Variant::kFused}};
const std::string kOnOff[] = {"off", "on"};

struct Options {
  std::vector<NamedStrategy> strategies;
  std::vector<bool> verify;
  std::vector<std::uint32_t> blocks;  ///< 0: all
  bool nested = false;
  BlockRateOptions common;
};

constexpr std::uint64_t kMultiKernelBytes = 64u << 20;

struct Row {
  const BlockFile& file;
  NamedStrategy strategy;
  bool verify = false;
  std::uint32_t blocks = 0;
  std::uint64_t plain_bytes = 0;
};

/// How many of the blocks a row decodes, and their plain bytes.
void choose_blocks(const std::vector<BlockSpan>& spans, std::uint32_t wanted, Row& row) {
  const std::size_t most = wanted == 0 ? spans.size() : std::min<std::size_t>(wanted, spans.size());
  const bool limited = row.strategy.variant == lab::Variant::kMultiRoundKernels;
  for (; row.blocks < most; ++row.blocks) {
    const std::uint64_t bytes = row.plain_bytes + spans[row.blocks].plain_bytes;
    if (limited && row.blocks > 0 && bytes > kMultiKernelBytes) return;
    row.plain_bytes = bytes;
  }
}

Status measure_row(DeviceBatch& batch, int runs, const Row& row, BlockReport& report) {
  PRESSO_TRY(batch.prepare({{row.strategy.value, row.verify, row.file.has_bit_blocks},
                            row.blocks,
                            row.strategy.variant}));
  PRESSO_ASSIGN(const bool before, batch.is_correct());
  PRESSO_ASSIGN(const Times ms, batch.measure(runs));
  PRESSO_ASSIGN(const bool after, batch.left_correct_bytes());
  report.add(row.file, {row.strategy.name, kOnOff[row.verify], row.blocks, row.plain_bytes, runs},
             static_cast<double>(row.plain_bytes), ms, {}, before && after);
  return {};
}

Status measure_file(Gpu& gpu, const BlockFile& file, const Options& options, BlockReport& report) {
  DeviceBatch batch(gpu);
  PRESSO_TRY(batch.place(file, options.common.bytes));
  for (const std::uint32_t blocks : options.blocks) {
    for (const NamedStrategy& strategy : options.strategies) {
      for (const bool verify : options.verify) {
        Row row{file, strategy, verify};
        choose_blocks(batch.spans(), blocks, row);
        PRESSO_TRY(measure_row(batch, options.common.runs, row, report));
      }
    }
  }
  return {};
}

Options parse(int count, char** arguments) {
  Options options;
  CommandLine line("FILE.presso... | --nested",
                   "Times decoders. Exit status 1 where a result was wrong.");
  const auto strategies = names_among(
      kStrategies, [&](std::size_t place) { options.strategies.push_back(kStrategies[place]); });
  line.add("--strategies LIST", "of auto,sc,mrr,mrr-multikernel,de,fused (all)", strategies);
  line.add("--verify LIST", "of off,on (both)",
           names_among(kOnOff, [&](std::size_t place) { options.verify.push_back(place == 1); }));
  line.add("--blocks LIST", "numbers of blocks, such as 0,100,1; 0: all (0)",
           [&](const std::string& list) {
             std::stringstream numbers(list);
             for (std::string number; std::getline(numbers, number, ',');) {
               const auto value = number_of(number);
               if (!value || *value < 0 || *value > UINT32_MAX) return false;
               options.blocks.push_back(static_cast<std::uint32_t>(*value));
             }
             return true;
           });
  line.add("--nested", "files of nested data, made here", options.nested);
  add_options(line, options.common);
  options.common.files = line.parse(count, arguments);
  if (options.common.files.empty() != options.nested) line.refuse("either files or --nested");
  if (options.verify.empty()) options.verify = {false, true};
  if (options.blocks.empty()) options.blocks = {0};
  if (options.strategies.empty()) {
    strategies(options.nested ? "mrr,sc,de,auto" : "auto,sc,mrr,mrr-multikernel,de,fused");
  }
  return options;
}

/// False where a result was wrong.
Result<bool> run(int count, char** arguments) {
  const Options options = parse(count, arguments);
  PRESSO_ASSIGN(const auto gpu, Gpu::open());
  BlockReport report("strategy:-15,verify:-6,blocks:7,plain_bytes:11,runs", "");
  PRESSO_TRY(report.begin(options.common));
  for (const std::string& path : options.common.files) {
    PRESSO_ASSIGN(const BlockFile file, load_block_file(path));
    PRESSO_TRY(measure_file(*gpu, file, options, report));
  }
  for (std::uint32_t depth = 1; options.nested && depth <= kDeepestNesting; depth *= 2) {
    PRESSO_ASSIGN(const BlockFile file, make_nested_file(depth));
    PRESSO_TRY(measure_file(*gpu, file, options, report));
  }
  return report.all_right();
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::gpu::bench::run(count, arguments));
}
