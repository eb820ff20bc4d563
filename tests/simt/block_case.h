// SPDX-License-Identifier: MIT
// Byte-coded blocks for tests of GPU kernels, cut out of files that our encoder wrote or written by
// its parts with any parameters; and device-like memory for them, every piece of exactly its size
// so that the address sanitizer sees a step outside. By hand: hand_blocks.h.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "compress/encode/byte_encoder.h"
#include "compress/parse/parser.h"
#include "decompress/cpu/reference_decoder.h"
#include "decompress/gpu/plan/block_plan.h"
#include "presso/compress.h"
#include "presso/decompress.h"

namespace presso::test {

struct BlockCase {
  BlockHeader header;
  std::vector<Byte> payload;
  std::vector<Byte> dictionary;
};

/// What the CPU makes of a block; `plain` counts where status is ok.
struct Expected {
  Status status;
  std::vector<Byte> plain;
};

inline Expected reference_decode(const BlockCase& block, bool check_rule = false) {
  Expected expected;
  expected.plain.resize(block.header.plain_bytes);
  expected.status = reference_decode_payload(block.header, block.payload.data(), block.dictionary,
                                             check_rule, expected.plain.data());
  return expected;
}

/// The Byte-coded blocks of a compressed file, dictionary included.
inline std::vector<BlockCase> byte_blocks(const std::vector<Byte>& file) {
  std::vector<BlockCase> blocks;
  MemorySource source(file);
  BlockStream stream(source, {});
  for (;;) {
    auto item = stream.next();
    EXPECT_TRUE(item.ok()) << item.error().message();
    if (!item.ok() || !*item) return blocks;
    const StoredBlock& stored = (*item)->block;
    if (stored.header.coding != Coding::kByte) continue;
    const Byte* const payload = stored.payload.data();
    BlockCase block{stored.header, {payload, payload + stored.header.payload_bytes}, {}};
    if (stored.header.dictionary_id != 0) {
      const Bytes content = (*item)->dictionary->content();
      block.dictionary.assign(content.begin(), content.end());
    }
    blocks.push_back(std::move(block));
  }
}

inline std::vector<BlockCase> compressed_blocks(const std::vector<Byte>& plain,
                                                CompressOptions options) {
  options.threads = 1;
  const auto file = compress_buffer(plain, options);
  EXPECT_TRUE(file.ok());
  return file.ok() ? byte_blocks(*file) : std::vector<BlockCase>{};
}

/// One block by the parser and the writer of the encoder, with a token layout of the caller's.
/// `layout.far` widens the distances; without it `parameters.window` must forbid far ones.
inline BlockCase encoded_block(const std::vector<Byte>& plain, const std::vector<Byte>& dictionary,
                               const ParserParameters& parameters, const TokenLayout& layout) {
  Sequences sequences;
  const DictionaryIndex index = index_dictionary(dictionary, parameters);
  make_parser(parameters)->parse(plain, dictionary.empty() ? nullptr : &index, sequences);
  BlockCase block;
  block.dictionary = dictionary;
  block.header.coding = Coding::kByte;
  block.header.plain_bytes = static_cast<std::uint32_t>(plain.size());
  block.header.rule = parameters.rule;
  block.header.group_log2 = static_cast<Byte>(std::countr_zero(parameters.group));
  block.header.dictionary_id = dictionary.empty() ? 0 : 1;
  plan_byte_payload(sequences, gather_statistics(sequences, layout.min_match), layout,
                    block.header);
  Buffer scratch, payload;
  write_byte_payload(plain, sequences, block.header, scratch, payload);
  block.payload.assign(payload.data(), payload.data() + payload.size());
  return block;
}

// --- Memory

struct FreeMemory {
  void operator()(Byte* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<Byte, FreeMemory>;

/// 16-byte aligned, of exactly this size.
inline Memory allocate(std::size_t bytes, int fill = 0xA5) {
  Memory memory(static_cast<Byte*>(std::malloc(bytes == 0 ? 1 : bytes)));
  std::memset(memory.get(), fill, bytes);
  return memory;
}

/// A block as a kernel sees it, its output `misalignment` bytes after a multiple of 16.
class DeviceBlock {
 public:
  static constexpr Byte kGuard = 0xC3;

  DeviceBlock(const BlockCase& block, std::uint32_t misalignment)
      : misalignment_(misalignment),
        payload_(allocate(round_up(block.payload.size(), 16), 0)),
        dictionary_(allocate(block.dictionary.size())),
        out_(allocate(misalignment + block.header.plain_bytes)) {
    std::copy(block.payload.begin(), block.payload.end(), payload_.get());
    std::copy(block.dictionary.begin(), block.dictionary.end(), dictionary_.get());
    std::fill_n(out_.get(), misalignment, kGuard);
    fill_plan(block);
  }

  const gpu::BlockPlan& plan() const { return plan_; }
  std::vector<Byte> plain() const { return {plan_.out, plan_.out + plan_.plain_bytes}; }
  /// Whether the bytes in front of the output are untouched; those after are the sanitizer's.
  bool guarded() const {
    return std::all_of(out_.get(), out_.get() + misalignment_,
                       [](Byte byte) { return byte == kGuard; });
  }

 private:
  void fill_plan(const BlockCase& block) {
    const BlockHeader& header = block.header;
    plan_.payload = payload_.get();
    plan_.out = out_.get() + misalignment_;
    plan_.dictionary = block.dictionary.empty() ? nullptr : dictionary_.get();
    plan_.dictionary_bytes = static_cast<std::uint32_t>(block.dictionary.size());
    gpu::fill_plan(header, plan_);
    static_cast<void>(gpu::find_long_lengths(header, plan_));  // half a value: as kernels see it
  }

  std::uint32_t misalignment_;
  Memory payload_;
  Memory dictionary_;
  Memory out_;
  gpu::BlockPlan plan_{};
};

}  // namespace presso::test
