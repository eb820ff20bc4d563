// SPDX-License-Identifier: MIT
// Decoding whole streams through BlockStream, and byte ranges of a file through its index. Both
// decode blocks on all threads in run_ordered and write in order; memory is a few blocks for
// each thread. Tested by tests/differential/round_trip_test.cpp and tests/cli.
#include "presso/decompress.h"

#include <algorithm>
#include <deque>
#include <mutex>

namespace presso {
namespace {

/// One run of decompress_stream(). produce() and consume() are called by one thread each.
class Decompressor {
 public:
  Decompressor(ByteSource& source, ByteSink& sink, const DecompressOptions& options)
      : sink_(sink), options_(options), stream_(source, {options.decode, options.salvage}) {}

  Result<DecompressSummary> run() {
    const unsigned threads = threads_or_all(options_.threads);
    PRESSO_TRY((run_ordered<Produced, Decoded>(
        {threads, 0}, [this] { return produce(); },
        [this](Produced item, unsigned) {
          const std::uint64_t passed = item.compressed_bytes;
          return Decoded{stream_.decode(std::move(item.item)), passed};
        },
        [this](Decoded decoded) { return consume(std::move(decoded)); })));
    summary_.compressed_bytes = stream_.compressed_bytes();
    summary_.metadata = stream_.metadata();
    return summary_;
  }

 private:
  /// An item with the position in the input that it was read up to, for progress.
  struct Produced {
    BlockItem item;
    std::uint64_t compressed_bytes;
  };
  struct Decoded {
    DecodedBlock block;
    std::uint64_t compressed_bytes;
  };

  Result<std::optional<Produced>> produce() {
    PRESSO_ASSIGN(std::optional<BlockItem> item, stream_.next());
    if (!item) return std::optional<Produced>{};
    return std::optional<Produced>({std::move(*item), stream_.compressed_bytes()});
  }

  Result<bool> consume(Decoded decoded) {
    DecodedBlock& block = decoded.block;
    ++summary_.blocks;
    if (!block.status.ok()) {
      if (!options_.salvage) return std::move(block.status.error());
      ++summary_.damaged_blocks;
      summary_.lost_blocks += block.lost_blocks;
      if (options_.on_damage) options_.on_damage(block);
      return true;
    }
    PRESSO_TRY(sink_.write(block.plain.bytes()));
    summary_.plain_bytes += block.plain.size();
    stream_.recycle(std::move(block.plain));
    if (options_.on_progress &&
        !options_.on_progress(decoded.compressed_bytes, summary_.plain_bytes)) {
      return make_error(ErrorCode::kCancelled);
    }
    return true;
  }

  ByteSink& sink_;
  const DecompressOptions& options_;
  BlockStream stream_;
  DecompressSummary summary_;
};

}  // namespace

/// A failed sink or a damaged block ends it, unless options.salvage.
Result<DecompressSummary> decompress_stream(ByteSource& source, ByteSink& sink,
                                            const DecompressOptions& options) {
  return without_bad_alloc([&] { return Decompressor(source, sink, options).run(); });
}

Result<std::vector<Byte>> decompress_buffer(Bytes compressed, const DecompressOptions& options) {
  MemorySource source(compressed);
  std::vector<Byte> plain;
  VectorSink sink(plain);
  PRESSO_TRY(decompress_stream(source, sink, options));
  return plain;
}

/// The file must stay open as long as the CompressedFile. Its dictionaries are checked here.
Result<CompressedFile> CompressedFile::open(const RandomAccess& file, DecodeOptions options) {
  return without_bad_alloc([&]() -> Result<CompressedFile> {
    PRESSO_ASSIGN(ArchiveIndex index, ArchiveIndex::open(file));
    return open(std::move(index), options);
  });
}

Result<CompressedFile> CompressedFile::open(ArchiveIndex index, DecodeOptions options) {
  return without_bad_alloc([&]() -> Result<CompressedFile> {
    CompressedFile opened(std::move(index), options);
    PRESSO_TRY(opened.check_dictionaries());
    return opened;
  });
}

/// The dictionaries used last, with a lock: a file may be many files one after another, each
/// with its own.
struct CompressedFile::Dictionaries {
  static constexpr std::size_t kKept = 4;

  struct Entry {
    std::uint32_t member;
    Byte id;
    std::shared_ptr<const Dictionary> dictionary;
  };

