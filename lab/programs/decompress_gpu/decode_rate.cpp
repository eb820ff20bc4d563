// SPDX-License-Identifier: MIT
// How fast blocks that lie in device memory are decoded: plain bytes a second by file, strategy,
// verification and number of blocks (S7.5 to S7.9). mrr-multikernel and fused are variants of the
// laboratory (lab/gpu). Usage: see kUsage.
//
// The blocks of each file are replicated until their plain bytes reach --bytes. Each row is decoded
// once into poisoned memory and compared with the CPU decoder's bytes, then warmed up, then timed:
// the median from an event before decode_batch to one after it, launches included, which show
// where there are few blocks. Afterwards the bytes are compared again. mrr-multikernel, whose
// memory for references is several times its plain bytes, gets at most 64 MiB; its rows say so.
// --nested shows time against the depth of dependencies (nested_data.h); de takes mrr there, since
// those blocks claim no rule.
#include <cstdio>

#include "decompress/gpu/runtime/cuda_device.h"
#include "lab/programs/decompress_gpu/bench_support.h"
#include "lab/programs/decompress_gpu/device_batch.h"
#include "lab/programs/decompress_gpu/rate_options.h"
#include "presso/gpu_devices.h"

namespace presso::gpu::bench {
namespace {

constexpr const char* kUsage =
    "usage: decode_rate [OPTION]... FILE.presso...\n"
    "       decode_rate [OPTION]... --nested\n"
    "  --strategies LIST  of auto,sc,mrr,mrr-multikernel,de,fused (default: all)\n"
    "  --verify LIST      of off,on (default: both)\n"
    "  --bytes SIZE       plain bytes in device memory, at least (default 1G)\n"
    "  --blocks LIST      numbers of blocks to decode, such as 0,100,1; 0: all (default)\n"
    "  --runs N           timed runs (default 15)\n"
    "  --csv FILE         append the rows there\n"
    "  --commit TEXT      a column of the CSV\n"
    "Exit status 1 where a result was wrong, 2 where something failed.\n";

constexpr const char* kCsvHeadings =
    "device,max_clock_mhz,cuda,commit,file,ratio,block_bytes,rule,strategy,verify,blocks,"
    "plain_bytes,runs,gb_s,ms_median,ms_min,ms_max,correct\n";

constexpr std::uint64_t kMultiKernelBytes = 64u << 20;

struct Row {
  const BlockFile& file;
  NamedStrategy strategy;
  bool verify = false;
  std::uint32_t blocks = 0;
  std::uint64_t plain_bytes = 0;
  bool was_limited = false;  ///< to kMultiKernelBytes
  bool correct = false;
  Times ms = {};

  double rate() const { return static_cast<double>(plain_bytes) / ms.median / 1e6; }
  const char* rule() const { return rule_name(file.rule); }
};

/// To the terminal and the CSV.
class Report {
 public:
  Report(DeviceInfo device, const RateOptions& options)
      : device_(std::move(device)), options_(options) {}
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report() {
    if (csv_ != nullptr) std::fclose(csv_);
  }

  Status begin() {
    std::printf("%s, at most %d MHz, CUDA %s\n", device_.name.c_str(), device_.clock_khz / 1000,
                cuda_version_text(device_.runtime_version).c_str());
    std::printf("%-32s %7s %8s %-13s %-15s %-6s %7s %9s %10s\n", "file", "ratio", "block", "rule",
                "strategy", "verify", "blocks", "GB/s", "ms");
    if (options_.csv.empty()) return {};
    csv_ = std::fopen(options_.csv.c_str(), "a");
    if (csv_ == nullptr) return errno_error(options_.csv, errno);
    std::fseek(csv_, 0, SEEK_END);
    if (std::ftell(csv_) == 0) std::fputs(kCsvHeadings, csv_);
    return {};
  }

  Status add(const Row& row) {
    all_correct_ = all_correct_ && row.correct;
    std::printf("%-32s %7.3f %8u %-13s %-15s %-6s %7u %9.2f %10.4f%s%s\n", row.file.name.c_str(),
                row.file.ratio(), row.file.block_bytes, row.rule(), row.strategy.name.data(),
                row.verify ? "on" : "off", row.blocks, row.rate(), row.ms.median,
                row.was_limited ? "  (64 MiB at most)" : "", row.correct ? "" : "  WRONG");
    std::fflush(stdout);
    return csv_ == nullptr ? Status() : add_to_csv(row);
  }

  bool all_correct() const { return all_correct_; }

