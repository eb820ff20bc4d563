// SPDX-License-Identifier: MIT
// What is tried on a few blocks before a file is compressed: choosing blocks, holding them, and
// encoding them on all threads for their size.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compress/encode/block_encoder.h"
#include "presso/byte_stream.h"
#include "presso/compress.h"

namespace presso {

/// `count` of the numbers below `end`, or all, at even distances, rising. `end` times `count` must
/// be below 2^63.
std::vector<std::uint64_t> choose_evenly(std::uint64_t end, std::uint64_t count);

/// The numbers from 0 on that are not among `without`, which rise: that one with `index` before it.
std::uint64_t number_without(std::span<const std::uint64_t> without, std::uint64_t index);

/// Blocks of an input in memory.
class Samples {
 public:
  /// By number. Errors: those of `input`.
  static Result<Samples> read(const RandomAccess& input, std::uint32_t block_bytes,
                              std::span<const std::uint64_t> numbers);

  std::span<const Bytes> blocks() const { return views_; }

 private:
  std::vector<Buffer> blocks_;
  std::vector<Bytes> views_;
};

std::uint64_t total_bytes(std::span<const Bytes> blocks);

/// `pieces` one by one in blocks of at most `block_bytes`; nothing of an empty one.
std::vector<Bytes> cut_into_blocks(std::span<const Bytes> pieces, std::uint32_t block_bytes);

/// Encodes blocks on all threads and says what they take, with the parameters of `options` but at a
/// level that is fast and chooses the same sizes (NOTES.md).
class SizeTrial {
 public:
  explicit SizeTrial(const CompressOptions& options);

  /// `dictionary`: empty for none. Error: kOutOfMemory.
  Result<std::uint64_t> stored_bytes(std::span<const Bytes> blocks, Bytes dictionary = {});

 private:
  struct Encoder {
    std::unique_ptr<BlockEncoder> encoder;
    Buffer stored;
  };

  std::uint64_t encode(Bytes block, const DictionaryRef& with, Encoder& own);

  const EncoderParameters parameters_;
  std::vector<Encoder> encoders_;  ///< by thread
};

}  // namespace presso
