// SPDX-License-Identifier: MIT
// Options and rows of the programs that time blocks in device memory: decode_rate and
// decode_scan_rate.
#pragma once

#include "lab/harness/command_line.h"
#include "lab/harness/report.h"
#include "lab/harness/timing.h"
#include "lab/programs/decompress_gpu/block_file.h"
#include "lab/programs/decompress_gpu/rule_name.h"
#include "presso/gpu_devices.h"

namespace presso::gpu::bench {

struct BlockRateOptions {
  std::uint64_t bytes = 1u << 30;
  int runs = 15;
  std::string csv, commit;
  std::vector<std::string> files;
};

inline void add_options(harness::CommandLine& line, BlockRateOptions& options) {
  line.add("--bytes SIZE", "plain bytes in device memory, at least (1G)", options.bytes, 1);
  line.add("--runs N", "timed runs (15)", options.runs, 1);
  line.add("--csv FILE", "append the rows there", options.csv);
  line.add("--commit TEXT", "a column of the CSV", options.commit);
}

/// A row has the file's columns, some of the program, the rate, more of the program, and the times.
class BlockReport {
 public:
  BlockReport(const std::string& before, const std::string& after)
      : report_(harness::Report::Form::kAligned, "file:-32,ratio:7,block_bytes:11,rule:-13," +
                                                     before + ",gb_s:9," + after +
                                                     "ms_median:10,ms_min,ms_max,correct:7") {}

  Status begin(const BlockRateOptions& options) {
    PRESSO_ASSIGN(const std::vector<DeviceInfo> devices, list_devices());
    return report_.also_to(options.csv, {{"device", devices[0].name},
                                         {"max_clock_mhz", devices[0].clock_khz / 1000},
                                         {"cuda", cuda_version_text(devices[0].runtime_version)},
                                         {"commit", options.commit}});
  }

  void add(const BlockFile& file, const std::vector<harness::Cell>& before, double plain_bytes,
           const harness::Times& ms, const std::vector<harness::Cell>& after, bool right) {
    using harness::fixed;
    std::vector<harness::Cell> cells = {file.name, fixed(file.ratio(), 4), file.block_bytes,
                                        rule_name(file.rule)};
    cells.insert(cells.end(), before.begin(), before.end());
    cells.push_back(fixed(plain_bytes / ms.median / 1e6, 2));
    cells.insert(cells.end(), after.begin(), after.end());
    for (const double time : {ms.median, ms.best, ms.worst}) cells.push_back(fixed(time, 5));
    cells.push_back(harness::verdict(right));
    report_.add(cells);
    all_right_ = all_right_ && right;
  }

  bool all_right() const { return all_right_; }

 private:
  harness::Report report_;
  bool all_right_ = true;
};

}  // namespace presso::gpu::bench
