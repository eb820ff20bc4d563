// SPDX-License-Identifier: MIT
// Each decoder must fill the page exactly: a page that ends early or is too long is damaged.
#include "tools/parquet/codec.h"

#include <algorithm>
#include <bit>

#ifdef PRESSO_HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef PRESSO_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef PRESSO_HAVE_LZ4
#include <lz4.h>
#include <lz4frame.h>
#endif

namespace presso::cli {
namespace {

Error bad_page(const char* codec) {
  return make_error(ErrorCode::kInvalidArgument, std::string("the ") + codec + " page is damaged");
}

[[maybe_unused]] Error lacks(const char* library, const char* codec) {
  return make_error(ErrorCode::kUnsupported, std::string("is compressed by ") + codec +
                                                 ", for which this presso was built without " +
                                                 library);
}

/// Decodes snappy's block format: a varint of the plain size, then literals and copies.
class SnappyDecoder {
 public:
  SnappyDecoder(Bytes from, MutableBytes to) : from_(from), to_(to) {}

  bool run() {
    std::uint64_t size = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at_ >= from_.size() || shift > 28) return false;
      size |= std::uint64_t{from_[at_] & 0x7Fu} << shift;
      if ((from_[at_++] & 0x80) == 0) break;
    }
    if (size != to_.size()) return false;
    while (at_ < from_.size()) {
      if (!step()) return false;
    }
    return done_ == to_.size();
  }

 private:
  bool step() {
    const Byte tag = from_[at_++];
    const unsigned extra = (tag & 3) == 0 ? literal_bytes(tag) : (tag & 3) == 3 ? 4 : tag & 3;
    if (extra > from_.size() - at_) return false;
    std::uint32_t more = 0;
    for (unsigned i = 0; i < extra; ++i) more |= std::uint32_t{from_[at_ + i]} << (8 * i);
    at_ += extra;
    if ((tag & 3) == 0) return literal(extra == 0 ? (tag >> 2) + 1u : std::uint64_t{more} + 1);
    if ((tag & 3) == 1) return copy((tag >> 5) << 8 | more, 4 + (tag >> 2 & 7));
    return copy(more, 1u + (tag >> 2));
  }

  static unsigned literal_bytes(Byte tag) { return tag >> 2 < 60 ? 0 : (tag >> 2) - 59u; }

  bool literal(std::uint64_t length) {
    if (length > from_.size() - at_ || length > to_.size() - done_) return false;
    // Short ones are copied in one step, which may write into the slack.
    if (length <= 16 && from_.size() - at_ >= 16) {
      std::memcpy(to_.data() + done_, from_.data() + at_, 16);
    } else {
      std::memcpy(to_.data() + done_, from_.data() + at_, length);
    }
    at_ += length;
    done_ += length;
    return true;
  }

  bool copy(std::size_t offset, std::size_t length) {
    if (offset == 0 || offset > done_ || length > to_.size() - done_) return false;
    Byte* to = to_.data() + done_;
    done_ += length;
    if (offset >= 16) {
      // At most 64 bytes in steps of 16: the slack takes what is too much.
      for (std::size_t i = 0; i < length; i += 16) std::memcpy(to + i, to + i - offset, 16);
    } else {
      const Byte* copied = to - offset;
      for (std::size_t i = 0; i < length; ++i) to[i] = copied[i];
    }
    return true;
  }

  Bytes from_;
  MutableBytes to_;
  std::size_t at_ = 0;
  std::size_t done_ = 0;
};

Status decompress_zstd([[maybe_unused]] Bytes from, [[maybe_unused]] MutableBytes to) {
#ifdef PRESSO_HAVE_ZSTD
  // A context is large, so each thread keeps one.
  static thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(
      ZSTD_createDCtx(), &ZSTD_freeDCtx);
  const std::size_t got =
      ZSTD_decompressDCtx(context.get(), to.data(), to.size(), from.data(), from.size());
  return got == to.size() ? Status() : bad_page("zstd");
#else
  return lacks("libzstd", "zstd");
#endif
}

Status decompress_gzip([[maybe_unused]] Bytes from, [[maybe_unused]] MutableBytes to) {
#ifdef PRESSO_HAVE_ZLIB
  z_stream stream{};
  // zlib's and gzip's headers are both accepted, as some writers mistake one for the other.
  if (inflateInit2(&stream, 32 + MAX_WBITS) != Z_OK) return make_error(ErrorCode::kOutOfMemory);
  stream.next_in = const_cast<Byte*>(from.data());
  stream.avail_in = static_cast<uInt>(from.size());
  stream.next_out = to.data();
  stream.avail_out = static_cast<uInt>(to.size());
  int status = inflate(&stream, Z_FINISH);
  // A page may consist of several members.
  while (status == Z_STREAM_END && stream.avail_in > 0 && stream.avail_out > 0) {
    inflateReset(&stream);
    status = inflate(&stream, Z_FINISH);
  }
  const bool whole = status == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return whole ? Status() : bad_page("gzip");
#else
  return lacks("zlib", "gzip");
#endif
}

