// SPDX-License-Identifier: MIT
// Byte-coded blocks for tests of GPU kernels: cut out of files that our encoder wrote, or made by
// hand from a list of sequences; and device-like memory for them, every piece of exactly its size
// so that the address sanitizer sees a step outside.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "decompress/cpu/reference_decoder.h"
#include "decompress/gpu/block_plan.h"
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
  const auto view = view_payload(block.header, block.payload.data());
  if (!view.ok()) return {view.error(), {}};
  expected.plain.resize(block.header.plain_bytes);
  expected.status = reference_decode_payload(block.header, *view, block.dictionary, check_rule,
                                             expected.plain.data());
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

// --- By hand

/// A sequence as FORMAT.md 6 has it; distance 0: no match.
struct HandSequence {
  std::uint32_t literals = 0;
  std::uint32_t match = 0;
  std::uint32_t distance = 0;
};

/// Writes the seven streams of a block, with no regard to whether it makes sense.
class PayloadBuilder {
 public:
  explicit PayloadBuilder(TokenLayout layout) : layout_(layout) {}

  void add(const HandSequence& sequence) {
    const std::uint32_t value = sequence.distance == 0 ? 0 : sequence.match - layout_.min_match;
    std::uint32_t token = code(sequence.literals, layout_.literal_limit(), literal_escapes_);
    token |= code(value, layout_.match_limit(), match_escapes_) << layout_.literal_bits;
    if (sequence.distance > 0xFFFF || (layout_.far && sequence.distance % 5 == 1)) {
      token |= 0x80;
      far_.push_back(static_cast<Byte>(sequence.distance >> 16));
    }
    tokens_.push_back(static_cast<Byte>(token));
    offsets_.push_back(static_cast<Byte>(sequence.distance));
    offsets_.push_back(static_cast<Byte>(sequence.distance >> 8));
    add_literals(sequence.literals);
    plain_bytes_ += sequence.distance == 0 ? 0 : sequence.match;
  }

  void add_literals(std::uint32_t count) {
    for (; count > 0; --count) literals_.push_back(static_cast<Byte>(random_()));
    plain_bytes_ = static_cast<std::uint32_t>(plain_bytes_ + literals_.size() - literals_seen_);
    literals_seen_ = literals_.size();
  }

  std::uint32_t plain_bytes() const { return plain_bytes_; }

  BlockCase finish(std::vector<Byte> dictionary = {}) const {
    BlockCase block;
    BlockHeader& header = block.header;
    header.coding = Coding::kByte;
    header.layout = layout_;
    header.plain_bytes = plain_bytes_;
    header.sequences = size_of(tokens_);
    header.literals = size_of(literals_);
    header.far_offsets = size_of(far_);
    header.literal_escapes = size_of(literal_escapes_);
    header.match_escapes = size_of(match_escapes_);
    header.dictionary_id = dictionary.empty() ? 0 : 1;
    for (const auto* stream :
         {&offsets_, &tokens_, &far_, &literal_escapes_, &match_escapes_, &longs_, &literals_}) {
      block.payload.insert(block.payload.end(), stream->begin(), stream->end());
    }
    header.payload_bytes = size_of(block.payload);
    block.dictionary = std::move(dictionary);
    return block;
  }

 private:
  static std::uint32_t size_of(const std::vector<Byte>& bytes) {
    return static_cast<std::uint32_t>(bytes.size());
  }

  std::uint32_t code(std::uint32_t value, std::uint32_t limit, std::vector<Byte>& escapes) {
    if (value < limit) return value;
    const std::uint32_t more = value - limit;
    escapes.push_back(static_cast<Byte>(std::min(more, 255u)));
    if (more >= 255) {
      longs_.push_back(static_cast<Byte>(more - 255));
      longs_.push_back(static_cast<Byte>((more - 255) >> 8));
    }
    return limit;
  }

  TokenLayout layout_;
  std::vector<Byte> offsets_, tokens_, far_, literal_escapes_, match_escapes_, longs_, literals_;
  std::size_t literals_seen_ = 0;
  std::uint32_t plain_bytes_ = 0;
  std::mt19937 random_{7};
};

/// Sequences of all sorts: empty ones, long lengths, overlaps, far and dictionary sources.
inline BlockCase random_sequences(std::uint32_t seed, std::uint32_t count, std::uint32_t room) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  std::vector<Byte> dictionary(seed % 3 == 0 ? 1 + below(90000) : 0);
  for (Byte& byte : dictionary) byte = static_cast<Byte>(random());
  TokenLayout layout;
  layout.literal_bits = static_cast<Byte>(2 + below(3));
  layout.far = seed % 2 == 0;
  layout.min_match = static_cast<Byte>(3 + below(seed % 4 == 0 ? 13 : 2));
  PayloadBuilder builder(layout);
  const auto length = [&](std::uint32_t most) {
    const std::uint32_t kind = below(40);
    const std::uint32_t value = kind == 0   ? below(most + 1)
                                : kind == 1 ? below(700)
                                : kind < 8  ? below(60)
                                            : below(9);
    return std::min(value, most);
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t left = room - builder.plain_bytes();
    HandSequence sequence{length(std::min(left, 65805u)), 0, 0};
    const std::uint32_t to = builder.plain_bytes() + sequence.literals;
    const std::uint32_t most = std::min(room - to, 65535u + layout.min_match);
    if (below(8) != 0 && most >= layout.min_match && to > 0) {
      sequence.match = layout.min_match + length(most - layout.min_match);
      const std::uint32_t reach = below(3) == 0 ? to : std::min(to, 1 + below(100));
      sequence.distance = 1 + below(reach);
      const auto size = static_cast<std::uint32_t>(dictionary.size());
      if (below(4) == 0 && size >= sequence.match) {
        sequence.distance = to + sequence.match + below(size - sequence.match + 1);
      }
      if (!layout.far && sequence.distance > 0xFFFF) sequence.distance = 1;
    }
    builder.add(sequence);
  }
  builder.add_literals(room - builder.plain_bytes() > 40 ? below(40) : 0);
  if (builder.plain_bytes() == 0) builder.add_literals(1);
  return builder.finish(std::move(dictionary));
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

/// A block as a kernel sees it, its output `misalignment` bytes behind a multiple of 16.
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
  /// Whether the bytes in front of the output are untouched; those behind are the sanitizer's.
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
    plan_.plain_bytes = header.plain_bytes;
    plan_.payload_bytes = header.payload_bytes;
    plan_.sequences = header.sequences;
    plan_.literals = header.literals;
    plan_.far_offsets = header.far_offsets;
    plan_.literal_escapes = header.literal_escapes;
    plan_.match_escapes = header.match_escapes;
    plan_.long_lengths = (header.payload_bytes - 3 * header.sequences - header.far_offsets -
                          header.literal_escapes - header.match_escapes - header.literals) /
                         2;
    plan_.coding = static_cast<Byte>(header.coding);
    plan_.rule = static_cast<Byte>(header.rule);
    plan_.group_log2 = header.group_log2;
    plan_.literal_bits = header.layout.literal_bits;
    plan_.far = header.layout.far ? 1 : 0;
    plan_.min_match = header.layout.min_match;
  }

  std::uint32_t misalignment_;
  Memory payload_;
  Memory dictionary_;
  Memory out_;
  gpu::BlockPlan plan_{};
};

}  // namespace presso::test
