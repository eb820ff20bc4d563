// SPDX-License-Identifier: MIT
// Recognises formats by their magic numbers and reads a file frame by frame. The library's decoder
// does the work; this file handles what lies between frames: several members, padding, frames to be
// skipped, and anything else, which is an error. Tested by tests/cli/test_scan_files.py and
// tests/cli/test_unusual_files.py.
#include "tools/io/foreign_source.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "tools/cli/bind.h"

namespace presso::cli {
namespace {

// The compressed input is read in pieces of this size.
constexpr std::size_t kInputBytes = 64u << 10;

// Compares with a magic number; a text that is shorter does not begin with it.
bool begins_with(Bytes text, std::initializer_list<Byte> magic) {
  return text.size() >= magic.size() && std::equal(magic.begin(), magic.end(), text.begin());
}

/// Whether only zeros are left: gzip pads files with them to the block size of tapes.
bool is_padding(Bytes rest) {
  return std::all_of(rest.begin(), rest.end(), [](Byte byte) { return byte == 0; });
}

/// Whether a frame begins here that is to be skipped; pzstd begins its files with one.
bool is_skippable(Bytes begun) {
  return begun.size() >= 4 && (begun[0] & 0xF0) == 0x50 &&
         begins_with(begun.subspan(1), {0x2A, 0x4D, 0x18});
}

/// Whether this is the raw format of lzip's forerunner, which has no magic number: it has the usual
/// properties, a dictionary of less than 4 GiB, and a size that is unknown or below 1 TiB.
bool is_lzma(Bytes begun) {
  if (begun.size() < kForeignBytes || !begins_with(begun, {0x5D, 0x00, 0x00})) return false;
  const Bytes size = begun.subspan(5, 7);
  const auto all = [](Bytes bytes, Byte value) {
    return std::all_of(bytes.begin(), bytes.end(), [=](Byte byte) { return byte == value; });
  };
  return all(size, 0xFF) || all(size.subspan(5), 0);
}

/// Whether bzip2's header is followed by the magic number of a block or of the end. "BZh" alone is
/// too short to tell it from text.
bool is_bzip2(Bytes begun) {
  if (begun.size() < 10 || !begins_with(begun, {'B', 'Z', 'h'})) return false;
  return begins_with(begun.subspan(4), {0x31, 0x41, 0x59, 0x26, 0x53, 0x59}) ||
         begins_with(begun.subspan(4), {0x17, 0x72, 0x45, 0x38, 0x50, 0x90});
}

/// The program that made a format and the command that decompresses it.
struct UnreadFormat {
  const char* made_by = nullptr;
  const char* command = nullptr;
};

/// Recognises a format that presso knows but does not read.
std::optional<UnreadFormat> unread_format(Bytes begun) {
  if (begins_with(begun, {0xFD, '7', 'z', 'X', 'Z', 0x00})) return UnreadFormat{"xz", "xz -dc"};
  if (is_bzip2(begun)) return UnreadFormat{"bzip2", "bzip2 -dc"};
  if (begins_with(begun, {0x02, 0x21, 0x4C, 0x18})) {
    return UnreadFormat{"lz4 in its legacy format (lz4 -l)", "lz4 -dc"};
  }
  if (begins_with(begun, {0x1F, 0x9D})) return UnreadFormat{"compress", "gzip -dc"};
  if (begins_with(begun, {'L', 'Z', 'I', 'P', 0x01})) return UnreadFormat{"lzip", "lzip -dc"};
  if (begins_with(begun, {0x89, 'L', 'Z', 'O', 0x00, 0x0D, 0x0A, 0x1A, 0x0A})) {
    return UnreadFormat{"lzop", "lzop -dc"};
  }
  if (begins_with(begun, {0xFF, 0x06, 0x00, 0x00, 's', 'N', 'a', 'P', 'p', 'Y'})) {
    return UnreadFormat{"snappy", "snzip -dc"};
  }
  if (is_lzma(begun)) return UnreadFormat{"lzma", "xz -dc"};
  return std::nullopt;
}

/// The first bytes after frames that were skipped, and where in the file they are.
struct AfterSkipped {
  std::array<Byte, 4> begun{};
  std::size_t bytes = 0;
  std::uint64_t offset = 0;
};

/// The error where a file ends within a skippable frame.
Error ends_in_skipped_frame(std::uint64_t offset) {
  return make_error(ErrorCode::kIo,
                    "the file ends too early, in a frame to be skipped that begins "
                    "at offset " +
                        grouped(offset));
}

/// Reads past all frames at the beginning of a file that are to be skipped. The content is read and
/// dropped rather than seeked over, since the source may be a pipe. Error: kIo where the file ends
/// within a frame.
Result<AfterSkipped> skip_frames(ByteSource& compressed) {
  AfterSkipped after;
  for (std::array<Byte, kInputBytes> skipped;;) {
    PRESSO_ASSIGN(after.bytes, read_fully(compressed, after.begun));
    if (!is_skippable(Bytes(after.begun).first(after.bytes))) return after;
    std::array<Byte, 4> size{};
    PRESSO_ASSIGN(const std::size_t got, read_fully(compressed, size));
    if (got < size.size()) return ends_in_skipped_frame(after.offset);
    const std::uint64_t bytes =
        size[0] | size[1] << 8 | size[2] << 16 | std::uint64_t{size[3]} << 24;
    for (std::uint64_t left = bytes; left > 0;) {
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(left, skipped.size()));
      PRESSO_ASSIGN(const std::size_t read,
                    read_fully(compressed, MutableBytes(skipped).first(part)));
      if (read < part) return ends_in_skipped_frame(after.offset);
      left -= part;
    }
    after.offset += 8 + bytes;
  }
}

/// The plain text of a compressed source. It owns the decoder and refers to the compressed source.
/// After damage, read() first returns the text before it and from then on the error.
class ForeignSource final : public ByteSource {
 public:
  ForeignSource(std::unique_ptr<ForeignDecoder> decoder, ByteSource& compressed,
                const AfterSkipped& begun)
      : decoder_(std::move(decoder)),
        compressed_(compressed),
        end_(begun.bytes),
        offset_(begun.offset) {
    std::copy(begun.begun.begin(), begun.begun.end(), input_.begin());
  }

