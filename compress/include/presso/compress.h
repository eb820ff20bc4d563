// SPDX-License-Identifier: MIT
// Compresses streams and buffers of bytes on all CPU cores, into the format of FORMAT.md: blocks
// that are decoded apart from each other, in one of two codings. Byte is the faster one to decode,
// Bit the smaller one. The output depends on the options and the input only, never on the number of
// threads. Tables have functions of their own (compress_table.h). Sources, as docs/sources.md
// numbers them: S7.1, S7.2, S7.4, S7.13. Tested by tests/differential/round_trip_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/error.h"
#include "presso/line_time.h"
#include "presso/metadata.h"
#include "presso/wire.h"

namespace presso {

// Levels trade speed for size; see CompressOptions::level for what each does.
constexpr int kMinLevel = 1;
constexpr int kMaxLevel = 12;
constexpr int kDefaultLevel = 3;
constexpr int kDefaultDecodeLevel = 6;    ///< with the Byte coding, which is for fast decoding
constexpr int kDefaultTableLevel = 6;     ///< of strings in tables
constexpr int kDefaultArchiveLevel = 12;  ///< with Favor::kArchive
constexpr unsigned kMaxThreads = 1024;

// Sizes of filters, in thousandths of what the blocks take in the file.
constexpr std::uint32_t kDefaultFilterPermille = 80;
constexpr std::uint32_t kArchiveFilterPermille = 50;
constexpr std::uint32_t kMaxFilterPermille = 1000;

/// The window in bytes under Favor::kDecode: the furthest distance that the GPU decoders which keep
/// their history in shared memory can reach. This layer does not see their constant;
/// tests/unit/compress/favor_decode_test.cpp compares the two.
constexpr std::uint32_t kFavorDecodeWindow = 47088;

/// The goal for which options that are not set are chosen.
enum class Favor {
  kRatio,
  /// Speed of decoding on a GPU: the tile rule (DependencyRule::kTile) with tiles of 2 KiB, a
  /// window of kFavorDecodeWindow (so no distance takes a third byte), no dictionary; from level 4
  /// on also fewer, longer sequences.
  kDecode,
  /// The smallest file, for what is kept for years: the highest level, and a small filter.
  kArchive,
};

/// Which dictionary, if any, stands before all blocks of a file, so that matches may reach into it.
struct DictionaryChoice {
  enum class Mode {
    kAuto,   ///< one made from the input if a trial shows that it pays; none under Favor::kDecode
    kNone,   ///< none
    kSize,   ///< one of about `bytes`, made from the input
    kGiven,  ///< `content`
  };
  Mode mode = Mode::kAuto;
  std::uint32_t bytes = 0;  ///< with kSize: plain size, at most kMaxDictionaryBytes
  /// With kGiven: 1 to kMaxDictionaryBytes, shared by all files that are compressed with it.
  std::shared_ptr<const std::vector<Byte>> content = nullptr;
  bool by_name = false;  ///< with kGiven: the file only names it; readers must be given it, too
  /// With kAuto: each time that this number of plain bytes has been compressed, a trial shows
  /// whether another dictionary suits what follows; if so, a new member begins with it. 0: never.
  std::uint64_t renew_bytes = 256u << 20;
};

/// All choices of a compression. The defaults suit the goal `favor`; validate() refuses
/// contradictions.
struct CompressOptions {
  /// How long matches are looked for, from 1 (fast) to 12 (small): 1 and 2 look up hash tables, 3
  /// to 9 rows of places with the same hash (the Bit coding at 3: a table; under Favor::kDecode
  /// from 4 on: chains), 10 to 12 trees. 0: 12 under kArchive, 6 under kDecode or with the Byte
  /// coding, else 3.
  int level = 0;
  /// kMinBlockBytes .. kMaxBlockBytes; 0: chosen. With the Bit coding, unless Favor::kDecode, 1
  /// MiB, or from level 7 on 4 MiB where a trial on a `sample` of 32 MiB or more shows that it
  /// saves 3 %. Otherwise 64 KiB, 256 KiB or 1 MiB, whichever such a trial shows to suit, and
  /// kDefaultBlockBytes without a sample, with one below 8 MiB and below level 4.
  std::uint32_t block_bytes = 0;
  /// Coding::kByte or kBit; nullopt: kByte under Favor::kDecode, else kBit. Blocks that the coding
  /// would make larger are stored raw, or with the Byte coding if that is smaller.
  std::optional<Coding> coding;
  /// Bit coding: how much smaller it must make a block than the Byte coding does, 0..99 percent;
  /// other blocks get the Byte coding, which is decoded faster.
  std::uint32_t bit_gain_percent = 0;
  /// Bit coding: cuts a block into sub-blocks of this number of sequences, a power of two 4..256,
  /// instead of dealing the sequences out to lanes (FORMAT.md 13.7; larger files). 0: lanes.
  std::uint32_t sub_block_sequences = 0;
  Favor favor = Favor::kRatio;  ///< options below that are set win over it
  /// What a match may depend on (FORMAT.md 6.3). nullopt: on anything, or under Favor::kDecode the
  /// tile rule.
  std::optional<DependencyRule> rule;
  /// The unit of `rule`: the number of sequences in a group, a power of two 32..1024, or under the
  /// tile rule the bytes of a tile, a power of two 1024..32768. 0: the rule's default.
  std::uint32_t group = 0;
  /// Furthest distance of a match in bytes, at least 1024; 0: all of block and dictionary, or by
  /// `favor`.
  std::uint32_t window = 0;
  std::uint32_t lookahead = 0;  ///< longest match in bytes, at least 8; 0: unlimited (S7.2)
  /// Levels 1 and 2 of the Byte coding: an entry of the table of matches is replaced only when it
  /// is older than this number of bytes (S7.4), at most kMaxBlockBytes; nullopt: 0.
  std::optional<std::uint32_t> staleness;
  DictionaryChoice dictionary;
  /// Filters by which scans leave out blocks (FORMAT.md 7.4): their size at most, in thousandths of
  /// what the blocks take in the file, 0..kMaxFilterPermille; 0: none. Filters are held in memory
  /// until the member ends, and so are the n-grams of up to 128 blocks at a time (16 to 150 MiB).
  /// nullopt: 5 % under Favor::kArchive, else none.
  std::optional<std::uint32_t> filter_permille;
  /// What is known of how lines tell their time. Times are stored (FORMAT.md 7.5) where lines tell
  /// them, and the text has at least 64 KiB or something is known here.
  TimeHint times;
  /// No line is more than a day later than this, in nanoseconds since 1970. Without it, lines that
  /// tell no year have no times.
  std::optional<std::int64_t> latest_time;
  unsigned threads = 0;  ///< at most kMaxThreads; 0: all
  Metadata metadata;
  /// The input, if it can be read at any place: samples for block size and dictionary are taken
  /// from it. Kept by reference during the call; may be nullptr.
  const RandomAccess* sample = nullptr;
  /// Called with running totals, one call at a time; return false to stop (kCancelled).
  std::function<bool(std::uint64_t plain_bytes, std::uint64_t compressed_bytes)> on_progress;
};

/// Where the time of a compression went, in seconds; threads that work at the same time add up.
struct CompressSeconds {
  double sampling = 0;  ///< looking at samples, to choose block size and dictionary
  double training = 0;  ///< selecting a dictionary's content
  double coding = 0;    ///< blocks and dictionaries
  double indexing = 0;  ///< line facts and filter
  double reading = 0;
  double writing = 0;
};

/// What a compression read and wrote.
struct CompressSummary {
  std::uint64_t plain_bytes = 0;
  std::uint64_t compressed_bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t dictionary_bytes = 0;  ///< plain, of all members; 0: none
  std::uint64_t filter_bytes = 0;      ///< stored, of all members; 0: none
  CompressSeconds seconds;
};

/// Returns `options` with coding, level and filter filled in where they were left to the goal.
CompressOptions with_goal(const CompressOptions& options);

/// Returns kInvalidArgument, with a text that names the option and its limits, or ok.
Status validate(const CompressOptions& options);

/// Compresses everything that `source` gives. Memory: a few blocks for each thread. If `sample` is
/// nullptr a dictionary is trained on the beginning of the stream (at most 16 MiB are held back).
/// `sink` gets one member (FORMAT.md 2), or several if the content changes
/// (DictionaryChoice::renew_bytes). Errors: kInvalidArgument, kOutOfMemory, kCancelled, and those
/// of `source` and `sink`. Not to be called twice at a time on one source or sink.
Result<CompressSummary> compress_stream(ByteSource& source, ByteSink& sink,
                                        const CompressOptions& options = {});
/// Compresses bytes in memory and returns the whole file.
Result<std::vector<Byte>> compress_buffer(Bytes plain, const CompressOptions& options = {});

}  // namespace presso
