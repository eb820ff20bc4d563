// SPDX-License-Identifier: MIT
#include "tests/support/fake_scan_kernels.h"

#include <algorithm>

namespace presso::test {
namespace {

using gpu::BatchFindings;
using gpu::BatchScanRequest;
using gpu::LineTableKind;
using gpu::LineTableView;
using gpu::ListedLine;

/// As the kernels read a table's image.
std::uint32_t step(const LineTableView& table, std::uint32_t state, Byte byte) {
  if (table.kind == LineTableKind::kBytes) return table.d_image[state * gpu::kBytePitch + byte];
  const std::size_t at = std::size_t{state} * table.classes + table.d_image[byte];
  if (table.kind == LineTableKind::kByteClasses) return table.d_image[gpu::kClassMapBytes + at];
  const auto* rows = reinterpret_cast<const std::uint16_t*>(table.d_image + gpu::kClassMapBytes);
  return rows[at];
}

class FakeScanKernels final : public gpu::BatchKernels {
 public:
  explicit FakeScanKernels(gpu::Device& device) : device_(device) {}

  std::size_t temporary_bytes(std::uint64_t, const gpu::BatchWants&) override { return 256; }

  Status enqueue(const BatchScanRequest& request, gpu::Stream stream) override {
    PRESSO_TRY(device_.wait(stream));
    BatchFindings findings;
    findings.first_newline = BatchFindings::kNowhere;
    std::uint32_t state = request.table.start, newlines = 0, begin = 0;
    for (std::uint32_t at = 0; at < request.bytes; ++at) {
      const Byte byte = request.d_text[at];
      if (byte == 0 && request.wants.nul) findings.has_nul = 1;
      state = step(request.table, state, byte);
      if (byte != '\n') continue;
      if (state == request.table.hit) {
        ++findings.lines;
        if (request.wants.lines) list(request, begin, at, newlines, findings);
      }
      if (newlines++ == 0) findings.first_newline = at;
      begin = at + 1;
      findings.behind_last_newline = begin;
    }
    if (request.wants.numbers) findings.newlines = newlines;
    *request.d_findings = findings;
    return {};
  }

 private:
  static void list(const BatchScanRequest& request, std::uint32_t begin, std::uint32_t end,
                   std::uint32_t newlines, BatchFindings& findings) {
    ListedLine line;
    if (newlines > 0) {
      line = {begin, end + 1 - begin, findings.gathered_bytes, newlines};
      if (line.at + line.bytes <= request.most_gathered) {
        std::copy_n(request.d_text + begin, line.bytes, request.d_gathered + line.at);
      }
    }
    if (findings.listed < request.most_listed) request.d_listed[findings.listed] = line;
    ++findings.listed;
    findings.gathered_bytes += line.bytes;
  }

  gpu::Device& device_;
};

}  // namespace

std::shared_ptr<gpu::BatchKernels> make_fake_scan_kernels(gpu::Device& device) {
  return std::make_shared<FakeScanKernels>(device);
}

}  // namespace presso::test
