// SPDX-License-Identifier: MIT
// Decodes the members of gzip files through zlib. Without zlib the maker returns nullptr. Files in
// zlib's own or in raw deflate format are declined. Tested by tests/cli/test_scan_files.py.
#include "tools/io/foreign_source.h"

#ifdef PRESSO_HAVE_ZLIB
#include <zlib.h>

#include <string>
#endif

namespace presso::cli {

#ifdef PRESSO_HAVE_ZLIB

namespace {

// This value of zlib's windowBits accepts a gzip header and nothing else.
constexpr int kGzipOnly = 16 + MAX_WBITS;

/// zlib's decoder; it verifies each member's checksum and length.
class GzipDecoder final : public ForeignDecoder {
 public:
  GzipDecoder() { ready_ = inflateInit2(&stream_, kGzipOnly) == Z_OK; }
  ~GzipDecoder() override {
    if (ready_) inflateEnd(&stream_);
  }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  /// False if zlib had no memory.
  bool ready() const { return ready_; }

  /// Inflates as far as input or room go. After a member the decoder starts anew, since gzip files
  /// may have several.
  Step step(Bytes in, MutableBytes out) override {
    // zlib does not write to its input, but older headers do not say so.
    stream_.next_in = const_cast<Byte*>(in.data());
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<uInt>(out.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    Step step{in.size() - stream_.avail_in, out.size() - stream_.avail_out, status == Z_STREAM_END};
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      step.damage = stream_.msg != nullptr ? stream_.msg : "damaged";
    }
    if (step.frame_done) inflateReset(&stream_);
    return step;
  }

  bool may_begin(Bytes in) const override { return in[0] == 0x1F; }
  const char* name() const override { return "gzip"; }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace

std::unique_ptr<ForeignDecoder> make_gzip_decoder() {
  auto decoder = std::make_unique<GzipDecoder>();
  if (!decoder->ready()) return nullptr;
  return decoder;
}

#else

std::unique_ptr<ForeignDecoder> make_gzip_decoder() {
  return nullptr;
}

#endif

}  // namespace presso::cli
