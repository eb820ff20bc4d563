// SPDX-License-Identifier: MIT
// Decoding on all CPU cores: whole streams, byte ranges of a file, single blocks, and BlockStream,
// the stage that scans and other consumers of decoded blocks are built on.
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

/// The decoded content of a dictionary section: stands logically before every block that names it.
/// Immutable; at most kMaxDictionaryBytes, Buffer::kSlack readable on both sides.
class Dictionary {
 public:
  /// `payload`: of a dictionary section. One that is only named there is found among `known`;
  /// kMissingDictionary says which was not.
  static Result<std::shared_ptr<const Dictionary>> decode(Bytes payload,
                                                          KnownDictionaries known = {});
  /// Copies `plain`, at most kMaxDictionaryBytes.
  static std::shared_ptr<const Dictionary> from_plain(Bytes plain);

  Bytes content() const { return Bytes(buffer_.data() + Buffer::kSlack, size_); }
  /// By which files name it.
  DictionaryReference reference() const;

 private:
  Buffer buffer_;
  std::size_t size_ = 0;
};

struct DecodeOptions {
  CpuLevel level = cpu_level();
  bool verify = true;                   ///< compare with the block's checksum
  KnownDictionaries dictionaries = {};  ///< for files that name theirs; kept by the caller
  /// decompress_table: no value lies outside of what its row group's directory says of its block;
  /// kBadRowGroup. For checks of a file: who reads a table goes by these zones.
  bool check_zones = false;
};

/// Decodes one block into `out`, which must have room for header.plain_bytes and Buffer::kSlack
/// more (wide copies write there). `payload` is header.payload_bytes long with Buffer::kSlack
/// readable after it. `dictionary`: what the header's dictionary_id names; nullptr for id 0.
/// Thread-safe. Errors: kBadPayloadSize, kBadLength, kBadOffset, kBadLiterals, kBadEscapes,
/// kBadTree, kBadBits, kContentChecksum, kMissingDictionary; never reads or writes outside what is
/// given. FORMAT.md 6, 13.
Status decode_block(const BlockHeader& header, const Byte* payload, const Dictionary* dictionary,
                    const DecodeOptions& options, Byte* out);

/// The same, written for reading: one byte at a time, straight from FORMAT.md 6 and 14. Every other
/// decoder is tested against it. Also checks that the block obeys the dependency rule that it
/// records (kDependencyRule). `out` needs no slack.
Status reference_decode_block(const BlockHeader& header, const Byte* payload,
                              const Dictionary* dictionary, bool verify, Byte* out);

/// A block after decoding: `status` says whether `plain` is right. Where it is an error, this may
/// also be a place where no block could be read: `number` and `plain_offset` are then those of the
/// block that was expected there.
struct DecodedBlock {
  std::uint64_t number = 0;
  std::uint64_t plain_offset = 0;
  std::uint64_t file_offset = 0;
  std::uint32_t plain_bytes = 0;  ///< as the header has it; 0 where the header itself was damaged
  Buffer plain;                   ///< plain_bytes where status is ok
  /// Blocks that this damage costs, 0 where ok or where only something else is damaged (a section,
  /// bytes inserted between blocks). At the end of a cut-off file they cannot be known.
  std::uint64_t lost_blocks = 0;
  Status status;
};

/// One block on its way to a worker; `damage` where no block could be read at `block.file_offset`.
struct BlockItem {
  StoredBlock block;
  std::shared_ptr<const Dictionary> dictionary;
  std::optional<Error> damage;
  std::uint64_t lost_blocks = 0;  ///< with `damage`
};

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

  /// The next block in file order; nullopt at the end. One caller at a time. Without salvage the
  /// first damage of the container is the error returned; damage inside blocks shows in decode().
  Result<std::optional<BlockItem>> next();
  /// Thread-safe.
  DecodedBlock decode(BlockItem item);
  /// Thread-safe: one of the buffers that go round, of any size, for a caller that reads a payload
  /// itself and hands it to decode().
  Buffer spare_buffer() { return pool_.take(); }
  /// Gives a buffer back for reuse. Thread-safe.
  void recycle(Buffer buffer) { pool_.give_back(std::move(buffer)); }
  /// Compressed bytes read so far; metadata of the first member. Use on next()'s thread.
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

struct DecompressOptions {
  DecodeOptions decode;
  unsigned threads = 0;  ///< 0: all
  bool salvage = false;
  /// Called in order, on one thread at a time, for each damaged block in salvage mode.
  std::function<void(const DecodedBlock&)> on_damage;
  /// Called in order with running totals; return false to stop (kCancelled).
  std::function<bool(std::uint64_t compressed_bytes, std::uint64_t plain_bytes)> on_progress;
};

struct DecompressSummary {
  std::uint64_t compressed_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t damaged_blocks = 0;  ///< damaged places: as often as on_damage is called
  std::uint64_t lost_blocks = 0;     ///< the sum of theirs
  Metadata metadata;
};

/// Decodes a whole stream in order. With salvage, damaged blocks are left out and reported.
/// Errors carry block and compressed offset; what was written before stays with the caller's sink.
Result<DecompressSummary> decompress_stream(ByteSource& source, ByteSink& sink,
                                            const DecompressOptions& options = {});
/// Decodes a compressed file in memory.
Result<std::vector<Byte>> decompress_buffer(Bytes compressed,
                                            const DecompressOptions& options = {});

/// A compressed file opened for random access. Thread-safe after open. `file` is kept by reference.
class CompressedFile {
 public:
  static Result<CompressedFile> open(const RandomAccess& file, DecodeOptions options = {});
  /// The same for a file whose index was opened before.
  static Result<CompressedFile> open(ArchiveIndex index, DecodeOptions options = {});

  const ArchiveIndex& index() const { return index_; }
  /// The index, for another reader of the same file; the CompressedFile is of no use afterwards.
  ArchiveIndex take_index() && { return std::move(index_); }
  std::uint64_t plain_bytes() const { return index_.plain_bytes(); }
  /// Fills `into` with the plain bytes from `plain_offset`: decodes only the blocks needed.
  /// kInvalidArgument where the range is not inside the file.
  Status read(std::uint64_t plain_offset, MutableBytes into) const;
  /// One block, decoded.
  Result<Buffer> read_block(std::uint64_t number) const;
  /// The same into buffers that are used again and again: `stored` is scratch. The block's header.
  Result<BlockHeader> read_block(std::uint64_t number, Buffer& plain, Buffer& stored) const;

 private:
  struct Dictionaries;

  CompressedFile(ArchiveIndex index, DecodeOptions options);
  Status check_dictionaries() const;
  Result<std::shared_ptr<const Dictionary>> dictionary(std::uint32_t member, Byte id) const;
  Result<BlockHeader> decode_numbered(std::uint64_t number, Buffer& plain, Buffer& stored) const;

  ArchiveIndex index_;
  DecodeOptions options_;
  std::shared_ptr<Dictionaries> dictionaries_;  ///< decoded when first needed; a few are kept
};

/// Writes plain bytes [begin, end) of `file` to `sink`, in order; decodes only the blocks needed,
/// on `threads` threads (0: all). Errors: kInvalidArgument where the range is not inside the file;
/// those of CompressedFile::read_block() and of the sink, after what lies before them was written.
Status decompress_range(const CompressedFile& file, std::uint64_t begin, std::uint64_t end,
                        unsigned threads, ByteSink& sink);

}  // namespace presso
