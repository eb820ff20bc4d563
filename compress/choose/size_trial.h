// SPDX-License-Identifier: MIT
// What trials before a file is compressed need: choosing blocks evenly, reading them into memory,
// and encoding them on all threads to learn their stored size, which alone is kept.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compress/encode/block_encoder.h"
#include "presso/byte_stream.h"
#include "presso/compress.h"

namespace presso {

/// `count` of the numbers below `end` at even distances, ascending; all of them where there are
/// fewer. `end` times `count` must be below 2^63.
std::vector<std::uint64_t> choose_evenly(std::uint64_t end, std::uint64_t count);

/// Among the numbers from 0 on that are not in `without` (ascending), the one at place `index`.
std::uint64_t number_without(std::span<const std::uint64_t> without, std::uint64_t index);

/// Blocks of an input, in memory.
class Samples {
 public:
  /// Reads the blocks of these numbers. Errors: those of `input`.
  static Result<Samples> read(const RandomAccess& input, std::uint32_t block_bytes,
                              std::span<const std::uint64_t> numbers);

  std::span<const Bytes> blocks() const { return views_; }

 private:
  std::vector<Buffer> blocks_;
  std::vector<Bytes> views_;
};

/// How many bytes all blocks have together.
std::uint64_t total_bytes(std::span<const Bytes> blocks);

/// Cuts each piece into blocks of at most `block_bytes`; empty pieces give none.
std::vector<Bytes> cut_into_blocks(std::span<const Bytes> pieces, std::uint32_t block_bytes);

/// Encodes blocks on all threads to learn their size, with the parameters of `options` but at a
/// faster level: candidates nearly always compare in the same way (NOTES.md). Not for several
/// callers at once.
class SizeTrial {
 public:
  explicit SizeTrial(const CompressOptions& options);

  /// The stored size of all blocks; an empty `dictionary` means none. Error: kOutOfMemory.
  Result<std::uint64_t> stored_bytes(std::span<const Bytes> blocks, Bytes dictionary = {});

 private:
  struct Encoder {
    std::unique_ptr<BlockEncoder> encoder;
    Buffer stored;
  };

  std::uint64_t encode(Bytes block, const DictionaryRef& with, Encoder& own);

  const EncoderParameters parameters_;
  std::vector<Encoder> encoders_;  ///< one for each thread
};

}  // namespace presso
