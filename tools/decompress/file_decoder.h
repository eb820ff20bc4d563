// SPDX-License-Identifier: MIT
// Decodes files on the device that --device asks for, and with auto makes the choice for each file.
// If the GPU fails, the library goes on with the CPU. Tested by tests/cli/test_device.py. Memory:
// what the library needs for its threads or batches; the file is never held as a whole.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "presso/decompress.h"
#include "tools/decompress/range_reader.h"
#include "tools/device/device_selector.h"
#include "tools/io/input_file.h"

namespace presso::cli {

/// Decodes one file after another for a command, and keeps the GPU open between them. Used by one
/// thread.
class FileDecoder {
 public:
  /// To be made after the flags were read; `flags` are kept by reference.
  FileDecoder(const DeviceFlags& flags, unsigned threads);

  /// To be called before the first file. With --device=gpu the GPU is opened here, so that its
  /// absence is one error and not one for each file.
  Status start();

  /// Decodes all of `input` into `sink`; if that is nullptr, the file is only checked. Errors are
  /// those of decompress_stream() and, with --device=gpu, kDeviceLost and kDeviceMemory.
  Result<DecompressSummary> decode(const std::string& name, const InputFile& input, ByteSink* sink,
                                   const DecompressOptions& options);
  /// Decodes plain bytes of a regular file, which `archive` was opened from. Returns how many they
  /// are.
  Result<std::uint64_t> decode_span(const std::string& name, const RandomAccess& file,
                                    CompressedFile archive, PlainSpan span,
                                    const DecodeOptions& options, ByteSink& sink);

  /// " on the GPU" after a file that was decoded there, otherwise empty.
  std::string_view where() const { return on_gpu_ ? " on the GPU" : ""; }

 private:
  /// The sizes of a file, and its index if that was opened to find them out.
  struct Job {
    DecodeWork work;
    std::optional<ArchiveIndex> index = {};
  };

  /// Opens the GPU's decoder.
  Status open();
  Result<DecompressSummary> decode_repaired(Bytes begun, ByteSource& rest, ByteSink* sink,
                                            const DecompressOptions& options);
  /// Tells what a file is for the choice; opens the index of a regular file if that may matter.
  Job job_of(const RandomAccess& file, const InputFile& input, bool keeps_output);
  /// Whether the GPU decodes this; tells on stderr why not where that was left open.
  bool takes_gpu(const std::string& name, const DecodeWork& work);
  /// Decodes on the GPU and remembers its rate.
  Result<DecompressSummary> run_on_gpu(const gpu::DecodeJob& job, Job about);

  unsigned threads_;
  DeviceSelector selector_;
  std::unique_ptr<GpuDecoder> gpu_;
  bool on_gpu_ = false;
};

}  // namespace presso::cli
