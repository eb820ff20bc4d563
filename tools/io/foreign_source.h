// SPDX-License-Identifier: MIT
// Gives the text of .gz, .zst and .lz4 files, read in process through zlib, libzstd and liblz4:
// members and frames one after another, with checksums verified. One thread decodes; what is done
// with the text stays parallel. The libraries are optional when presso is built.
//
// Damage is an error with the compressed offset at which it was noticed, after all text before it
// has been given out. Memory: the format's window (zstd: at most 128 MiB) and 64 KiB of input.
// Tested by tests/cli/test_scan_files.py and test_unusual_files.py.
#pragma once

#include <memory>

#include "presso/byte_stream.h"

namespace presso::cli {

/// The formats that are read. kSkippable: the file begins with a frame that is to be skipped, which
/// zstd and lz4 mark in the same way; the frames after it tell which of the two it is.
enum class ForeignFormat { kNone, kGzip, kZstd, kLz4, kSkippable };

/// As many bytes as foreign_format() needs to tell every format that it knows.
constexpr std::size_t kForeignBytes = 12;

/// Tells the format from the first bytes of a file. Error kUnsupported: another program compressed
/// it in a format that presso does not read (xz, bzip2, lz4's legacy frames and others); the
/// message names the format and the command that decompresses it.
Result<ForeignFormat> foreign_format(Bytes begun);

/// Opens the plain text of `compressed`, which is kept by reference. Errors: kUnsupported if this
/// build lacks the library; for kSkippable, whose frames are skipped at once, also those of
/// reading.
Result<std::unique_ptr<ByteSource>> open_foreign(ForeignFormat format, ByteSource& compressed);

/// The decoder of one format, which is fed piece by piece. Not thread-safe; a decoder serves one
/// file.
class ForeignDecoder {
 public:
  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    bool frame_done = false;  ///< a member or frame ended with what was consumed
    const char* damage =
        nullptr;  ///< what is wrong after what was produced, in the library's words
  };

  virtual ~ForeignDecoder() = default;
  /// Decodes some of `in` into `out`, as much as fits. With an empty `in` it gives out what it
  /// still holds.
  virtual Step step(Bytes in, MutableBytes out) = 0;
  /// Whether the bytes after a frame may be a further frame, as opposed to padding that is to be
  /// left alone.
  virtual bool may_begin(Bytes in) const = 0;
  /// The format's name for messages.
  virtual const char* name() const = 0;
};

/// Each returns nullptr if its library is missing.
std::unique_ptr<ForeignDecoder> make_gzip_decoder();
std::unique_ptr<ForeignDecoder> make_zstd_decoder();
std::unique_ptr<ForeignDecoder> make_lz4_decoder();

}  // namespace presso::cli
