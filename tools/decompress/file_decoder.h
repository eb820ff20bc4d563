// SPDX-License-Identifier: MIT
// Decodes files on the device that --device asks for: the choice for each file, and the way back to
// the CPU if the GPU cannot.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "presso/decompress.h"
#include "tools/decompress/range_reader.h"
#include "tools/device/device_choice.h"
#include "tools/device/flags_device.h"
#include "tools/io/input_file.h"

namespace presso::cli {

class FileDecoder {
 public:
  /// After the flags were read.
  FileDecoder(const DeviceFlags& flags, unsigned threads);
  FileDecoder(const FileDecoder&) = delete;
  FileDecoder& operator=(const FileDecoder&) = delete;

  /// Before the first file. With --device=gpu the GPU is opened here, so that its absence is one
  /// error and not one for each file.
  Status start();

  /// All of `input` to `sink`; nullptr: it is only checked. Errors as decompress_stream(); with
  /// --device=gpu also kDeviceLost, kDeviceMemory.
  Result<DecompressSummary> decode(const std::string& name, const InputFile& input, ByteSink* sink,
                                   const DecompressOptions& options);
  /// Plain bytes of a regular file, which `archive` was opened from. Returns how many.
  Result<std::uint64_t> decode_span(const std::string& name, const RandomAccess& file,
                                    const CompressedFile& archive, PlainSpan span,
                                    const DecodeOptions& options, ByteSink& sink);

  /// " on the GPU" after a file that was decoded there.
  std::string_view where() const { return on_gpu_ ? " on the GPU" : ""; }

 private:
  using Device = DeviceFlags::Device;

  Status open();
  bool takes_gpu(const std::string& name, const DecodeWork& work);
  DecodeWork work_of(const InputFile& input, bool keeps_output) const;
  std::optional<Result<DecompressSummary>> try_gpu(const std::string& name, gpu::DecodeJob job,
                                                   const DecodeWork& work);
  void leave_gpu(const std::string& name, const Error& error);

  const DeviceFlags& flags_;
  unsigned threads_;
  DeviceChoice choice_;
  GpuRun gpu_;
  std::atomic<bool> gpu_failed_{false};
  bool on_gpu_ = false;
};

}  // namespace presso::cli
