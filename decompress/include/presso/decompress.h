// SPDX-License-Identifier: MIT
// Decoding on all CPU cores: whole streams, byte ranges of a file, single blocks, and BlockStream,
// the stage on which scans and other consumers of decoded blocks stand. Tested by
// tests/differential (round_trip_test.cpp, corruption_test.cpp, salvage_test.cpp) and
// tests/fuzz/decode_fuzzer.cpp.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "presso/archive_reader.h"
#include "presso/byte_stream.h"
#include "presso/cpu.h"
#include "presso/error.h"
#include "presso/ordered_pipeline.h"

namespace presso {

class Dictionary;
/// Dictionaries that files may name instead of holding them (FORMAT.md 7.1).
using KnownDictionaries = std::span<const std::shared_ptr<const Dictionary>>;

/// The decoded content of a dictionary section. It stands logically before every block that names
/// it. Immutable; at most kMaxDictionaryBytes, with Buffer::kSlack readable on both sides.
class Dictionary {
 public:
  /// `payload` is that of a dictionary section. If it only names a dictionary, that one is looked
  /// for among `known`; kMissingDictionary says which one was not found.
  static Result<std::shared_ptr<const Dictionary>> decode(Bytes payload,
                                                          KnownDictionaries known = {});
  /// Copies `plain`, at most kMaxDictionaryBytes.
  static std::shared_ptr<const Dictionary> from_plain(Bytes plain);

  Bytes content() const { return Bytes(buffer_.data() + Buffer::kSlack, size_); }
  /// Returns the name by which files refer to it: size and checksum.
  DictionaryReference reference() const;

 private:
  Buffer buffer_;
  std::size_t size_ = 0;
};

/// How blocks are decoded and checked.
struct DecodeOptions {
  CpuLevel level = cpu_level();
  bool verify = true;                   ///< compare with the block's checksum
  KnownDictionaries dictionaries = {};  ///< for files that name theirs; kept by the caller
  /// For decompress_table(): also checks that no value lies outside the zone that its row group's
  /// directory states for its block (kBadRowGroup), because readers of tables rely on these zones.
  bool check_zones = false;
};

/// Decodes one block into `out`, which must have room for header.plain_bytes and Buffer::kSlack
/// more (wide copies write there). `payload` has header.payload_bytes bytes with Buffer::kSlack
/// readable after them. `dictionary` is the one that the header's dictionary_id names; nullptr for
/// id 0. Thread-safe. Never reads or writes outside of these. Errors: kBadPayloadSize, kBadLength,
/// kBadOffset, kBadLiterals, kBadEscapes, kBadTree, kBadBits, kContentChecksum, kMissingDictionary.
/// FORMAT.md 6, 13.
Status decode_block(const BlockHeader& header, const Byte* payload, const Dictionary* dictionary,
                    const DecodeOptions& options, Byte* out);

/// A decoder that is written to be read: it goes one byte at a time, straight from FORMAT.md 6 and
/// 13, and every other decoder is tested against it. It also checks that the block obeys the
/// dependency rule that it records (kDependencyRule). `out` needs no slack.
Status reference_decode_block(const BlockHeader& header, const Byte* payload,
                              const Dictionary* dictionary, bool verify, Byte* out);

/// A block after decoding; `status` says whether `plain` is right. With an error it may also be a
/// place of the file where no block could be read: `number` and `plain_offset` are then those of
/// the block that was expected there.
struct DecodedBlock {
  std::uint64_t number = 0;
  std::uint64_t plain_offset = 0;
  std::uint64_t file_offset = 0;
  std::uint32_t plain_bytes = 0;  ///< as the header has it; 0 where the header itself was damaged
  Buffer plain;                   ///< plain_bytes where status is ok
  /// The number of blocks that this damage costs; 0 without damage, or if only something else is
  /// damaged (a section, bytes inserted between blocks). At the end of a truncated file it cannot
  /// be known.
  std::uint64_t lost_blocks = 0;
  Status status;
};

/// One stored block on its way to a worker. If `damage` is set, no block could be read at
/// `block.file_offset`.
struct BlockItem {
  StoredBlock block;
  std::shared_ptr<const Dictionary> dictionary;
  std::optional<Error> damage;
  std::uint64_t lost_blocks = 0;  ///< with `damage`
};

/// How blocks of a stream are decoded, and whether damage ends it.
struct BlockStreamOptions {
  DecodeOptions decode;
  /// Go on after damage: damaged places come as items with an error instead of ending the stream.
  bool salvage = false;
};

/// The producing and working stages of run_ordered over a compressed stream:
///
///   BlockStream stream(source, options);
///   run_ordered<BlockItem, Found>(
///       {threads}, [&] { return stream.next(); },
///       [&](BlockItem item, unsigned) { DecodedBlock b = stream.decode(std::move(item)); ... },
///       [&](Found found) -> Result<bool> { ...; stream.recycle(std::move(found.plain)); ... });
class BlockStream {
 public:
  BlockStream(ByteSource& source, BlockStreamOptions options)
      : reader_(source, &pool_, options.salvage), options_(options) {}

