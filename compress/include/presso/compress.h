// SPDX-License-Identifier: MIT
// Compressing on all CPU cores: streams, buffers, single blocks. Output depends on the options and
// the input only, never on the number of threads. Catalogue S7.1, S7.2, S7.4, S7.13.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/error.h"
#include "presso/metadata.h"
#include "presso/wire.h"

namespace presso {

constexpr int kMinLevel = 1;
constexpr int kMaxLevel = 12;
constexpr int kDefaultLevel = 6;
constexpr unsigned kMaxThreads = 1024;

constexpr std::uint32_t kDefaultFilterSize = 100;  ///< 1 %
constexpr std::uint32_t kMaxFilterSize = 2000;

/// The window under Favor::kDecode: the furthest distance that GPU decoders with their history in
/// shared memory keep. This layer cannot see theirs; tests/unit/compress/favor_decode_test.cpp
/// compares.
constexpr std::uint32_t kFavorDecodeWindow = 47088;

/// What an option that was not set is chosen for.
enum class Favor {
  kRatio,
  /// Speed of decoding on a GPU: tiles of 2 KiB, kFavorDecodeWindow and so no far offsets, no
  /// dictionary; from level 4 on also fewer, longer sequences.
  kDecode,
};

struct DictionaryChoice {
  enum class Mode {
    kAuto,  ///< where a trial shows that it pays; none under Favor::kDecode
    kNone,
    kSize,
    kGiven,
  };
  Mode mode = Mode::kAuto;
  std::uint32_t bytes = 0;  ///< with kSize: plain size, at most kMaxDictionaryBytes
  /// With kGiven: 1 to kMaxDictionaryBytes, shared by all files that are compressed with it.
  std::shared_ptr<const std::vector<Byte>> content = nullptr;
  bool by_name = false;  ///< with kGiven: the file only names it, and readers must be given it, too
  /// With kAuto: after so many bytes a trial shows whether another dictionary suits what follows;
  /// if so a new member begins with it. 0: never.
  std::uint64_t renew_bytes = 256u << 20;
};

struct CompressOptions {
  int level = kDefaultLevel;  ///< 1-2 one hash probe, 3-9 rows of a hash, 10-12 trees
  /// kMinBlockBytes .. kMaxBlockBytes; 0: of 64 KiB, 256 KiB and 1 MiB what a trial on `sample`
  /// shows to suit, kDefaultBlockBytes where there is none or it is small.
  std::uint32_t block_bytes = 0;
  /// Coding::kByte or kBit; blocks that it would make larger are stored raw, or with the Byte
  /// coding where that is smaller.
  Coding coding = Coding::kByte;
  /// Bit coding: percent of a block's size, 0..99, that it must save against the Byte coding, which
  /// is decoded faster and has the block otherwise.
  std::uint32_t bit_gain = 0;
  /// Bit coding: sequences that a sub-block has, a power of two 4..256, instead of dealing them out
  /// to lanes (S's layout, FORMAT.md 13.7; larger); 0: lanes.
  std::uint32_t sub_block = 0;
  Favor favor = Favor::kRatio;  ///< options that are set below win over it
  /// nullopt: two-wave, under Favor::kDecode tile (NOTES.md in compress/ has the measurement).
  std::optional<DependencyRule> rule;
  /// Sequences in a group, a power of two 32..1024; under the tile rule bytes in a tile, a power of
  /// two 1024..32768; 0: by rule.
  std::uint32_t group = 0;
  /// Furthest distance in bytes; 0: the block and dictionary, or by `favor`.
  std::uint32_t window = 0;
  std::uint32_t lookahead = 0;  ///< longest match in bytes; 0: unlimited (S7.2)
  /// Single-entry tables: an entry stays until it is so many bytes old (S7.4), at most
  /// kMaxBlockBytes; nullopt: 0.
  std::optional<std::uint32_t> staleness;
  DictionaryChoice dictionary;
  /// Filters by which scans leave out blocks: at most so many hundredths of a percent of the plain
  /// size, 0..kMaxFilterSize; 0: none. They are held in memory until the member ends, beside what
  /// the blocks of one group tell (some 16 to 150 MiB).
  std::uint32_t filter_size = 0;
  unsigned threads = 0;  ///< at most kMaxThreads; 0: all
  Metadata metadata;
  /// Size of the input where known: sampled for the dictionary if `sample` is given.
  const RandomAccess* sample = nullptr;
  /// Called in order with running totals; return false to stop (kCancelled).
  std::function<bool(std::uint64_t plain_bytes, std::uint64_t compressed_bytes)> on_progress;
};

struct CompressSummary {
  std::uint64_t plain_bytes = 0;
  std::uint64_t compressed_bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t dictionary_bytes = 0;  ///< plain, of all members; 0: none
  std::uint64_t filter_bytes = 0;      ///< stored, of all members; 0: none
};

/// kInvalidArgument with the offending option and its limits, or ok.
Status validate(const CompressOptions& options);

/// Compresses everything that `source` gives. Memory: threads x a few blocks. Where `sample` is
/// null a dictionary is sampled from the beginning of the stream (at most 32 MiB held). `sink` gets
/// one member (FORMAT.md 2), or several where what repeats changes (DictionaryChoice::renew_bytes).
Result<CompressSummary> compress_stream(ByteSource& source, ByteSink& sink,
                                        const CompressOptions& options = {});
Result<std::vector<Byte>> compress_buffer(Bytes plain, const CompressOptions& options = {});

}  // namespace presso
