// SPDX-License-Identifier: MIT
// The other codecs of presso bench, by their own libraries: lz4, zlib, libdeflate and zstd. Each
// block is compressed on its own, with one context for each thread, which is made in the
// first round and kept, so that the median does not contain it. If a library was not there when
// presso was built, its rows are left out, and bench says so. Headers and checksums are switched
// off where a library permits it, so that all codecs do the same. Tested by
// tests/cli/test_reports.py.
#include <algorithm>
#include <optional>

#include "tools/bench/parallel_blocks.h"
#include "tools/bench/subject.h"

#ifdef PRESSO_HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#ifdef PRESSO_HAVE_LZ4
#include <lz4.h>
#include <lz4hc.h>
#endif
#ifdef PRESSO_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef PRESSO_HAVE_ZSTD
#include <zstd.h>
#endif

namespace presso::cli {
namespace {

/// A codec as one thread uses it. Both functions return the size written, or 0 if they failed. An
/// object belongs to one thread, and its memory is used again for each block.
class BlockCoder {
 public:
  virtual ~BlockCoder() = default;
  /// The most bytes that compress() may write for a block of this size.
  virtual std::size_t bound(std::size_t plain_bytes) const = 0;
  /// Compresses one block; `into` has bound() bytes.
  virtual std::size_t compress(Bytes plain, MutableBytes into) = 0;
  /// Decompresses one block; `into` has exactly its plain size.
  virtual std::size_t decompress(Bytes compressed, MutableBytes into) = 0;
};

/// Gives the text of all blocks, decoding one after another as it is read, like a pipe from the
/// codec's own command. One thread reads it; what it gives is searched by the library's threads.
class DecodingSource final : public ByteSource {
 public:
  using Decode = std::function<std::size_t(std::size_t block, MutableBytes into)>;

  /// A source that decodes block by block, for searching what a peer has compressed. `input` is
  /// kept by reference.
  DecodingSource(const BenchInput& input, Decode decode)
      : input_(input), decode_(std::move(decode)), block_(input.block_bytes) {}

  /// Decodes the next block when the last one is used up. Error: kUnsupported for a block that
  /// fails.
  Result<std::size_t> read(MutableBytes into) override {
    if (rest_.empty() && next_ < input_.blocks()) {
      const MutableBytes plain(block_.data(), input_.block(next_).size());
      if (decode_(next_, plain) != plain.size()) {
        return make_error(ErrorCode::kUnsupported, "failed to decompress a block");
      }
      ++next_;
      rest_ = plain;
    }
    const std::size_t count = std::min(into.size(), rest_.size());
    std::copy_n(rest_.begin(), count, into.begin());
    rest_ = rest_.subspan(count);
    return count;
  }

 private:
  const BenchInput& input_;
  Decode decode_;
  std::vector<Byte> block_;
  // The part of block_ that is still to be read.
  Bytes rest_;
  std::size_t next_ = 0;
};

/// A peer codec as a subject, with one `Coder(level)` for each thread. It compresses the blocks by
/// themselves, as presso does, so that both have the same parallelism. The compressed blocks lie at
/// equal distances in one buffer.
template <class Coder>
class PeerSubject final : public Subject {
 public:
  explicit PeerSubject(int level) : level_(level) {}

  std::string codec() const override { return Coder::kName; }
  int level() const override { return level_; }

  /// The sizes of the blocks alone, without any container.
  std::uint64_t compressed_bytes() const override {
    std::uint64_t total = 0;
    for (const std::size_t size : sizes_) total += size;
    return total;
  }

  /// Each block is compressed at its place, so that threads need no lock.
  Status compress(const BenchInput& input) override {
    make_coders(input);
    stride_ = coders_.front()->bound(input.block_bytes);
    // The memory is kept, so that only the first round pays for it.
    compressed_.resize(stride_ * input.blocks());
    sizes_.resize(input.blocks());
    return over_block_ranges(input.blocks(), input.threads,
                             [&](std::size_t begin, std::size_t end, unsigned worker) -> Status {
                               for (std::size_t i = begin; i < end; ++i) {
                                 sizes_[i] = coders_[worker]->compress(
                                     input.block(i),
                                     MutableBytes(compressed_).subspan(i * stride_, stride_));
                                 if (sizes_[i] == 0) return failure("compress");
                               }
                               return {};
                             });
  }

