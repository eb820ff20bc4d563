// SPDX-License-Identifier: MIT
// presso itself as a subject of presso bench. Compression is the library's whole pipeline,
// container and checksums included. Decompression is measured like that of the other codecs: blocks
// that lie in memory are decoded into one contiguous buffer. Its scan works on the compressed form,
// as `presso scan` does. Tested by tests/cli/test_reports.py.
#include <array>
#include <cstring>

#include "presso/archive_reader.h"
#include "presso/decompress.h"
#include "tools/bench/parallel_blocks.h"
#include "tools/bench/subject.h"

namespace presso::cli {
namespace {

/// presso at one level. It keeps what it compressed and its blocks until the next round.
class PressoSubject final : public Subject {
 public:
  explicit PressoSubject(const CompressOptions& options) : options_(options) {}

  std::string codec() const override { return "presso"; }
  int level() const override { return options_.level; }
  bool has_checksums() const override { return true; }
  std::uint64_t compressed_bytes() const override { return compressed_.size(); }
  std::optional<CompressSeconds> work() const override { return work_; }

  /// Compresses as the command does, with the input as the sample that dictionaries are chosen
  /// from.
  Status compress(const BenchInput& input) override {
    CompressOptions options = options_;
    options.block_bytes = input.block_bytes;
    options.threads = input.threads;
    const MemoryRandomAccess sample(input.plain);
    options.sample = &sample;
    compressed_.clear();
    compressed_.reserve(input.plain.size() + input.plain.size() / 64 + 65536);
    MemorySource source(input.plain);
    VectorSink sink(compressed_);
    PRESSO_ASSIGN(const CompressSummary summary, compress_stream(source, sink, options));
    work_ = summary.seconds;
    return {};
  }

  /// Reads the blocks and dictionaries from the compressed form, which is in memory already.
  Status prepare_decompress() override {
    const MemoryRandomAccess file(compressed_);
    PRESSO_ASSIGN(const ArchiveIndex index, ArchiveIndex::open(file));
    blocks_.clear();
    for (std::uint64_t number = 0; number < index.block_count(); ++number) {
      PRESSO_ASSIGN(StoredBlock block, index.read_block(number));
      blocks_.push_back(std::move(block));
    }
    dictionaries_ = {};
    const auto& given = options_.dictionary.content;
    std::vector<std::shared_ptr<const Dictionary>> known;
    if (given != nullptr) known.push_back(Dictionary::from_plain(*given));
    for (const StoredSection& section : index.members().front().dictionaries) {
      PRESSO_ASSIGN(dictionaries_[section.header.parameter],
                    Dictionary::decode(section.payload.bytes(), known));
    }
    return {};
  }

  /// The compressed form is searched block by block, with the index if there is one.
  Result<std::uint64_t> scan(const BenchInput&, const LineCounter& count) override {
    MemorySource source(compressed_);
    return count(source);
  }

  /// Decodes all blocks. The decoder may write Buffer::kSlack bytes after a block; the next block
  /// of the same thread overwrites them, and the last block of a range is decoded elsewhere and
  /// copied.
  Status decompress(const BenchInput& input, bool verify, Byte* out) override {
    const DecodeOptions options{.verify = verify};
    return over_block_ranges(
        blocks_.size(), input.threads,
        [&](std::size_t begin, std::size_t end, unsigned worker) -> Status {
          for (std::size_t i = begin; i < end; ++i) {
            // The block after the last one belongs to another thread, which may have written it
            // already.
            const bool round = i + 1 == end && worker + 1 < input.threads;
            if (round) {
              PRESSO_TRY(decode_round(blocks_[i], options, out));
            } else {
              PRESSO_TRY(decode(blocks_[i], options, out + blocks_[i].plain_offset));
            }
          }
          return {};
        });
  }

 private:
  /// Decodes at the final place. `out` needs Buffer::kSlack bytes after the block.
  Status decode(const StoredBlock& block, const DecodeOptions& options, Byte* out) const {
    return decode_block(block.header, block.payload.data(),
                        dictionaries_[block.header.dictionary_id].get(), options, out);
  }

  /// Decodes a block into a buffer of its own and copies it to its place.
  Status decode_round(const StoredBlock& block, const DecodeOptions& options, Byte* out) const {
    Buffer scratch;
    scratch.resize_discarding(block.header.plain_bytes);
    PRESSO_TRY(decode(block, options, scratch.data()));
    std::memcpy(out + block.plain_offset, scratch.data(), scratch.size());
    return {};
  }

  CompressOptions options_;
  std::optional<CompressSeconds> work_;
  std::vector<Byte> compressed_;
  std::vector<StoredBlock> blocks_;
  std::array<std::shared_ptr<const Dictionary>, 256> dictionaries_{};
};

/// The plain text, which is only there to be searched. Its scan is the speed of the search without
/// any decoding.
class PlainSubject final : public Subject {
 public:
  std::string codec() const override { return "plain"; }
  int level() const override { return 0; }
  bool is_codec() const override { return false; }
  std::uint64_t compressed_bytes() const override { return 0; }
  Status compress(const BenchInput&) override { return {}; }
  Status decompress(const BenchInput&, bool, Byte*) override { return {}; }
  Result<std::uint64_t> scan(const BenchInput& input, const LineCounter& count) override {
    MemorySource source(input.plain);
    return count(source);
  }
};

}  // namespace

std::unique_ptr<Subject> make_plain_subject() {
  return std::make_unique<PlainSubject>();
}

std::unique_ptr<Subject> make_presso_subject(const CompressOptions& options) {
  return std::make_unique<PressoSubject>(options);
}

}  // namespace presso::cli