 private:
  Status add_to_csv(const Row& row) {
    std::fprintf(csv_, "%s,%d,%s,%s,", device_.name.c_str(), device_.clock_khz / 1000,
                 cuda_version_text(device_.runtime_version).c_str(), options_.commit.c_str());
    std::fprintf(csv_, "%s,%.4f,%u,%s,%s,%s,%u,%llu,%d,", row.file.name.c_str(), row.file.ratio(),
                 row.file.block_bytes, row.rule(), row.strategy.name.data(),
                 row.verify ? "on" : "off", row.blocks,
                 static_cast<unsigned long long>(row.plain_bytes), options_.runs);
    std::fprintf(csv_, "%.2f,%.5f,%.5f,%.5f,%s\n", row.rate(), row.ms.median, row.ms.best,
                 row.ms.worst, row.correct ? "yes" : "WRONG");
    return std::fflush(csv_) == 0 ? Status() : errno_error(options_.csv, errno);
  }

  DeviceInfo device_;
  const RateOptions& options_;
  std::FILE* csv_ = nullptr;
  bool all_correct_ = true;
};

/// How many of the blocks a row decodes, and their plain bytes.
void choose_blocks(const std::vector<BlockSpan>& spans, std::uint32_t wanted, Row& row) {
  const std::size_t most = wanted == 0 ? spans.size() : std::min<std::size_t>(wanted, spans.size());
  const bool limited = row.strategy.variant == lab::Variant::kMultiRoundKernels;
  for (; row.blocks < most; ++row.blocks) {
    const std::uint64_t bytes = row.plain_bytes + spans[row.blocks].plain_bytes;
    row.was_limited = limited && row.blocks > 0 && bytes > kMultiKernelBytes;
    if (row.was_limited) return;
    row.plain_bytes = bytes;
  }
}

Status measure_row(DeviceBatch& batch, int runs, Row& row) {
  PRESSO_TRY(batch.prepare({{row.strategy.value, row.verify, row.file.has_bit_blocks},
                            row.blocks,
                            row.strategy.variant}));
  PRESSO_ASSIGN(row.correct, batch.is_correct());
  PRESSO_ASSIGN(row.ms, batch.measure(runs));
  PRESSO_ASSIGN(const bool still, batch.left_correct_bytes());
  row.correct = row.correct && still;
  return {};
}

Status measure_file(Device& device, const BlockFile& file, const RateOptions& options,
                    Report& report) {
  DeviceBatch batch(device);
  PRESSO_TRY(batch.place(file, options.bytes));
  for (const std::uint32_t blocks : options.blocks) {
    for (const NamedStrategy& strategy : options.strategies) {
      for (const bool verify : options.verify) {
        Row row{file, strategy, verify};
        choose_blocks(batch.spans(), blocks, row);
        PRESSO_TRY(measure_row(batch, options.runs, row));
        PRESSO_TRY(report.add(row));
      }
    }
  }
  return {};
}

Result<BlockFile> load(const std::string& path) {
  const InputFile file(path);
  PRESSO_TRY(file.status(path));
  return load_block_file(path.substr(path.rfind('/') + 1), file);
}

/// False where a result was wrong.
Result<bool> run(const RateOptions& options) {
  PRESSO_ASSIGN(const std::vector<DeviceInfo> devices, list_devices());
  PRESSO_ASSIGN(const std::unique_ptr<Device> device, open_cuda_device(0));
  Report report(devices[0], options);
  PRESSO_TRY(report.begin());
  for (const std::string& path : options.files) {
    PRESSO_ASSIGN(const BlockFile file, load(path));
    PRESSO_TRY(measure_file(*device, file, options, report));
  }
  for (std::uint32_t depth = 1; options.nested && depth <= kDeepestNesting; depth *= 2) {
    PRESSO_ASSIGN(const BlockFile file, make_nested_file(depth));
    PRESSO_TRY(measure_file(*device, file, options, report));
  }
  return report.all_correct();
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int count, char** arguments) {
  using namespace presso::gpu::bench;
  std::string complaint;
  const auto options = parse_rate_options({arguments + 1, arguments + count}, complaint);
  if (!options) {
    std::fprintf(stderr, "decode_rate: %s\n%s", complaint.c_str(), kUsage);
    return 2;
  }
  const presso::Result<bool> correct = run(*options);
  if (correct.ok()) return *correct ? 0 : 1;
  std::fprintf(stderr, "decode_rate: %s\n", correct.error().message().c_str());
  return 2;
}
