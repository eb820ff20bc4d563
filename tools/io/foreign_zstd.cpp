// SPDX-License-Identifier: MIT
// Decodes zstd frames through libzstd. Without libzstd the maker returns nullptr. The window is
// limited to 128 MiB by libzstd's default; frames that need more (zstd --ultra --long=31) are
// declined with the library's message. Tested by tests/cli/test_scan_files.py.
#include "tools/io/foreign_source.h"

#ifdef PRESSO_HAVE_ZSTD
#include <zstd.h>
#endif

namespace presso::cli {

#ifdef PRESSO_HAVE_ZSTD

namespace {

/// libzstd's decoder; it verifies a frame's checksum where it has one.
class ZstdDecoder final : public ForeignDecoder {
 public:
  ZstdDecoder() : stream_(ZSTD_createDStream()) {}
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  bool ready() const { return stream_ != nullptr; }

  /// ZSTD_decompressStream() returns 0 at the end of a frame, after which it begins the next one by
  /// itself.
  Step step(Bytes in, MutableBytes out) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t status = ZSTD_decompressStream(stream_, &output, &input);
    const char* const damage = ZSTD_isError(status) != 0 ? ZSTD_getErrorName(status) : nullptr;
    return {input.pos, output.pos, status == 0, damage};
  }

  /// Whether a frame, or one to be skipped, may begin here.
  bool may_begin(Bytes in) const override { return in[0] == 0x28 || (in[0] & 0xF0) == 0x50; }
  const char* name() const override { return "zstd"; }

 private:
  ZSTD_DStream* stream_;
};

}  // namespace

std::unique_ptr<ForeignDecoder> make_zstd_decoder() {
  auto decoder = std::make_unique<ZstdDecoder>();
  if (!decoder->ready()) return nullptr;
  return decoder;
}

#else

std::unique_ptr<ForeignDecoder> make_zstd_decoder() {
  return nullptr;
}

#endif

}  // namespace presso::cli