  /// Returns the next block in file order, or nullopt at the end. One caller at a time. Without
  /// salvage the first damage of the container is the error that is returned; damage inside blocks
  /// shows in decode().
  Result<std::optional<BlockItem>> next();
  /// Decodes an item of next(). Thread-safe.
  DecodedBlock decode(BlockItem item);
  /// Returns one of the circulating buffers, of any size, for a caller that reads a payload itself
  /// and hands it to decode(). Thread-safe.
  Buffer spare_buffer() { return pool_.take(); }
  /// Takes a buffer back for reuse. Thread-safe.
  void recycle(Buffer buffer) { pool_.give_back(std::move(buffer)); }
  /// Compressed bytes read so far, and metadata of the first member. To be called on next()'s
  /// thread.
  std::uint64_t compressed_bytes() const { return reader_.offset(); }
  const Metadata& metadata() const { return metadata_; }

 private:
  void enter_member(std::uint32_t member);
  Status take_section(StoredSection section);
  Result<std::optional<BlockItem>> pass_damage(Error error, bool resync);

  BufferPool pool_;
  FrameReader reader_;
  BlockStreamOptions options_;
  Metadata metadata_;
  std::uint32_t member_ = 0;
  std::array<std::shared_ptr<const Dictionary>, 256> dictionaries_{};
};

/// How a whole stream is decoded.
struct DecompressOptions {
  DecodeOptions decode;
  unsigned threads = 0;  ///< 0: all
  bool salvage = false;
  /// Called in order, on one thread at a time, for each damaged block in salvage mode.
  std::function<void(const DecodedBlock&)> on_damage;
  /// Called in order with running totals; return false to stop (kCancelled).
  std::function<bool(std::uint64_t compressed_bytes, std::uint64_t plain_bytes)> on_progress;
};

/// Counts of a finished run.
struct DecompressSummary {
  std::uint64_t compressed_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t damaged_blocks = 0;  ///< damaged places: as often as on_damage is called
  std::uint64_t lost_blocks = 0;     ///< the sum of theirs
  Metadata metadata;
};

/// Decodes a whole stream in order. With salvage, damaged blocks are left out and reported. Errors
/// carry block and compressed offset; bytes written before the error stay in the caller's sink.
/// Memory: a few blocks for each thread.
Result<DecompressSummary> decompress_stream(ByteSource& source, ByteSink& sink,
                                            const DecompressOptions& options = {});
/// Decodes a compressed file in memory.
Result<std::vector<Byte>> decompress_buffer(Bytes compressed,
                                            const DecompressOptions& options = {});

/// A compressed file opened for random access. Thread-safe after opening. `file` is kept by
/// reference and must outlive this object.
class CompressedFile {
 public:
  /// Opens a file by its index. All dictionaries are decoded once, so that a damaged one shows
  /// here. Errors: those of ArchiveIndex::open(), and of the dictionaries with their offsets.
  static Result<CompressedFile> open(const RandomAccess& file, DecodeOptions options = {});
  /// For a file whose index was opened before.
  static Result<CompressedFile> open(ArchiveIndex index, DecodeOptions options = {});

  const ArchiveIndex& index() const { return index_; }
  /// Moves the index out, for another reader of the same file. The CompressedFile must not be used
  /// afterwards.
  ArchiveIndex take_index() && { return std::move(index_); }
  std::uint64_t plain_bytes() const { return index_.plain_bytes(); }
  /// Fills `into` with the plain bytes from `plain_offset`: decodes only the blocks needed.
  /// kInvalidArgument where the range is not inside the file.
  Status read(std::uint64_t plain_offset, MutableBytes into) const;
  /// Decodes one block.
  Result<Buffer> read_block(std::uint64_t number) const;
  /// Decodes one block into buffers that the caller uses again and again: `plain` for the result,
  /// `stored` as scratch. Returns the block's header.
  Result<BlockHeader> read_block(std::uint64_t number, Buffer& plain, Buffer& stored) const;

 private:
  struct Dictionaries;

  CompressedFile(ArchiveIndex index, DecodeOptions options);
  Status check_dictionaries() const;
  Result<std::shared_ptr<const Dictionary>> dictionary(std::uint32_t member, Byte id) const;
  Result<BlockHeader> decode_numbered(std::uint64_t number, Buffer& plain, Buffer& stored) const;

  ArchiveIndex index_;
  DecodeOptions options_;
  std::shared_ptr<Dictionaries> dictionaries_;  ///< those used last; others are decoded again
};

/// Writes plain bytes [begin, end) of `file` to `sink`, in order; decodes only the blocks needed,
/// on `threads` threads (0: all). Errors: kInvalidArgument where the range is not inside the file;
/// those of CompressedFile::read_block() and of the sink, after what lies before them was written.
Status decompress_range(const CompressedFile& file, std::uint64_t begin, std::uint64_t end,
                        unsigned threads, ByteSink& sink);

}  // namespace presso