Status decompress_lz4([[maybe_unused]] Bytes from, [[maybe_unused]] MutableBytes to) {
#ifdef PRESSO_HAVE_LZ4
  const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(from.data()),
                                      reinterpret_cast<char*>(to.data()),
                                      static_cast<int>(from.size()), static_cast<int>(to.size()));
  return got >= 0 && static_cast<std::size_t>(got) == to.size() ? Status() : bad_page("lz4");
#else
  return lacks("liblz4", "lz4");
#endif
}

std::uint32_t load_big(const Byte* from) {
  return std::uint32_t{from[0]} << 24 | std::uint32_t{from[1]} << 16 | std::uint32_t{from[2]} << 8 |
         from[3];
}

/// The older codec LZ4 has blocks with both sizes in front, as Hadoop writes them. Some writers
/// leave them out, so what does not have this form is tried as one block.
Status decompress_hadoop_lz4(Bytes from, MutableBytes to) {
  std::size_t done = 0;
  Bytes rest = from;
  while (rest.size() > 8) {
    const std::size_t plain = load_big(rest.data());
    const std::size_t packed = load_big(rest.data() + 4);
    if (packed > rest.size() - 8 || plain > to.size() - done) break;
    const Status part = decompress_lz4(rest.subspan(8, packed), to.subspan(done, plain));
    if (!part.ok()) break;
    done += plain;
    rest = rest.subspan(8 + packed);
  }
  return rest.empty() && done == to.size() ? Status() : decompress_lz4(from, to);
}

}  // namespace

std::uint64_t most_page_bytes(ParquetCodec codec, std::uint64_t bytes) {
  if (codec == ParquetCodec::kNone) return bytes;
  if (codec == ParquetCodec::kSnappy) return 64 * bytes;
  if (codec == ParquetCodec::kGzip) return 1040 * bytes;
  if (codec == ParquetCodec::kZstd) return (bytes + 8) << 16;
  return 256 * bytes;
}

Status decompress_page(ParquetCodec codec, Bytes from, MutableBytes to) {
  switch (codec) {
    case ParquetCodec::kNone:
      if (from.size() != to.size()) return bad_page("uncompressed");
      std::copy(from.begin(), from.end(), to.begin());
      return {};
    case ParquetCodec::kSnappy:
      return SnappyDecoder(from, to).run() ? Status() : bad_page("snappy");
    case ParquetCodec::kGzip:
      return decompress_gzip(from, to);
    case ParquetCodec::kZstd:
      return decompress_zstd(from, to);
    case ParquetCodec::kLz4Hadoop:
      return decompress_hadoop_lz4(from, to);
    case ParquetCodec::kLz4Raw:
      return decompress_lz4(from, to);
    case ParquetCodec::kBrotli:
      return make_error(ErrorCode::kUnsupported,
                        "is compressed by brotli, which presso does not read; DuckDB and pyarrow "
                        "can write the file anew with zstd");
    default:
      return make_error(ErrorCode::kUnsupported, "is compressed by codec " +
                                                     std::to_string(static_cast<int>(codec)) +
                                                     ", which presso does not read");
  }
}

Status decompress_lz4_frame([[maybe_unused]] Bytes from, [[maybe_unused]] MutableBytes to) {
#ifdef PRESSO_HAVE_LZ4
  LZ4F_dctx* made = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&made, LZ4F_VERSION)) != 0) {
    return make_error(ErrorCode::kOutOfMemory);
  }
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(
      made, &LZ4F_freeDecompressionContext);
  std::size_t read = 0;
  std::size_t written = 0;
  for (std::size_t left = 1; left != 0;) {
    std::size_t consumed = from.size() - read;
    std::size_t produced = to.size() - written;
    left = LZ4F_decompress(context.get(), to.data() + written, &produced, from.data() + read,
                           &consumed, nullptr);
    if (LZ4F_isError(left) != 0 || (consumed == 0 && produced == 0)) return bad_page("lz4");
    read += consumed;
    written += produced;
  }
  return written == to.size() ? Status() : bad_page("lz4");
#else
  return lacks("liblz4", "lz4");
#endif
}

ParquetCodec written_codec() {
#ifdef PRESSO_HAVE_ZSTD
  return ParquetCodec::kZstd;
#else
  return ParquetCodec::kNone;
#endif
}

Status compress_page(Bytes from, Buffer& to) {
#ifdef PRESSO_HAVE_ZSTD
  constexpr int kLevel = 3;
  static thread_local const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(
      ZSTD_createCCtx(), &ZSTD_freeCCtx);
  to.resize_discarding(ZSTD_compressBound(from.size()));
  const std::size_t got =
      ZSTD_compressCCtx(context.get(), to.data(), to.size(), from.data(), from.size(), kLevel);
  if (ZSTD_isError(got) != 0) return make_error(ErrorCode::kOutOfMemory);
  to.grow(got);
#else
  to.clear();
  to.append(from);
#endif
  return {};
}

std::optional<std::uint32_t> page_checksum([[maybe_unused]] Bytes page) {
#ifdef PRESSO_HAVE_ZLIB
  return static_cast<std::uint32_t>(crc32(0, page.data(), static_cast<uInt>(page.size())));
#else
  return std::nullopt;
#endif
}

}  // namespace presso::cli
