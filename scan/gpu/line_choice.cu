// SPDX-License-Identifier: MIT
#include "scan/gpu/line_choice.h"

#include "decompress/gpu/runtime/kernel_launch.h"
#include "scan/gpu/line_choice.cuh"

namespace presso::gpu {
namespace {

constexpr u32 kThreads = 128;

__global__ void __launch_bounds__(kThreads)
    sample_banks_kernel(const __grid_constant__ BankSampleArguments sample) {
  sample_banks_body(sample);
}

}  // namespace

Status scan_lines_by_sample(LineScanRequest bytes, LineScanRequest classes, std::uint32_t* d_choice,
                            CUstream_st* stream) {
  if (bytes.table.kind != LineTableKind::kBytes || classes.table.kind != LineTableKind::kShared ||
      bytes.table.states != classes.table.states || bytes.table.d_image == nullptr ||
      classes.table.d_image == nullptr || d_choice == nullptr) {
    return make_error(ErrorCode::kInvalidArgument, "no two layouts of an automaton to choose from");
  }
  PRESSO_TRY(check(cudaMemsetAsync(d_choice, 0, sizeof *d_choice, stream), "clearing a choice"));
  BankSampleArguments sample;
  sample.d_text = bytes.d_text;
  sample.bytes = bytes.bytes;
  sample.rows = bytes.table;
  sample.classes = classes.table;
  sample.d_votes = d_choice;
  PRESSO_TRY(launch_everywhere(sample_banks_kernel, {kThreads, 0, kBankSamples}, stream,
                               "launching sample_banks_kernel", sample));
  bytes.gate = {d_choice, 0, kBankSamples / 2};
  classes.gate = {d_choice, kBankSamples / 2 + 1, kBankSamples};
  PRESSO_TRY(scan_lines(bytes, stream));
  return scan_lines(classes, stream);
}

}  // namespace presso::gpu