  std::mutex mutex;
  std::deque<Entry> entries;
};

CompressedFile::CompressedFile(ArchiveIndex index, DecodeOptions options)
    : index_(std::move(index)),
      options_(options),
      dictionaries_(std::make_shared<Dictionaries>()) {}

/// Decodes all dictionaries once, so that a damaged one shows when the file is opened.
Status CompressedFile::check_dictionaries() const {
  for (std::uint32_t member = 0; member < index_.members().size(); ++member) {
    for (const StoredSection& section : index_.members()[member].dictionaries) {
      PRESSO_TRY(dictionary(member, static_cast<Byte>(section.header.parameter)));
    }
  }
  return {};
}

/// Nullptr for id 0, and for an id that is not in the file, which the block decoder reports.
Result<std::shared_ptr<const Dictionary>> CompressedFile::dictionary(std::uint32_t member,
                                                                     Byte id) const {
  if (id == 0) return std::shared_ptr<const Dictionary>{};
  const std::lock_guard lock(dictionaries_->mutex);
  for (const Dictionaries::Entry& entry : dictionaries_->entries) {
    if (entry.member == member && entry.id == id) return entry.dictionary;
  }
  for (const StoredSection& section : index_.members()[member].dictionaries) {
    if (section.header.parameter != id) continue;
    auto decoded = Dictionary::decode(section.payload.bytes(), options_.dictionaries);
    if (!decoded.ok()) {
      decoded.error().byte_offset = section.file_offset;
      return std::move(decoded.error());
    }
    dictionaries_->entries.push_front({member, id, *decoded});
    if (dictionaries_->entries.size() > Dictionaries::kKept) dictionaries_->entries.pop_back();
    return *decoded;
  }
  return std::shared_ptr<const Dictionary>{};
}

/// Thread-safe, as is all reading of a CompressedFile.
Result<Buffer> CompressedFile::read_block(std::uint64_t number) const {
  Buffer plain;
  Buffer stored;
  PRESSO_TRY(read_block(number, plain, stored));
  return plain;
}

Result<BlockHeader> CompressedFile::read_block(std::uint64_t number, Buffer& plain,
                                               Buffer& stored) const {
  return without_bad_alloc([&] { return decode_numbered(number, plain, stored); });
}

Result<BlockHeader> CompressedFile::decode_numbered(std::uint64_t number, Buffer& plain,
                                                    Buffer& stored) const {
  if (number >= index_.block_count()) {
    return make_error(ErrorCode::kInvalidArgument, "there is no such block");
  }
  PRESSO_ASSIGN(StoredBlock block, index_.read_block(number, std::move(stored)));
  PRESSO_ASSIGN(const std::shared_ptr<const Dictionary> content,
                dictionary(block.member, block.header.dictionary_id));
  plain.resize_discarding(block.header.plain_bytes);
  Status status =
      decode_block(block.header, block.payload.data(), content.get(), options_, plain.data());
  stored = std::move(block.payload);
  if (!status.ok()) {
    status.error().block = number;
    status.error().byte_offset = block.file_offset;
    return std::move(status.error());
  }
  return block.header;
}

/// Decodes every block of the range in turn, on this thread; decompress_range() uses several.
Status CompressedFile::read(std::uint64_t plain_offset, MutableBytes into) const {
  if (plain_offset > plain_bytes() || into.size() > plain_bytes() - plain_offset) {
    return make_error(ErrorCode::kInvalidArgument, "range is not inside the file");
  }
  while (!into.empty()) {
    const std::uint64_t number = index_.block_at(plain_offset);
    PRESSO_ASSIGN(const Buffer plain, read_block(number));
    const auto skip = static_cast<std::size_t>(plain_offset - index_.block_plain_offset(number));
    const std::size_t count = std::min(into.size(), plain.size() - skip);
    std::copy_n(plain.data() + skip, count, into.data());
    into = into.subspan(count);
    plain_offset += count;
  }
  return {};
}

namespace {

struct DecodedPart {
  std::uint64_t plain_offset = 0;
  Result<Buffer> plain = Buffer();
};

}  // namespace

/// Bytes [begin, end) of the plain text. Only blocks that hold some of them are read.
Status decompress_range(const CompressedFile& file, std::uint64_t begin, std::uint64_t end,
                        unsigned threads, ByteSink& sink) {
  if (begin > end || end > file.plain_bytes()) {
    return make_error(ErrorCode::kInvalidArgument, "range is not inside the file");
  }
  if (begin == end) return {};
  const ArchiveIndex& index = file.index();
  std::uint64_t next = index.block_at(begin);
  const std::uint64_t last = index.block_at(end - 1);
  const auto produce = [&]() -> Result<std::optional<std::uint64_t>> {
    if (next > last) return std::optional<std::uint64_t>();
    return std::optional(next++);
  };
  const auto work = [&](std::uint64_t number, unsigned) {
    return DecodedPart{index.block_plain_offset(number), file.read_block(number)};
  };
  const auto consume = [&](DecodedPart part) -> Result<bool> {
    PRESSO_ASSIGN(const Buffer plain, std::move(part.plain));
    const std::uint64_t from = std::max(begin, part.plain_offset) - part.plain_offset;
    const std::uint64_t to = std::min(end - part.plain_offset, std::uint64_t{plain.size()});
    PRESSO_TRY(sink.write(plain.bytes().subspan(from, to - from)));
    return true;
  };
  const unsigned workers = threads_or_all(threads);
  return run_ordered<std::uint64_t, DecodedPart>({.threads = workers}, produce, work, consume);
}

}  // namespace presso
