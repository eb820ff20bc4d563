// SPDX-License-Identifier: MIT
// Decodes files on the device that --device asks for: the choice for each file. If the GPU
// fails, the library goes on with the CPU.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "presso/decompress.h"
#include "tools/decompress/range_reader.h"
#include "tools/device/device_selector.h"
#include "tools/io/input_file.h"

namespace presso::cli {

class FileDecoder {
 public:
  /// After the flags were read.
  FileDecoder(const DeviceFlags& flags, unsigned threads);

  /// Before the first file. With --device=gpu the GPU is opened here, so that its absence is one
  /// error and not one for each file.
  Status start();

  /// All of `input` to `sink`; nullptr: it is only checked. Errors as decompress_stream(); with
  /// --device=gpu also kDeviceLost, kDeviceMemory.
  Result<DecompressSummary> decode(const std::string& name, const InputFile& input, ByteSink* sink,
                                   const DecompressOptions& options);
  /// Plain bytes of a regular file, which `archive` was opened from. Returns how many.
  Result<std::uint64_t> decode_span(const std::string& name, const RandomAccess& file,
                                    CompressedFile archive, PlainSpan span,
                                    const DecodeOptions& options, ByteSink& sink);

  /// " on the GPU" after a file that was decoded there.
  std::string_view where() const { return on_gpu_ ? " on the GPU" : ""; }

 private:
  /// A file's size, and its index where it was opened to find that out.
  struct Job {
    DecodeWork work;
    std::optional<ArchiveIndex> index = {};
  };

  Status open();
  Job job_of(const RandomAccess& file, const InputFile& input, bool keeps_output);
  bool takes_gpu(const std::string& name, const DecodeWork& work);
  Result<DecompressSummary> run_on_gpu(const gpu::DecodeJob& job, Job about);

  unsigned threads_;
  DeviceSelector selector_;
  std::unique_ptr<GpuDecoder> gpu_;
  bool on_gpu_ = false;
};

}  // namespace presso::cli
