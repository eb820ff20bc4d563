// SPDX-License-Identifier: MIT
// Searching compressed files on a GPU: blocks are copied there as they are stored, decoded, and
// searched by the engine that suits the pattern (presso/text_gpu.h); only matching lines come back.
// Needs no CUDA header.
//
//   auto decompressor = presso::gpu::Decompressor::open();
//   presso::gpu::FileScanner scanner(*decompressor, *pattern);
//   auto summary = scanner.scan(file, options, on_line);
//
// It reports what presso::scan() reports for every file and every option, with two exceptions:
// blocks are never left out by an index (ScanOptions::use_index), and ScanOptions::on_progress
// begins again from the file's start if the CPU has to take over a file that the GPU had begun.
// What GPUs do not search is left to the CPU: plain files, pipes, only some lines or blocks of a
// file, context lines, lines without a match unless they are only counted, matches across lines,
// lines that end at NUL bytes, patterns for which there is no engine, damaged blocks, and texts
// that begin with a byte order mark.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "presso/decompress_gpu.h"
#include "presso/scanner.h"
#include "presso/text_gpu.h"

namespace presso::gpu {

class BatchKernels;  // scan/gpu/file/batch_kernels.h

/// Returns the reason why a GPU cannot run a scan with these options; nullopt if it can, for most
/// patterns.
inline std::optional<std::string> what_is_for_cpu(const ScanOptions& options, bool has_callback) {
  if (options.limits_lines()) return "only some lines are asked for";
  if (options.times) return "only lines of some time are asked for";
  if (options.records) return "records of several lines are asked for";
  if (options.limits_blocks()) return "only some blocks are asked for";
  if (options.wants_context() && has_callback) return "neighbours of lines are asked for";
  if (options.invert && (has_callback || options.matches)) {
    return "lines that do not match are asked for";
  }
  return std::nullopt;
}

/// Searches files for one pattern on one device. One call of scan() at a time. Tested by
/// tests/gpu/file_scan_on_device_test.cpp and, without a GPU, by tests/unit/scan/gpu.
class FileScanner final : public FileSearch {
 public:
  /// Keeps the decompressor by reference: it must outlive the scanner. Builds the engine's tables,
  /// which takes up to a second for automata of thousands of states. Where `engine` cannot search
  /// for the pattern, the CPU does.
  FileScanner(Decompressor& decompressor, Pattern pattern, TextEngine engine = TextEngine::kAuto);
  /// Makes one with other kernels, for tests.
  FileScanner(Decompressor& decompressor, Pattern pattern, std::shared_ptr<BatchKernels> kernels,
              TextEngine engine = TextEngine::kAuto);
  FileScanner(FileScanner&&) noexcept;
  FileScanner& operator=(FileScanner&&) noexcept;
  ~FileScanner() override;

  /// Returns the reason why the GPU would not search with these options; nullopt if it would.
  std::optional<std::string> why_not(const ScanOptions& options, bool has_callback) const;

  /// As presso::scan(). Errors: those of presso::scan(), and kDeviceMemory, kDeviceLost and
  /// kOutOfMemory; if the decompressor has cpu_fallback, these only after something was reported.
  Result<ScanSummary> scan(ScannedFile& file, const ScanOptions& options,
                           const LineCallback& on_line) override;
  Result<ScanSummary> scan(const RandomAccess& file, const ScanOptions& options = {},
                           const LineCallback& on_line = {});
  /// For a file in memory, which is not copied on the host if it is pinned.
  Result<ScanSummary> scan(Bytes memory, const ScanOptions& options = {},
                           const LineCallback& on_line = {});
  /// Returns the reason why the CPU searched the last file; nullopt if the GPU did, apart from
  /// damaged batches.
  std::optional<std::string> why_cpu() const override;
  /// Whether a file has been searched and the last one was searched by the GPU.
  bool used_gpu() const;
  std::string describe() const override;

 private:
  struct State;

  Result<ScanSummary> scan_file(ScannedFile& file, std::optional<Bytes> memory,
                                const ScanOptions& options, const LineCallback& on_line);

  std::unique_ptr<State> state_;
};

}  // namespace presso::gpu