  /// The checksum flag is ignored, since the blocks have none.
  Status decompress(const BenchInput& input, bool, Byte* out) override {
    return over_block_ranges(
        input.blocks(), input.threads,
        [&](std::size_t begin, std::size_t end, unsigned worker) -> Status {
          for (std::size_t i = begin; i < end; ++i) {
            const std::size_t size = input.block(i).size();
            const std::size_t got = decode(worker, i, {out + i * input.block_bytes, size});
            if (got != size) return failure("decompress");
          }
          return {};
        });
  }

  /// Decodes with the first coder only: a pipe from another program has one thread too.
  Result<std::uint64_t> scan(const BenchInput& input, const LineCounter& count) override {
    DecodingSource source(
        input, [this](std::size_t block, MutableBytes into) { return decode(0, block, into); });
    return count(source);
  }

 private:
  /// Decodes one block with the coder of a thread. Returns 0 for a failure.
  std::size_t decode(unsigned worker, std::size_t block, MutableBytes into) {
    return coders_[worker]->decompress(Bytes(compressed_).subspan(block * stride_, sizes_[block]),
                                       into);
  }

  /// Makes the coders that are missing; after the first round there are none.
  void make_coders(const BenchInput& input) {
    while (coders_.size() < input.threads) coders_.push_back(std::make_unique<Coder>(level_));
  }

  /// The error of a codec that reported a failure; it has no further reason.
  Error failure(const char* doing) const {
    return make_error(ErrorCode::kUnsupported, codec() + " failed to " + doing + " a block");
  }

  int level_;
  std::vector<std::unique_ptr<BlockCoder>> coders_;
  std::size_t stride_ = 0;
  std::vector<Byte> compressed_;
  std::vector<std::size_t> sizes_;
};

/// lz4 through liblz4.
#ifdef PRESSO_HAVE_LZ4
/// The lz4 library by its block format.
class Lz4Coder final : public BlockCoder {
 public:
  static constexpr const char* kName = "lz4";

  /// From level 3 on the high-compression encoder is used, as the lz4 command does.
  explicit Lz4Coder(int level) : level_(level) {
    state_.resize(static_cast<std::size_t>(std::max(LZ4_sizeofState(), LZ4_sizeofStateHC())));
  }

  /// The block is at most 4 MiB, so that its size fits an int.
  std::size_t bound(std::size_t plain_bytes) const override {
    return static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(plain_bytes)));
  }
  std::size_t compress(Bytes plain, MutableBytes into) override {
    const auto* from = reinterpret_cast<const char*>(plain.data());
    auto* to = reinterpret_cast<char*>(into.data());
    const int size = static_cast<int>(plain.size());
    const int room = static_cast<int>(into.size());
    const int put = level_ < 3
                        ? LZ4_compress_fast_extState(state_.data(), from, to, size, room, 1)
                        : LZ4_compress_HC_extStateHC(state_.data(), from, to, size, room, level_);
    return static_cast<std::size_t>(std::max(put, 0));
  }
  std::size_t decompress(Bytes compressed, MutableBytes into) override {
    const int got = LZ4_decompress_safe(
        reinterpret_cast<const char*>(compressed.data()), reinterpret_cast<char*>(into.data()),
        static_cast<int>(compressed.size()), static_cast<int>(into.size()));
    return static_cast<std::size_t>(std::max(got, 0));
  }

 private:
  int level_;
  std::vector<char> state_;
};
#endif

/// zlib in raw deflate, without header and checksum.
#ifdef PRESSO_HAVE_ZLIB
/// The zlib library, with raw deflate streams.
class ZlibCoder final : public BlockCoder {
 public:
  static constexpr const char* kName = "zlib";

  /// Both streams are made here, so that a round does not pay for them.
  explicit ZlibCoder(int level) {
    constexpr int kRawWindow = -15;  // Raw deflate, without header and Adler-32, as for the others.
    constexpr int kMemory = 8;
    usable_ = deflateInit2(&deflate_, level, Z_DEFLATED, kRawWindow, kMemory, Z_DEFAULT_STRATEGY) ==
                  Z_OK &&
              inflateInit2(&inflate_, kRawWindow) == Z_OK;
  }
  ~ZlibCoder() override {
    deflateEnd(&deflate_);
    inflateEnd(&inflate_);
  }

  std::size_t bound(std::size_t plain_bytes) const override { return compressBound(plain_bytes); }
  std::size_t compress(Bytes plain, MutableBytes into) override {
    if (!usable_ || deflateReset(&deflate_) != Z_OK) return 0;
    set_buffers(deflate_, plain, into);
    return deflate(&deflate_, Z_FINISH) == Z_STREAM_END ? deflate_.total_out : 0;
  }
  std::size_t decompress(Bytes compressed, MutableBytes into) override {
    if (!usable_ || inflateReset(&inflate_) != Z_OK) return 0;
    set_buffers(inflate_, compressed, into);
    return inflate(&inflate_, Z_FINISH) == Z_STREAM_END ? inflate_.total_out : 0;
  }