  /// Fills `into` completely except at the end, so that only there a chunk of the scan is short.
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
    // Text that came before the damage is given out first.
    if (got == 0 && failure_) return Error(*failure_);
    return got;
  }

 private:
  /// Decodes one piece. Damage is kept in `failure_`, for after the text before it.
  Result<std::size_t> step(MutableBytes out) {
    if (begin_ == end_ && !input_ended_) PRESSO_TRY(refill());
    const Bytes in = Bytes(input_).subspan(begin_, end_ - begin_);
    if (between_frames_) {
      PRESSO_ASSIGN(const bool more, enter_frame(in));
      if (!more) return std::size_t{0};
    }
    // The decoder may produce output without consuming input, as long as its window holds text.
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

  /// Goes on to the next frame. Returns false at the end of the file.
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

  /// Reads the next piece of the compressed file.
  Status refill() {
    PRESSO_ASSIGN(const std::size_t got, compressed_.read(input_));
    begin_ = 0;
    end_ = got;
    input_ended_ = got == 0;
    return {};
  }

  /// The error for this file, with the compressed offset, since there is no plain one to give.
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

/// Tells the format by the first bytes. Error: kUnsupported for formats that presso knows but does
/// not read, with the command that does.
Result<ForeignFormat> foreign_format(Bytes begun) {
  if (begins_with(begun, {0x1F, 0x8B})) return ForeignFormat::kGzip;
  if (begins_with(begun, {0x28, 0xB5, 0x2F, 0xFD})) return ForeignFormat::kZstd;
  if (begins_with(begun, {0x04, 0x22, 0x4D, 0x18})) return ForeignFormat::kLz4;
  if (is_skippable(begun)) return ForeignFormat::kSkippable;
  if (const auto unread = unread_format(begun)) {
    return make_error(ErrorCode::kUnsupported, std::string("is compressed by ") + unread->made_by +
                                                   ", which presso does not read; '" +
                                                   unread->command + "' decompresses it");
  }
  return ForeignFormat::kNone;
}

/// Opens a source of the plain text. Skippable frames, which zstd and lz4 share, are passed over
/// first to see which of the two it is. Error: kUnsupported where presso was built without the
/// library.
Result<std::unique_ptr<ByteSource>> open_foreign(ForeignFormat format, ByteSource& compressed) {
  // A skippable frame does not tell whose it is, so the four bytes after it are handed on.
  AfterSkipped begun;
  if (format == ForeignFormat::kSkippable) {
    PRESSO_ASSIGN(begun, skip_frames(compressed));
    if (begun.bytes == 0)
      return std::unique_ptr<ByteSource>(std::make_unique<MemorySource>(Bytes()));
    PRESSO_ASSIGN(format, foreign_format(Bytes(begun.begun).first(begun.bytes)));
  }
  std::unique_ptr<ForeignDecoder> decoder;
  const char* library = nullptr;
  switch (format) {
    case ForeignFormat::kGzip:
      decoder = make_gzip_decoder();
      library = "zlib";
      break;
    case ForeignFormat::kZstd:
      decoder = make_zstd_decoder();
      library = "libzstd";
      break;
    case ForeignFormat::kLz4:
      decoder = make_lz4_decoder();
      library = "liblz4";
      break;
    default:
      return make_error(
          ErrorCode::kUnsupported,
          "begins with a frame to be skipped, as zstd and lz4 write it, but neither of "
          "these formats follows");
  }
  if (!decoder) {
    return make_error(ErrorCode::kUnsupported, std::string("is compressed in a way that needs ") +
                                                   library + ", without which presso was built");
  }
  return std::unique_ptr<ByteSource>(
      std::make_unique<ForeignSource>(std::move(decoder), compressed, begun));
}

}  // namespace presso::cli
