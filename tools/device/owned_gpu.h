// SPDX-License-Identifier: MIT
// The command's owners of a Decompressor, and of a FileScanner with the Decompressor that it refers
// to, for those implementations of gpu.h that link their library. Tested by
// tests/cli/test_device.py on the device that decodes on the CPU.
#pragma once

#include <memory>
#include <utility>

#include "tools/device/gpu.h"

namespace presso::cli {

class OwnedDecoder final : public GpuDecoder {
 public:
  explicit OwnedDecoder(gpu::Decompressor decompressor) : decompressor_(std::move(decompressor)) {}
  Result<DecompressSummary> run(const gpu::DecodeJob& job,
                                std::optional<ArchiveIndex> index) override {
    return decompressor_.run(job, std::move(index));
  }

 private:
  gpu::Decompressor decompressor_;
};

class OwnedSearch final : public FileSearch {
 public:
  /// `make_scanner` makes the scanner from the decompressor, which does not move any more.
  template <class MakeScanner>
  OwnedSearch(gpu::Decompressor decompressor, const MakeScanner& make_scanner)
      : decompressor_(std::move(decompressor)), scanner_(make_scanner(decompressor_)) {}

  Result<ScanSummary> scan(ScannedFile& file, const ScanOptions& options,
                           const LineCallback& on_line) override {
    return scanner_.scan(file, options, on_line);
  }
  std::optional<std::string> why_cpu() const override { return scanner_.why_cpu(); }
  std::string describe() const override { return scanner_.describe(); }

 private:
  gpu::Decompressor decompressor_;
  gpu::FileScanner scanner_;
};

}  // namespace presso::cli