 private:
  /// zlib does not write to its input, but its interface is not const.
  static void set_buffers(z_stream& stream, Bytes from, MutableBytes to) {
    stream.next_in = const_cast<Bytef*>(from.data());
    stream.avail_in = static_cast<uInt>(from.size());
    stream.next_out = to.data();
    stream.avail_out = static_cast<uInt>(to.size());
  }

  z_stream deflate_{};
  z_stream inflate_{};
  bool usable_ = false;
};
#endif

/// libdeflate in raw deflate.
#ifdef PRESSO_HAVE_LIBDEFLATE
/// The libdeflate library, with raw deflate streams.
class LibdeflateCoder final : public BlockCoder {
 public:
  static constexpr const char* kName = "libdeflate";

  explicit LibdeflateCoder(int level)
      : encoder_(libdeflate_alloc_compressor(level), libdeflate_free_compressor),
        decoder_(libdeflate_alloc_decompressor(), libdeflate_free_decompressor) {}

  std::size_t bound(std::size_t plain_bytes) const override {
    return libdeflate_deflate_compress_bound(encoder_.get(), plain_bytes);
  }
  std::size_t compress(Bytes plain, MutableBytes into) override {
    if (encoder_ == nullptr) return 0;
    return libdeflate_deflate_compress(encoder_.get(), plain.data(), plain.size(), into.data(),
                                       into.size());
  }
  std::size_t decompress(Bytes compressed, MutableBytes into) override {
    std::size_t got = 0;
    if (decoder_ == nullptr ||
        libdeflate_deflate_decompress(decoder_.get(), compressed.data(), compressed.size(),
                                      into.data(), into.size(), &got) != LIBDEFLATE_SUCCESS) {
      return 0;
    }
    return got;
  }

 private:
  std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> encoder_;
  std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decoder_;
};
#endif

/// zstd through libzstd, with a context that is used again for each block.
#ifdef PRESSO_HAVE_ZSTD
/// The zstd library, one frame a block, without checksums.
class ZstdCoder final : public BlockCoder {
 public:
  static constexpr const char* kName = "zstd";

  explicit ZstdCoder(int level) : level_(level) {}

  std::size_t bound(std::size_t plain_bytes) const override {
    return ZSTD_compressBound(plain_bytes);
  }
  std::size_t compress(Bytes plain, MutableBytes into) override {
    return checked(ZSTD_compressCCtx(encoder_.get(), into.data(), into.size(), plain.data(),
                                     plain.size(), level_));
  }
  std::size_t decompress(Bytes compressed, MutableBytes into) override {
    return checked(ZSTD_decompressDCtx(decoder_.get(), into.data(), into.size(), compressed.data(),
                                       compressed.size()));
  }

 private:
  /// zstd's errors are sizes with a certain range; 0 stands for all of them.
  static std::size_t checked(std::size_t result) { return ZSTD_isError(result) != 0 ? 0 : result; }

  int level_;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> encoder_{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> decoder_{ZSTD_createDCtx(), ZSTD_freeDCtx};
};
#endif

/// Makes a subject; a plain function, so that a table can hold it.
template <class Coder>
std::unique_ptr<Subject> make_peer(int level) {
  return std::make_unique<PeerSubject<Coder>>(level);
}

}  // namespace

/// All peers; `make` is nullptr where presso was built without the library. The levels are those
/// that the help of --against names.
const std::vector<Peer>& peers() {
  static const std::vector<Peer> kPeers = {
#ifdef PRESSO_HAVE_LZ4
      {"lz4", {1, 9}, make_peer<Lz4Coder>},
#else
      {"lz4", {1, 9}, nullptr},
#endif
#ifdef PRESSO_HAVE_ZLIB
      {"zlib", {6}, make_peer<ZlibCoder>},
#else
      {"zlib", {6}, nullptr},
#endif
#ifdef PRESSO_HAVE_LIBDEFLATE
      {"libdeflate", {6}, make_peer<LibdeflateCoder>},
#else
      {"libdeflate", {6}, nullptr},
#endif
#ifdef PRESSO_HAVE_ZSTD
      {"zstd", {1, 3, 9}, make_peer<ZstdCoder>},
#else
      {"zstd", {1, 3, 9}, nullptr},
#endif
  };
  return kPeers;
}

}  // namespace presso::cli
