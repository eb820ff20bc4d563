// SPDX-License-Identifier: MIT
#include "tools/io/foreign_source.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "tools/cli/bind.h"

namespace presso::cli {
namespace {

constexpr std::size_t kInputBytes = 64u << 10;

bool begins_with(Bytes text, std::initializer_list<Byte> magic) {
  return text.size() >= magic.size() && std::equal(magic.begin(), magic.end(), text.begin());
}

/// gzip pads files to the tape's block with zeros.
bool is_padding(Bytes rest) {
  return std::all_of(rest.begin(), rest.end(), [](Byte byte) { return byte == 0; });
}

class ForeignSource final : public ByteSource {
 public:
  ForeignSource(std::unique_ptr<ForeignDecoder> decoder, ByteSource& compressed)
      : decoder_(std::move(decoder)), compressed_(compressed) {}

  /// Fills `into` but at the end, so that only there a chunk of the scan is short.
  Result<std::size_t> read(MutableBytes into) override {
    std::size_t got = 0;
    while (got < into.size() && !ended_ && !failure_) {
      Result<std::size_t> more = step(into.subspan(got));
      if (more.ok()) {
        got += *more;
      } else {
        failure_ = std::move(more.error());
      }
    }
    // What came before the damage goes first.
    if (got == 0 && failure_) return Error(*failure_);
    return got;
  }

 private:
  Result<std::size_t> step(MutableBytes out) {
    if (begin_ == end_ && !input_ended_) PRESSO_TRY(refill());
    const Bytes in = Bytes(input_).subspan(begin_, end_ - begin_);
    if (between_frames_) {
      PRESSO_ASSIGN(const bool more, enter_frame(in));
      if (!more) return std::size_t{0};
    }
    const ForeignDecoder::Step step = decoder_->step(in, out);
    begin_ += step.consumed;
    offset_ += step.consumed;
    between_frames_ = step.frame_done;
    const bool stuck = step.consumed == 0 && step.produced == 0 && !step.frame_done;
    if (step.damage != nullptr) {
      failure_ = failed(step.damage);
    } else if (stuck && input_ended_ && begin_ == end_) {
      failure_ = failed("the file ends too early");
    }
    return step.produced;
  }

  /// False at the end of the file.
  Result<bool> enter_frame(Bytes in) {
    if (in.empty()) {
      ended_ = input_ended_;
      return false;
    }
    if (is_padding(in)) {
      offset_ += in.size();
      begin_ = end_;
      return false;
    }
    if (!decoder_->may_begin(in)) return failed("something else follows the compressed data");
    between_frames_ = false;
    return true;
  }

  Status refill() {
    PRESSO_ASSIGN(const std::size_t got, compressed_.read(input_));
    begin_ = 0;
    end_ = got;
    input_ended_ = got == 0;
    return {};
  }

  Error failed(const std::string& why) const {
    return make_error(ErrorCode::kIo, std::string(decoder_->name()) + " data at offset " +
                                          grouped(offset_) + ": " + why +
                                          "; the rest was not read");
  }

  std::unique_ptr<ForeignDecoder> decoder_;
  ByteSource& compressed_;
  std::array<Byte, kInputBytes> input_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  ///< of what the decoder sees next
  bool between_frames_ = true;
  bool input_ended_ = false;
  bool ended_ = false;
  std::optional<Error> failure_;
};

}  // namespace

ForeignFormat foreign_format(Bytes begun) {
  if (begins_with(begun, {0x1F, 0x8B})) return ForeignFormat::kGzip;
  if (begins_with(begun, {0x28, 0xB5, 0x2F, 0xFD})) return ForeignFormat::kZstd;
  if (begins_with(begun, {0x04, 0x22, 0x4D, 0x18})) return ForeignFormat::kLz4;
  // A frame to be skipped, with which pzstd begins files.
  const bool skippable = begun.size() >= 4 && (begun[0] & 0xF0) == 0x50 &&
                         begins_with(begun.subspan(1), {0x2A, 0x4D, 0x18});
  return skippable ? ForeignFormat::kZstd : ForeignFormat::kNone;
}

Result<std::unique_ptr<ByteSource>> open_foreign(ForeignFormat format, ByteSource& compressed) {
  std::unique_ptr<ForeignDecoder> decoder = format == ForeignFormat::kGzip   ? make_gzip_decoder()
                                            : format == ForeignFormat::kZstd ? make_zstd_decoder()
                                                                             : make_lz4_decoder();
  if (!decoder) {
    const char* const library = format == ForeignFormat::kGzip   ? "zlib"
                                : format == ForeignFormat::kZstd ? "libzstd"
                                                                 : "liblz4";
    return make_error(ErrorCode::kUnsupported,
                      std::string("is compressed in a way that needs ") + library +
                          ", without which presso was built; --no-search-zip searches it as it is");
  }
  return std::unique_ptr<ByteSource>(
      std::make_unique<ForeignSource>(std::move(decoder), compressed));
}

}  // namespace presso::cli
