// SPDX-License-Identifier: MIT
// Decodes lz4 frames through liblz4. The legacy format before frames (lz4 -l) is known to
// foreign_source.cpp but not read. Without liblz4 the maker returns nullptr. Tested by
// tests/cli/test_scan_files.py and tests/cli/test_unusual_files.py.
#include "tools/io/foreign_source.h"

#ifdef PRESSO_HAVE_LZ4
#include <lz4frame.h>
#endif

namespace presso::cli {

#ifdef PRESSO_HAVE_LZ4

namespace {

/// liblz4's decoder of frames; it verifies the checksums of blocks and content where the frame has
/// them.
class Lz4Decoder final : public ForeignDecoder {
 public:
  Lz4Decoder() {
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context_, LZ4F_VERSION)) != 0) {
      context_ = nullptr;
    }
  }
  ~Lz4Decoder() override { LZ4F_freeDecompressionContext(context_); }
  Lz4Decoder(const Lz4Decoder&) = delete;
  Lz4Decoder& operator=(const Lz4Decoder&) = delete;

  bool ready() const { return context_ != nullptr; }

  /// LZ4F_decompress() returns 0 at the end of a frame and then expects the next one.
  Step step(Bytes in, MutableBytes out) override {
    std::size_t consumed = in.size();
    std::size_t produced = out.size();
    const std::size_t status =
        LZ4F_decompress(context_, out.data(), &produced, in.data(), &consumed, nullptr);
    const char* const damage = LZ4F_isError(status) != 0 ? LZ4F_getErrorName(status) : nullptr;
    return {consumed, produced, status == 0, damage};
  }

  /// Whether a frame, or one to be skipped, may begin here.
  bool may_begin(Bytes in) const override { return in[0] == 0x04 || (in[0] & 0xF0) == 0x50; }
  const char* name() const override { return "lz4"; }

 private:
  LZ4F_dctx* context_ = nullptr;
};

}  // namespace

std::unique_ptr<ForeignDecoder> make_lz4_decoder() {
  auto decoder = std::make_unique<Lz4Decoder>();
  if (!decoder->ready()) return nullptr;
  return decoder;
}

#else

std::unique_ptr<ForeignDecoder> make_lz4_decoder() {
  return nullptr;
}

#endif

}  // namespace presso::cli
