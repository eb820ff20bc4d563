// SPDX-License-Identifier: MIT
// Batches of stored blocks for tests of whole GPU decodes, in the emulator and on a device: how
// they are made, how they lie in memory, and what the CPU says of each block.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "presso/compress.h"
#include "presso/decompress.h"
#include "presso/gpu_batch.h"

namespace presso::gpu::test {

using Dictionaries = std::map<std::uint32_t, std::shared_ptr<const Dictionary>>;

/// Header, payload and padding as in a file, and what its span says of it.
struct BatchItem {
  std::vector<Byte> stored;
  std::uint32_t plain_bytes = 0;
};

/// `code` and `plain` are what decode_block says and makes of a block without its checksum.
struct CpuAnswer {
  ErrorCode code = ErrorCode::kOk;
  std::vector<Byte> plain;
  bool checksum_is_right = false;
  bool breaks_its_rule = false;

  ErrorCode code_with(bool verify) const {
    const bool wrong = verify && code == ErrorCode::kOk && !checksum_is_right;
    return wrong ? ErrorCode::kContentChecksum : code;
  }
};

struct BatchCase {
  std::vector<BatchItem> blocks;
  Dictionaries dictionaries;

  CpuAnswer cpu_answer(std::size_t block) const;
  std::uint64_t plain_bytes() const;
  std::uint32_t largest_plain_bytes() const;
};

// --- making them

/// Header, payload and padding as in a file.
std::vector<Byte> stored_block(const BlockHeader& header, Bytes payload);
/// Makes the checksum of the header at `stored` right.
void seal_header(std::vector<Byte>& stored);

/// The blocks of a file that our encoder wrote; its dictionary becomes that of the next free id.
void add_compressed(BatchCase& batch, const std::vector<Byte>& plain, CompressOptions options);
/// The same, once with each coding.
void add_both_codings(BatchCase& batch, const std::vector<Byte>& plain, CompressOptions options);
/// Blocks that no encoder would write, from this seed on, all of them sound or none of them surely
/// so, with at most `largest` plain bytes each.
void add_made(BatchCase& batch, std::uint32_t seed, std::uint32_t count, std::uint32_t largest,
              bool sound);
/// The same in the Bit coding.
void add_made_bit(BatchCase& batch, std::uint32_t seed, std::uint32_t count, std::uint32_t largest,
                  bool sound);
/// A header or payload changed in one of the ways that tests/differential/corruption_test.cpp
/// changes files, with sums made right or not.
BatchItem damaged(BatchItem item, std::mt19937_64& random, std::uint32_t largest);

// --- how they lie

/// Stored blocks one after another at multiples of 16, with nothing after the last; room for
/// their plain bytes at addresses of a chosen remainder, with gaps that nobody may write to.
struct BatchLayout {
  static constexpr Byte kPoison = 0xC5;
  static constexpr std::size_t kGapBytes = 48;

  BatchLayout(const BatchCase& batch, std::size_t remainder);

  std::vector<Byte> stored;
  std::vector<BlockSpan> spans;
  std::size_t plain_bytes = 0;

  /// Of plain memory after a decode: the blocks' parts of it, and whether the gaps are poison.
  std::vector<Byte> part(const std::vector<Byte>& plain, std::size_t block) const;
  bool gaps_are_intact(const std::vector<Byte>& plain) const;
};

}  // namespace presso::gpu::test
